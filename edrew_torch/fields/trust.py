"""Trust: how likely a rule is right on a page where it answers, before any page but the examples' has been seen.

    //td[2]/text()  0.9     //td/text()[… the text before it is 'Engine:' …]  1.0

On one page nearly every rule that can be written down is right; which of them hold on the others is known only from
other sites. A straight line through a few marks of a rule, fitted on tuning verticals alone, says so.
Reads rule.py; read by learn.py; fitted by experiments/by_example/tune.py.
"""

import math

from edrew_torch.fields.rule import Condition, Rule

MAX_LABEL_WORDS = 3

# Ridge regression of the share of right answers on the other pages of a site, examples from one page of it.
# Tuned on SWDE's verticals auto, book and movie: python experiments/by_example/tune.py
BASE = 1.011
WEIGHTS = {
    "after": 0.047,
    "after above": 0.031,
    "after above, no label": 0.013,
    "after, no label": 0.043,
    "attribute": 0.026,
    "back": 0.019,
    "back, no label": 0.046,
    "begins": 0.026,
    "begins, no label": -0.042,
    "class": 0.033,
    "class above": 0.001,
    "colon": 0.029,
    "first text": 0.070,
    "id": 0.004,
    "late place": -0.074,
    "long label": -0.001,
    "on path": -0.018,
    "place 1": 0.004,
    "place 2": 0.004,
    "place 3": 0.003,
    "place 4": 0.001,
    "selected": -0.049,
    "starts": 0.058,
    "text place": -0.064,
    "title case": -0.011,
    "whole": -0.016,
}


def looks_like_label(text: str) -> bool:
    """Does a text look like a label: "Price:", "Engine", not "2010" or "$5"?"""
    return 0 < len(text) <= 30 and any(c.isalpha() for c in text) and not any(c.isdigit() for c in text)


def marks(rule: Rule, num_on_path: float, num_selected: float) -> dict[str, float]:
    """What is told of a rule; the two numbers are of text nodes on an example's page."""
    found: dict[str, float] = {"whole": float(rule.from_root)}
    for level, step in enumerate(reversed(rule.steps)):
        for condition in step.conditions:
            for name in _marks_of(condition, level):
                found[name] = found.get(name, 0.0) + 1.0
    found["on path"] = math.log1p(num_on_path)
    found["selected"] = math.log1p(num_selected)
    return found


def _marks_of(condition: Condition, level: int) -> list[str]:
    kind, value = condition.kind, condition.value
    if kind == "class":
        return ["class" if level == 1 else "class above"]
    if kind == "attribute":
        return ["id" if condition.name == "id" else "attribute"]
    if kind == "position":
        if level:
            return [f"place {min(level, 4)}", *(["late place"] if condition.number > 3 else [])]
        return ["text place", *(["first text"] if condition.number == 1 else [])]
    if kind == "starts":
        return ["starts"]
    found = [kind if kind == "begins" else "back" if condition.number > 1 else "after above" if level else "after"]
    if not looks_like_label(value):
        found[0] += ", no label"
    if value[-1] in ":=":
        found.append("colon")
    if len(value.split()) > MAX_LABEL_WORDS:
        found.append("long label")
    if value.istitle():
        found.append("title case")
    return found


def trust(rule: Rule, num_on_path: float, num_selected: float) -> float:
    """The share of its answers that are expected to be right."""
    found = marks(rule, num_on_path, num_selected)
    return min(max(BASE + sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items()), 0.01), 0.99)
