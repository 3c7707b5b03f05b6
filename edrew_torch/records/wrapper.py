"""Wrappers: how to read the pages of a site, learnt once, kept in a file, applied to further pages.

    pages of one template   ->   Wrapper   ->   site.json   ->   Wrapper   ->   tables of other pages

A wrapper holds for each list where its records begin (selector.py), how far each reaches, and what it looks like
(template.py). Applying it finds no lists and judges none: it goes down one path and fits each distinct record once.
How well the records fit is told with every page; a page that does not fit any more is a warning, not an empty table.
Moura 2018, chapter 5, asks for it. The fields of detail pages are kept and applied beside the lists.
Reads methods.py, selector.py, template.py, columns.py and fields/; called by pipeline.py.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from edrew_torch.errors import EdrewError
from edrew_torch.fields.field import Field, apply_fields
from edrew_torch.records.choice import RecordList
from edrew_torch.records.columns import Column, name_columns
from edrew_torch.records.methods import Settings, find_method
from edrew_torch.records.selector import Selector, learn_selector, tag_of
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.records.tables import base_address, join_address, make_cell
from edrew_torch.records.template import (
    ATTRIBUTES,
    Fitted,
    Record,
    TemplateNode,
    align_record,
    fit_of,
    make_template,
    record_key,
)
from edrew_torch.result import Cell, Region, Row, Value
from edrew_torch.tree import Tree

MAX_LISTS = 4  # of each page, that are tried for the main list of all
MIN_FIT = 0.4  # of a record; below, it is a heading or an advertisement on the same path, whatever was learnt
NEAR_WORST = 0.6  # of the worst fit of the records learnt from; of 0.6, 0.7, 0.8 the best on the training shops
WARN_FIT = 0.6  # of a page, on average
MAX_KNOWN = 10_000  # distinct records that a wrapper remembers


class NoWrapper(EdrewError):
    """No wrapper can be learnt from these pages."""


@dataclass(frozen=True)
class Span:
    """How far a record reaches from where it begins: its own node, or siblings up to the next record."""

    kind: str  # node | siblings
    most: int = 1  # siblings of the longest record
    tags: tuple[str, ...] = ()  # that siblings behind the first may have

    def records(self, page: PageSequence, starts: Sequence[int]) -> list[Record]:
        """The records that begin at these places."""
        found = []
        for number, start in enumerate(starts):
            following = starts[number + 1] if number + 1 < len(starts) else len(page)
            end = int(page.end[start])
            if self.kind == "siblings":
                parent = int(page.parent[start])
                stop = min(following, int(page.end[parent]) if parent >= 0 else len(page))
                num_siblings = 1
                while end < stop and num_siblings < self.most and tag_of(page, end) in self.tags:
                    end = int(page.end[end])
                    num_siblings += 1
            found.append((start, min(end, following)))  # a tag that is never closed holds the next record
        return [(start, end) for start, end in found if page.text_before[end] > page.text_before[start]]


@dataclass(frozen=True, eq=False)
class ListWrapper:
    """One list: where its records begin, how far they reach, what they look like, and their columns."""

    name: str
    selector: Selector
    span: Span
    template: TemplateNode
    columns: tuple[Column, ...]
    min_fit: float = MIN_FIT  # of a record; below, it is something else on the same path
    known: dict[tuple[bytes, bytes], tuple[float, Fitted]] = field(default_factory=dict)  # fits of distinct records


@dataclass(frozen=True, eq=False)
class Wrapper:
    """The lists of a template, the main one first, and its fields. `made_from` names the pages it was learnt from."""

    lists: tuple[ListWrapper, ...]
    made_from: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())  # what did not work out when it was made
    fields: tuple[Field, ...] = ()

    def apply(self, tree: Tree, url: str | None = None) -> "Applied":
        """The tables and values of a page."""
        values, shown, faults = apply_fields(self.fields, tree)
        if not self.lists:
            return Applied((), shown, tuple(faults), values)
        page = page_sequence(tree)
        found = [(each, find_records(each, page)) for each in self.lists]
        base = base_address(tree, url)
        regions, warnings = [], faults
        for each, fit in found:
            if warning := drift_warning(each, page, fit):
                warnings.append(warning)
            if fit.records:
                regions.append(fit_table(each, page, fit, base))
        match = (found[0][1].fit + shown) / 2 if self.fields else found[0][1].fit
        return Applied(tuple(regions), match, tuple(warnings), values)


@dataclass(frozen=True)
class Applied:
    """What a wrapper makes of a page: tables, how well main list and fields fitted, what was wrong, and values."""

    regions: tuple[Region, ...]
    match: float
    warnings: tuple[str, ...]
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, eq=False)
class ListFit:
    """The records of a list on a page, the template's nodes they fit, and how well they do on average."""

    records: list[Record]
    fitted: list[Fitted]
    fit: float


def find_records(each: ListWrapper, page: PageSequence) -> ListFit:
    """Find the records of a list on a page; each distinct one is fitted once, on whatever page it came first."""
    known = each.known
    if len(known) > MAX_KNOWN:
        known.clear()
    records, fitted, fits = [], [], []
    for record in each.span.records(page, each.selector.select(page)):
        key = record_key(page, record)
        start, end = record
        if key not in known:
            nodes = align_record(each.template, page, record)
            fit = fit_of(each.template, nodes, end - start)
            known[key] = fit, [(node, place - start) for node, place in nodes]
        fit, offsets = known[key]
        if fit >= each.min_fit:
            records.append(record)
            fitted.append([(node, start + offset) for node, offset in offsets])
            fits.append(fit)
    return ListFit(records, fitted, sum(fits) / len(fits) if fits else 0.0)


def drift_warning(each: ListWrapper, page: PageSequence, found: ListFit) -> str:
    """What is wrong with a page, or nothing."""
    if not found.records:
        steps = each.selector.steps
        reached = each.selector.reach(page)
        where = (
            f"; its path ends after {reached} of {len(steps)} steps, at {steps[reached].tag}"
            if reached < len(steps)
            else ""
        )
        return f"list {each.name}: no records{where}. The page has none, or the site has changed: make a new wrapper."
    if found.fit < WARN_FIT:
        return (
            f"list {each.name}: {len(found.records)} records that fit by {found.fit:.0%} only. "
            "The site may have changed: compare the values, or make a new wrapper."
        )
    return ""


def fit_table(each: ListWrapper, page: PageSequence, found: ListFit, base: str | None) -> Region:
    """The records as a table whose columns are those of the wrapper; a repeated part has as many as it needs."""
    rows: list[dict[tuple[str, int], Cell]] = []
    width: dict[str, int] = {column.name: 1 for column in each.columns}
    for record, nodes in zip(found.records, found.fitted, strict=True):
        row: dict[tuple[str, int], Cell] = {}
        times: dict[str, int] = {}
        node_of = {place: node for node, place in nodes}
        for place in range(*record):
            for name, cell in _cells(page, place, node_of.get(place), base):
                number = times[name] = times.get(name, 0) + 1
                row[name, number] = cell
                width[name] = max(width.get(name, 0), number)
        rows.append(row)
    # what no column of the template has comes last
    columns = [(name, number) for name, most in width.items() for number in range(1, most + 1)]
    names = tuple(name if number == 1 else f"{name} {number}" for name, number in columns)
    cells: tuple[Row, ...] = tuple(tuple(row.get(column) for column in columns) for row in rows)
    return Region(True, found.fit, "wrapper", cells, names)


def _cells(page: PageSequence, place: int, node: TemplateNode | None, base: str | None) -> list[tuple[str, Cell]]:
    """The data of one place, with the columns they belong to."""
    if page.is_text[place]:
        return [(node.column if node else OTHER, make_cell(page, place, base))]
    if node is None or not node.attributes:
        return []
    tree, number = page.tree, int(page.node[place])
    given = tree.attributes(number)
    found = []
    for name in ATTRIBUTES:
        if name in node.attributes and (value := given.get(name)):
            address = join_address(base, value) if name in ("href", "src") else None
            cell = Cell(
                value,
                f"{tree.xpath(number)}/@{name}",
                href=address if name == "href" else None,
                src=address if name == "src" else None,
            )
            found.append((node.attributes[name], cell))
    return found


OTHER = "other"


def make_wrapper(
    trees: Sequence[Tree],
    sources: Sequence[str] = (),
    method: str = "auto",
    settings: Settings | None = None,
    keep_all: bool = False,
) -> Wrapper:
    """Learn a wrapper from pages of one template: their main list, or all their content lists."""
    chosen, settings = find_method(method, settings)
    pages = [page_sequence(tree) for tree in trees]
    lists = [[each for each in chosen.find(page, settings) if each.content][:MAX_LISTS] for page in pages]
    warnings = [
        f"{source}: no list of records found; it adds nothing to the wrapper."
        for source, found in zip(sources, lists, strict=False)
        if not found
    ]
    if not any(lists):
        raise NoWrapper("none of the pages has a list of records: give list pages, or look at `edrew records --all`.")
    lists = without_fixed(pages, lists)
    made: list[ListWrapper] = []
    while any(lists):
        group = _agreeing(pages, lists)
        try:
            made.append(_learn(pages, group, name="main" if not made else f"list {len(made) + 1}"))
        except NoWrapper as fault:  # one list that cannot be learnt costs no other
            warnings.append(str(fault))
        lists = [[each for each in found if each is not mine] for found, mine in zip(lists, group, strict=True)]
        if made and not keep_all:
            break
    if not made:
        raise NoWrapper(" ".join(warnings))
    return Wrapper(tuple(made), tuple(sources), tuple(warnings))


def without_fixed(pages: Sequence[PageSequence], lists: Sequence[Sequence[RecordList]]) -> list[list[RecordList]]:
    """The lists without records that another page has word for word: menus and advertisements, not what is looked for.

    A list is as sure as the share of it that remains. Where nothing would remain, all stays as it is.
    """
    times: Counter[str] = Counter()
    for page, found in zip(pages, lists, strict=True):
        times.update({page.text(*record) for each in found for record in each.records})
    kept: list[list[RecordList]] = []
    for page, found in zip(pages, lists, strict=True):
        fresh = []
        for each in found:
            records = tuple(record for record in each.records if times[page.text(*record)] < 2)
            if len(records) > 1:
                share = len(records) / len(each.records)
                fresh.append(replace(each, records=records, confidence=each.confidence * share))
        kept.append(fresh)
    return kept if any(kept) else [list(found) for found in lists]


def _agreeing(pages: Sequence[PageSequence], lists: Sequence[Sequence[RecordList]]) -> list[RecordList | None]:
    """Of each page the list that is the same on all: the one whose path finds the surest lists of the other pages."""
    best: tuple[float, list[RecordList | None]] = (-1.0, [])
    for number, page in enumerate(pages):
        for each in lists[number]:
            selector = learn_selector([page], [[start for start, _ in each.records]])
            group: list[RecordList | None] = []
            sure = 0.0
            for other, candidates in zip(pages, lists, strict=True):
                starts = set(selector.select(other))
                scored = [(_overlap(starts, candidate), candidate) for candidate in candidates]
                share, nearest = max(scored, key=lambda pair: pair[0] * pair[1].confidence, default=(0.0, None))
                group.append(nearest if share > 0.5 else None)
                sure += share * nearest.confidence if nearest else 0.0
            group[number] = each
            if sure > best[0]:
                best = sure, group
    return best[1]


def _overlap(starts: set[int], found: RecordList) -> float:
    own = {start for start, _ in found.records}
    return 2 * len(own & starts) / max(len(own) + len(starts), 1)


def _learn(pages: Sequence[PageSequence], group: Sequence[RecordList | None], name: str) -> ListWrapper:
    """The wrapper of one list, from where it stands on some pages."""
    known = [(page, each) for page, each in zip(pages, group, strict=True) if each is not None]
    selector = learn_selector([page for page, _ in known], [[start for start, _ in each.records] for _, each in known])
    span = _learn_span(known)
    records = [(page, record) for page, _ in known for record in span.records(page, selector.select(page))]
    wanted = {(id(page), start) for page, each in known for start, _ in each.records}
    records = [(page, record) for page, record in records if (id(page), record[0]) in wanted]
    if len(records) < 2:
        raise NoWrapper(f"list {name}: no path leads to its records ({selector.xpath()}).")
    template = make_template(records)
    wrapped = ListWrapper(name, selector, span, template, ())
    fits = [fit_of(template, align_record(template, page, record), record[1] - record[0]) for page, record in records]
    wrapped = replace(wrapped, min_fit=max(MIN_FIT, round(NEAR_WORST * min(fits), 3)))
    found = [(page, find_records(wrapped, page)) for page, _ in known]
    columns = name_columns(template, [(page, list(zip(fit.records, fit.fitted, strict=True))) for page, fit in found])
    return replace(wrapped, columns=columns, known={})


def _learn_span(known: Sequence[tuple[PageSequence, RecordList]]) -> Span:
    """How far the records reach."""
    most, tags = 1, dict[str, None]()
    for page, each in known:
        for start, end in each.records:
            number, place = 1, int(page.end[start])
            while place < end:
                tags[tag_of(page, place)] = None
                place = int(page.end[place])
                number += 1
            most = max(most, number)
    return Span("siblings", most, tuple(tags)) if most > 1 else Span("node")
