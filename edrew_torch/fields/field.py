"""Fields: an attribute of detail pages, and the rules that find it, best first.

    Field("price", parts=((rule, fallback, …), …))   +   a page   ->   the text nodes that hold it

A value that stands in several places, an address in four nodes say, may need several rules at once: these are its
parts. Within a part a rule counts only where those before it find nothing, so that all of it is one XPath.
Reads rule.py and shape.py; made by learn.py, kept by records/wrapper_file.py, applied by records/wrapper.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from edrew_torch.fields.page import FieldPage
from edrew_torch.fields.rule import Rule, one_xpath
from edrew_torch.fields.shape import Shape
from edrew_torch.result import Value
from edrew_torch.tree import Tree


@dataclass(frozen=True)
class FieldRule:
    """A rule, and how far it is trusted where it answers."""

    rule: Rule
    confidence: float


@dataclass(frozen=True)
class Field:
    """One attribute: its rules, what its text looks like, and on which share of the labelled pages it was."""

    name: str
    parts: tuple[tuple[FieldRule, ...], ...]
    shape: Shape
    share: float = 1.0

    @property
    def is_optional(self) -> bool:
        """Was it missing on some of the labelled pages?"""
        return self.share < 1

    def xpath(self) -> str:
        """One XPath that selects what the field finds."""
        return " | ".join(one_xpath([each.rule for each in part]) for part in self.parts)

    def trusted_by(self, share: float) -> "Field":
        """The same, its rules trusted less by so much: what they were learnt from may be wrong."""
        parts = (tuple(FieldRule(each.rule, round(each.confidence * share, 3)) for each in part) for part in self.parts)
        return replace(self, parts=tuple(parts))

    def find(self, page: FieldPage) -> dict[int, float]:
        """The text nodes that hold it, in page order, each with a confidence."""
        found: dict[int, float] = {}
        for part in self.parts:
            for each in part:
                nodes = each.rule.select(page).tolist()
                if nodes:
                    for node in nodes:
                        found[node] = max(found.get(node, 0.0), each.confidence)
                    break
        return dict(sorted(found.items()))

    def values(self, page: FieldPage) -> tuple[Value, ...]:
        """What it finds on a page."""
        return tuple(
            Value(page.text(node), self.name, page.tree.xpath(node), confidence, "wrapper")
            for node, confidence in self.find(page).items()
        )

    def drift(self, texts: list[str]) -> str:
        """What is wrong with the texts found on a page, or nothing."""
        if not texts:
            if self.is_optional:
                return ""
            return f"field {self.name}: none of its rules finds anything. The page has none, or the site has changed."
        fault = self.shape.fault(texts)
        return f"field {self.name}: {fault}. The site may have changed: compare the values." if fault else ""


def apply_fields(fields: Sequence[Field], tree: Tree) -> tuple[tuple[Value, ...], float, list[str]]:
    """The values of a page, the share of the fields that are there as they should be, and what is wrong with others.

    A field that may be missing counts only where it is found.
    """
    page = FieldPage(tree)
    values: list[Value] = []
    warnings: list[str] = []
    num_asked = num_right = 0
    for each in fields:
        found = each.values(page)
        values += found
        warning = each.drift([value.text for value in found])
        if warning:
            warnings.append(warning)
        if found or not each.is_optional:
            num_asked += 1
            num_right += not warning
    return tuple(values), num_right / num_asked if num_asked else float(bool(values)), warnings
