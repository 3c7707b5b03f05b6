"""Candidate rules: all that could have led to the examples, from the narrowest to the widest, of several kinds.

    text nodes of some pages   ->   //td[2]/text(), //td/text()[… the text before it is 'Engine:' …], …

Examples on one path are described by what all of them share, level by level; a kind of rule is a choice of what to
ask for: the whole path or its end, classes, ids, the text before, places. Nothing is judged here: learn.py does that.
Reads rule.py and page.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from edrew_torch.fields.page import FieldPage
from edrew_torch.fields.rule import TEXT_STEP, Condition, Rule, Step
from edrew_torch.fields.trust import looks_like_label

MAX_LABEL = 60  # characters; a longer text before a value is a sentence, not a label
MAX_LEVELS = 6  # above a text that are asked for their classes and texts
MAX_CLASSES = 8  # of an element
MAX_DEPTH = 60  # levels of a rule
MAX_GROUPS = 16  # of examples, that rules are made from; and so many single ones
ATTRIBUTES = ("id", "itemprop", "property", "rel", "headers", "for", "data-label", "data-field", "name", "scope")

Example = tuple[FieldPage, int]  # a page, and a text node of it
Line = list[tuple[str, tuple[Condition, ...]]]  # per level from the text upwards: its tag and what holds there


NOT_ALL: tuple[str, tuple[Condition, ...]] = ("", ())  # closes a description that does not reach the root


def describe(page: FieldPage, node: int) -> Line:
    """What could be asked of a text node and of what is above it."""
    levels: Line = []
    line = page.line(node)
    for level, each in enumerate(line[:MAX_DEPTH]):
        conditions: list[Condition] = []
        if level:
            attributes = page.tree.attributes(each)
            conditions += [
                Condition("class", name)
                for name in list(dict.fromkeys(page.classes(each)))[:MAX_CLASSES]
                if is_stable(name)
            ]
            conditions += [
                Condition("attribute", value, name)
                for name in ATTRIBUTES
                if (value := attributes.get(name)) and is_stable(value) and value == " ".join(value.split())
            ]
        if level <= MAX_LEVELS:
            for number in (1, 2) if not level else (1,):
                label = page.text_before(each, number)
                if is_label(label):
                    conditions.append(Condition("after", label, number=number))
            if level and is_label(first := page.first_text(each)) and first != page.text(node):
                conditions.append(Condition("begins", first))
            if not level and (prefix := prefix_of(page.text(node))):
                conditions.append(Condition("starts", prefix))
        conditions.append(Condition("position", number=page.tree.ordinal(each)))
        levels.append((TEXT_STEP if not level else page.tree.name(each), tuple(conditions)))
    return levels if len(line) <= MAX_DEPTH else [*levels, NOT_ALL]


def is_stable(value: str) -> bool:
    """Could a class or an id be that of every page? Long numbers are those of one thing."""
    digits = sum(character.isdigit() for character in value)
    return 0 < len(value) <= 80 and digits <= 3 and value.isprintable()


def is_label(text: str) -> bool:
    """Could a text be a label, and no sentence, no script, nothing that XPath cannot hold?"""
    return 0 < len(text) <= MAX_LABEL and text.isprintable() and not any(mark in text for mark in "<{;")


def prefix_of(text: str) -> str:
    """The label that stands in the text itself: "Publisher:" of "Publisher: Knopf"."""
    for mark in (":", "="):
        head, found, rest = text.partition(mark)
        if found and rest.strip() and looks_like_label(head):
            return head + found
    return ""


def candidate_rules(examples: Sequence[Example]) -> list[Rule]:
    """Return rules that lead to some of the examples, each once."""
    groups = _groups([describe(page, node) for page, node in examples])
    return list(dict.fromkeys(rule for group in groups for rule in _rules(group)))


def _groups(lines: Sequence[Line]) -> Iterator[Line]:
    """What examples on one path share: all of them, those with one label, and each on its own."""
    groups: dict[tuple[object, ...], list[Line]] = defaultdict(list)
    for line in lines:
        path = tuple(tag for tag, _ in line)
        groups[path].append(line)
        for level in range(min(4, len(line))):
            for condition in line[level][1]:
                if condition.kind in ("after", "begins", "starts", "class"):
                    groups[path, level, condition].append(line)
        for length in (2, 3, 4):
            groups["end", path[:length]].append([*line[:length], NOT_ALL])
            for condition in line[0][1]:
                if condition.kind in ("after", "starts"):
                    groups["end", path[:length], condition].append([*line[:length], NOT_ALL])
    seen: set[tuple[object, ...]] = set()
    ordered = sorted(groups.values(), key=len, reverse=True)
    for group in [*ordered[:MAX_GROUPS], *([line] for line in lines[:MAX_GROUPS])]:
        shared = _shared(group)
        key = tuple(shared)
        if key not in seen:
            seen.add(key)
            yield shared


def _shared(group: Sequence[Line]) -> Line:
    if len(group) == 1:
        return group[0]
    levels: Line = []
    for steps in zip(*group, strict=True):
        common = set(steps[0][1]).intersection(*(conditions for _, conditions in steps[1:]))
        levels.append((steps[0][0], tuple(condition for condition in steps[0][1] if condition in common)))
    return levels


def _rules(line: Line) -> Iterator[Rule]:
    """The rules of every kind for one description."""
    is_whole = line[-1] != NOT_ALL
    levels = line if is_whole else line[:-1]
    depth = len(levels)
    marks = [tuple(c for c in conditions if c.kind in ("class", "attribute")) for _, conditions in levels]
    labels = [
        (level, condition)
        for level, (_, conditions) in enumerate(levels[: MAX_LEVELS + 1])
        for condition in conditions
        if condition.kind in ("after", "begins", "starts")
    ]
    places = [next((c for c in conditions if c.kind == "position"), None) for _, conditions in levels]

    def make(length: int, chosen: Iterable[tuple[int, Condition]]) -> Rule:
        asked: dict[int, dict[Condition, None]] = defaultdict(dict)
        for level, condition in chosen:
            asked[level][condition] = None
        steps = tuple(Step(levels[level][0], tuple(asked[level])) for level in range(length - 1, -1, -1))
        return Rule(steps, is_whole and length == depth)

    def near(most: int) -> list[tuple[int, Condition]]:
        return [(level, condition) for level in range(min(most, depth)) for condition in marks[level]]

    def placed(levels_asked: Iterable[int]) -> list[tuple[int, Condition]]:
        return [(level, place) for level in levels_asked if level < depth and (place := places[level])]

    lengths = sorted({length for length in (2, 3, 4, 6) if length < depth} | {depth})
    for length in lengths:
        classes = [pair for pair in near(4) if pair[0] < length]
        every = [pair for pair in near(depth) if pair[0] < length]
        text_place = placed((0,))
        yield make(length, ())
        yield make(length, classes)
        yield make(length, text_place)
        yield make(length, [*classes, *text_place])
        if len(every) > len(classes):
            yield make(length, every)
            yield make(length, [*every, *text_place])
        for level, label in labels:
            if level >= length:
                continue
            yield make(length, [(level, label)])
            yield make(length, [(level, label), *classes])
            yield make(length, [(level, label), *text_place])
            for above in (1, 2, 3):
                yield make(length, [(level, label), *placed((above,))])
        for level, conditions in enumerate(marks[:length]):
            for condition in conditions:
                yield make(length, [(level, condition)])
                yield make(length, [(level, condition), *text_place])
                for above in range(1, level):
                    yield make(length, [(level, condition), *placed((above,))])
                yield make(length, [(level, condition), *placed(range(level))])
        for above in range(1, min(length, 8)):
            yield make(length, placed((above,)))
            yield make(length, [*classes, *placed((above,))])
            yield make(length, [*classes, *placed((0, above))])
        if is_whole and length == depth:
            yield make(length, placed(range(depth)))
            yield make(length, [*every, *placed(range(depth))])
            for above in (2, 3, 4, 5):
                yield make(length, placed(range(above)))
                yield make(length, [*classes, *placed(range(above))])
