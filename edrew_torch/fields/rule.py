"""Rules: which text nodes of a page hold a value, as a path with conditions that is an XPath too.

    //td[contains(concat(' ', normalize-space(@class), ' '), ' spec ')]/text()[… the text before it is 'Engine:' …]

A rule is a path of tags, from the root or from anywhere, that ends in a text node. Each step may ask for classes,
attributes, a place among siblings, the text before it (`after`) or the first text in it (`begins`); the text node also
for how it begins (`starts`), and for no label of something else before it (`not after`). Evaluated here over the arrays
of the page, from the text nodes upwards; its XPath selects the same nodes in lxml, parsel and Scrapy. Reads page.py and
xpath.py; read by the other modules here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from edrew_torch.fields.page import FieldPage, Nodes
from edrew_torch.tree import PLAIN_NAME
from edrew_torch.xpath import NOT_BLANK, ONE_SPACE, attribute_test, class_test, quoted, tag_test

TEXT_STEP = "text()"
OF_TEXTS = ("after", "not after", "begins", "starts")
KINDS = ("class", "attribute", "position", *OF_TEXTS)


@dataclass(frozen=True)
class Condition:
    """What a node must be; `number` is the place of a `position`, and how far back `after` looks."""

    kind: str
    value: str = ""
    name: str = ""  # of an attribute
    number: int = 1

    def holds(self, page: FieldPage, nodes: Nodes) -> list[bool]:
        """Of which nodes is it so?"""
        if self.kind == "position":
            return [page.tree.ordinal(node) == self.number for node in nodes.tolist()]
        places = nodes.tolist()
        if self.kind == "class":
            return [self.value in page.classes(node) for node in places]
        if self.kind == "attribute":
            return [page.attribute(node, self.name) == self.value for node in places]
        if self.kind == "after":
            return [page.text_before(node, self.number) == self.value for node in places]
        if self.kind == "not after":
            return [page.text_before(node, self.number) != self.value for node in places]
        if self.kind == "begins":
            return [page.first_text(node) == self.value for node in places]
        return [page.text(node).startswith(self.value) for node in places]

    def xpath(self) -> str:
        """The condition in brackets."""
        if self.kind == "position":
            return f"[{self.number}]"
        if self.kind == "class":
            return class_test(self.value)
        if self.kind == "attribute":
            return attribute_test(self.name, self.value)
        if self.kind == "starts":
            return f"[starts-with(normalize-space({ONE_SPACE}), {quoted(self.value)})]"
        axis = "descendant" if self.kind == "begins" else "preceding"
        text = f"{axis}::text(){NOT_BLANK}[{self.number}][normalize-space({ONE_SPACE})={quoted(self.value)}]"
        return f"[not({text})]" if self.kind == "not after" else f"[{text}]"

    def css(self) -> str | None:
        """The condition as CSS has it; None where it has not."""
        if self.kind == "class":
            return f"[class~={_css_string(self.value)}]" if not PLAIN_NAME.match(self.value) else f".{self.value}"
        if self.kind == "attribute":
            return f"[{self.name}={_css_string(self.value)}]"
        return f":nth-of-type({self.number})" if self.kind == "position" else None


@dataclass(frozen=True)
class Step:
    """One level of a path."""

    tag: str
    conditions: tuple[Condition, ...] = ()

    def xpath(self) -> str:
        """The step without what it asks of texts; places first, since each bracket counts what is left before it."""
        name = TEXT_STEP if self.tag == TEXT_STEP else tag_test(self.tag)
        ordered = sorted(self.conditions, key=lambda each: each.kind != "position")
        return name + "".join(each.xpath() for each in ordered if each.kind not in OF_TEXTS)


@dataclass(frozen=True)
class Rule:
    """A path to text nodes, from the root or from anywhere."""

    steps: tuple[Step, ...]
    from_root: bool = False

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags of its elements, the outermost first."""
        return tuple(step.tag for step in self.steps[:-1])

    def xpath(self) -> str:
        """The XPath of what it selects."""
        path = ("/" if self.from_root else "//") + "/".join(step.xpath() for step in self.steps) + NOT_BLANK
        # what is asked of texts comes last, for the few nodes that are left: looking back over the page takes long
        for level, step in enumerate(reversed(self.steps)):
            for each in step.conditions:
                if each.kind in OF_TEXTS:
                    path += f"[{'/'.join(['parent::*'] * level)}{each.xpath()}]" if level else each.xpath()
        return path

    def not_after(self, labels: Sequence[str]) -> "Rule":
        """The same, but for text nodes that stand behind one of these texts."""
        *above, last = self.steps
        refused = tuple(Condition("not after", label) for label in labels)
        return Rule((*above, Step(last.tag, last.conditions + refused)), self.from_root)

    def css(self) -> tuple[str | None, str]:
        """CSS as parsel and Scrapy read it, and where there is none, why; blank text nodes come along with it."""
        parts = []
        for step in self.steps[:-1]:
            if not PLAIN_NAME.match(step.tag):
                return None, f"CSS has no tag {step.tag}"
            written = [condition.css() for condition in step.conditions]
            if None in written:
                return None, "CSS cannot ask for the text before or inside an element"
            parts.append(step.tag + "".join(filter(None, written)))
        if self.steps[-1].conditions:
            return None, "CSS cannot ask for a text node's place or text"
        return " > ".join(parts) + "::text", ""

    def select(self, page: FieldPage) -> Nodes:
        """The text nodes that it selects, in page order."""
        if page.remembers:
            return self._select_known(page)
        nodes = page.on_path(self.tags, self.from_root)
        line = nodes
        for number in range(len(self.steps) - 1, -1, -1):
            for condition in self.steps[number].conditions:
                if not len(nodes):
                    return nodes
                kept = np.array(condition.holds(page, line), dtype=np.bool_)
                nodes, line = nodes[kept], line[kept]
            line = page.parent[line]
        return nodes

    def _select_known(self, page: FieldPage) -> Nodes:
        """The same where hundreds of rules ask the same: each condition is looked at once for all nodes of a path."""
        path = page.known_path(self.tags, self.from_root)
        kept = None
        for level, step in enumerate(reversed(self.steps)):
            for condition in step.conditions:
                mask = path.masks.get((level, condition))
                if mask is None:
                    while len(path.lines) <= level:
                        path.lines.append(page.parent[path.lines[-1]])
                    mask = np.array(condition.holds(page, path.lines[level]), dtype=np.bool_)
                    path.masks[level, condition] = mask
                kept = mask if kept is None else kept & mask
        return path.nodes if kept is None else path.nodes[kept]


def _css_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ")
    return f'"{escaped}"'


def one_xpath(rules: Sequence[Rule]) -> str:
    """One XPath for alternatives: a rule counts where those before it select nothing.

    >>> one_xpath([Rule((Step(tag), Step(TEXT_STEP))) for tag in "bi"]).replace(NOT_BLANK, "")
    '//b/text() | (//i/text())[not(//b/text())]'
    """
    *first, last = [rule.xpath() for rule in rules]
    for each in reversed(first):  # from the inside: so every rule stands there twice, however many there are
        last = f"{each} | ({last})[not({each})]"
    return last
