"""edrew_torch: the relevant data of any web page, without rendering it.

    >>> import edrew_torch
    >>> page = edrew_torch.load_page("<ul><li>Tea <li>Cake</ul>")
    >>> tree = edrew_torch.parse_tree(page)
    >>> [tree.xpath(node) for node in tree.content]
    ['/html/body/ul/li[1]/text()', '/html/body/ul/li[2]/text()']

One way through, in pipeline.py: page.py -> parse/ -> tree.py -> an extractor -> result.py.
"""

from edrew_torch.errors import EdrewError
from edrew_torch.news.extract import NewsSettings
from edrew_torch.page import Page, load_page
from edrew_torch.parse import parse_tree
from edrew_torch.pipeline import (
    apply_wrapper,
    extract,
    extract_article,
    extract_records,
    extract_site,
    wrap_examples,
    wrap_pages,
    wrap_site,
)
from edrew_torch.profile import PROFILES, Profile
from edrew_torch.records.wrapper import Wrapper
from edrew_torch.records.wrapper_file import load_wrapper, save_wrapper
from edrew_torch.repeats import RepeatCounter, without_repeats
from edrew_torch.result import Cell, Paragraph, Region, Result, Value
from edrew_torch.retps import RetpsBuilder, Rows, Vocabulary, retps_rows
from edrew_torch.tree import Tree

__version__ = "0.6.0"

__all__ = [
    "PROFILES",
    "Cell",
    "EdrewError",
    "NewsSettings",
    "Page",
    "Paragraph",
    "Profile",
    "Region",
    "RepeatCounter",
    "Result",
    "RetpsBuilder",
    "Rows",
    "Tree",
    "Value",
    "Vocabulary",
    "Wrapper",
    "__version__",
    "apply_wrapper",
    "extract",
    "extract_article",
    "extract_records",
    "extract_site",
    "load_page",
    "load_wrapper",
    "parse_tree",
    "retps_rows",
    "save_wrapper",
    "without_repeats",
    "wrap_examples",
    "wrap_pages",
    "wrap_site",
]
