"""The six features that tell content from noise in the thesis, all between 0 and 1; a region and its records in.

Velloso 2020, section 4.3, equations 8 to 13. Reads the TPS; read by signal.py.
"""

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.sequence import Places


@dataclass(frozen=True)
class RegionFeatures:
    """Where a region lies in its page, how large it is, and how its records are cut."""

    size: float
    center: float
    horizontal: float
    vertical: float
    range: float
    record: float

    def vector(self) -> NDArray[np.float64]:
        """(6,) In the order above."""
        return np.array(astuple(self))

    @property
    def product(self) -> float:
        """All six multiplied: what k-means clusters without any training."""
        return float(np.prod(astuple(self)))


def region_features(tps: Places, start: int, end: int, num_records: int) -> RegionFeatures:
    """Return the features of the region from `start` to before `end`."""
    region = tps[start:end]
    length, highest = len(tps), int(tps.max())
    middle, center = (length - 1) / 2, (start + end - 1) / 2
    size = len(region) / num_records  # of a record
    return RegionFeatures(
        size=size_feature(len(region), length),
        center=center_feature(center, middle),
        horizontal=horizontal_feature(center, length),
        vertical=float(region.mean()) / highest,
        range=float(region.max() - region.min()) / highest,
        record=record_feature(num_records, size),
    )


def size_feature(region: int, sequence: int) -> float:
    """The share of the page. Equation 8.

    >>> round(100 * size_feature(618, 1336), 2)
    46.26
    """
    return region / sequence


def center_feature(region_center: float, sequence_center: float) -> float:
    """How near the middle of the page it lies. Equation 9.

    >>> round(100 * center_feature(667 + 117, 667), 2)
    82.46
    """
    return 1 - abs(region_center - sequence_center) / sequence_center if sequence_center else 1.0


def horizontal_feature(region_center: float, sequence: int) -> float:
    """How far from the end of the page it lies. Equation 10.

    >>> round(100 * horizontal_feature(1336 - 554, 1336), 2)
    41.47
    """
    return (sequence - region_center) / sequence


def record_feature(num_records: int, record_size: float) -> float:
    """How alike the number of records and their size are. Equation 13, which repeats a name; its example is right.

    >>> round(100 * record_feature(20, 31), 2)
    64.52
    """
    return min(num_records, record_size) / max(num_records, record_size)
