"""The product's parser: events of lxml's HTML parser -> Tree, with no element object in between.

    <p>a<b>c</b>   ->   start html, start body, start p, data a, start b, data c, end b, …   ->   arrays

lxml builds its own trees from the same events, so a node of ours is the node that lxml, parsel and Scrapy find at its
XPath. Without lxml's element objects there is no limit of depth, and the page costs little more than lxml's bare parse
(benchmarks/parse.py). Read by parse/__init__.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from lxml import etree

from edrew_torch.profile import Profile
from edrew_torch.tree import BLANK, TEXT, Tree


class PythonTreeBuilder:
    """Target of lxml's parser: parse events in, arrays out. `_compiled.c` holds this class compiled."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the page so far."""
        self.tag: list[int] = []
        self.parent: list[int] = []
        self.payload: list[Mapping[str, str] | str | None] = []
        self.names: dict[str, int] = {}
        self.open = -1  # innermost open element
        self.pending: list[str] = []  # pieces of the text node under way

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._end_text()
        self.tag.append(self.names.setdefault(name, len(self.names)))
        self.parent.append(self.open)
        self.payload.append(attributes or None)
        self.open = len(self.tag) - 1

    def end(self, name: str) -> None:
        """The innermost open element ends."""
        self._end_text()
        if self.open >= 0:
            self.open = self.parent[self.open]

    def data(self, text: str) -> None:
        """A piece of text."""
        self.pending.append(text)

    def comment(self, text: str) -> None:
        """A comment is no node here, but it parts the text on its two sides, as in lxml's tree."""
        self._end_text()

    def pi(self, target: str, data: str | None = None) -> None:
        """A processing instruction, likewise."""
        self._end_text()

    def close(self) -> tuple[bytes, bytes, list[Mapping[str, str] | str | None], dict[str, int]]:
        """The page is over: (tag, parent) as int32 bytes, payload, names. Starts anew."""
        self._end_text()
        tag, parent = (np.array(column, dtype=np.int32).tobytes() for column in (self.tag, self.parent))
        payload, names = self.payload, self.names
        self.reset()
        return tag, parent, payload, names

    def _end_text(self) -> None:
        if self.pending:
            text = "".join(self.pending)
            self.pending = []
            if self.open >= 0:  # outside every element stands only white space between two roots: no node of any tree
                self.tag.append(TEXT if text.strip() else BLANK)
                self.parent.append(self.open)
                self.payload.append(text)


try:
    from edrew_torch._compiled import TreeBuilder
except ImportError:  # not compiled: the same answers, slower
    TreeBuilder = PythonTreeBuilder


def parse_lxml(html: str, profile: Profile) -> Tree:
    """Return the tree of `html`. Any text gives a tree; text without any tag or word gives an empty one."""
    return build_tree(html, TreeBuilder())


def build_tree(html: str, builder: Any) -> Tree:
    """`parse_lxml` with a builder of one's choice."""
    # UTF-8 by our own hand: lxml would go by a <meta> that page.py has already judged
    parser = etree.HTMLParser(target=builder, encoding="utf-8", huge_tree=True, collect_ids=False)
    arrays: Any = etree.fromstring(html.encode("utf-8", "replace"), parser)  # what the builder's `close` returns
    tag, parent, payload, names = arrays
    return Tree(np.frombuffer(tag, np.int32), np.frombuffer(parent, np.int32), tuple(names), payload)
