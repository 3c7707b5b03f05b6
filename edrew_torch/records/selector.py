"""Selectors: where records begin, as a path that holds on every page of a template.

    records of some pages   ->   /html/body/div[@id='results']/ul/li[h3]   ->   records of other pages

A path of tags, and as few conditions as tell the records from what else lies on it: classes, attributes, what stands
below (`has`, `lacks`), places among siblings, in this order of trust. It is written as an XPath that lxml and parsel
read, and evaluated here on the page's sequence. Reads sequence.py and xpath.py; read by wrapper.py.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.sequence import STYLE, PageSequence
from edrew_torch.records.shapes import TEXT_LABEL
from edrew_torch.tree import PLAIN_NAME
from edrew_torch.xpath import NOT_BLANK, attribute_test, class_test, tag_test

Mask = NDArray[np.bool_]

ATTRIBUTES = ("id", "itemprop", "role", *(name for name in STYLE if name != "class"))
MAX_HAS = 3  # levels below a record that a condition looks at
MAX_CONDITIONS = 8
MAX_CHOICES = 100  # conditions that are tried: the nearest to the records first


@dataclass(frozen=True)
class Condition:
    """What a node must be: `kind` is class, attribute, has, lacks or position."""

    kind: str
    value: str
    name: str = ""  # of the attribute

    def holds(self, page: PageSequence, place: int) -> bool:
        """Is it so?"""
        if self.kind == "class":
            return self.value in classes_of(page, place)
        if self.kind == "attribute":
            return page.tree.attributes(int(page.node[place])).get(self.name) == self.value
        if self.kind == "position":
            return page.tree.ordinal(int(page.node[place])) == int(self.value)
        return has_path(page, place, self.value.split("/")) == (self.kind == "has")

    def xpath(self) -> str:
        """The condition in brackets."""
        if self.kind == "class":
            return class_test(self.value)
        if self.kind == "attribute":
            return attribute_test(self.name, self.value)
        if self.kind == "position":
            return f"[{self.value}]"
        return f"[{self.value}]" if self.kind == "has" else f"[not({self.value})]"


@dataclass(frozen=True)
class Step:
    """One level of a path: a tag, and what its node must be."""

    tag: str
    conditions: tuple[Condition, ...] = ()

    def fits(self, page: PageSequence, place: int) -> bool:
        """Is the node such a one?"""
        return tag_of(page, place) == self.tag and all(each.holds(page, place) for each in self.conditions)

    def xpath(self) -> str:
        """The step; places among siblings first, since each bracket counts what those before it have left."""
        name = "text()" if self.tag == TEXT_LABEL else tag_test(self.tag)
        ordered = sorted(self.conditions, key=lambda each: each.kind != "position")
        is_text = NOT_BLANK if self.tag == TEXT_LABEL else ""
        return name + "".join(each.xpath() for each in ordered) + is_text


@dataclass(frozen=True)
class Selector:
    """A path, from the root or from anywhere."""

    steps: tuple[Step, ...]
    from_root: bool = True

    def xpath(self) -> str:
        """The XPath of what it selects."""
        return ("/" if self.from_root else "//") + "/".join(step.xpath() for step in self.steps)

    def select(self, page: PageSequence) -> list[int]:
        """The places of the nodes that it selects, in page order."""
        if self.from_root:
            *_, last = self._levels(page)
            return last
        return [place for place in _tagged(page, self.steps[-1].tag) if self._holds_above(page, place)]

    def _levels(self, page: PageSequence) -> Iterator[list[int]]:
        """What each step selects of what the steps before it have left."""
        found: Iterable[int] = _children(page, -1)
        for step in self.steps:
            fitting = [place for place in found if step.fits(page, place)]
            yield fitting
            found = (child for place in fitting for child in _children(page, place))

    def _holds_above(self, page: PageSequence, place: int) -> bool:
        for step in reversed(self.steps):
            if place < 0 or not step.fits(page, place):
                return False
            place = int(page.parent[place])
        return True

    def reach(self, page: PageSequence) -> int:
        """How many steps lead to any node at all: what is left of the path where it ends in nothing."""
        return sum(map(bool, self._levels(page))) if self.from_root else 0


def tag_of(page: PageSequence, place: int) -> str:
    """The tag of a node; `#text` of a text node."""
    tag = page.tag[place]
    return page.tree.names[tag] if tag >= 0 else TEXT_LABEL


def classes_of(page: PageSequence, place: int) -> list[str]:
    """The classes of a node."""
    return page.tree.attributes(int(page.node[place])).get("class", "").split()


def has_path(page: PageSequence, place: int, path: Sequence[str]) -> bool:
    """Are there nodes of these tags below, each under the one before?"""
    found = [place]
    for tag in path:
        found = [child for each in found for child in _children(page, each) if tag_of(page, child) == tag]
    return bool(found)


def _children(page: PageSequence, place: int) -> Iterator[int]:
    """The children of a place; of -1, the roots."""
    child, end = (place + 1, int(page.end[place])) if place >= 0 else (0, len(page))
    while child < end:
        yield child
        child = int(page.end[child])


def _tagged(page: PageSequence, tag: str) -> list[int]:
    is_it = page.is_text if tag == TEXT_LABEL else page.is_named(tag)
    found: list[int] = np.flatnonzero(is_it).tolist()
    return found


def learn_selector(pages: Sequence[PageSequence], targets: Sequence[Sequence[int]]) -> Selector:
    """Return the path that selects these places on these pages, with as few conditions as that takes.

    Targets off the path that most of them share are given up.
    """
    lines = [[_line(page, place) for place in places] for page, places in zip(pages, targets, strict=True)]
    paths = Counter(
        tuple(tag_of(page, place) for place in line)
        for page, page_lines in zip(pages, lines, strict=True)
        for line in page_lines
    )
    # a page whose path differs: what the paths of all pages have in common, from the record upwards
    best_of_page = [
        Counter(tuple(tag_of(page, place) for place in line) for line in page_lines).most_common(1)[0][0]
        for page, page_lines in zip(pages, lines, strict=True)
        if page_lines
    ]
    common, number = paths.most_common(1)[0]
    from_root = all(path == common for path in best_of_page) and 2 * number > paths.total()
    if not from_root:
        is_nested = 2 * number <= paths.total() and len(paths) > 2 * len(pages)  # each record has a path of its own
        common = _common_end(list(paths) if is_nested else best_of_page)
    bare = Selector(tuple(map(Step, common)), from_root)
    return _narrowed(bare, pages, [set(places) for places in targets])


def _line(page: PageSequence, place: int) -> list[int]:
    """The places from the root down to this one."""
    line = []
    while place >= 0:
        line.append(place)
        place = int(page.parent[place])
    return line[::-1]


def _common_end(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    length = 0
    while length < min(map(len, paths)) and len({path[-1 - length] for path in paths}) == 1:
        length += 1
    return paths[0][len(paths[0]) - length :] if length else paths[0][-1:]


def _narrowed(bare: Selector, pages: Sequence[PageSequence], targets: Sequence[set[int]]) -> Selector:
    """The selector with conditions, added one by one, each the one that helps most; of equals the most trusted."""
    selected = [(number, place) for number, page in enumerate(pages) for place in bare.select(page)]
    is_target = np.array([place in targets[number] for number, place in selected], dtype=np.bool_)
    if not is_target.any():
        return bare
    depth = len(bare.steps)
    lines = [_line(pages[number], place)[-depth:] for number, place in selected]
    wanted = [(pages[number], line) for (number, _), line, good in zip(selected, lines, is_target, strict=True) if good]
    choices = _choices(wanted, depth)
    known: dict[tuple[int, int, Condition], bool] = {}

    def mask(level: int, condition: Condition) -> Mask:
        found = []
        for (number, _), line in zip(selected, lines, strict=True):
            key = (number, line[level], condition)  # siblings share all that is above them
            if key not in known:
                known[key] = condition.holds(pages[number], line[level])
            found.append(known[key])
        return np.array(found, dtype=np.bool_)

    masks = [(level, condition, mask(level, condition)) for level, condition in choices]
    chosen: list[tuple[int, Condition]] = []
    kept = np.ones(len(selected), dtype=np.bool_)
    while len(chosen) < MAX_CONDITIONS and not (kept == is_target).all():
        before = _f1(kept, is_target)
        level, condition, best = max(masks, key=lambda each: _f1(kept & each[2], is_target), default=(0, None, kept))
        if condition is None or _f1(kept & best, is_target) <= before + 1e-9:
            break
        chosen.append((level, condition))
        kept &= best
    # a class that all records have says more than their tag, even where this page does not need it
    for level, condition in choices:
        if level == depth - 1 and condition.kind == "class" and not any(c.isdigit() for c in condition.value):
            if (level, condition) not in chosen:
                chosen.append((level, condition))
            break
    steps = [
        replace(step, conditions=tuple(condition for level, condition in chosen if level == number))
        for number, step in enumerate(bare.steps)
    ]
    return replace(bare, steps=tuple(steps))


def _f1(kept: Mask, wanted: Mask) -> float:
    return 2 * float((kept & wanted).sum()) / max(float(kept.sum() + wanted.sum()), 1.0)


def _choices(wanted: Sequence[tuple[PageSequence, list[int]]], depth: int) -> list[tuple[int, Condition]]:
    """The conditions that hold for all records, the most trusted first."""
    trusted: list[tuple[int, Condition]] = []
    places: list[tuple[int, Condition]] = []
    for level in range(depth - 1, -1, -1):
        nodes = list({(id(page), line[level]): (page, line[level]) for page, line in wanted}.values())
        trusted += [(level, Condition("class", each)) for each in _shared(nodes, classes_of)]
        if level == depth - 1:
            has = _shared(nodes, _paths_below)
            trusted += [(level, Condition("has", path)) for path in sorted(has, key=lambda path: path.count("/"))]
        for name in ATTRIBUTES:
            values = {page.tree.attributes(int(page.node[place])).get(name) for page, place in nodes}
            if len(values) == 1 and (value := values.pop()):
                trusted.append((level, Condition("attribute", value, name)))
        ordinals = {page.tree.ordinal(int(page.node[place])) for page, place in nodes}
        if len(ordinals) == 1:
            places.append((level, Condition("position", str(ordinals.pop()))))
    lacking = [(depth - 1, Condition("lacks", path)) for path in _lacking(wanted)]
    return [*trusted[:MAX_CHOICES], *lacking[:MAX_CHOICES], *places]


def _shared(
    nodes: Sequence[tuple[PageSequence, int]], parts: Callable[[PageSequence, int], Iterable[str]]
) -> list[str]:
    """What all nodes have, in the order of the first."""
    first = list(dict.fromkeys(parts(*nodes[0])))
    common = set(first)
    for node in nodes[1:]:
        if not common:
            break
        common &= set(parts(*node))
    return [part for part in first if part in common]


def _paths_below(page: PageSequence, place: int) -> Iterator[str]:
    """The paths of tags below a node, some levels deep."""
    stack = [(child, "") for child in _children(page, place)]
    while stack:
        child, above = stack.pop()
        tag = tag_of(page, child)
        if not PLAIN_NAME.match(tag):  # a text, or no name that an XPath could test
            continue
        path = f"{above}/{tag}" if above else tag
        yield path
        if path.count("/") < MAX_HAS - 1:
            stack.extend((below, path) for below in _children(page, child))


def _lacking(wanted: Sequence[tuple[PageSequence, list[int]]]) -> list[str]:
    """Paths that siblings of records have and no record has."""
    own = {path for page, line in wanted for path in _paths_below(page, line[-1])}
    parents = {(id(page), int(page.parent[line[-1]])): page for page, line in wanted}
    other: dict[str, None] = {}
    records = {(id(page), line[-1]) for page, line in wanted}
    for (number, parent), page in parents.items():
        for child in _children(page, parent):
            if (number, child) not in records:
                other |= dict.fromkeys(_paths_below(page, child))
    return sorted((path for path in other if path not in own), key=lambda path: path.count("/"))
