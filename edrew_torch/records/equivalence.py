"""equivalence: records as subtrees of one class: the same elements in the same order, whatever the leaves say.

    <tr><td>a<td>b</tr> <tr><td>c<td>d</tr>   ->   two of class tr(); their texts are two records: a b, c d

1. Classes from the leaves up (Valiente 2001), texts and childless elements left out. 2. The most frequent classes of
subtrees with at least 3 nodes, at most 10, until the frequency drops by more than 90 %. 3. Without those that lie in
others. 4. A record begins each time the first class met comes again. Ribeiro and Miranda 2011; all of it linear.

Two steps beyond the document can be switched, each by itself; `plain` switches both off:
- `tolerant`: classes also by outline, the set of elements a node has in the two levels below: an optional or repeated
  part then does not part two records.
- `choice=model`: every class is a candidate list, judged by what good lists look like (choice.py); the document takes
  the most frequent, and side menus with them.
Reads sequence.py; one of the methods of methods.py, read by auto.py.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.candidates import MIN_SHARE, Candidate, groups_of, select_candidates
from edrew_torch.records.choice import RecordList, StepSettings, choose_lists
from edrew_torch.records.sequence import PageSequence, Places

MIN_SIZE = 3  # nodes of a subtree, leaves counted
MAX_CLASSES = 10
MIN_RATIO = 0.1  # of a frequency to the one before it
NO_CLASS = -1  # of leaves


@dataclass(frozen=True)
class EquivalenceSettings(StepSettings):
    """How lists are found by classes of subtrees."""

    NAME = "equivalence"
    RULE = "frequency"


DEFAULTS = EquivalenceSettings()


def subtree_classes(page: PageSequence) -> Places:
    """(N,) The class of each subtree: its tag, and the classes of its children in order, leaves left out.

    >>> from edrew_torch.parse import parse_tree
    >>> from edrew_torch.records.sequence import page_sequence
    >>> page = page_sequence(parse_tree("<p><b>a</b>b</p><p>c<b>d</b><br></p><p>e</p>"))
    >>> subtree_classes(page)[page.is_named("p")].tolist()
    [2, 2, 0]
    """
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    below: list[list[int]] = [[] for _ in range(len(page) + 1)]
    found = [NO_CLASS] * len(page)
    parent, tag = page.parent.tolist(), page.tag.tolist()
    is_leaf = (page.end == np.arange(len(page)) + 1).tolist()
    for place in range(len(page) - 1, -1, -1):
        if not is_leaf[place]:
            key = (tag[place], tuple(reversed(below[place])))
            found[place] = numbers.setdefault(key, len(numbers))
            below[parent[place]].append(found[place])
        below[place] = []
    return np.array(found, dtype=np.int64)


def outline_classes(page: PageSequence) -> Places:
    """(N,) The class of each element by outline: its tag, and which tags it has below it, on two levels."""
    numbers: dict[object, int] = {}
    found = [NO_CLASS] * len(page)
    parent, tag = page.parent.tolist(), page.tag.tolist()
    first: list[set[int]] = [set() for _ in range(len(page) + 1)]
    second: list[set[tuple[int, int]]] = [set() for _ in range(len(page) + 1)]
    for place in range(len(page) - 1, -1, -1):
        if tag[place] >= 0:
            key = (tag[place], frozenset(first[place]), frozenset(second[place]))
            found[place] = numbers.setdefault(key, len(numbers))
            first[parent[place]].add(tag[place])
            second[parent[place]].update((tag[place], below) for below in first[place])
        first[place] = set()
        second[place] = set()
    return np.array(found, dtype=np.int64)


def frequent_classes(page: PageSequence, classes: Places) -> list[int]:
    """Return the most frequent classes, none of which lies in another. Figure 2, which would stop at nine, and 2.3."""
    counts = Counter(classes[(classes != NO_CLASS) & is_large(page)].tolist())
    # differs from the paper, which says nothing of classes that occur once: the whole page would be one
    repeated = ((number, count) for number, count in counts.most_common() if count > 1)
    ranked = list(islice(repeated, MAX_CLASSES))  # of equals the first on the page stands first
    chosen = [number for number, _ in ranked[:1]]
    for (_, before), (number, count) in pairwise(ranked):
        if count < MIN_RATIO * before:
            break
        chosen.append(number)
    inner: set[int] = set()
    end_of = dict.fromkeys(chosen, 0)  # of the last node met of each class
    for place in np.flatnonzero(np.isin(classes, chosen)).tolist():
        number = int(classes[place])
        if any(place < end for other, end in end_of.items() if other != number):
            inner.add(number)
        end_of[number] = max(end_of[number], int(page.end[place]))
    return [number for number in chosen if number not in inner]


def is_large(page: PageSequence) -> NDArray[np.bool_]:
    """(N,) Has the subtree at least 3 nodes?"""
    large: NDArray[np.bool_] = page.end - np.arange(len(page)) >= MIN_SIZE
    return large


def class_records(page: PageSequence, classes: Places, chosen: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the places of the texts of each record, in page order. Figure 5.

    Every text below a node of a chosen class; a record begins when the class of the first such node comes again.
    """
    texts = np.flatnonzero(page.is_text)
    records: list[list[int]] = []
    first, behind = NO_CLASS, 0
    for place in np.flatnonzero(np.isin(classes, chosen) & is_large(page)).tolist():
        if place < behind:  # in one of its own class: only outlines can
            continue
        behind = int(page.end[place])
        first = int(classes[place]) if first == NO_CLASS else first
        if classes[place] == first:
            records.append([])
        records[-1].extend(texts[np.searchsorted(texts, place) : np.searchsorted(texts, behind)].tolist())
    return [tuple(record) for record in records if record]


def equivalence_lists(page: PageSequence, settings: EquivalenceSettings = DEFAULTS) -> list[RecordList]:
    """Return the lists of a page: content first, then the best."""
    if settings.is_judged:
        return choose_lists(
            page, select_candidates(page, class_lists(page, settings.is_tolerant)), settings.min_confidence
        )
    records = document_records(page, settings.is_tolerant)
    if len(records) < 2:
        return []
    # a rule that says yes or no has no degrees of confidence
    return [RecordList(tuple((record[0], record[-1] + 1) for record in records), 1.0, True, tuple(records))]


def document_records(page: PageSequence, is_tolerant: bool = False) -> list[tuple[int, ...]]:
    """The places of the texts of each record, as the document finds them."""
    classes = outline_classes(page) if is_tolerant else subtree_classes(page)
    return class_records(page, classes, frequent_classes(page, classes))


def class_lists(page: PageSequence, is_tolerant: bool = True) -> Iterator[Candidate]:
    """Yield the subtrees of each class as a list, and the document's records."""
    if not len(page):
        return
    least = max(MIN_SHARE * page.text_before[-1], 1)
    kinds = {"class": subtree_classes(page)} | ({"outline": outline_classes(page)} if is_tolerant else {})
    for form, classes in kinds.items():
        places = np.flatnonzero((classes != NO_CLASS) & is_large(page))
        for found in groups_of(page, places, classes[places], page.end[places], least) if len(places) else ():
            starts = found[np.append(True, found[1:] >= np.maximum.accumulate(page.end[found])[:-1])]
            yield Candidate(form, "path", starts, page.end[starts])
    records = document_records(page)
    if len(records) > 1:
        starts = np.array([record[0] for record in records], dtype=np.int64)
        ends = np.array([record[-1] + 1 for record in records], dtype=np.int64)
        if (ends[:-1] <= starts[1:]).all():
            yield Candidate("class", "path", starts, ends)
