"""Ribeiro and Miranda 2011, tables 1 to 13: the document's three measures, on the list pages at hand.

    python experiments/equivalence/run.py            # 289 pages of shops and wien, a minute on one core
    python experiments/equivalence/run.py --quick    # invented pages, ten seconds; prints

By record (found or not), by value (whatever the record), and the mean over extracted records of each one's precision
and recall, a spurious record counting 0. The document's own pages (twelve, of four collections) are not available; its
table 13 stands beside ours in results.md. Writes results.csv and results.md beside this file; to measure anew, remove
results.csv.
"""

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.lists import ListPage, invented_list_pages, read_list_pages, score_main_lists
from edrew_torch.datasets.packs import shared_data
from edrew_torch.measured import Measured
from edrew_torch.metrics.records import match_nodes, mean_of_records, score_values
from edrew_torch.records.choice import RecordList
from edrew_torch.records.equivalence import EquivalenceSettings
from edrew_torch.records.methods import Settings
from edrew_torch.records.sequence import PageSequence
from edrew_torch.report import Cell, Report, as_markdown, as_rich, read_report

HERE = Path(__file__).parent
NUM_QUICK = 20
COLUMNS = ("site", "method", "pages", "record P", "record R", "value P", "value R", "mean P", "mean R")
MEASURED = Measured(HERE, COLUMNS)
DATA = shared_data()
METHODS: dict[str, tuple[str, Settings | None]] = {
    "equivalence, plain (the document)": ("equivalence", EquivalenceSettings(plain=True)),
    "equivalence, tolerant only": ("equivalence", EquivalenceSettings(choice="frequency")),
    "equivalence, choice only": ("equivalence", EquivalenceSettings(tolerant=False)),
    "equivalence": ("equivalence", None),
    "auto": ("auto", None),
}


def main() -> None:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        Console().print(as_rich(as_table(measure(list(invented_list_pages(NUM_QUICK))), "data:invented")))
        return
    if not MEASURED.file.exists():
        MEASURED.replace(measure(list(read_list_pages(DATA, ("shops", "wien")))), "shops,wien")
    MEASURED.write(render())
    print(render())


def measure(pages: list[ListPage]) -> list[tuple[Cell, ...]]:
    """A line for each site and method."""
    watched = track(pages, "Scoring pages", console=Console(stderr=True), transient=True)
    return make_rows(score_main_lists(watched, METHODS, lambda page, best, true: measures(texts_of(page, best), true)))


def texts_of(page: PageSequence, found: RecordList | None) -> list[list[str]]:
    """The texts of each record: leaves that are tags are no data here."""
    if found is None:
        return []
    if found.texts is not None:
        return [[page.texts[place] for place in record] for record in found.texts]
    return [[text for text in page.texts[start:end] if text] for start, end in found.records]


def measures(predicted: list[list[str]], true: list[list[str]]) -> tuple[float, ...]:
    """Precision and recall by record, by value and as means of records."""
    found = len(match_nodes(predicted, true))
    values = score_values(predicted, true)
    by_record = (found / max(len(predicted), 1), found / max(len(true), 1))
    return (*by_record, values.precision, values.recall, *mean_of_records(predicted, true))


def make_rows(scores: dict[tuple[str, str], list[tuple[float, ...]]]) -> list[tuple[Cell, ...]]:
    """Means over the pages of each site, and over the sites, as in table 13."""
    rows: list[tuple[Cell, ...]] = []
    for (site, method), found in sorted(scores.items(), key=lambda item: (item[0][0], list(METHODS).index(item[0][1]))):
        rows.append((site, method, len(found), *np.mean(found, axis=0).tolist()))
    for method in METHODS:
        sites = [np.mean(found, axis=0) for (_, name), found in scores.items() if name == method]
        number = sum(len(found) for (_, name), found in scores.items() if name == method)
        rows.append(("mean of all", method, number, *np.mean(sites, axis=0).tolist()))
    return rows


def as_table(rows: list[tuple[Cell, ...]], sign: str) -> Report:
    """The lines as a table."""
    return Report("The three measures of table 13", MEASURED.columns, tuple(rows), sign)


def render() -> str:
    """Ours, then the document's."""
    ours = as_table(MEASURED.cells(), MEASURED.sign("rule:a record is found at F 0.5 of its texts"))
    title = "The document, 3 pages of each collection, 2011 (not available)"
    paper = read_report(HERE / "paper.csv", title, "Ribeiro and Miranda 2011, table 13")
    return as_markdown(ours) + "\n" + as_markdown(paper) + NOTES


NOTES = """
`python experiments/equivalence/run.py`.

- Pages of shops are harder than the document's: several menus, filters and side lists, of which the most frequent
  classes are made; the plain method takes those. A record of several classes is cut wherever the first class met comes
  again, and the first class met is that of a menu.
- Classes that occur once are left out here; the document does not speak of them, and on a small page they would be
  among the ten most frequent and hold all others.
- A record counts as found when the F of its texts is at least 0.5; the document does not say what it counts.
- `auto` and the choice by a model were trained on three of the five shops (americanas, circuitcity, target); `ebay` and
  `mysimon` are test sites. The plain method is trained on nothing. `wien` labels some fields of each record only.
"""

if __name__ == "__main__":
    main()
