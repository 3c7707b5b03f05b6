"""signal: the lists of records of a page, found in its sequence of tag paths.

    Tree   ->   sequence   ->   lists of records   ->   content or noise   ->   tables of cells

Two ways to find and judge lists, chosen by settings:
- `plain`: the thesis. Regions where the contour is flat, records by an even code with a peak in the spectrum, content
  by six features (a small model, or k-means on the page's own regions).
- extended (the default): everything that the tree suggests as a list, judged by a model of what good lists look like.
  Lists may lie apart, in grids, over several parents; a page may have several.
Velloso 2020, chapter 4. Reads sequence.py, regions.py, spectrum.py, features.py, candidates.py, quality.py, align.py;
called by pipeline.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from edrew_torch.errors import BadConfig
from edrew_torch.records.align import SUBSTITUTION, align
from edrew_torch.records.candidates import Candidate, find_candidates
from edrew_torch.records.features import RegionFeatures, region_features
from edrew_torch.records.kmeans import upper_cluster
from edrew_torch.records.quality import (
    MODELS,
    Floats,
    candidate_features,
    content_chances,
    load_ensemble,
    rate_candidates,
)
from edrew_torch.records.regions import find_regions
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.records.spectrum import PSDS, find_cycle
from edrew_torch.result import Cell, Region, Row
from edrew_torch.tree import Tree

CONTENT = ("model", "kmeans")
NEARLY = 0.15  # of a rating; 0.05 to 0.3 give the same F1 on the training sites
PLAIN_MODEL = MODELS / "plain.safetensors"


@dataclass(frozen=True)
class SignalSettings:
    """How lists are found; the figures were tuned on the training sites of experiments/records."""

    plain: bool = False  # the method of the thesis, without what the tree knows
    psd: str = "lazy"  # plain: full | lazy
    content: str = "model"  # plain: model | kmeans
    max_slope: float = 0.5  # plain: of a region's line, codes a node
    max_cv: float = 0.4  # plain: of the gaps between records; the author's program has it
    min_ratio: float = 9.0  # plain, lazy: of a peak to the mean power; likewise
    min_z: float = 3.0  # plain, full: standard deviations that a peak lies above the mean power
    min_confidence: float = 0.5  # of content

    def __post_init__(self) -> None:
        faults = []
        if self.psd not in PSDS:
            faults.append(f"psd must be one of {', '.join(PSDS)}, not {self.psd!r}")
        if self.content not in CONTENT:
            faults.append(f"content must be one of {', '.join(CONTENT)}, not {self.content!r}")
        for name in ("max_slope", "max_cv", "min_ratio", "min_z", "min_confidence"):
            if not getattr(self, name) >= 0:
                faults.append(f"{name} must be a number from 0 on, not {getattr(self, name)!r}")
        if faults:
            raise BadConfig(f"signal: {'; '.join(faults)}.")


DEFAULTS = SignalSettings()


@dataclass(frozen=True)
class RecordList:
    """A list of records as ranges of the sequence, and how sure it is that it is content."""

    records: tuple[tuple[int, int], ...]
    confidence: float
    content: bool


def signal_regions(
    tree: Tree, settings: SignalSettings = DEFAULTS, keep_noise: bool = False, url: str | None = None
) -> tuple[Region, ...]:
    """Return the tables of a page, in page order; noise only on demand."""
    page = page_sequence(tree)
    base = base_address(tree, url)
    substitution = 1 if settings.plain else SUBSTITUTION
    found = find_lists(page, settings)
    return tuple(
        Region(each.content, each.confidence, "signal", table(page, each.records, base, substitution))
        for each in sorted(found, key=lambda each: each.records[0])
        if each.content or keep_noise
    )


def find_lists(page: PageSequence, settings: SignalSettings = DEFAULTS) -> list[RecordList]:
    """Return the lists of a page: content first, then the best."""
    found = plain_lists(page, settings) if settings.plain else extended_lists(page, settings)
    return sorted(found, key=lambda each: not each.content)  # stable: the extractors give the best first


def extended_lists(page: PageSequence, settings: SignalSettings) -> list[RecordList]:
    """The candidates that are rated best, none overlapping a better one; surest is what is rated highest."""
    candidates = find_candidates(page)
    if not candidates:
        return []
    features = candidate_features(page, candidates)
    ratings = rate_candidates(features)
    chosen = []
    is_taken = np.zeros(len(page), dtype=np.bool_)
    for number in np.argsort(-ratings, kind="stable").tolist():
        if is_taken[candidates[number].starts].any():  # the cheap half of the question, which settles most
            continue
        number = whole_records(candidates, ratings, number)
        is_own = _covered(page, candidates[number])
        if not (is_own & is_taken).any():
            is_taken |= is_own
            chosen.append(number)
    # of twelve rules tried on the training sites, the one that takes the fewest articles for lists at the same F1
    confidence = (np.clip(ratings[chosen], 0, 1) + content_chances(features[chosen])) / 2
    return [
        RecordList(
            tuple(zip(candidates[number].starts.tolist(), candidates[number].ends.tolist(), strict=True)),
            float(sure),
            bool(sure >= settings.min_confidence),
        )
        for number, sure in zip(chosen, confidence, strict=True)
    ]


def whole_records(candidates: Sequence[Candidate], ratings: Floats, number: int) -> int:
    """The candidate that holds the most of each record of this one, if it is rated nearly as well.

    The title of each record alone makes an even list, too; whoever asks for records wants them whole.
    """
    best = candidates[number]
    for other in np.flatnonzero(ratings >= ratings[number] - NEARLY).tolist():
        wider = candidates[other]
        if len(wider) == len(best) and (wider.starts <= best.starts).all() and (wider.ends >= best.ends).all():
            best, number = wider, other
    return number


def _covered(page: PageSequence, candidate: Candidate) -> NDArray[np.bool_]:
    """(N,) Is the place in one of the records?"""
    change = np.zeros(len(page) + 1, dtype=np.int64)
    change[candidate.starts] = 1
    np.add.at(change, candidate.ends, -1)  # an end may be the next record's start
    covered: NDArray[np.bool_] = np.cumsum(change[:-1]) > 0
    return covered


@dataclass(frozen=True, eq=False)
class PlainRegion:
    """A region of the thesis' method: its records and its features."""

    start: int
    end: int
    records: tuple[tuple[int, int], ...]
    features: RegionFeatures


def plain_regions(page: PageSequence, settings: SignalSettings) -> list[PlainRegion]:
    """The cyclic regions of the sequence that fall into records."""
    found = []
    min_peak = settings.min_ratio if settings.psd == "lazy" else settings.min_z
    for start, end in find_regions(page.code, settings.max_slope):
        cycle = find_cycle(page.code[start:end], settings.psd, settings.max_cv, min_peak)
        if cycle is not None:
            starts = (cycle.starts + start).tolist()
            records = tuple(zip(starts, [*starts[1:], end], strict=True))
            features = region_features(page.code, start, end, len(records))
            found.append(PlainRegion(start, end, records, features))
    return found


def plain_lists(page: PageSequence, settings: SignalSettings) -> list[RecordList]:
    """The regions of the thesis, judged by its six features; the surest first."""
    regions = plain_regions(page, settings)
    if not regions:
        return []
    if settings.content == "kmeans":
        confidence = np.array([region.features.product for region in regions])
        is_content = upper_cluster(confidence)
    else:
        logits = load_ensemble(PLAIN_MODEL).predict(np.stack([region.features.vector() for region in regions]))
        confidence = 1 / (1 + np.exp(-logits))
        is_content = confidence >= settings.min_confidence
    found = [
        RecordList(region.records, float(sure), bool(is_one))
        for region, sure, is_one in zip(regions, confidence, is_content, strict=True)
    ]
    return sorted(found, key=lambda each: -each.confidence)


def table(
    page: PageSequence, records: Sequence[tuple[int, int]], base: str | None, substitution: int = SUBSTITUTION
) -> tuple[Row, ...]:
    """Return the records as rows of cells, aligned: texts and images; what carries no data is left out."""
    is_data = page.is_text | page.is_named("img")
    places = [(np.flatnonzero(is_data[start:end]) + start).tolist() for start, end in records]
    code = page.path if substitution == SUBSTITUTION else page.code  # styles mark single records: columns do not care
    aligned = align([tuple(code[row].tolist()) for row in places], substitution)
    return tuple(
        tuple(None if index is None else make_cell(page, row[index], base) for index in columns)
        for row, columns in zip(places, aligned, strict=True)
    )


def make_cell(page: PageSequence, place: int, base: str | None) -> Cell:
    """Return the cell of a text or an image."""
    tree, node = page.tree, int(page.node[place])
    href = None
    if page.in_link[place]:
        above = node
        while above >= 0 and href is None:  # a link in a link, without an address of its own, is no answer
            href = tree.attributes(above).get("href") if tree.name(above) == "a" else None
            above = int(tree.parent[above])
        href = join_address(base, href)
    src = None if page.is_text[place] else join_address(base, tree.attributes(node).get("src", ""))
    return Cell(page.texts[place], tree.xpath(node), href, src)


def base_address(tree: Tree, url: str | None) -> str | None:
    """What addresses in the page are relative to: its <base>, else where it came from."""
    if "base" not in tree.names:
        return url
    for node in np.flatnonzero(tree.tag == tree.names.index("base")).tolist():
        if href := tree.attributes(node).get("href"):
            return join_address(url, href)
    return url


def join_address(base: str | None, address: str | None) -> str | None:
    """An address in full, as far as it can be known; one that cannot be read stays as it is."""
    if address is None or base is None:
        return address and address.strip()
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return address
