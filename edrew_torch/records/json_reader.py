"""Reading a JSON file that people may have changed: every fault is told with the place it stands at.

    {"most": "x"}   ->   site.json: lists[0].span.most must be a number, not "x". Mend the file, or …

Read by wrapper_file.py and fields/field_file.py.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from edrew_torch.errors import EdrewError


class BadWrapper(EdrewError):
    """A file that is no wrapper, or one that this version cannot read."""


class JsonReader:
    """Reads the parts of a file; every fault names the place it stands at."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, place: str, fault: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise BadWrapper(f"{self.source}: {place} {fault}. Mend the file, or make it again with `edrew wrap`.")

    def value(self, content: Mapping[str, Any], name: str, kind: type, place: str, default: Any = None) -> Any:
        """A value of a kind; missing is an error unless there is a default."""
        value = content.get(name, default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 1e300 else math.inf  # 1 is as good as 1.0
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fail(f"{place}.{name}", f"must be {KINDS[kind]}, not {json.dumps(value)[:60]}")
        return value

    def share(self, content: Mapping[str, Any], name: str, place: str) -> float:
        """A number from 0 to 1."""
        value: float = self.value(content, name, float, place)
        if not 0 <= value <= 1:
            self.fail(f"{place}.{name}", f"must be from 0 to 1, not {value}")
        return value

    def items(
        self, content: Mapping[str, Any], name: str, kind: type, place: str = "", default: Any = None
    ) -> list[Any]:
        """A list of values of a kind."""
        values: list[Any] = self.value(content, name, list, place or "file", default)
        for number, each in enumerate(values):
            if not isinstance(each, kind):
                self.fail(f"{place or 'file'}.{name}[{number}]", f"must be {KINDS[kind]}, not {json.dumps(each)[:60]}")
        return values


KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}
