"""Site: what several pages of one site tell of each other's nodes.

    descriptions of some pages   ->   for each node: how many pages have its path, its text, the label before it…

On one template the label is on every page and the value is not: `MSRP:` is fixed, `$61,550` varies. Counts are shares
of the pages in few steps, so that they mean the same for 5 pages and for 500. Reads enrich/describe.py; read by
enrich/bags.py and attributes/.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edrew_torch.enrich.describe import Description

MARKS = (
    "path_pages",
    "path_texts",
    "slot_pages",
    "slot_texts",
    "slot_times",
    "text_pages",
    "before_pages",
    "after_pages",
    "pages",
)
STEPS = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95])  # shares of the pages
MIN_PAGES = 2
FIXED_ON = 3  # pages
FIXED_OF = 8  # pages: of fewer, three cars of one engine would make the engine a part of the template


def is_fixed(pages: Sequence[Description]) -> list[NDArray[np.bool_]]:
    """(N,) for each page: is the node part of the template? Its path has one and the same text on several pages.

    Of a few pages that is not known.
    """
    if len(pages) < FIXED_OF:
        return [np.zeros(len(page), dtype=np.bool_) for page in pages]
    number: dict[str, int] = {}
    text = np.array([number.setdefault(each, len(number)) for page in pages for each in page.texts], dtype=np.int64)
    _, path = np.unique(np.concatenate([page.path for page in pages]), return_inverse=True)
    sizes = [len(page) for page in pages]
    num_pages = count_distinct(path, np.repeat(np.arange(len(pages)), sizes))
    fixed: NDArray[np.bool_] = (num_pages >= FIXED_ON) & (count_distinct(path, text) == 1)
    return np.split(fixed[path], np.cumsum(sizes)[:-1])


def site_marks(pages: Sequence[Description]) -> list[NDArray[np.uint8]]:
    """Return (N, marks) for each page; all zero, "unknown", for a page that is alone."""
    count = len(pages)
    if count < MIN_PAGES:
        return [np.zeros((len(page), len(MARKS)), dtype=np.uint8) for page in pages]
    sizes = [len(page) for page in pages]
    page_of = np.repeat(np.arange(count), sizes)
    number: dict[str, int] = {"": 0}
    text = np.array([number.setdefault(each, len(number)) for page in pages for each in page.texts], dtype=np.int64)
    _, path = np.unique(np.concatenate([page.path for page in pages]), return_inverse=True)
    _, slot = np.unique(np.concatenate([page.slot for page in pages]), return_inverse=True)
    text_pages = count_distinct(text, page_of, len(number)) / count
    text_pages[0] = 0
    path_pages = count_distinct(path, page_of)
    slot_pages = count_distinct(slot, page_of)
    is_first, is_last = np.zeros(len(text), dtype=np.bool_), np.zeros(len(text), dtype=np.bool_)
    ends = np.cumsum(sizes)
    is_first[(ends - sizes)[np.array(sizes) > 0]] = True
    is_last[(ends - 1)[np.array(sizes) > 0]] = True
    before = np.where(is_first, 0, np.roll(text, 1))
    after = np.where(is_last, 0, np.roll(text, -1))
    columns = [
        steps(path_pages[path] / count),
        steps(count_distinct(path, text)[path] / path_pages[path]),
        steps(slot_pages[slot] / count),
        steps(count_distinct(slot, text)[slot] / slot_pages[slot]),
        np.minimum(np.bincount(slot)[slot] // slot_pages[slot], 9),
        steps(text_pages[text]),
        steps(text_pages[before]),
        steps(text_pages[after]),
        np.full(len(text), min(count.bit_length(), 7)),
    ]
    table = np.stack(columns, axis=1).astype(np.uint8)
    return np.split(table, ends[:-1])


def count_distinct(group: NDArray[np.integer], member: NDArray[np.integer], size: int = 0) -> NDArray[np.int64]:
    """(G,) How many distinct members each group has."""
    width = int(member.max()) + 1 if len(member) else 1
    pairs = np.unique(group.astype(np.int64) * width + member)
    return np.bincount(pairs // width, minlength=size)


def steps(share: NDArray[np.floating]) -> NDArray[np.intp]:
    """1 for next to nothing, up to 10 for all."""
    return np.searchsorted(STEPS, share, side="right") + 1
