"""What rules ask of a page, worked out on demand and kept.

    Tree   ->   FieldPage: text nodes in order, their texts, the text before a node, the place of an element

A rule looks at few nodes: what costs a Python step per node is done for those alone. Reads tree.py; read by the
others here.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from edrew_torch.tree import Tree, path_numbers

Nodes = NDArray[np.intp]

UNSEEN = frozenset(("script", "style", "noscript", "template"))  # their text is no value of anybody


@dataclass(eq=False)
class KnownPath:
    """The text nodes on a path of tags, what is so many levels above them, and what is known of that by condition."""

    nodes: Nodes
    lines: list[Nodes]
    masks: dict[tuple[int, Hashable], NDArray[np.bool_]] = field(default_factory=dict)


class FieldPage:
    """One page as rules see it. `remembers`: hundreds of rules will be tried on it, so answers are kept."""

    def __init__(self, tree: Tree, remembers: bool = False) -> None:
        self.tree = tree
        self.remembers = remembers
        self._paths: dict[tuple[tuple[str, ...], bool], KnownPath] = {}
        self.content = tree.content
        # the last entry, at index -1, stands for what is above the roots
        self.parent = np.append(tree.parent, -1)
        self.tag = np.append(tree.tag, -9)
        self._numbers = {name: number for number, name in enumerate(tree.names)}
        self._texts: dict[int, str] = {}
        self._places: dict[int, int] = {}

    @cached_property
    def above(self) -> Nodes:
        """The parent of each text node."""
        return self.parent[self.content]

    def on_path(self, tags: tuple[str, ...], from_root: bool) -> Nodes:
        """The text nodes below elements of these tags, the innermost last."""
        return self.known_path(tags, from_root).nodes if self.remembers else self._on_path(tags, from_root)

    def known_path(self, tags: tuple[str, ...], from_root: bool) -> KnownPath:
        """The same, kept together with what is found out about it."""
        known = self._paths.get((tags, from_root))
        if known is None:
            nodes = self._on_path(tags, from_root)
            known = self._paths[tags, from_root] = KnownPath(nodes, [nodes])
        return known

    def _on_path(self, tags: tuple[str, ...], from_root: bool) -> Nodes:
        nodes, up = self.content, self.above
        for tag in reversed(tags):
            keep = self.tag[up] == self._numbers.get(tag, -8)  # no node has a tag that is not on the page
            nodes, up = nodes[keep], self.parent[up[keep]]
            if not len(nodes):
                break
        return nodes[up == -1] if from_root else nodes

    def text(self, node: int) -> str:
        """The text of a text node, white space collapsed."""
        if node not in self._texts:
            self._texts[node] = " ".join(self.tree.text(node).split())
        return self._texts[node]

    def place(self, node: int) -> int:
        """How many text nodes stand before a node begins: its own place, if it is a text node."""
        if node not in self._places:
            self._places[node] = int(self.content.searchsorted(node))
        return self._places[node]

    def text_before(self, node: int, number: int = 1) -> str:
        """The text of the text node that stands so many before a node begins; "" where there is none."""
        place = self.place(node) - number
        return self.text(int(self.content[place])) if place >= 0 else ""

    def first_text(self, node: int) -> str:
        """The first text inside an element that has one."""
        place = self.place(node)
        return self.text(int(self.content[place])) if place < len(self.content) else ""

    def attribute(self, node: int, name: str) -> str | None:
        """An attribute of an element."""
        return self.tree.attributes(node).get(name)

    def classes(self, node: int) -> list[str]:
        """The classes of an element."""
        return self.tree.attributes(node).get("class", "").split()

    def line(self, node: int) -> list[int]:
        """The node and what is above it, up to the root."""
        found = []
        while node >= 0:
            found.append(node)
            node = int(self.parent[node])
        return found

    @cached_property
    def tag_paths(self) -> NDArray[np.uint64]:
        """The tag path of each text node, as a number."""
        return path_numbers(self.tree, places=False)[self.content]

    @cached_property
    def visible(self) -> Nodes:
        """The text nodes that are not inside scripts and the like."""
        unseen = [number for name, number in self._numbers.items() if name in UNSEEN]
        return self.content[~np.isin(self.tag[self.above], unseen)]
