"""Regions of a sequence that repeat themselves: where its contour does not rise.

    tps      1 2 3 2 3 2 3 4 5      codes that were seen before keep the contour flat
    contour  1 2 3 3 3 3 3 4 5   ->   the region [2, 7)

Velloso 2020, section 4.1.2, Algorithm 2; all of it linear. Reads the TPS; read by signal.py.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from edrew_torch.records.sequence import Places

Region = tuple[int, int]  # from, behind the end


@dataclass(frozen=True)
class Line:
    """A straight line through a part of the sequence."""

    slope: float
    intercept: float


def contour(tps: Places) -> Places:
    """Return the highest code up to each place."""
    highest: Places = np.maximum.accumulate(tps)
    return highest


def flat_parts(tps: Places) -> list[Region]:
    """Return the parts where the contour stays as it is, at least two codes long.

    >>> flat_parts(np.array([1, 2, 3, 2, 3, 2, 3, 4, 5]))
    [(2, 7)]
    """
    if not len(tps):
        return []
    cuts = [0, *(np.flatnonzero(np.diff(contour(tps))) + 1).tolist(), len(tps)]
    return [(start, end) for start, end in pairwise(cuts) if end - start > 1]


def merge_parts(tps: Places, parts: list[Region]) -> list[Region]:
    """Merge each part with the one before it where they share a code.

    >>> merge_parts(np.array([1, 2, 1, 2, 3, 2, 3, 4, 5, 5]), [(1, 4), (4, 7), (8, 10)])
    [(1, 7), (8, 10)]
    """
    merged: list[Region] = []
    # the last place of each code tells whether the region before holds it: no alphabet is ever made twice
    last_seen: dict[int, int] = {}
    for start, end in parts:
        codes = set(tps[start:end].tolist())
        if merged and any(last_seen.get(code, -1) >= merged[-1][0] for code in codes):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
        last_seen |= dict.fromkeys(codes, start)
    return merged


def fit_line(values: Places) -> Line:
    """Return the line of least squares through values at 0, 1, 2, …

    >>> fit_line(np.array([1, 3, 5]))
    Line(slope=2.0, intercept=1.0)
    """
    number = len(values)
    if number < 2:
        return Line(0.0, float(values[0]) if number else 0.0)
    x = np.arange(number) - (number - 1) / 2
    slope = float(x @ values / (x @ x))
    return Line(slope, float(values.mean()) - slope * (number - 1) / 2)


def find_regions(tps: Places, max_slope: float) -> list[Region]:
    """Return the cyclic regions of a sequence; one that rises or falls faster than `max_slope` is none."""
    merged = merge_parts(tps, flat_parts(tps))
    return [(start, end) for start, end in merged if abs(fit_line(tps[start:end]).slope) <= max_slope]
