"""Tree matching: milliseconds for two list pages, beside tree edit distance by apted and zss, and a page with itself.

    pip install ".[peers]"; python benchmarks/tree_match.py      # real pages (EDREW_DATA), some minutes on one core

The peers answer another question (the least edits between two trees); they are what a Python user finds for "compare
two trees". They are given trees that they can handle in reasonable time; where one is not installed, its row says so.
"""

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console

from edrew_torch.datasets.lists import read_list_pages
from edrew_torch.datasets.packs import shared_data
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.shapes import Shapes
from edrew_torch.records.tree_match import TreeMatcher, simple_match
from edrew_torch.report import Report, as_rich

DATA = shared_data()
PEER_NODES = 350  # of a tree for the peers: zss takes minutes for 600
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    began = time.process_time()
    work()
    return time.process_time() - began


def nested(shapes: Shapes, shape: int) -> tuple[str, list[Any]]:
    """A shape as a tree of labels and children."""
    made: dict[int, tuple[str, list[Any]]] = {}
    needed, stack = set(), [shape]
    while stack:
        number = stack.pop()
        if number not in needed:
            needed.add(number)
            stack.extend(shapes.children[number])
    for number in sorted(needed):  # children have smaller numbers
        made[number] = shapes.label[number], [made[child] for child in shapes.children[number]]
    return made[shape]


def peer(name: str, one: tuple[str, list[Any]], other: tuple[str, list[Any]]) -> Callable[[], object] | None:
    """The comparison of a peer, or None if it is not installed."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    if name == "zss":

        def node(tree: tuple[str, list[Any]]) -> Any:
            return module.Node(tree[0], [node(child) for child in tree[1]])

        a, b = node(one), node(other)
        return lambda: module.simple_distance(a, b)
    helpers = importlib.import_module("apted.helpers")

    def text(tree: tuple[str, list[Any]]) -> str:
        return "{" + tree[0] + "".join(map(text, tree[1])) + "}"

    a, b = (helpers.Tree.from_text(text(tree)) for tree in (one, other))
    return lambda: module.APTED(a, b).compute_edit_distance()


def main() -> None:
    """Measure and print."""
    pages = [page_sequence(parse_tree(Page.from_bytes(p.data))) for p in read_list_pages(DATA, ("zhao2", "clustvx"))]
    small = sorted((page for page in pages if len(page) <= PEER_NODES), key=len)[-2:]
    shapes = Shapes()
    roots = [shapes.add_page(page)[0] for page in small]
    trees = [nested(shapes, root) for root in roots]
    base = seconds(lambda: TreeMatcher(shapes).match(*roots))
    rows = [("G-STM", f"{1000 * base:.1f}", "1.0")]
    taken = seconds(lambda: simple_match(shapes, *roots))
    rows.append(("simple tree matching", f"{1000 * taken:.1f}", f"{taken / base:.1f}"))
    for name in ("apted", "zss"):
        work = peer(name, *trees)
        taken = seconds(work) if work else float("nan")
        rows.append((name, f"{1000 * taken:.0f}" if work else "not installed", f"{taken / base:.0f}" if work else ""))
    title = f"Two trees of {len(small[0])} and {len(small[1])} nodes"
    Console().print(as_rich(Report(title, ("way", "ms", "times G-STM"), tuple(rows), "one run each")))

    largest = max(pages, key=len)
    growth = []
    for size in (*SIZES, 0):
        if size:
            body = "".join(
                f"<div><h3><a>x</a></h3>{'<i>o</i>' * (n % 3)}<p>y</p>{'<b>z</b>' * (n % 2)}</div>"
                for n in range(size // 8)
            )
            page = page_sequence(parse_tree(f"<div>{body}</div>"))
        else:
            page = largest
        shapes = Shapes()
        root, _ = shapes.add_page(page)
        matcher = TreeMatcher(shapes)
        taken = seconds(lambda matcher=matcher, root=root: matcher.match(root, root))
        name = "invented list" if size else "largest real page here"
        growth.append((name, len(page), len(shapes), len(matcher._matches), f"{1000 * taken:.0f}"))
    columns = ("page", "nodes", "distinct subtrees", "pairs matched", "ms")
    Console().print(as_rich(Report("A page matched with itself", columns, tuple(growth), "one run each")))
    real = [seconds(lambda page=page: match_itself(page)) for page in pages]
    median, most = 1000 * float(np.median(real)), 1000 * max(real)
    Console().print(f"{len(pages)} real pages with themselves: median {median:.0f} ms, at most {most:.0f} ms")


def match_itself(page: Any) -> None:
    """Shapes and G-STM of a page."""
    shapes = Shapes()
    root, _ = shapes.add_page(page)
    TreeMatcher(shapes).match(root, root)


if __name__ == "__main__":
    main()
