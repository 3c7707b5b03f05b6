"""Records of list pages, method by method: precision, recall, F1 and time, per set, on the sites held out for testing.

    python experiments/records/run.py            # 542 pages, four minutes on one core
    python experiments/records/run.py --quick    # invented pages, half a minute; prints

A page counts its main list: the best one that is called content; none means no records. Writes results.csv (a line for
each method, set and part), spectra.csv (how often lazy and full spectrum agree), quiet.csv (pages without a list that
get one) and results.md beside this file; to measure anew, remove results.csv. `peers.csv` holds what other tools
reached on all pages of a set, from an earlier measurement with the same rule of matching.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.lists import SETS, ListPage, invented_list_pages, read_list_pages, sites_for_testing
from edrew_torch.datasets.packs import shared_data
from edrew_torch.measured import Measured
from edrew_torch.metrics.statistics import Counts, mean_score, micro
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.choice import RecordList
from edrew_torch.records.equivalence import EquivalenceSettings
from edrew_torch.records.methods import Settings, main_list
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.records.signal import SignalSettings, plain_regions
from edrew_torch.records.tree_lists import WrapperSettings
from edrew_torch.report import Cell, Report, as_markdown, as_rich, read_report

HERE = Path(__file__).parent
DATA = shared_data()
NUM_QUICK = 20
FIGURES = ("precision", "recall", "F1", "mean F1 of pages", "ms a page, median")
MEASURED = Measured(HERE, ("set", "part", "method", "pages", *FIGURES))
SPECTRA = Measured(HERE, ("pages", "same main list", "same regions"), "spectra")
QUIET = Measured(HERE, ("method", "with a list", "pages"), "quiet")

Find = Callable[[PageSequence], RecordList | None]


def method(name: str, settings: Settings | None = None) -> Find:
    """The main list of a method."""
    return lambda page: main_list(page, name, settings)


METHODS: dict[str, Find] = {
    "auto": method("auto"),
    "signal": method("signal"),
    "signal, plain, lazy": method("signal", SignalSettings(plain=True)),
    "signal, plain, full": method("signal", SignalSettings(plain=True, psd="full")),
    "signal, plain, k-means": method("signal", SignalSettings(plain=True, content="kmeans")),
    "wrapper": method("wrapper"),
    "wrapper, tolerant only": method("wrapper", WrapperSettings(choice="longest")),
    "wrapper, choice only": method("wrapper", WrapperSettings(tolerant=False)),
    "wrapper, plain": method("wrapper", WrapperSettings(plain=True)),
    "equivalence": method("equivalence"),
    "equivalence, tolerant only": method("equivalence", EquivalenceSettings(choice="frequency")),
    "equivalence, choice only": method("equivalence", EquivalenceSettings(tolerant=False)),
    "equivalence, plain": method("equivalence", EquivalenceSettings(plain=True)),
}


@dataclass(frozen=True)
class Scored:
    """What a method made of a page."""

    page: ListPage
    method: str
    is_test: bool
    counts: Counts
    seconds: float


def main() -> None:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        scored, _ = score_pages(list(invented_list_pages(NUM_QUICK)))
        Console().print(as_rich(as_table(make_rows(scored), "data:invented")))
        return
    if not MEASURED.file.exists():
        scored, compared = score_pages(list(read_list_pages(DATA)))
        SPECTRA.replace([compared], "records,shops")
        QUIET.replace(quiet_rows(scored), "records")
        MEASURED.replace(make_rows(scored), "records,shops")
    MEASURED.write(render())
    print(render())


def score_pages(pages: list[ListPage]) -> tuple[list[Scored], tuple[int, int, int]]:
    """What each method made of each page; and pages compared, those with the same main list, with the same regions."""
    held_out = sites_for_testing(pages)
    scored: list[Scored] = []
    same_regions, same_main, num_compared = 0, 0, 0
    for given in track(pages, "Scoring pages", console=Console(stderr=True), transient=True):
        began = time.process_time()
        page = page_sequence(parse_tree(Page.from_bytes(given.data)))
        shared = time.process_time() - began  # reading and parsing: the same for all
        for name, find in METHODS.items():
            began = time.process_time()
            found = find(page)
            seconds = shared + time.process_time() - began
            number = len(found.records) if found else 0
            counts = given.score_list(page, found) if given.number else Counts(0, number, 0)
            scored.append(Scored(given, name, (given.set, given.site) in held_out, counts, seconds))
        if given.number:
            lazy, full = (plain_regions(page, SignalSettings(plain=True, psd=psd)) for psd in ("lazy", "full"))
            num_compared += 1
            same_regions += [region.records for region in lazy] == [region.records for region in full]
            same_main += METHODS["signal, plain, lazy"](page) == METHODS["signal, plain, full"](page)
    return scored, (num_compared, same_main, same_regions)


def make_rows(scored: list[Scored]) -> list[tuple[Cell, ...]]:
    """A row for each set, part and method."""
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(each.page.set for each in scored):
        for part in ("test sites", "all sites"):
            for method in METHODS:
                found = [
                    each
                    for each in scored
                    if each.page.set == name
                    and each.method == method
                    and each.page.number
                    and (each.is_test or part == "all sites")
                ]
                if not found or (name == "unstructured"):
                    continue
                total, mean = micro(each.counts for each in found), mean_score(each.counts for each in found)
                milliseconds = 1000 * float(np.median([each.seconds for each in found]))
                figures = (total.precision, total.recall, total.f1, mean.f1)
                rows.append((name, part, method, len(found), *figures, f"{milliseconds:.1f}"))
    return sorted(rows, key=lambda row: SETS.index(row[0]) if row[0] in SETS else 0)


def quiet_rows(scored: list[Scored]) -> list[tuple[Cell, ...]]:
    """How many pages without a list get one, by method."""
    rows: list[tuple[Cell, ...]] = []
    for method in METHODS:
        found = [each for each in scored if each.page.set == "unstructured" and each.method == method]
        quiet = [each for each in found if not each.page.number]
        rows.append((method, sum(each.counts.predicted > 0 for each in quiet), len(quiet)))
    return rows


def as_table(rows: list[tuple[Cell, ...]], sign: str) -> Report:
    """The lines as a table."""
    return Report("Records, main list", MEASURED.columns, tuple((*row[:-1], str(row[-1])) for row in rows), sign)


def render() -> str:
    """Ours, other tools, and what is to be said of both."""
    ours = as_table(MEASURED.cells(), MEASURED.sign("split:a third of the sites of each set, seed 1"))
    title = "Other tools, F1 of the main region, all pages of each set (measured earlier, other times of day)"
    peers = read_report(HERE / "peers.csv", title, "from shared/PEERS.md, November 2026")
    ((compared, same_main, same_regions),) = SPECTRA.cells()
    notes = NOTES.format(
        compared=compared,
        same_main=100 * same_main / compared,
        same_regions=100 * same_regions / compared,
        quiet="; ".join(f"{method} {found}" for method, found, _ in QUIET.cells()),
        num_quiet=QUIET.cells()[0][-1],
    )
    return as_markdown(ours) + "\n" + as_markdown(peers) + notes


NOTES = """
`python experiments/records/run.py`.

- `signal` is trained on the other two thirds of the sites (experiments/records/train.py), so its rows of all sites hold
  training pages; only those of test sites count. The six-feature model of `plain` is trained on the same sites.
- Settings were chosen by cross-validation over the training sites. The test sites were not quite unseen, though: a
  prototype was cross-validated over all sites before they were split, and its failures were read; and of the figures
  here three earlier versions were seen. After the first, invented pages of one more form ("mixed") were added to
  training and the rule of confidence was changed; after the second, one more form ("pairs") and larger menus, since
  failures on training sites asked for them. In 0.4 the judge was trained anew for the candidates of all methods, with
  more features and three more invented forms; after a look at its figures (auto: zhao2 94.4, shops 93.2) invented pages
  got side lists of goods and more menus, the known weakness, and that was the last change. Shops (goal 95) falls short.
- `auto` is the best single choice over the five sets of the goal (mean 97.2; `signal` 96.0, `wrapper` 95.1), but not on
  each: `signal` is better on shops, and on clustvx `auto` calls one more page's list noise.
- `tolerant only` and `choice only` are the two steps beyond each document, each without the other; `plain` has neither.
- `wien` has labels of some fields only, not of whole records: a record that is found whole has more text than its truth
  and often misses the bound of 0.6. Nothing was trained on it. Pages of which only the number of records is known
  (`unit: title`) are scored by number.
- Some truths are of the title of a record where the page has more (devguru, redhat, tbdw 28…): a whole record counts as
  wrong there. They stay.
- Lazy and full spectrum, over {compared} pages with records: the same main list on {same_main:.1f} %, the same regions
  and records on {same_regions:.1f} % (the author's program: 83 % of main regions). They differ because a peak is
  measured against the mean power in one (9 times) and in standard deviations above it in the other (3): full is the
  stricter where the deviation exceeds 8/3 of the mean, in regions with few strong peaks; lazy is, elsewhere.
- Of the {num_quiet} pages without a list of records (`unstructured`, its two comment lists aside) so many get a content
  region: {quiet}.
"""

if __name__ == "__main__":
    main()
