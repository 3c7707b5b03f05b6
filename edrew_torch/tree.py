"""Tree: the nodes of one page in document order, as parallel arrays.

    <ul><li>a<li>b</ul>   ->   node     0    1    2       3    4
                               tag      ul   li   #text   li   #text
                               parent   -1   0    1       0    3

No object per node, no recursion: pages nest deeper than Python's stack. Two parsers make it (parse/), every
extractor reads it.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

TEXT = -1  # in `tag`: a text node
BLANK = -2  # in `tag`: a text node of white space only; it parts words and counts in XPaths, it is no content

Ints = NDArray[np.int32]
NO_ATTRIBUTES: Mapping[str, str] = {}
MAX_KNOWN_DEPTH = 300  # of elements whose XPaths are kept: lxml builds 256 levels
MAX_XPATH_DEPTH = 1000  # of XPaths that name every step: all those of a deeper page grow with its square
MIX = 0xBF58476D1CE4E5B9  # odd, its bits well spread
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Arrays over the nodes of a page. Not to be changed once made.

    `payload` holds the attributes of an element (None for none) and the text of a text node, as in the page:
    entities decoded (by the lxml parser), white space untouched.
    """

    tag: Ints  # (N,) index into names, or TEXT, or BLANK
    parent: Ints  # (N,) index of the parent element, -1 for a root
    names: tuple[str, ...]  # element names, in order of first sight
    payload: Sequence[Mapping[str, str] | str | None]
    # elements whose source has text of their own, where the parser moved it to another node (parse/regex.py)
    text_holders: NDArray[np.bool_] | None = field(default=None)

    def __len__(self) -> int:
        return len(self.tag)

    def __repr__(self) -> str:
        return f"Tree({len(self)} nodes, {len(self.content)} with content)"

    @cached_property
    def content(self) -> NDArray[np.intp]:
        """The text nodes that are not blank, in document order; script and style included."""
        return np.flatnonzero(self.tag == TEXT)

    @cached_property
    def has_text(self) -> NDArray[np.bool_]:
        """(N,) Does this element hold text of its own, outside its child elements?"""
        if self.text_holders is not None:
            return self.text_holders
        has_text = np.zeros(len(self), dtype=np.bool_)
        has_text[self.parent[self.content]] = True
        return has_text

    @cached_property
    def depth(self) -> Ints:
        """(N,) 0 for a root, one more for each level below it."""
        # pointer doubling: log2(depth) passes over the arrays, where a loop would take a step per node
        jump = np.append(self.parent, -1)  # the last entry stands for "above the roots"
        depth = np.append((self.parent >= 0).astype(np.int32), 0)
        while (jump >= 0).any():
            depth += np.where(jump >= 0, depth[jump], 0)
            jump = np.where(jump >= 0, jump[jump], -1)
        return depth[:-1]

    @cached_property
    def end(self) -> NDArray[np.int64]:
        """(N,) The index behind each node's subtree: what lies inside node n is n, n + 1, …, end[n] - 1."""
        end = list(range(1, len(self) + 1))
        parents = self.parent.tolist()
        for node in range(len(self) - 1, -1, -1):  # from the last on, so that a subtree is whole when its root comes
            up = parents[node]
            if up >= 0 and end[node] > end[up]:
                end[up] = end[node]
        return np.array(end, dtype=np.int64)

    def name(self, node: int) -> str:
        """The element's name; "#text" for a text node."""
        tag = self.tag[node]
        return self.names[tag] if tag >= 0 else "#text"

    def attributes(self, node: int) -> Mapping[str, str]:
        """The element's attributes; empty for a text node."""
        payload = self.payload[node]
        return NO_ATTRIBUTES if payload is None or isinstance(payload, str) else payload

    def text(self, node: int) -> str:
        """The text of a text node as it stands in the page; "" for an element."""
        payload = self.payload[node]
        return payload if isinstance(payload, str) else ""

    def children(self, node: int) -> NDArray[np.intp]:
        """Child nodes in document order; `children(-1)` are the roots."""
        first, order = self._siblings
        return order[first[node + 1] : first[node + 2]]

    def ordinal(self, node: int) -> int:
        """The place among the siblings of the same name, from 1: the number that an XPath gives it."""
        return int(self._ordinals[0][node])

    def xpath(self, node: int) -> str:
        """The XPath of the node, as lxml's `getpath` writes it; a text node ends in `text()`.

        It selects the same node in the tree that lxml builds from the same bytes. lxml stops at 256 levels: below,
        it builds no nodes to select. Below 1,000 levels the XPath counts nodes from the beginning of the page.
        """
        known = self._xpaths
        line: list[int] = []
        up = node
        while up >= 0 and up not in known:
            if len(line) == MAX_KNOWN_DEPTH and self.depth[node] >= MAX_XPATH_DEPTH:
                texts_before = int(np.searchsorted(self._text_nodes, node))
                return f"(//text())[{texts_before + 1}]" if self.tag[node] < 0 else f"(//*)[{node - texts_before + 1}]"
            line.append(up)
            up = int(self.parent[up])
        path = known.get(up, "")
        above = path.count("/")  # levels; `depth` would cost a pass over the page
        is_deep = len(line) > MAX_KNOWN_DEPTH  # kept for every level, such paths would take the square of the depth
        steps = [self._step(each) for each in reversed(line)]
        if is_deep:
            return f"{path}/{'/'.join(steps)}"
        for level, (each, step) in enumerate(zip(reversed(line), steps, strict=True), start=above):
            path = f"{path}/{step}"
            if self.tag[each] >= 0 and level < MAX_KNOWN_DEPTH:
                known[each] = path
        return path

    def _step(self, node: int) -> str:
        """The last step of a node's XPath."""
        ordinal, count = self._ordinals
        name = self.name(node) if self.tag[node] >= 0 else "text()"
        if name != "text()" and not PLAIN_NAME.match(name):
            # `o:p`, `a"b`: no name XPath could test; the place among all child elements is as good
            siblings = self.children(int(self.parent[node]))
            elements = siblings[self.tag[siblings] >= 0]
            return f"*[{int(np.searchsorted(elements, node)) + 1}]"
        return f"{name}[{ordinal[node]}]" if count[node] > 1 else name

    @cached_property
    def _xpaths(self) -> dict[int, str]:
        """The XPaths of elements that were asked for before: those of their children begin so."""
        return {}

    @cached_property
    def _text_nodes(self) -> NDArray[np.intp]:
        """All text nodes, blank ones too."""
        return np.flatnonzero(self.tag < 0)

    @cached_property
    def _siblings(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the children of each parent begin in `order`, and the nodes grouped by parent."""
        order = np.argsort(self.parent, kind="stable")
        first = np.searchsorted(self.parent[order], np.arange(-1, len(self) + 1))
        return first, order

    @cached_property
    def _ordinals(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(N,) Place among the siblings of the same name, from 1, and how many of them there are."""
        kind = np.maximum(self.tag, -1)  # blank or not, a text node counts
        order = np.lexsort((kind, self.parent))  # stable: document order inside a group
        parent, kind = self.parent[order], kind[order]
        is_first = np.ones(len(self), dtype=np.bool_)
        is_first[1:] = (parent[1:] != parent[:-1]) | (kind[1:] != kind[:-1])
        group = np.cumsum(is_first) - 1
        starts = np.flatnonzero(is_first)
        sizes = np.diff(np.append(starts, len(self)))
        ordinal = np.empty(len(self), dtype=np.intp)
        count = np.empty(len(self), dtype=np.intp)
        ordinal[order] = np.arange(len(self)) - starts[group] + 1
        count[order] = sizes[group]
        return ordinal, count


def running_sum(values: NDArray[Any]) -> NDArray[Any]:
    """(N,) -> (N + 1,): the sum of all values before each place."""
    sums = np.zeros(len(values) + 1, dtype=np.float64 if values.dtype.kind == "f" else np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def inside(chosen: NDArray[np.bool_], end: NDArray[Any]) -> NDArray[np.bool_]:
    """(N,) Is it one of the chosen nodes, or inside one? `end` is the place behind the subtree of each."""
    change = np.zeros(len(chosen) + 1, dtype=np.int64)
    change[:-1] += chosen
    np.subtract.at(change, end[chosen], 1)
    found: NDArray[np.bool_] = np.cumsum(change)[:-1] > 0
    return found


def tag_path_sequence(tree: Tree) -> Ints:
    """Return the code of each element's tag path, in document order; codes count up from 1 at first sight.

    Thesis, figure 4 (after Velloso and Dorneles, 2013). What `signal` reads has styles and texts too, and of
    visible nodes alone (records/sequence.py).
    """
    codes: dict[tuple[int, int], int] = {}
    code_of = [0] * (len(tree) + 1)  # the last entry, at index -1, is the root's parent
    sequence = []
    for node, (tag, parent) in enumerate(zip(tree.tag.tolist(), tree.parent.tolist(), strict=True)):
        if tag >= 0:
            # a path is its parent's code and a name: no path is ever spelled out
            code_of[node] = codes.setdefault((code_of[parent], tag), len(codes) + 1)
            sequence.append(code_of[node])
    return np.array(sequence, dtype=np.int32)


def tag_paths(tree: Tree) -> list[str]:
    """Return the tag path of each element, in document order: `html/body/p` (thesis, table 1)."""
    paths: list[str] = []
    path_of: dict[int, str] = {-1: ""}
    for node in np.flatnonzero(tree.tag >= 0).tolist():
        above = path_of[int(tree.parent[node])]
        path_of[node] = f"{above}/{tree.name(node)}" if above else tree.name(node)
        paths.append(path_of[node])
    return paths


def page_title(tree: Tree) -> str:
    """Return what `<title>` says, white space collapsed; of several the first that says anything; "" for none.

    >>> from edrew_torch.parse import parse_tree
    >>> page_title(parse_tree("<title></title><title> Tea\\n shop </title><p>x"))
    'Tea shop'
    """
    if "title" not in tree.names:
        return ""
    above = tree.parent[tree.content]
    spoken = tree.content[(above >= 0) & (tree.tag[above] == tree.names.index("title"))]
    return " ".join(tree.text(int(spoken[0])).split()) if len(spoken) else ""


def path_numbers(tree: Tree, places: bool = True) -> NDArray[np.uint64]:
    """Return a number for the XPath of each node: the same in every page and process (a mix of names and ordinals).

    Without `places` it is the number of the tag path, which all records of a list share.
    """
    name_number = np.array([zlib.crc32(name.encode()) | 1 << 32 for name in tree.names] + [7, 7], dtype=np.uint64)
    step = name_number[tree.tag] * np.uint64(0x9E3779B97F4A7C15)  # texts have the negative tags: the last two entries
    if places:
        step += tree._ordinals[0].astype(np.uint64)
    numbers = np.zeros(len(tree) + 1, dtype=np.uint64)  # the last entry, at index -1, is above the roots
    order = np.argsort(tree.depth, kind="stable")
    bounds = np.searchsorted(
        tree.depth[order], np.arange(min(int(tree.depth.max(initial=-1)) + 1, MAX_KNOWN_DEPTH) + 1)
    )
    for start, end in pairwise(bounds.tolist()):  # all nodes of a level at once: their parents are done
        nodes = order[start:end]
        mixed = (numbers[tree.parent[nodes]] ^ step[nodes]) * np.uint64(MIX)
        numbers[nodes] = mixed ^ mixed >> np.uint64(29)
    for node in order[int(bounds[-1]) :].tolist():  # deeper than any sensible page: one by one
        one = (int(numbers[tree.parent[node]]) ^ int(step[node])) * MIX & 0xFFFFFFFFFFFFFFFF
        numbers[node] = one ^ one >> 29
    return numbers[:-1]
