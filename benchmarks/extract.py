"""Values of detail pages: pages a second end to end on one core, beside lxml's bare parse in the same run.

    python benchmarks/extract.py        # every 7th page of the shared SWDE (EDREW_DATA), some minutes
    python benchmarks/extract.py 40     # every 40th

From the bytes of a page to its values, decoding and parsing included. The wrapper of each site is learnt from three of
its pages, which are not timed. Every way reads every page in turn, so that a busy machine slows all of them alike. The
model knows nothing of a page when it reads it: what it keeps of pages read before is thrown away each time.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from lxml import html as lxml_html
from rich.console import Console

from edrew_torch import __version__
from edrew_torch.datasets.labels import find_values
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.swde import read_swde
from edrew_torch.enrich.describe import Book
from edrew_torch.extraction import DESCRIBER
from edrew_torch.fields.learn import learn_from_pages
from edrew_torch.fields.page import FieldPage
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.pipeline import apply_wrapper, extract
from edrew_torch.records.wrapper import Wrapper
from edrew_torch.report import Report, as_rich

DATA = shared_data() / "swde"
NUM_LEARNT, EVERY, TIMES = 3, 7, 3
try:
    import trafilatura
except ImportError:  # the extra `peers`; left out where it is missing
    trafilatura = None


def site_wrapper(pages: list[FieldPage], truth: list[dict[str, tuple[str, ...]]]) -> Wrapper:
    """The wrapper of a site, from the true values of some pages."""
    examples = []
    for page, values in zip(pages, truth, strict=True):
        seen = page.visible.tolist()
        nodes: dict[str, list[int]] = {name: [] for name in values}
        for value in find_values([page.text(node) for node in seen], values):
            nodes[value.attribute] += [seen[place] for place in value.nodes]
        examples.append(nodes)
    return Wrapper((), fields=learn_from_pages(pages, examples).fields)


def main() -> None:
    """Measure and print."""
    taken: dict[str, list[float]] = {}
    sizes = []
    num_values = 0
    for site in read_swde(DATA):
        learnt = [FieldPage(parse_tree(Page.from_bytes(page.data))) for page in site[:NUM_LEARNT]]
        wrapper = site_wrapper(learnt, [dict(page.truth) for page in site[:NUM_LEARNT]])
        ways: dict[str, Callable[[bytes], object]] = {
            "lxml's bare parse": lxml_html.document_fromstring,
            "page and tree": lambda data: parse_tree(Page.from_bytes(data)),
            "embedded model": extract,
            "wrapper applied": lambda data, wrapper=wrapper: apply_wrapper(wrapper, data),
        }
        if trafilatura:
            ways["trafilatura"] = trafilatura.extract
        for page in site[NUM_LEARNT :: int(sys.argv[1]) if len(sys.argv) > 1 else EVERY]:
            sizes.append(len(page.data))
            num_values += len(apply_wrapper(wrapper, page.data).values)
            best = dict.fromkeys(ways, float("inf"))
            for _ in range(TIMES):
                for name, way in ways.items():
                    DESCRIBER.book = Book()
                    began = time.process_time()
                    way(page.data)
                    best[name] = min(best[name], time.process_time() - began)
            for name, seconds in best.items():
                taken.setdefault(name, []).append(seconds)
    bare = sum(taken["lxml's bare parse"])
    rows = [
        (
            name,
            f"{len(times) / sum(times):.0f}",
            f"{1000 * float(np.mean(times)):.2f}",
            f"{1000 * float(np.median(times)):.2f}",
            f"{100 * bare / sum(times):.0f} %",
        )
        for name, times in taken.items()
    ]
    title = f"{len(sizes)} pages of SWDE, {np.mean(sizes) / 1000:.0f} kB on average, {num_values} values found"
    columns = ("way", "pages a second", "ms a page, mean", "median", "of lxml's rate")
    Console().print(as_rich(Report(title, columns, tuple(rows), f"best of {TIMES} in processor time|v:{__version__}")))


if __name__ == "__main__":
    main()
