"""Blocks: the visible text of a page, cut where a reader sees a new paragraph.

    <p>Tea <b>and</b> cake<div>More<br><br>Last</div>   ->   "Tea and cake"   "More"   "Last"

Elements that HTML shows inside a line (`INLINE_TAGS`) do not part text; all others do, unknown ones included, and so do
two line breaks in a row. Arrays over the blocks, linear in the page. Reads tree.py; read by nce.py and features.py.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from edrew_torch.tree import BLANK, TEXT, Tree, inside

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

# What is never shown as text of the page, with all below it.
UNSEEN_TAGS = frozenset("head script style noscript template textarea select option button svg iframe object".split())

# What stands inside a line of text (HTML's phrasing content, and what older pages have of it).
INLINE_TAGS = frozenset(
    """a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp
    small span strike strong sub sup time tt u var wbr""".split()
)


@dataclass(frozen=True, eq=False, repr=False)
class Blocks:
    """Arrays over the blocks of a page, in document order."""

    tree: Tree
    text_nodes: Places  # (T,) the visible text nodes
    first: Places  # (B + 1,) where the text nodes of each block begin in `text_nodes`; the last is T
    owner: Places  # (B,) the element that a block's text stands in: the nearest that is not inline
    texts: tuple[str, ...]  # (B,) white space collapsed, line breaks kept
    length: Places  # (B,) characters
    link_length: Places  # (B,) those inside links
    in_paragraph: Flags  # (B,) is it in a `p`?

    def __len__(self) -> int:
        return len(self.owner)

    def __repr__(self) -> str:
        return f"Blocks({len(self)}, {int(self.length.sum())} characters)"

    def nodes(self, block: int) -> list[int]:
        """The text nodes of a block."""
        found: list[int] = self.text_nodes[self.first[block] : self.first[block + 1]].tolist()
        return found

    @cached_property
    def of_subtree(self) -> tuple[Places, Places]:
        """(N,), (N,) The first block inside each node of the tree, and the first one behind it."""
        starts = self.text_nodes[self.first[:-1]]
        nodes = np.arange(len(self.tree))
        return np.searchsorted(starts, nodes), np.searchsorted(starts, self.tree.end)

    def xpath(self, block: int) -> str:
        """The path of the element that holds just this block, else that of its first text node."""
        owner = int(self.owner[block])
        begin, end = (int(bound[owner]) for bound in self.of_subtree)
        return self.tree.xpath(owner if (begin, end) == (block, block + 1) else self.nodes(block)[0])


def find_blocks(tree: Tree) -> Blocks:
    """Return the blocks of a page; a page without visible text has none.

    >>> from edrew_torch.parse import parse_tree
    >>> find_blocks(parse_tree("<p>Tea <b>and</b> cake<div>More<br><br>Last</div>")).texts
    ('Tea and cake', 'More', 'Last')
    """
    kind = Kinds(tree)
    is_text = tree.tag == TEXT
    inside_unseen = kind.covered("unseen")
    texts = np.flatnonzero(is_text & ~inside_unseen)
    # a block element begins or ends between two texts, or two line breaks stand there: a new block
    is_wall = (tree.tag >= 0) & ~kind.named(*INLINE_TAGS)
    walls = np.concatenate([is_wall.astype(np.int64), [0]])
    np.add.at(walls, tree.end[is_wall], 1)
    passed, breaks = np.cumsum(walls)[:-1], np.cumsum(kind.named("br"))
    is_first = np.ones(len(texts), dtype=np.bool_)
    is_first[1:] = (np.diff(passed[texts]) > 0) | (np.diff(breaks[texts]) > 1)
    first = np.append(np.flatnonzero(is_first), len(texts))
    owner = nearest(tree, is_wall)[texts[is_first]]

    payload, in_link = tree.payload, kind.covered("a")[texts].tolist()
    # white space between two elements parts words just as the white space of a text does
    spaces = np.cumsum(tree.tag == BLANK)[texts].tolist()
    lines = breaks[texts].tolist()
    block_texts: list[str] = []
    links: list[int] = []
    numbers = texts.tolist()
    for start, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        pieces: list[str] = []
        linked = 0
        before = ""  # the text node before this one
        for place in range(start, end):
            text = str(payload[numbers[place]])
            words = " ".join(text.split())
            if in_link[place]:
                linked += len(words)
            if place > start:
                if lines[place] > lines[place - 1]:
                    pieces.append("\n")
                elif text[0].isspace() or before[-1].isspace() or spaces[place] > spaces[place - 1]:
                    pieces.append(" ")
            pieces.append(words)
            before = text
        block_texts.append("".join(pieces))
        links.append(linked)
    return Blocks(
        tree,
        texts,
        first,
        owner,
        tuple(block_texts),
        np.array([len(text) for text in block_texts], dtype=np.int64),
        np.array(links, dtype=np.int64),
        kind.covered("p")[texts[is_first]],
    )


class Kinds:
    """Which nodes have a name, and which lie inside such a node."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def named(self, *names: str) -> Flags:
        """(N,) Is it an element of one of these names?"""
        known = np.array([name in names for name in self.tree.names] + [False, False], dtype=np.bool_)
        found: Flags = known[self.tree.tag]  # texts have the negative numbers: the last two entries
        return found

    def covered(self, name: str) -> Flags:
        """(N,) Is it, or is it inside, an element of this name? `unseen`: one that is not shown."""
        return self.inside(self.named(*UNSEEN_TAGS) if name == "unseen" else self.named(name))

    def inside(self, chosen: Flags) -> Flags:
        """(N,) Is it one of these nodes, or inside one?"""
        return inside(chosen, self.tree.end)


def nearest(tree: Tree, chosen: Flags) -> Places:
    """(N,) The nearest of the chosen nodes at or above each node; a root where there is none."""
    # pointer doubling: every pass jumps twice as far
    up = np.where(chosen | (tree.parent < 0), np.arange(len(tree)), tree.parent)
    while True:
        further = up[up]
        if (further == up).all():
            return further
        up = further
