"""The methods that find records, in one table: each a function of a page's sequence to lists, with its settings.

    Tree   ->   sequence   ->   a method   ->   lists of records   ->   tables of cells

Read by pipeline.py, wrapper.py and cli/.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.records.align import SUBSTITUTION
from edrew_torch.records.auto import AutoSettings, auto_lists
from edrew_torch.records.choice import RecordList
from edrew_torch.records.equivalence import EquivalenceSettings, equivalence_lists
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.records.signal import SignalSettings, signal_lists
from edrew_torch.records.tables import base_address, table
from edrew_torch.records.tree_lists import WrapperSettings, wrapper_lists
from edrew_torch.result import Region
from edrew_torch.tree import Tree

Settings = AutoSettings | SignalSettings | WrapperSettings | EquivalenceSettings


@dataclass(frozen=True)
class Method:
    """A way to find the lists of a page: content first, then the best."""

    find: Callable[[PageSequence, Any], list[RecordList]]
    settings: type[Settings]


METHODS = {
    "auto": Method(auto_lists, AutoSettings),
    "signal": Method(signal_lists, SignalSettings),
    "wrapper": Method(wrapper_lists, WrapperSettings),
    "equivalence": Method(equivalence_lists, EquivalenceSettings),
}


def find_method(name: str, settings: Settings | None = None) -> tuple[Method, Settings]:
    """The method of this name with its settings, its own if none are given."""
    if name not in METHODS:
        raise UnknownName.among("method", name, METHODS)
    method = METHODS[name]
    chosen = method.settings() if settings is None else settings
    if not isinstance(chosen, method.settings):
        raise BadConfig(f"method {name} takes {method.settings.__name__}, not {type(chosen).__name__}.")
    return method, chosen


def main_list(page: PageSequence, method: str = "auto", settings: Settings | None = None) -> RecordList | None:
    """The best list of a page that is content, if there is one."""
    chosen, settings = find_method(method, settings)
    return next((each for each in chosen.find(page, settings) if each.content), None)


def find_regions(
    tree: Tree,
    method: str,
    settings: Settings | None = None,
    keep_noise: bool = False,
    url: str | None = None,
    warnings: list[str] | None = None,
) -> tuple[Region, ...]:
    """Return the tables of a page in page order, noise only on demand; what failed is added to `warnings`."""
    chosen, settings = find_method(method, settings)
    page = page_sequence(tree)
    base = base_address(tree, url)
    # plain edit distance is the thesis'
    substitution = 1 if isinstance(settings, SignalSettings) and settings.plain else SUBSTITUTION
    if isinstance(settings, WrapperSettings):
        found = wrapper_lists(page, settings, warnings)
    else:
        found = chosen.find(page, settings)
    return tuple(
        Region(each.content, each.confidence, each.method or method, table(page, each, base, substitution))
        for each in sorted(found, key=lambda each: each.records[0])
        if each.content or keep_noise
    )


def read_settings(method: str, pairs: Mapping[str, str]) -> Settings:
    """Return a method's settings from `signal.plain=true` and the like, as the command line has them."""
    chosen, _ = find_method(method)
    known = chosen.settings.__dataclass_fields__
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        owner, _, name = key.partition(".")
        if owner in METHODS and owner != method:
            raise BadConfig(f"{key} is a setting of --method {owner}, not of {method}.")
        if name not in known or owner != method:
            raise UnknownName.among("setting", key, [f"{method}.{each}" for each in known])
        values[name] = _value(key, text, type(known[name].default))
    return chosen.settings(**values)


def _value(key: str, text: str, kind: type) -> bool | float | str:
    if kind is str:
        return text
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise BadConfig(f"{key} must be true or false, not {text!r}.")
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        raise BadConfig(f"{key} must be a number, not {text!r}.") from None
