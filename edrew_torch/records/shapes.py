"""Shapes: the distinct subtrees of one or more pages, each once (hash-consing).

    <ul><li>a<li>b</ul>   ->   shape 0: #text   shape 1: li(0)   shape 2: ul(1, 1)

Two subtrees have one shape when their roots have one label and their children, in order, the same shapes. What is true
of a shape is worked out once, however often it occurs. A shape's children have smaller numbers than itself, so that
going through the numbers is going through trees from the leaves up, without recursion. Reads sequence.py; read by
tree_match.py, extraction.py and template.py.
"""

from dataclasses import dataclass, field

from edrew_torch.records.sequence import PageSequence

Children = tuple[int, ...]

TEXT_LABEL = "#text"
PAGE_LABEL = "#page"  # above the roots of a page


@dataclass(frozen=True, eq=False)
class Shapes:
    """A growing table of shapes: one row each."""

    label: list[str] = field(default_factory=list)
    children: list[Children] = field(default_factory=list)
    size: list[int] = field(default_factory=list)  # nodes, leaves and root included
    _number: dict[tuple[str, Children], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.label)

    def add(self, label: str, children: Children = ()) -> int:
        """The number of this shape; a new one if it was not seen before."""
        number = self._number.setdefault((label, children), len(self.label))
        if number == len(self.label):
            self.label.append(label)
            self.children.append(children)
            self.size.append(1 + sum(self.size[child] for child in children))
        return number

    def add_page(self, page: PageSequence) -> tuple[int, list[int]]:
        """The shape of a page, and that of the subtree at each of its places; labels are tags.

        >>> from edrew_torch.parse import parse_tree
        >>> from edrew_torch.records.sequence import page_sequence
        >>> shapes = Shapes()
        >>> shapes.add_page(page_sequence(parse_tree("<ul><li>a<li>b</ul>")))
        (5, [4, 3, 2, 1, 0, 1, 0])
        >>> shapes.label
        ['#text', 'li', 'ul', 'body', 'html', '#page']
        """
        labels = tag_labels(page)
        below: list[list[int]] = [[] for _ in range(len(page) + 1)]  # the last are the roots: their parent is -1
        shape = [0] * len(page)
        for place, parent in zip(range(len(page) - 1, -1, -1), reversed(page.parent.tolist()), strict=True):
            shape[place] = self.add(labels[place], tuple(reversed(below[place])))
            below[place] = []  # a page of a million nodes need not keep them twice
            below[parent].append(shape[place])
        return self.add(PAGE_LABEL, tuple(reversed(below[-1]))), shape


def tag_labels(page: PageSequence) -> list[str]:
    """(N,) The tag of each place; text nodes are `#text`."""
    names = page.tree.names
    return [names[tag] if tag >= 0 else TEXT_LABEL for tag in page.tag.tolist()]
