"""signal: the lists of records of a page, found in its sequence of tag paths.

    sequence   ->   lists of records   ->   content or noise

Two ways to find and judge lists, chosen by settings:
- `plain`: the thesis. Regions where the contour is flat, records by an even code with a peak in the spectrum, content
  by six features (a small model, or k-means on the page's own regions).
- extended (the default): everything that the tree suggests as a list, judged by a model of what good lists look like.
  Lists may lie apart, in grids, over several parents; a page may have several.
Velloso 2020, chapter 4. Reads sequence.py, regions.py, spectrum.py, features.py, candidates.py, choice.py; one of the
methods of methods.py.
"""

from dataclasses import dataclass

import numpy as np

from edrew_torch.errors import BadConfig
from edrew_torch.records.candidates import find_candidates
from edrew_torch.records.choice import MIN_CONFIDENCE, RecordList, choose_lists
from edrew_torch.records.features import RegionFeatures, region_features
from edrew_torch.records.kmeans import upper_cluster
from edrew_torch.records.quality import MODELS, load_ensemble
from edrew_torch.records.regions import find_regions
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.spectrum import PSDS, find_cycle

CONTENT = ("model", "kmeans")
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
    min_confidence: float = MIN_CONFIDENCE  # of content

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


def signal_lists(page: PageSequence, settings: SignalSettings = DEFAULTS) -> list[RecordList]:
    """Return the lists of a page: content first, then the best."""
    if settings.plain:
        return plain_lists(page, settings)
    return choose_lists(page, find_candidates(page), settings.min_confidence)


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
    return sorted(found, key=lambda each: (not each.content, -each.confidence))
