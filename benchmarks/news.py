"""Articles: pages a second of nce and of its learned step, beside other tools in the same run; and odd pages.

    python benchmarks/news.py        # the benchmark's pages (EDREW_DATA), two minutes on one core

Everything from bytes to text, decoding and parsing included; the other tools are given decoded text, which spares them
that step. Those that are not installed (extra `peers`) are left out.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from lxml import html as lxml_html
from rich.console import Console

sys.path.append(str(Path(__file__).parents[1] / "experiments" / "news"))
from peers import find_peers, text_or_nothing

from edrew_torch.datasets.articles import read_articles
from edrew_torch.datasets.packs import shared_data
from edrew_torch.news.extract import NewsSettings, find_article
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.report import Report, as_rich

DATA = shared_data()
NUM_PAGES, ROUNDS = 12, 2
MAX_SECONDS = 10.0  # that a tool is given for a round; it is judged by the pages that it came to


def article(settings: NewsSettings) -> Callable[[bytes, str], object]:
    """From bytes to text."""
    return lambda data, _: find_article(parse_tree(Page.from_bytes(data)), settings).text


def seconds(way: Callable[[bytes, str], object], pages: list[tuple[bytes, str]]) -> float:
    """The processor time of a page, over those that the time was enough for."""
    began = time.process_time()
    for number, page in enumerate(pages, start=1):  # noqa: B007
        way(*page)
        if (spent := time.process_time() - began) > MAX_SECONDS:
            break
    return spent / number


def main() -> None:
    """Measure and print; the rounds go over all tools in turn, so that a busy machine is busy for all of them."""
    given = [page.data for page in read_articles(DATA, ("benchmark",))][:NUM_PAGES]
    pages = [(data, Page.from_bytes(data).html) for data in given]
    ways: dict[str, Callable[[bytes, str], object]] = {
        "lxml's bare parse": lambda data, _: lxml_html.document_fromstring(data),
        "page, tree": lambda data, _: parse_tree(Page.from_bytes(data)),
        "nce": article(NewsSettings(model="none")),
        "nce, learned step": article(NewsSettings()),
    }
    peers, missing = find_peers()
    for name, extract in peers.items():
        ways[name] = lambda _, html, extract=extract: text_or_nothing(extract, html)
    for way in ways.values():
        way(*pages[0])  # models and word lists are read once
    taken = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            taken[name] = min(taken[name], seconds(way, pages))
    base = next((taken[name] for name in taken if name.startswith("trafilatura ")), None)
    rows = tuple((name, f"{1 / spent:.1f}", f"{base / spent:.1f}" if base else "-") for name, spent in taken.items())
    columns = ("tool", "pages/s", "times trafilatura")
    note = f"best of {ROUNDS} rounds, processor time" + (f"; not installed: {', '.join(missing)}" if missing else "")
    size = sum(map(len, given)) / len(given) / 1000
    Console().print(as_rich(Report(f"{len(pages)} article pages, {size:.0f} kB each", columns, rows, note)))


if __name__ == "__main__":
    main()
