"""Wrapper files: a wrapper as readable JSON, and back. A file that is none is refused, with what is wrong in it.

    Wrapper   <->   {"format": "edrew-wrapper", "version": 2, "lists": [{"name", "xpath", "path", "grammar", …}],
                     "fields": [{"name", "xpath", "parts": [[{"xpath", "css", "steps", …}]], …}]}

`xpath` and `grammar` say in one line what `path` and `template` say in full: for people and for other tools; only the
latter are read. Names of columns may be changed: in `template`, where the wrapper takes them from, and in `columns`.
Reads wrapper.py and fields/field_file.py; called by cli/.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edrew_torch.fields.field_file import field_to_json, read_field
from edrew_torch.records.columns import Column
from edrew_torch.records.json_reader import BadWrapper, JsonReader
from edrew_torch.records.selector import Condition, Selector, Step
from edrew_torch.records.shapes import TEXT_LABEL
from edrew_torch.records.template import ATTRIBUTES, MAX_DEPTH, MAX_NODES, RECORD_LABEL, TemplateNode
from edrew_torch.records.wrapper import ListWrapper, Span, Wrapper

FORMAT, VERSION = "edrew-wrapper", 2
READABLE = (1, 2)  # 1 had lists only
MAX_FILE = 50_000_000  # bytes; real ones have some thousands


def wrapper_to_json(wrapper: Wrapper) -> str:
    """Return the text of a wrapper's file."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "made_from": list(wrapper.made_from),
        **({"lists": [_list_to_json(each) for each in wrapper.lists]} if wrapper.lists else {}),
        **({"fields": [field_to_json(each) for each in wrapper.fields]} if wrapper.fields else {}),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _list_to_json(each: ListWrapper) -> dict[str, Any]:
    return {
        "name": each.name,
        "xpath": each.selector.xpath(),
        "path": {"from_root": each.selector.from_root, "steps": [_step_to_json(step) for step in each.selector.steps]},
        "span": {"kind": each.span.kind, "most": each.span.most, "tags": list(each.span.tags)},
        "min_fit": each.min_fit,
        "grammar": " ".join(child.grammar() for child in each.template.children),
        "columns": [
            {
                "name": column.name,
                "xpath": column.xpath,
                **({"fixed": column.fixed} if column.fixed is not None else {}),
            }
            for column in each.columns
        ],
        "template": [_node_to_json(child) for child in each.template.children],
    }


def _step_to_json(step: Step) -> dict[str, Any]:
    conditions = [
        {"kind": each.kind, "value": each.value, **({"name": each.name} if each.name else {})}
        for each in step.conditions
    ]
    return {"tag": step.tag, **({"conditions": conditions} if conditions else {})}


def _node_to_json(node: TemplateNode) -> dict[str, Any]:
    """Nested as the template is, whose depth is bounded."""
    marks = {name: True for name in ("optional", "repeat") if getattr(node, name)}
    if node.tag == TEXT_LABEL:
        return {"text": node.column, **marks}
    return {
        "tag": node.tag,
        **({"class": list(node.classes)} if node.classes else {}),
        **marks,
        **({"attributes": node.attributes} if node.attributes else {}),
        **({"children": [_node_to_json(child) for child in node.children]} if node.children else {}),
    }


def save_wrapper(wrapper: Wrapper, file: Path) -> None:
    """Write a wrapper's file."""
    # a file's name need not be UTF-8, and the pages that it was made from are named in it
    file.write_text(wrapper_to_json(wrapper), encoding="utf-8", errors="replace")


def load_wrapper(file: Path) -> Wrapper:
    """Read a wrapper's file."""
    try:
        if file.stat().st_size > MAX_FILE:
            raise BadWrapper(f"{file} has more than {MAX_FILE:,} bytes: that is no wrapper.")
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadWrapper(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadWrapper(f"{file} is not text: give a file that `edrew wrap` has written.") from None
    return wrapper_from_json(text, str(file))


def wrapper_from_json(text: str, source: str = "the wrapper") -> Wrapper:
    """Return the wrapper of a file's text, or say what is wrong with it."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise BadWrapper(f"{source} is not JSON ({error}): give a file that `edrew wrap` has written.") from None
    reader = _Reader(source)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadWrapper(f'{source} is no wrapper: "format" is not "{FORMAT}". Make one with `edrew wrap`.')
    if content.get("version") not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise BadWrapper(
            f"{source} has version {content.get('version')!r}, this program reads {known}: make the wrapper again."
        )
    lists = reader.items(content, "lists", dict, default=[])
    fields = reader.items(content, "fields", dict, default=[])
    if not lists and not fields:
        reader.fail("file", "has neither lists nor fields")
    return Wrapper(
        tuple(reader.list_wrapper(each, f"lists[{number}]") for number, each in enumerate(lists)),
        tuple(reader.items(content, "made_from", str)),
        fields=tuple(read_field(reader, each, f"fields[{number}]") for number, each in enumerate(fields)),
    )


class _Reader(JsonReader):
    """Reads what a file says of lists."""

    def list_wrapper(self, content: Mapping[str, Any], place: str) -> ListWrapper:
        path = self.value(content, "path", dict, place)
        steps = self.items(path, "steps", dict, f"{place}.path")
        if not steps:
            self.fail(f"{place}.path.steps", "is empty")
        selector = Selector(
            tuple(self.step(each, f"{place}.path.steps[{number}]") for number, each in enumerate(steps)),
            self.value(path, "from_root", bool, f"{place}.path"),
        )
        span = self.value(content, "span", dict, place)
        kind = self.value(span, "kind", str, f"{place}.span")
        if kind not in ("node", "siblings"):
            self.fail(f"{place}.span.kind", f"must be node or siblings, not {kind!r}")
        most = self.value(span, "most", int, f"{place}.span", 1)
        tags = tuple(self.items(span, "tags", str, f"{place}.span", []))
        template = TemplateNode(RECORD_LABEL)
        self.nodes(template, self.items(content, "template", dict, place), f"{place}.template")
        columns = tuple(
            Column(
                self.value(each, "name", str, f"{place}.columns[{number}]"),
                self.value(each, "xpath", str, f"{place}.columns[{number}]", ""),
                each.get("fixed") if isinstance(each.get("fixed"), str) else None,
            )
            for number, each in enumerate(self.items(content, "columns", dict, place))
        )
        min_fit = self.share(content, "min_fit", place)
        name = self.value(content, "name", str, place)
        return ListWrapper(name, selector, Span(kind, most, tags), template, columns, min_fit)

    def step(self, content: Mapping[str, Any], place: str) -> Step:
        conditions = []
        for number, each in enumerate(self.items(content, "conditions", dict, place, [])):
            here = f"{place}.conditions[{number}]"
            kind = self.value(each, "kind", str, here)
            if kind not in ("class", "attribute", "has", "lacks", "position"):
                self.fail(f"{here}.kind", f"must be class, attribute, has, lacks or position, not {kind!r}")
            value = self.value(each, "value", str, here)
            if kind == "position" and not (value.isascii() and value.isdigit()):
                self.fail(f"{here}.value", f"must be a number, not {value!r}")
            conditions.append(Condition(kind, value, self.value(each, "name", str, here, "")))
        return Step(self.value(content, "tag", str, place), tuple(conditions))

    def nodes(self, template: TemplateNode, given: list[Any], place: str) -> None:
        """The nodes of a template, put below its root."""
        stack: list[tuple[TemplateNode, list[Any], str, int]] = [(template, given, place, 1)]
        number_of_nodes = 0
        while stack:
            parent, children, where, depth = stack.pop()
            number_of_nodes += len(children)
            if depth > MAX_DEPTH + 1 or number_of_nodes > MAX_NODES:
                self.fail(where, f"has more than {MAX_DEPTH} levels or {MAX_NODES:,} nodes")
            for number, each in enumerate(children):
                here = f"{where}[{number}]"
                marks = {name: self.value(each, name, bool, here, False) for name in ("optional", "repeat")}
                if "text" in each:
                    parent.children.append(
                        TemplateNode(TEXT_LABEL, column=self.value(each, "text", str, here), **marks)
                    )
                    continue
                attributes = self.value(each, "attributes", dict, here, {})
                for name, column in attributes.items():
                    if name not in ATTRIBUTES or not isinstance(column, str):
                        self.fail(f"{here}.attributes", f"must name columns for {', '.join(ATTRIBUTES)}, not {name!r}")
                classes = tuple(self.items(each, "class", str, here, []))
                node = TemplateNode(self.value(each, "tag", str, here), classes, attributes=attributes, **marks)
                parent.children.append(node)
                stack.append((node, self.items(each, "children", dict, here, []), f"{here}.children", depth + 1))
