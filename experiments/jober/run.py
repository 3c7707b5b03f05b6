"""Moura 2018, tables 8 and 9: records and their items, as that document counts them, on the list pages at hand.

    python experiments/jober/run.py            # 289 pages of shops and wien, three minutes on one core
    python experiments/jober/run.py --quick    # invented pages, ten seconds; prints

The document's own pages (five of each of four job boards, 2018) are not available; its figures stand beside ours in
results.md. Here: `shops`, whose truth is the text nodes of every record, and `wien`, whose truth is some fields of
every record. The other sets of list pages have no items in their truth. Writes results.csv and results.md beside
this file; to measure anew, remove results.csv.
"""

import argparse
from pathlib import Path

from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.lists import ListPage, invented_list_pages, read_list_pages, score_main_lists
from edrew_torch.datasets.packs import shared_data
from edrew_torch.measured import Measured
from edrew_torch.metrics.records import COMMON, ITEMS_F, score_item_sets
from edrew_torch.metrics.statistics import Counts, micro
from edrew_torch.records.choice import RecordList
from edrew_torch.records.methods import Settings
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.tables import data_places
from edrew_torch.records.tree_lists import WrapperSettings
from edrew_torch.report import Cell, Report, as_markdown, as_rich, read_report

HERE = Path(__file__).parent
NUM_QUICK = 20
NAMES = ("TP", "FP", "FN", "P", "R", "F")
COLUMNS = ("site", "method", "pages", *(f"records {name}" for name in NAMES), *(f"items {name}" for name in NAMES))
MEASURED = Measured(HERE, COLUMNS)
DATA = shared_data()
METHODS: dict[str, tuple[str, Settings | None]] = {
    "wrapper, plain (the document)": ("wrapper", WrapperSettings(plain=True)),
    "wrapper, tolerant only": ("wrapper", WrapperSettings(choice="longest")),
    "wrapper, choice only": ("wrapper", WrapperSettings(tolerant=False)),
    "wrapper": ("wrapper", None),
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
    return make_rows(
        score_main_lists(watched, METHODS, lambda page, best, true: score_item_sets(items_of(page, best), true))
    )


def items_of(page: PageSequence, found: RecordList | None) -> list[list[str]]:
    """The texts of each record of a list."""
    if found is None:
        return []
    return [[page.texts[place] for place in record] for record in data_places(page, found)]


def make_rows(scores: dict[tuple[str, str], list[tuple[Counts, Counts]]]) -> list[tuple[Cell, ...]]:
    """The counts of all pages of a site together."""
    rows: list[tuple[Cell, ...]] = []
    for (site, method), found in sorted(scores.items(), key=lambda item: (item[0][0], list(METHODS).index(item[0][1]))):
        cells: list[Cell] = [site, method, len(found)]
        for counts in (micro(records for records, _ in found), micro(items for _, items in found)):
            cells += [counts.correct, counts.predicted - counts.correct, counts.true - counts.correct]
            cells += [counts.precision, counts.recall, counts.f1]
        rows.append(tuple(cells))
    return rows


def as_table(rows: list[tuple[Cell, ...]], sign: str) -> Report:
    """The lines as tables 8 and 9 side by side."""
    return Report("Records and items as in tables 8 and 9", MEASURED.columns, tuple(rows), sign)


def render() -> str:
    """Ours, then the document's."""
    ours = as_table(MEASURED.cells(), MEASURED.sign(RULE))
    title = "The document, 5 pages of each site, 2018 (not available)"
    paper = read_report(HERE / "paper.csv", title, "Moura 2018, tables 8 and 9")
    return as_markdown(ours) + "\n" + as_markdown(paper) + NOTES


RULE = f"rule:items of over {COMMON:.0%} of records dropped, F over {ITEMS_F:.0%}"
NOTES = """
`python experiments/jober/run.py`.

- The document's fourth site, Empregos.com.br, gave nothing: one invalid grammar stopped the program. Such a grammar
  (jumps that cross) here costs its own level only; what lies below it is read by the grammars of its children.
- A child without a counterpart has no grammar in the document, and so no data; here it has its own (tree_match.py).
- `wien` labels some fields only: what else a record says counts as wrong items, and the share of labelled items in a
  record is often below 35 %. Its fields are cut from the source and may be part of a text node.
- `auto` and the choice by a model were trained on three of the five shops (americanas, circuitcity, target); `ebay` and
  `mysimon` are test sites. The plain method is trained on nothing.
"""

if __name__ == "__main__":
    main()
