"""The pages of shared SWDE sites with the text nodes that hold their true values. Read by run.py and tune.py."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from edrew_torch.datasets.labels import normalize
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.sample import SITES, read_sample
from edrew_torch.datasets.swde import VERTICALS, Subset, read_swde
from edrew_torch.fields.page import FieldPage
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree

HERE = Path(__file__).parent
DATA = shared_data() / "swde"
TUNING = ("auto", "book", "movie")
WRONG_TRUTH = {("allmovie", "mpaa_rating"), ("amctv", "director")}  # the data's README: values cut short


@dataclass(frozen=True, eq=False)
class LabelledPage:
    """A page, its text nodes that hold a true value, and the true values themselves."""

    data: bytes
    page: FieldPage
    nodes: dict[str, list[int]]  # attribute -> all text nodes with a true value
    truth: dict[str, set[str]]

    @cached_property
    def text_at(self) -> dict[str, str]:
        """The text of each text node by its absolute XPath."""
        return {self.page.tree.xpath(node): self.page.text(node) for node in self.page.visible.tolist()}


@dataclass(frozen=True, eq=False)
class LabelledSite:
    """A site of one vertical."""

    vertical: str
    name: str
    pages: list[LabelledPage]

    @cached_property
    def attributes(self) -> list[str]:
        """Those that some page of the site has, without the two whose truth is known to be wrong."""
        named = {name for page in self.pages for name, values in page.truth.items() if values}
        return sorted(name for name in named if (self.name, name) not in WRONG_TRUTH)


def read_sites(
    verticals: tuple[str, ...] = VERTICALS, without: Collection[tuple[str, str]] = ()
) -> Iterator[LabelledSite]:
    """The sites, one after the other: their trees do not all fit into memory at once."""
    for pages in read_swde(DATA, Subset(verticals=verticals)):
        if (pages[0].vertical, pages[0].site) not in without:
            yield _label_site(pages)


def sample_sites() -> Iterator[LabelledSite]:
    """The first site of each vertical of the embedded sample."""
    for pages in read_sample():
        if pages[0].site == SITES[pages[0].vertical][0]:
            yield _label_site(pages)


def _label_site(pages: list[DataPage]) -> LabelledSite:
    return LabelledSite(pages[0].vertical, pages[0].site, [_label(page) for page in pages])


def _label(given: DataPage) -> LabelledPage:
    page = FieldPage(parse_tree(Page.from_bytes(given.data)), remembers=True)
    truth = {name: {normalize(value) for value in values} - {""} for name, values in given.truth.items()}
    nodes: dict[str, list[int]] = {}
    for node in page.visible.tolist():
        text = page.text(node)
        for name, values in truth.items():
            if text in values:
                nodes.setdefault(name, []).append(node)
    return LabelledPage(given.data, page, nodes, truth)
