"""Records of a region: a code that comes round evenly, at a rate that stands out in the region's power spectrum.

    positions of a code   ->   gaps, their coefficient of variation   ->   is there a peak at as many cycles?

Two spectra behind one interface: `full` computes all of it (FFT), `lazy` only the few coefficients that are asked for.
Velloso 2020, sections 4.1.3 and 4.2, Algorithm 3. Reads the TPS; read by signal.py.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.sequence import Places

NEAR = 2  # cycles on either side of the count that may hold the peak: spec, section 3


@dataclass(frozen=True)
class Gaps:
    """The distances between the occurrences of a code."""

    mean: float
    deviation: float  # of the sample

    @property
    def cv(self) -> float:
        """Coefficient of variation."""
        return self.deviation / self.mean if self.mean else float("inf")


def measure_gaps(positions: Places) -> Gaps:
    """Return mean and standard deviation of the gaps; two positions have one gap, which does not vary.

    >>> round(100 * measure_gaps(np.array([0, 2, 4, 7])).cv, 3)
    24.744
    """
    gaps = np.diff(positions)
    if not len(gaps):
        return Gaps(0.0, 0.0)
    return Gaps(float(gaps.mean()), float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0)


class Spectrum(Protocol):
    """How far the power at a number of cycles stands out."""

    def __init__(self, region: Places) -> None: ...

    def peak(self, frequencies: Iterable[int]) -> float:
        """The largest of the powers at these frequencies, in the spectrum's own measure."""


class FullPsd:
    """|FFT|² of the region less its mean; a peak is measured in standard deviations above the mean (z-score)."""

    def __init__(self, region: Places) -> None:
        power = np.abs(np.fft.fft(region - region.mean())) ** 2
        self.power: NDArray[np.float64] = power
        deviation = float(power.std())
        self.z: NDArray[np.float64] = (power - power.mean()) / deviation if deviation else np.zeros(len(power))

    def peak(self, frequencies: Iterable[int]) -> float:
        """The largest z-score."""
        return max((float(self.z[frequency]) for frequency in frequencies), default=0.0)


class LazyPsd:
    """Single coefficients; a peak is measured in times the mean power, which Parseval's identity gives: Σx²."""

    def __init__(self, region: Places) -> None:
        self.signal: NDArray[np.float64] = region - region.mean()
        self.mean = float(self.signal @ self.signal)
        self._known: dict[int, float] = {}  # codes that occur equally often ask for the same ones

    def power(self, frequency: int) -> float:
        """|X|² at one frequency, by its sum."""
        if frequency not in self._known:
            turns = np.exp(-2j * np.pi * frequency / len(self.signal) * np.arange(len(self.signal)))
            self._known[frequency] = float(np.abs(self.signal @ turns) ** 2)
        return self._known[frequency]

    def peak(self, frequencies: Iterable[int]) -> float:
        """The largest power over the mean power."""
        return max((self.power(frequency) / self.mean for frequency in frequencies), default=0.0) if self.mean else 0.0


PSDS: dict[str, Callable[[Places], Spectrum]] = {"full": FullPsd, "lazy": LazyPsd}


def nearby_frequencies(count: int, length: int) -> range:
    """The numbers of cycles to look at for a code that occurs `count` times in a region of this length.

    >>> list(nearby_frequencies(2, 100)), list(nearby_frequencies(20, 40))
    ([1, 2, 3, 4], [18, 19, 20])
    """
    return range(max(1, count - NEAR), min(length // 2, count + NEAR) + 1)


@dataclass(frozen=True, eq=False)
class Cycle:
    """The code whose occurrences start the records of a region, and how they were found."""

    code: int
    starts: Places  # in the region
    gaps: Gaps
    peak: float


def find_cycle(region: Places, psd: str, max_cv: float, min_peak: float) -> Cycle | None:
    """Return the first code, in ascending order, that is spread evenly and has a peak in the spectrum; or None."""
    if len(region) < 2:
        return None
    order = np.argsort(region, kind="stable")
    codes, first = np.unique(region[order], return_index=True)
    spectrum: Spectrum | None = None
    for code, positions in zip(codes.tolist(), np.split(order, first[1:]), strict=True):
        gaps = measure_gaps(positions)
        if len(positions) < 2 or gaps.cv >= max_cv:
            continue
        if spectrum is None:  # most regions have no even code: they pay for no spectrum
            spectrum = PSDS[psd](region)
        peak = spectrum.peak(nearby_frequencies(len(positions), len(region)))
        if peak > min_peak:
            return Cycle(code, positions, gaps, peak)
    return None
