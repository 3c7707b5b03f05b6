"""Extraction: a page's tree and the grammars of its levels, walked together, give the data of the page.

    ul   with   (li with a b?)+   ->   DataList of DataItem(DataText, DataText), DataItem(DataText, EmptyData) …

A node fits a symbol when their labels are equal and one of the symbol's grammars reads the node's children. Sequences
take one part after the other, choices the first that fits, repetitions as many as fit, without ever going back.
Moura 2018, section 3.2.2, figures 17 to 22, and 3.3, the main list. Reads tree_match.py; called by tree_lists.py.

Whether a shape fits a grammar does not depend on where it stands, so each such question is answered once; a question
that needs another one first waits on a stack (`extract`), so that nothing recurses into the depth of the page.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

from edrew_torch.records.expressions import Conjunction, Disjunction, Expression, Optional, Symbol
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.shapes import TEXT_LABEL, Shapes
from edrew_torch.records.tree_match import Pair, TreeMatcher, ordered

MIN_ITEMS, MIN_DATA, MAX_DEVIATION = 2, 3, 3.5  # of the main list: section 3.3


@dataclass(frozen=True)
class DataText:
    """The text node that is this child."""

    child: int


@dataclass(frozen=True)
class DataBelow:
    """What a grammar makes of this child's children."""

    child: int
    grammar: Pair


@dataclass(frozen=True)
class EmptyData:
    """An option that is missing, or a node without text."""


@dataclass(frozen=True)
class DataItem:
    """A tuple."""

    parts: tuple["Data", ...]


@dataclass(frozen=True)
class DataList:
    """A list: its items, and from which child to before which each reaches."""

    items: tuple["Data", ...]
    spans: tuple[tuple[int, int], ...]


Data = DataText | DataBelow | EmptyData | DataItem | DataList
EMPTY = EmptyData()

Question = tuple[Pair, int]  # does this shape fit this grammar?
Steps = Generator[Question, Data | None, tuple[int, Data | None]]  # asks, is told; the next child, and the data or None
Fit = Callable[[int, int], Steps]  # reads the child at a place by a symbol


def read_children(start: int, expression: Expression, fit: Fit) -> Steps:
    """Read children from `start` on, calls as deep as the expression, which is bounded. Figures 17 to 21."""
    if isinstance(expression, Symbol):
        return (yield from fit(start, int(expression.value)))  # type: ignore[call-overload]
    if isinstance(expression, Conjunction):
        parts = []
        end = start
        for part in expression.parts:
            end, data = yield from read_children(end, part, fit)
            if data is None:
                return start, None
            parts.append(data)
        return end, DataItem(tuple(parts))
    if isinstance(expression, Disjunction):
        for part in expression.parts:
            end, data = yield from read_children(start, part, fit)
            if data is not None:
                return end, data
        return start, None
    if isinstance(expression, Optional):
        end, data = yield from read_children(start, expression.part, fit)
        return (end, data) if data is not None else (start, EMPTY)
    items, spans = [], []
    place = start
    while True:
        end, data = yield from read_children(place, expression.part, fit)
        if data is None or end == place:
            break
        items.append(data)  # differs from the paper: figure 21 as printed drops the first item
        spans.append((place, end))
        place = end
    return (place, DataList(tuple(items), tuple(spans))) if items else (start, None)


@dataclass(eq=False)
class Extractor:
    """Grammars of one matcher, applied to shapes of its table."""

    matcher: TreeMatcher
    _answers: dict[Question, Data | None] = field(default_factory=dict)

    def extract(self, grammar: Pair, shape: int) -> Data | None:
        """The data below a shape, or None if it does not fit."""
        question = (ordered(*grammar), shape)
        waiting: list[tuple[Question, Generator[Question, Data | None, Data | None]]] = []
        told: Data | None = None
        if question not in self._answers:
            waiting.append((question, self._ask(question)))
        while waiting:
            asked, steps = waiting[-1]
            try:
                needed = steps.send(told)
                while needed in self._answers:
                    needed = steps.send(self._answers[needed])
                waiting.append((needed, self._ask(needed)))
                told = None
            except StopIteration as done:
                waiting.pop()
                told = self._answers[asked] = done.value
        return self._answers[question]

    def _ask(self, question: Question) -> Generator[Question, Data | None, Data | None]:
        grammar, shape = question
        expression = self.matcher.expression(*grammar)
        if expression is None:  # a leaf, or a grammar that failed: its fault stays its own
            return EMPTY
        shapes, level = self.matcher.shapes, self.matcher.level(*grammar)
        children = shapes.children[shape]

        def fit(start: int, symbol: int) -> Steps:  # figure 22
            if start == len(children) or shapes.label[children[start]] != shapes.label[level.example[symbol]]:
                return start, None
            child = children[start]
            if shapes.label[child] == TEXT_LABEL:
                return start + 1, DataText(start)
            for pair in level.alike[symbol]:
                data = yield ordered(*pair), child
                if data is not None:
                    return start + 1, EMPTY if data is EMPTY else DataBelow(start, pair)
            return start, None

        _, data = yield from read_children(0, expression, fit)
        return data


def level_lists(matcher: TreeMatcher, shape: int) -> list[tuple[tuple[int, int], ...]]:
    """The lists among the children of a shape, by their symbols alone: a child fits its own symbol, whatever is below.

    The tolerant way to read a page: what is alike is one list, even where no grammar reads all of it.
    """
    string = matcher.level(shape, shape).string_a
    expression = matcher.expression(shape, shape)
    if expression is None or len(set(string)) == len(string):
        return []

    def fit(start: int, symbol: int) -> Steps:
        is_it = start < len(string) and string[start] == symbol
        return (start + 1, DataText(start)) if is_it else (start, None)
        yield  # a generator, as all that fit

    steps = read_children(0, expression, fit)
    try:
        next(steps)
    except StopIteration as done:
        _, data = done.value
    found = []
    stack = [data]
    while stack:
        part = stack.pop()
        if isinstance(part, DataItem):
            stack.extend(part.parts)
        elif isinstance(part, DataList):
            stack.extend(part.items)
            if len(part.spans) > 1:
                found.append(part.spans)
    return found


@dataclass(frozen=True)
class FoundList:
    """A list of data on a page: from which place to before which each item reaches, and the places of its texts."""

    records: tuple[tuple[int, int], ...]
    texts: tuple[tuple[int, ...], ...]
    are_tuples: bool  # every item holds more than one thing


@dataclass(frozen=True, eq=False)
class PagePlaces:
    """A page as shapes: place by place its shape, its children, the end of its subtree; `children[-1]`: the roots."""

    root: int
    shape: list[int]
    children: list[list[int]]
    end: list[int]

    @classmethod
    def of(cls, shapes: Shapes, page: PageSequence) -> "PagePlaces":
        """The places of a page, its shapes added to the table."""
        root, shape = shapes.add_page(page)
        children: list[list[int]] = [[] for _ in range(len(page) + 1)]
        for place, parent in enumerate(page.parent.tolist()):
            children[parent].append(place)
        return cls(root, [*shape, root], children, page.end.tolist())


def find_data_lists(extractor: Extractor, grammar: Pair, page: PagePlaces) -> list[FoundList]:
    """Return every list of the data that a grammar extracts from a page, in page order.

    Where a grammar has a fault or does not read a node, its children are read each by their own: nothing else is lost.
    """
    found: list[FoundList] = []
    stack: list[tuple[Data, int]] = [*_open(extractor, grammar, -1, page)]
    while stack:
        part, parent = stack.pop()
        if isinstance(part, DataBelow):
            stack.extend(_open(extractor, part.grammar, page.children[parent][part.child], page))
        elif isinstance(part, DataItem):
            stack.extend((inner, parent) for inner in part.parts)
        elif isinstance(part, DataList):
            stack.extend((inner, parent) for inner in part.items)
            children = page.children[parent]
            records = tuple((children[start], page.end[children[end - 1]]) for start, end in part.spans)
            texts = tuple(tuple(data_texts(extractor, item, parent, page)) for item in part.items)
            are_tuples = all(_is_tuple(extractor, item, parent, page) for item in part.items)
            found.append(FoundList(records, texts, are_tuples))
    return sorted(found, key=lambda each: (each.records[0][0], -each.records[-1][1]))


def _open(extractor: Extractor, grammar: Pair, place: int, page: PagePlaces) -> list[tuple[Data, int]]:
    """The data below a place; of a place that its grammar does not read, each child by itself."""
    data = extractor.extract(grammar, page.shape[place])
    if data is None or data is EMPTY:
        shapes = [page.shape[child] for child in page.children[place]]
        return [(DataBelow(number, (shape, shape)), place) for number, shape in enumerate(shapes)]
    return [(data, place)]


def data_texts(extractor: Extractor, data: Data, parent: int, page: PagePlaces) -> list[int]:
    """The places of the texts in some data of the children of `parent`."""
    texts: list[int] = []
    stack: list[tuple[Data, int]] = [(data, parent)]
    while stack:
        part, above = stack.pop()
        if isinstance(part, DataText):
            texts.append(page.children[above][part.child])
        elif isinstance(part, DataBelow):
            place = page.children[above][part.child]
            stack.append((extractor.extract(part.grammar, page.shape[place]) or EMPTY, place))
        elif isinstance(part, DataItem):
            stack.extend((inner, above) for inner in reversed(part.parts))
        elif isinstance(part, DataList):
            stack.extend((inner, above) for inner in reversed(part.items))
    return texts


def _is_tuple(extractor: Extractor, data: Data, parent: int, page: PagePlaces) -> bool:
    """Is it a tuple, once elements around one single thing are looked through?"""
    while isinstance(data, DataBelow):
        place = page.children[parent][data.child]
        data, parent = extractor.extract(data.grammar, page.shape[place]) or EMPTY, place
    return isinstance(data, DataItem)


def main_list(found: Sequence[FoundList]) -> FoundList | None:
    """Return the main list of a page, or None: the longest of those whose items are much alike. Section 3.3."""
    kept = [
        each
        for each in found
        if each.are_tuples
        and len(each.records) >= MIN_ITEMS
        and fmean(map(len, each.texts)) >= MIN_DATA
        and pstdev(map(len, each.texts)) <= MAX_DEVIATION
    ]
    return max(kept, key=lambda each: len(each.records), default=None)
