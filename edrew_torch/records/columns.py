"""Columns: a name and an XPath for each text and attribute of a template.

    li(a[@href](…) p.price(…))   ->   title, title_href, price   ./a/text()  ./a/@href  ./p[…price…]/text()

A name comes from what the page itself says, the surest first: `itemprop`, the heading of a table's column, a fixed
label before the value ("Price:"), a class, the kind of element, the look of the values. Names are only names: change
them in the wrapper's file as you like. The XPaths are for other tools; the wrapper itself fits whole records, so that
an optional field does not shift the ones behind it. Reads template.py; read by wrapper.py.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edrew_torch.records.selector import Condition, Step, tag_of
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.shapes import TEXT_LABEL
from edrew_torch.records.template import ATTRIBUTES, Fitted, Record, TemplateNode
from edrew_torch.xpath import NOT_BLANK

FittedPage = tuple[PageSequence, list[tuple[Record, Fitted]]]

WORD = re.compile(r"[^\W_]+")
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]")
DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b")
NUMBER = re.compile(r"\A[\d\W_]+\Z")
MAX_NAME = 40
SHARE = 0.7  # of the values, that must look so
BY_TAG = {**dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "dt"), "title"), "time": "date", "cite": "address"}
# Classes that say how a thing looks, not what it is.
PLAIN_CLASSES = frozenset("text first last odd even left right bold small big clear row col link item active".split())


@dataclass(frozen=True)
class Column:
    """A column of a list: its name, where it stands in a record, and its text where that is always the same."""

    name: str
    xpath: str
    fixed: str | None = None


def name_columns(template: TemplateNode, pages: Sequence[FittedPage]) -> tuple[Column, ...]:
    """Give every text and every attribute that holds data a column, and return them in the order of the template."""
    texts, attributes, itemprops = _values(pages)
    headings = _headings(pages)
    taken: dict[str, int] = {}
    columns: list[Column] = []

    def add(name: str, xpath: str, fixed: str | None = None) -> str:
        number = taken[name] = taken.get(name, 0) + 1
        unique = name if number == 1 else f"{name}_{number}"
        while number > 1 and unique in taken:
            number += 1
            unique = f"{name}_{number}"
        taken.setdefault(unique, 1)
        columns.append(Column(unique, xpath, fixed))
        return unique

    label, has_title = "", False
    for node, above, xpath in _with_paths(template):
        values = texts.get(id(node), [])
        if node.tag == TEXT_LABEL:
            fixed = values[0] if len(values) > 1 and len(set(values)) == 1 else None
            name = _name(above, values, label, itemprops, headings, has_title)
            if fixed and (name == "text" or fixed.rstrip().endswith(":")):
                name = "label"
            node.column = add(name, xpath, fixed)
            has_title = has_title or name == "title"
            label = slug(fixed) if fixed and fixed.rstrip().endswith(":") else ""
            continue
        node.attributes = {}
        for name, given in attributes.get(id(node), {}).items():
            if len(set(given)) > 1 or len(given) == 1:  # one that is the same in all records says nothing of any
                below = next((child for child in node.walk() if child.tag == TEXT_LABEL), None)
                shown = texts.get(id(below), []) if below else []
                owner = "image" if node.tag == "img" else "link" if node.tag == "a" else node.tag
                if name == "href" and len(set(shown)) > 1:
                    owner = _name([*above, node], shown, label, itemprops, headings, has_title)
                node.attributes[name] = add(f"{owner}_{name}", f"{xpath}/@{name}")
    return tuple(columns)


def _values(
    pages: Sequence[FittedPage],
) -> tuple[dict[int, list[str]], dict[int, dict[str, list[str]]], dict[int, str]]:
    """The texts, attributes and itemprops that each node of the template has in the records."""
    texts: dict[int, list[str]] = {}
    attributes: dict[int, dict[str, list[str]]] = {}
    itemprops: dict[int, str] = {}
    for page, records in pages:
        for _, fitted in records:
            for node, place in fitted:
                if node.tag == TEXT_LABEL:
                    texts.setdefault(id(node), []).append(page.texts[place])
                    continue
                given = page.tree.attributes(int(page.node[place]))
                for name in ATTRIBUTES:
                    if value := given.get(name):
                        attributes.setdefault(id(node), {}).setdefault(name, []).append(value)
                if "itemprop" in given:
                    itemprops.setdefault(id(node), given["itemprop"])
    return texts, attributes, itemprops


def _headings(pages: Sequence[FittedPage]) -> dict[int, str]:
    """The headings of table columns by the number of the cell, where records are rows under a row of `th`."""
    for page, records in pages:
        for (start, _), _ in records[:1]:
            if tag_of(page, start) != "tr":
                return {}
            table = start
            while table >= 0 and tag_of(page, table) != "table":
                table = int(page.parent[table])
            inside = np.arange(max(table, 0), start)
            cells = inside[page.is_named("th")[inside]]
            if len(cells) and len(set(page.parent[cells].tolist())) == 1:
                shown = [page.text(int(cell), int(page.end[cell])) for cell in cells]
                return {number: slug(text) for number, text in enumerate(shown) if slug(text)}
    return {}


def _with_paths(template: TemplateNode) -> list[tuple[TemplateNode, list[TemplateNode], str]]:
    """Every node with those above it and its XPath from the beginning of a record, in order."""
    found: list[tuple[TemplateNode, list[TemplateNode], str]] = []
    stack: list[tuple[TemplateNode, list[TemplateNode], str]] = []
    for number, child in reversed(list(enumerate(template.children))):
        path = "." if number == 0 else f"following-sibling::{_step(child, template.children[1:])}"
        stack.append((child, [], path))
    while stack:
        node, above, path = stack.pop()
        found.append((node, above, path))
        stack.extend(
            (child, [*above, node], f"{path}/{_step(child, node.children)}") for child in reversed(node.children)
        )
    return found


def _step(node: TemplateNode, siblings: Sequence[TemplateNode]) -> str:
    """The step of an XPath to one of some siblings: by a class of its own if it has one, else by its number."""
    same = [other for other in siblings if other.tag == node.tag]
    number = same.index(node) + 1
    if node.tag == TEXT_LABEL:
        return f"text(){NOT_BLANK}" + (f"[{number}]" if len(same) > 1 else "")
    if len(same) == 1:
        return Step(node.tag).xpath()
    others = {each for other in same if other is not node for each in other.classes}
    own = [each for each in node.classes if each not in others]
    kind = Condition("class", own[0]) if own else Condition("position", str(number))
    return Step(node.tag, () if node.repeat and not own else (kind,)).xpath()


def _name(
    above: Sequence[TemplateNode],
    values: Sequence[str],
    label: str,
    itemprops: dict[int, str],
    headings: dict[int, str],
    has_title: bool,
) -> str:
    """A name for a text by the elements around it and by what it says."""
    for node in reversed(above):
        if id(node) in itemprops and (name := slug(itemprops[id(node)])):
            return name
    cells = [child for child in above[0].children if child.tag in ("td", "th")] if above else []
    if len(above) > 1 and above[1] in cells and cells.index(above[1]) in headings:
        return headings[cells.index(above[1])]
    if label:
        return label
    for node in reversed(above[1:]):
        for each in node.classes:
            name = slug(each)
            if name and name not in PLAIN_CLASSES and not any(c.isdigit() for c in name):
                return name
    for node in reversed(above):
        if node.tag in BY_TAG:
            return BY_TAG[node.tag]
    if not has_title and any(node.tag == "a" for node in above):
        return "title"
    for name, look in (("price", PRICE), ("date", DATE), ("number", NUMBER)):
        if values and sum(bool(look.search(value)) for value in values) >= SHARE * len(values):
            return name
    return "text"


def slug(text: str) -> str:
    """A short name in small letters.

    >>> slug("List Price:"), slug("productTitle-main")
    ('list_price', 'producttitle_main')
    """
    return "_".join(WORD.findall(text.lower()))[:MAX_NAME].strip("_")
