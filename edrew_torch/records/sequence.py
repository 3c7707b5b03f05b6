"""The page as a sequence: one number for each visible node, equal where tag path and style are equal.

    <ul><li>a<li>b</ul>   ->   ul   ul/li   ul/li/#text   ul/li   ul/li/#text   ->   1 2 3 2 3

The sequence of codes (TPS) is the signal. Beside it stand, node by node, what the signal has lost and the tree knows:
parent, end of the subtree, text. Velloso 2020, section 4.1.1. Reads tree.py; read by all of records/.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.tree import BLANK, Tree, inside, running_sum

Places = NDArray[np.int64]  # indices into the sequence

# What is never shown, with all below it.
HIDDEN_TAGS = frozenset("head script style noscript template title meta link base".split())
# Attributes that make the style of an element (spec: class, inline style, presentational attributes).
STYLE = ("class", "style", "align", "valign", "bgcolor", "width", "height", "color", "size", "face")


@dataclass(frozen=True, eq=False, repr=False)
class PageSequence:
    """Arrays over the visible nodes of a page, in document order. `end` is the place behind the node's subtree."""

    tree: Tree
    node: Places  # (N,) the node of the tree
    parent: Places  # (N,) place of the parent, -1 for a root
    end: Places  # (N,)
    depth: Places  # (N,)
    tag: Places  # (N,) as in the tree; text nodes are negative
    code: Places  # (N,) the TPS: tag path with styles, counted up from 1 at first sight
    path: Places  # (N,) tag path without styles
    look: Places  # (N,) tag and style, whatever the path
    length: Places  # (N,) characters of the text, white space collapsed; 0 for an element
    in_link: NDArray[np.bool_]  # (N,) an `a` or inside one
    texts: tuple[str, ...]  # (N,) white space collapsed; "" for an element
    looks: tuple[tuple[Any, ...], ...]  # tag and style of each `look`, counted from 1

    def __len__(self) -> int:
        return len(self.node)

    def __repr__(self) -> str:
        return f"PageSequence({len(self)} nodes, {len(np.unique(self.code))} codes)"

    @cached_property
    def text_before(self) -> Places:
        """(N + 1,) Characters of text before each place."""
        return running_sum(self.length)

    @cached_property
    def is_text(self) -> NDArray[np.bool_]:
        """(N,) Is it a text node?"""
        return self.tag < 0

    @cached_property
    def in_head(self) -> NDArray[np.bool_]:
        """(N,) A `th` or a `thead`, or inside one?"""
        return inside(self.is_named("th") | self.is_named("thead"), self.end)

    @cached_property
    def look_hash(self) -> Places:
        """(N,) A number for each look that is the same on all pages."""
        names = self.tree.names
        hashes = [hash((names[tag] if tag >= 0 else "", *style)) for tag, *style in self.looks]
        return np.array([0, *hashes], dtype=np.int64)[self.look]

    def is_named(self, name: str) -> NDArray[np.bool_]:
        """(N,) Is it an element of this name?"""
        names = self.tree.names
        found: NDArray[np.bool_] = self.tag == (names.index(name) if name in names else len(names))
        return found

    def text(self, start: int, end: int) -> str:
        """The text between two places."""
        return " ".join(filter(None, self.texts[start:end]))


def page_sequence(tree: Tree) -> PageSequence:
    """Return the sequence of the visible nodes of a page.

    >>> from edrew_torch.parse import parse_tree
    >>> page_sequence(parse_tree("<ul><li>a<li>b<li class=x>c</ul>")).code.tolist()
    [1, 2, 3, 4, 5, 4, 5, 6, 7]
    """
    is_hidden = [name in HIDDEN_TAGS for name in tree.names]
    link = tree.names.index("a") if "a" in tree.names else len(tree.names)
    looks: dict[tuple[Any, ...], int] = {}
    codes: dict[tuple[int, int], int] = {}
    paths: dict[tuple[int, int], int] = {}
    place_of = [-1] * (len(tree) + 1)  # the last entry, at index -1, is the parent of the roots
    node: list[int] = []
    parent: list[int] = []
    code: list[int] = []
    path: list[int] = []
    look: list[int] = []
    in_link: list[bool] = []
    texts: list[str] = []
    # one plain loop: what a node gets depends on what its parent got
    for number, (tag, above, payload) in enumerate(
        zip(tree.tag.tolist(), tree.parent.tolist(), tree.payload, strict=True)
    ):
        up = place_of[above]
        if tag == BLANK or (tag >= 0 and is_hidden[tag]) or (up < 0 <= above):
            continue
        if isinstance(payload, str):
            key: tuple[Any, ...] = (tag,)
            texts.append(" ".join(payload.split()))
        else:
            key = (tag, *map(payload.get, STYLE)) if payload else (tag,)
            texts.append("")
        place_of[number] = len(node)
        node.append(number)
        parent.append(up)
        seen = looks.setdefault(key, len(looks) + 1)
        look.append(seen)
        code.append(codes.setdefault((code[up] if up >= 0 else 0, seen), len(codes) + 1))
        path.append(paths.setdefault((path[up] if up >= 0 else 0, tag), len(paths) + 1))
        in_link.append(tag == link or (up >= 0 and in_link[up]))
    end = list(range(1, len(node) + 1))
    for place in range(len(node) - 1, -1, -1):
        up = parent[place]
        if up >= 0 and end[place] > end[up]:
            end[up] = end[place]
    places = _column(node)
    return PageSequence(
        tree=tree,
        node=places,
        parent=_column(parent),
        end=_column(end),
        depth=tree.depth[places].astype(np.int64),
        tag=tree.tag[places].astype(np.int64),
        code=_column(code),
        path=_column(path),
        look=_column(look),
        length=_column([len(text) for text in texts]),
        in_link=np.array(in_link, dtype=np.bool_),
        texts=tuple(texts),
        looks=tuple(looks),
    )


def _column(values: list[int]) -> Places:
    return np.array(values, dtype=np.int64)
