"""The way through: a source in, a Result out. Each line of a function is one module, in reading order.

    source   ->   page.py   ->   parse/   ->   an extractor   ->   result.py

Read by cli.py and by everyone who imports the package.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.page import Page, load_page
from edrew_torch.parse import parse_tree
from edrew_torch.records.signal import DEFAULTS, SignalSettings, signal_regions
from edrew_torch.result import Result

METHODS = ("signal",)


def extract_records(
    source: str | bytes | Path | Page,
    method: str = "signal",
    keep_noise: bool = False,
    settings: SignalSettings = DEFAULTS,
) -> Result:
    """Return the lists of records of a page as tables; a page without any has no regions, which is no error.

    >>> page = "<ul>" + "".join(f"<li><a href=/{n}>Tea no. {n}</a> <b>${n}.50</b>" for n in range(1, 9)) + "</ul>"
    >>> region = extract_records(page).regions[0]
    >>> [cell.text for cell in region.rows[0]], region.rows[0][0].href, region.rows[0][1].xpath
    (['Tea no. 1', '$1.50'], '/1', '/html/body/ul/li[1]/b/text()')
    """
    if method not in METHODS:
        raise UnknownName.among("method", method, METHODS)
    page = source if isinstance(source, Page) else load_page(source)
    tree = parse_tree(page)
    return Result(page.source, page.url, signal_regions(tree, settings, keep_noise, page.url))


def read_settings(pairs: Mapping[str, str]) -> SignalSettings:
    """Return settings from `signal.plain=true` and the like, as the command line has them."""
    known = SignalSettings.__dataclass_fields__
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        name = key.removeprefix("signal.")
        if name not in known or not key.startswith("signal."):
            raise UnknownName.among("setting", key, [f"signal.{each}" for each in known])
        values[name] = _value(key, text, type(known[name].default))
    return SignalSettings(**values)


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
