"""Scores. Every one names what it counts; the protocol it was measured under stands beside it in each table.

| module | what is counted |
|---|---|
| `nodes` | nodes called relevant, over all nodes with content of the test pages |
| `attributes` | pages of a site on which an attribute's value was found: `swde-published`, `swde-strict` |
| `records` | records of a list page, matched one to one, and the items inside them |
| `words` | words and 4-word shingles of an article's text |
| `statistics` | nothing itself: sums and means of counts, spread over seeds, interval of an F1, test of a difference |
"""
