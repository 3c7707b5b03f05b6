"""How fast a page becomes its tree and its reTPS rows, as ratios to lxml's bare parse in the same run.

    python benchmarks/parse.py                 # real SWDE pages where EDREW_DATA has them, else the sample
    python benchmarks/parse.py --pages 200

One process, one core. Every way reads every page in turn, several times over; a page counts with its best time, so that
what else the machine does in between falls out.
"""

import argparse
import tarfile
import time
from collections.abc import Callable

from lxml import etree
from rich.console import Console
from rich.progress import track
from rich.table import Table
from selectolax.lexbor import LexborHTMLParser

from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.sample import generate_sample
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.parse.lxml_events import PythonTreeBuilder, TreeBuilder, build_tree
from edrew_torch.retps import RetpsBuilder

DATA = shared_data()


def load_pages(count: int) -> tuple[str, list[str]]:
    """Return where the pages are from, and `count` of them as text, evenly over the verticals."""
    packs = sorted(path for path in (DATA / "swde").glob("*.tar.xz") if path.name != "groundtruth.tar.xz")
    if not packs:
        return "the embedded sample", [page.html for page in generate_sample(pages=max(1, count // 48))]
    pages = []
    for path in packs:
        with tarfile.open(path) as pack:
            members = [member for member in pack if member.isfile()]
            for member in members[:: max(1, len(members) * len(packs) // count)]:
                file = pack.extractfile(member)
                assert file is not None
                pages.append(Page.from_bytes(file.read(), member.name).html)
    return f"SWDE ({DATA / 'swde'})", pages


def ways() -> dict[str, Callable[[str, bytes], object]]:
    """Return what is timed: functions of a page as text and as UTF-8 bytes."""
    full, thesis = RetpsBuilder("full"), RetpsBuilder("thesis")
    return {
        "lxml, parse only": lambda text, data: etree.fromstring(data, etree.HTMLParser(encoding="utf-8")),
        "selectolax, parse only": lambda text, data: LexborHTMLParser(data),
        "text to Tree": lambda text, data: parse_tree(text),
        "text to Tree, not compiled": lambda text, data: build_tree(text, PythonTreeBuilder()),
        "text to reTPS rows, full": lambda text, data: full.rows(parse_tree(text)),
        "text to reTPS rows, thesis": lambda text, data: thesis.rows(parse_tree(text, "thesis")),
    }


def main() -> None:
    """Time all ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    origin, texts = load_pages(arguments.pages)
    timed = ways()
    best = {name: [float("inf")] * len(texts) for name in timed}
    for _ in track(range(arguments.repeats), "Timing", console=Console(stderr=True), transient=True):
        for number, text in enumerate(texts):
            data = text.encode()
            for name, way in timed.items():
                started = time.perf_counter()
                way(text, data)
                best[name][number] = min(best[name][number], time.perf_counter() - started)
    seconds = {name: sum(times) for name, times in best.items()}
    compiled = "compiled" if TreeBuilder is not PythonTreeBuilder else "NOT compiled"
    size = sum(map(len, texts)) / len(texts) / 1000
    table = Table(caption=f"{len(texts)} pages of {origin}, {size:.0f} kB on average; loops {compiled}")
    for heading in ("way", "pages/s", "time, lxml's parse = 1"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    for name, total in seconds.items():
        table.add_row(name, f"{len(texts) / total:,.0f}", f"{total / seconds['lxml, parse only']:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
