"""Fields in a wrapper's file: readable JSON, and back.

    Field   <->   {"name": "price", "xpath": …, "parts": [[{"xpath", "css", "confidence", "from_root", "steps"}]], …}

`xpath` and `css` say what `steps` say in full: for people and for other tools; only the latter are read. The field's
own `xpath` is all its rules in one. Where CSS cannot say it, `css` is null and `no_css` tells why.
Reads field.py and rule.py; called by records/wrapper_file.py.
"""

from collections.abc import Mapping
from typing import Any

from edrew_torch.fields.field import Field, FieldRule
from edrew_torch.fields.rule import KINDS, TEXT_STEP, Condition, Rule, Step
from edrew_torch.fields.shape import Shape
from edrew_torch.records.json_reader import JsonReader
from edrew_torch.tree import PLAIN_NAME

MAX_STEPS = 1000
MAX_NUMBER = 1_000_000


def field_to_json(field: Field) -> dict[str, Any]:
    """Return the field as the file has it."""
    return {
        "name": field.name,
        "xpath": field.xpath(),
        "share": field.share,
        "shape": {"digits": field.shape.digits, "letters": field.shape.letters, "longest": field.shape.longest},
        "parts": [[_rule_to_json(each) for each in part] for part in field.parts],
    }


def _rule_to_json(each: FieldRule) -> dict[str, Any]:
    css, reason = each.rule.css()
    return {
        "xpath": each.rule.xpath(),
        "css": css,
        **({"no_css": reason} if css is None else {}),
        "confidence": each.confidence,
        "from_root": each.rule.from_root,
        "steps": [_step_to_json(step) for step in each.rule.steps],
    }


def _step_to_json(step: Step) -> dict[str, Any]:
    conditions = [
        {
            "kind": each.kind,
            **({"name": each.name} if each.name else {}),
            **({"value": each.value} if each.kind != "position" else {}),
            **({"number": each.number} if each.kind == "position" or each.number != 1 else {}),
        }
        for each in step.conditions
    ]
    return {"tag": step.tag, **({"conditions": conditions} if conditions else {})}


def read_field(reader: JsonReader, content: Mapping[str, Any], place: str) -> Field:
    """Return the field of a file's object, or say what is wrong with it."""
    shape = reader.value(content, "shape", dict, place)
    parts = reader.items(content, "parts", list, place)
    if not parts or not all(parts):
        reader.fail(f"{place}.parts", "must have rules")
    return Field(
        reader.value(content, "name", str, place),
        tuple(
            tuple(_read_rule(reader, each, f"{place}.parts[{number}][{rule}]") for rule, each in enumerate(part))
            for number, part in enumerate(parts)
        ),
        Shape(
            reader.value(shape, "digits", bool, f"{place}.shape"),
            reader.value(shape, "letters", bool, f"{place}.shape"),
            reader.value(shape, "longest", int, f"{place}.shape"),
        ),
        reader.share(content, "share", place),
    )


def _read_rule(reader: JsonReader, content: Any, place: str) -> FieldRule:
    if not isinstance(content, dict):
        reader.fail(place, "must be an object")
    given = reader.items(content, "steps", dict, place)
    if not 2 <= len(given) <= MAX_STEPS:
        reader.fail(f"{place}.steps", f"must be 2 to {MAX_STEPS:,}, not {len(given)}")
    steps = tuple(_read_step(reader, each, f"{place}.steps[{number}]") for number, each in enumerate(given))
    if [number for number, step in enumerate(steps) if step.tag == TEXT_STEP] != [len(steps) - 1]:
        reader.fail(f"{place}.steps", f"must end in {TEXT_STEP}, and there alone")
    return FieldRule(
        Rule(steps, reader.value(content, "from_root", bool, place)), reader.share(content, "confidence", place)
    )


def _read_step(reader: JsonReader, content: Mapping[str, Any], place: str) -> Step:
    tag = reader.value(content, "tag", str, place)
    conditions = []
    for number, each in enumerate(reader.items(content, "conditions", dict, place, [])):
        here = f"{place}.conditions[{number}]"
        kind = reader.value(each, "kind", str, here)
        if kind not in KINDS:
            reader.fail(f"{here}.kind", f"must be one of {', '.join(KINDS)}, not {kind!r}")
        if (tag == TEXT_STEP) if kind in ("class", "attribute", "begins") else (kind == "starts" and tag != TEXT_STEP):
            reader.fail(f"{here}.kind", f"cannot be {kind} of {tag}")
        value = reader.value(each, "value", str, here, "" if kind == "position" else None)
        if kind != "position" and not value:
            reader.fail(f"{here}.value", "is empty")
        given = reader.value(each, "number", int, here, None if kind == "position" else 1)
        if not 1 <= given <= MAX_NUMBER:
            reader.fail(f"{here}.number", f"must be 1 or more, not {given}")
        if given > 1 and kind not in ("after", "position"):
            reader.fail(f"{here}.number", f"must be 1 for {kind}, not {given}")
        name = reader.value(each, "name", str, here, None if kind == "attribute" else "")
        if kind == "attribute" and not PLAIN_NAME.match(name):
            reader.fail(f"{here}.name", f"must be the name of an attribute, not {name!r}")
        conditions.append(Condition(kind, value, name, given))
    return Step(tag, tuple(conditions))
