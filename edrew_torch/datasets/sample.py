"""The embedded sample: invented pages with their truth, in the layout of SWDE.

    seed   ->   SamplePage("book", "inkwharf", "0000", html, {"author": ("by Alma Roe",), ...}), ...
    target ->   target/book/book-inkwharf(30)/0000.htm, ...
                target/groundtruth/book/book-inkwharf-author.txt, ...

Eight verticals, six sites each, so that everything in the project runs and is tested without a
download. Values come from sample_entities.py, pages from sample_layouts.py.

Not a toy: where a value stands is a matter of labels and of what the page says, not of the tag path
alone. A table of tag paths (majority label, unseen pages of seen sites) gets about 67 F1 of the
relevant class here; on real SWDE 71.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from edrew_torch.datasets.layout import MAX_PAGES, truth_path, truth_text, write_text
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.sample_entities import Entity, make_entity
from edrew_torch.datasets.sample_goods import AUTO, BOOK, CAMERA, MOVIE
from edrew_torch.datasets.sample_layouts import render_page
from edrew_torch.datasets.sample_services import JOB, NBAPLAYER, RESTAURANT, UNIVERSITY
from edrew_torch.datasets.sample_sites import FAMILIES, Site, make_site
from edrew_torch.errors import BadConfig, BadData, UnknownName

_DATA = {vertical.name: vertical for vertical in (AUTO, BOOK, CAMERA, JOB, MOVIE, NBAPLAYER, RESTAURANT, UNIVERSITY)}
VERTICALS: dict[str, tuple[str, ...]] = {
    name: tuple(attribute.name for attribute in vertical.attributes) for name, vertical in _DATA.items()
}

# One site per layout family, in the order of FAMILIES.
SITES = {
    "auto": ("wheelpost", "motordeck", "carcodex", "drivelio", "autolux", "garagely"),
    "book": ("inkwharf", "pagefold", "libridex", "readnook", "foliobay", "spineandco"),
    "camera": ("snapdepot", "lenslot", "photodex", "shutterly", "apertura", "pixelpier"),
    "job": ("workpost", "hirewell", "vacancydex", "joblark", "careerquay", "shiftly"),
    "movie": ("reelpost", "cinehall", "filmdex", "screenly", "matineo", "popcornpier"),
    "nbaplayer": ("hoopspost", "courtside", "rosterdex", "dunkly", "benchmarkers", "netpier"),
    "restaurant": ("tablepost", "forkhall", "menudex", "biteful", "platerio", "supperpier"),
    "university": ("campuspost", "gradhall", "collegedex", "scholarly", "alumnio", "quadpier"),
}
NUM_OTHERS = 18  # entities that a page shows or names besides its own
NEIGHBOURS = 20  # a page links to entities at most this many page ids away


@dataclass(frozen=True)
class SamplePage:
    """One page and what is true of it."""

    vertical: str
    site: str
    page_id: str
    html: str  # without BOM
    truth: dict[str, tuple[str, ...]]  # attribute -> texts, entities not decoded; () if absent

    def stored(self) -> DataPage:
        """The page as it stands on disk; the mark matters: some pages name another encoding in their `<meta>`."""
        return DataPage(self.vertical, self.site, self.page_id, self.html.encode("utf-8-sig"), self.truth)


def generate_sample(seed: int = 1, verticals: Sequence[str] | None = None, pages: int = 30) -> Iterator[SamplePage]:
    """Yield the pages site by site. A page depends on seed, vertical, site and page id only."""
    chosen = _check_arguments(verticals, pages)
    return (_make_page(seed, site, number) for name in chosen for site in _make_sites(name) for number in range(pages))


def read_sample(seed: int = 1, verticals: Sequence[str] | None = None, pages: int = 30) -> Iterator[list[DataPage]]:
    """The same site by site, as `read_swde` reads it where it was written."""
    made = groupby(generate_sample(seed, verticals, pages), key=lambda page: (page.vertical, page.site))
    return ([page.stored() for page in site] for _, site in made)


def read_further(vertical: str, pages: int, seed: int = 1) -> Iterator[list[DataPage]]:
    """Pages of further invented sites, one of each family, that are not in the sample: to train on."""
    (name,) = _check_arguments([vertical], pages)
    for number, family in enumerate(FAMILIES, start=1):
        site = make_site(_DATA[name], f"further{number}", family)
        yield [_make_page(seed, site, page).stored() for page in range(pages)]


def write_sample(target: Path, seed: int = 1, verticals: Sequence[str] | None = None, pages: int = 30) -> None:
    """Write the sample below `target`, which becomes an SWDE root. Writing it again changes nothing."""
    sample = generate_sample(seed, verticals, pages)
    for (vertical, site), group in groupby(sample, key=lambda page: (page.vertical, page.site)):
        site_pages = list(group)
        folder = target / vertical / f"{vertical}-{site}({pages})"
        for other in set((target / vertical).glob(f"{vertical}-{site}(*)")) - {folder}:
            raise BadData(f"{other} is of a sample with another number of pages. Remove it, or give another folder.")
        folder.mkdir(parents=True, exist_ok=True)
        for page in site_pages:
            write_text(folder / f"{page.page_id}.htm", page.html)
        for attribute in VERTICALS[vertical]:
            truth = {page.page_id: page.truth[attribute] for page in site_pages}
            file = truth_path(target, vertical, site, attribute)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(file, truth_text(vertical, site, attribute, truth))


def _check_arguments(verticals: Sequence[str] | None, pages: int) -> list[str]:
    chosen = list(VERTICALS) if verticals is None else list(verticals)
    for name in chosen:
        if name not in VERTICALS:
            raise UnknownName.among("vertical", name, VERTICALS)
    if not 1 <= pages <= MAX_PAGES:
        raise BadConfig(f"pages is {pages}; a site has between 1 and {MAX_PAGES} pages.")
    return chosen


@cache
def _make_sites(vertical: str) -> tuple[Site, ...]:
    return tuple(
        make_site(_DATA[vertical], name, family) for name, family in zip(SITES[vertical], FAMILIES, strict=True)
    )


def _make_page(seed: int, site: Site, number: int) -> SamplePage:
    vertical, page_id = site.vertical.name, f"{number:04d}"
    rng = random.Random(f"{seed}/{vertical}/{site.name}/{page_id}/page")
    first = min(max(0, number - NEIGHBOURS), MAX_PAGES - 2 * NEIGHBOURS - 1)
    near = [n for n in range(first, first + 2 * NEIGHBOURS + 1) if n != number]
    others = [(f"{n:04d}", _draw_entity(seed, site, n)) for n in rng.sample(near, NUM_OTHERS)]
    html, truth = render_page(site, _draw_entity(seed, site, number), others, page_id, rng)
    return SamplePage(vertical, site.name, page_id, html, truth)


@lru_cache(maxsize=4 * NEIGHBOURS)
def _draw_entity(seed: int, site: Site, number: int) -> Entity:
    rng = random.Random(f"{seed}/{site.vertical.name}/{site.name}/{number:04d}")
    return make_entity(site.vertical, site.forms, rng)
