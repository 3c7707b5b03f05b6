"""N-SWDE: today's pages of the sites of SWDE, in the same layout. A test set only.

The thesis' own is not public; `edrew data collect` and `edrew data annotate` make one. A site pairs with the SWDE site
of the same vertical and name: trained on the old pages, tested on the new. Reads swde.py.
"""

from collections.abc import Iterator
from pathlib import Path

from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.swde import ALL, Subset, read_swde


def read_pairs(old: Path, new: Path, subset: Subset = ALL) -> Iterator[tuple[list[DataPage], list[DataPage]]]:
    """Yield the pages of each site that both roots have: SWDE's to train on, today's to test on."""
    new_sites = {(pages[0].vertical, pages[0].site): pages for pages in read_swde(new, subset)}
    for pages in read_swde(old, subset):
        key = (pages[0].vertical, pages[0].site)
        if key in new_sites:
            yield pages, new_sites[key]
