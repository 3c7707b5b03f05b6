"""Records: milliseconds a page of each method, beside lxml's parse in the same run, and how time grows with the page.

    python benchmarks/records.py        # real list pages (EDREW_DATA), some minutes on one core

Everything from bytes to tables, decoding and parsing included. The second table lets a list page grow from 1,000 to
200,000 nodes; the exponent is the slope of log time over log nodes: 1 is linear. The third learns and applies wrappers.
"""

import time
from collections.abc import Callable

import numpy as np
from lxml import html as lxml_html
from rich.console import Console

from edrew_torch.datasets.lists import read_list_pages
from edrew_torch.datasets.packs import shared_data
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.equivalence import EquivalenceSettings
from edrew_torch.records.methods import Settings, find_regions
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.signal import SignalSettings
from edrew_torch.records.tree_lists import WrapperSettings
from edrew_torch.records.wrapper import make_wrapper
from edrew_torch.report import Report, as_rich

DATA = shared_data()
SETS = ("tbdw", "zhao1", "zhao2", "zhao3")
RECORD = '<div class="item"><h3><a href="/{n}">Item {n} of many</a></h3><p>About {n} things</p><b>${n}.99</b></div>'
NUM_NODES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)


def tables(method: str, settings: Settings | None = None) -> Callable[[bytes], object]:
    """From bytes to tables."""
    return lambda data: find_regions(parse_tree(Page.from_bytes(data)), method, settings)


WAYS: dict[str, Callable[[bytes], object]] = {
    "lxml's bare parse": lxml_html.document_fromstring,
    "page, tree, sequence": lambda data: page_sequence(parse_tree(Page.from_bytes(data))),
    "auto": tables("auto"),
    "signal": tables("signal"),
    "signal, plain, lazy": tables("signal", SignalSettings(plain=True)),
    "signal, plain, full": tables("signal", SignalSettings(plain=True, psd="full")),
    "wrapper": tables("wrapper"),
    "wrapper, plain": tables("wrapper", WrapperSettings(plain=True)),
    "equivalence": tables("equivalence"),
    "equivalence, plain": tables("equivalence", EquivalenceSettings(plain=True)),
}


def seconds(way: Callable[[bytes], object], data: bytes, times: int = 3) -> float:
    """The best of some runs, in processor time."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        way(data)
        taken.append(time.process_time() - began)
    return min(taken)


def main() -> None:
    """Measure and print."""
    pages = [page.data for page in read_list_pages(DATA, SETS)]
    WAYS["signal"](pages[0])  # the model is read once
    rows = []
    for name, way in WAYS.items():
        taken = 1000 * np.array([seconds(way, data) for data in pages])
        shown = [f"{value:.1f}" for value in (np.median(taken), taken.mean(), np.quantile(taken, 0.95))]
        rows.append((name, *shown))
    sizes = (
        f"{len(pages)} pages of {', '.join(SETS)}, {np.median([len(data) for data in pages]) / 1000:.0f} kB in median"
    )
    columns = ("way", "median", "mean", "95 % of pages below")
    Console().print(as_rich(Report(f"Milliseconds a page: {sizes}", columns, tuple(rows), "Velloso's C++: 7 to 12")))

    growth = []
    for name, way in list(WAYS.items())[1:]:
        taken = []
        for number in NUM_NODES:
            body = "".join(RECORD.format(n=n) for n in range(number // 8))
            taken.append(seconds(way, f"<h1>List</h1><div>{body}</div>".encode(), times=2))
        exponent = float(np.polyfit(np.log(NUM_NODES), np.log(taken), 1)[0])
        growth.append((name, f"{1000 * taken[0]:.1f}", f"{1000 * taken[-1]:.0f}", f"{exponent:.2f}"))
    columns = ("way", f"ms, {NUM_NODES[0]:,} nodes", f"ms, {NUM_NODES[-1]:,} nodes", "exponent of growth")
    Console().print(as_rich(Report("Growth with the page", columns, tuple(growth), "lists of one template")))


def reuse() -> None:
    """Measure wrappers: of each shop learnt from two pages and applied to others."""
    sites: dict[str, list[bytes]] = {}
    for page in read_list_pages(DATA, ("shops",)):
        sites.setdefault(page.site, []).append(page.data)
    rows = []
    for site, pages in sites.items():
        began = time.process_time()
        wrapper = make_wrapper([parse_tree(Page.from_bytes(data)) for data in pages[:2]])
        learning = 1000 * (time.process_time() - began) / 2
        ways: dict[str, Callable[[bytes], object]] = {
            "parse": lxml_html.document_fromstring,
            "tree": lambda data: parse_tree(Page.from_bytes(data)),
            "apply": lambda data, wrapper=wrapper: wrapper.apply(parse_tree(Page.from_bytes(data))),
        }
        parse, tree, apply = (
            1000 * float(np.mean([seconds(way, data) for data in pages[2:12]])) for way in ways.values()
        )
        ratios = (f"{apply / parse:.1f}", f"{learning / apply:.1f}")
        rows.append((site, f"{parse:.1f}", f"{tree:.1f}", f"{apply:.1f}", f"{learning:.1f}", *ratios))
    columns = ("shop", "lxml's bare parse", "page, tree", "apply", "learn, a page", "apply / parse", "learn / apply")
    title = "Wrappers, ms a page: learnt from 2 pages, applied to 10, from bytes to table"
    Console().print(as_rich(Report(title, columns, tuple(rows), "best of three runs; learning once")))


if __name__ == "__main__":
    main()
    reuse()
