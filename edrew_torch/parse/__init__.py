"""parse: the text of a page -> its Tree. Two parsers, one table.

| name | what it is | for |
|---|---|---|
| `lxml` | events of lxml's HTML parser, straight into arrays | the product: its XPaths hold in lxml, parsel, Scrapy |
| `regex` | the thesis' own cutter and tree rules | reproduction, losses included |
"""

from collections.abc import Callable

from edrew_torch.errors import UnknownName
from edrew_torch.page import Page
from edrew_torch.parse.lxml_events import parse_lxml
from edrew_torch.parse.regex import parse_regex
from edrew_torch.profile import Profile, find_profile
from edrew_torch.tree import Tree

__all__ = ["PARSERS", "parse_tree"]

PARSERS: dict[str, Callable[[str, Profile], Tree]] = {"lxml": parse_lxml, "regex": parse_regex}


def parse_tree(page: Page | str, profile: str | Profile = "full") -> Tree:
    """Return the tree of a page (or of HTML text), made by the parser of `profile`. Never raises on any text."""
    found = find_profile(profile)
    if found.parser not in PARSERS:
        raise UnknownName.among("parser", found.parser, PARSERS)
    return PARSERS[found.parser](page.html if isinstance(page, Page) else page, found)
