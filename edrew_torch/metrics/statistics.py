"""Counts behind every score, their means, and how far a difference between two runs can be trusted.

    (pages, 3) counts of a run            ->   (0.71, 0.78), where micro F1 lies with 95 % confidence
    the same of two runs, page by page    ->   0.004, how often chance alone would give such a difference

Interval: bootstrap over pages (Efron 1979). Test: approximate randomisation (Noreen 1989). Both resample whole pages,
since the nodes of one page stand or fall together. Read by the other modules here, experiments/ and report.py.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edrew_torch.errors import BadData

CHUNK = 4_000_000  # random numbers held at once: 32 MB, whatever the number of pages


@dataclass(frozen=True)
class Counts:
    """How many things were answered, how many of them rightly, and how many there were to find."""

    correct: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the answers that are right; 0 without any."""
        return _share(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        """Share of the truth that was found; 0 without any."""
        return _share(self.correct, self.true)

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return _share(2 * self.correct, self.predicted + self.true)

    @property
    def errors(self) -> tuple[int, int, int]:
        """True positives, false positives, false negatives: a row for `bootstrap_interval` and `paired_test`."""
        return self.correct, self.predicted - self.correct, self.true - self.correct

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.correct + other.correct, self.predicted + other.predicted, self.true + other.true)


@dataclass(frozen=True)
class MeanScore:
    """Means over pages; `f1` is the mean of the pages' F1, which lies below the F1 of the means."""

    precision: float  # over pages with an answer
    recall: float  # over pages with a truth
    f1: float  # over pages with either

    @property
    def f1_of_means(self) -> float:
        """F1 of mean precision and mean recall."""
        return _share(2 * self.precision * self.recall, self.precision + self.recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def micro(pages: Iterable[Counts]) -> Counts:
    """Return the sum over pages: every thing weighs the same."""
    return sum(pages, Counts(0, 0, 0))


def mean_score(pages: Iterable[Counts]) -> MeanScore:
    """Return the mean over pages: every page weighs the same. Where a score is not defined, the page is left out."""
    pages = list(pages)
    return MeanScore(
        _mean([page.precision for page in pages if page.predicted]),
        _mean([page.recall for page in pages if page.true]),
        _mean([page.f1 for page in pages if page.predicted or page.true]),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and sample standard deviation; the spread of a single value is 0.

    >>> mean_and_spread([0.5, 0.7])
    (0.6, 0.14142135623730948)
    """
    if not len(values):
        raise BadData("no values to take a mean of: give at least one.")
    mean = _mean(values)
    if len(values) == 1:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def bootstrap_interval(
    counts: ArrayLike, level: float = 0.95, rounds: int = 1000, seed: int = 1
) -> tuple[float, float]:
    """Return the interval of micro F1 at `level`; `counts` holds (tp, fp, fn) of each page."""
    pages = _checked(counts)
    if not 0 < level < 1 or rounds < 1:
        raise BadData(f"level must lie between 0 and 1 and rounds be at least 1; given {level} and {rounds}.")
    random = np.random.default_rng(seed)
    scores = []
    for size in _chunks(rounds, len(pages)):
        drawn = random.integers(len(pages), size=(size, len(pages)))
        scores.append(_f1(np.stack([column[drawn].sum(axis=1) for column in pages.T], axis=1)))
    low, high = np.quantile(np.concatenate(scores), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_test(first: ArrayLike, second: ArrayLike, rounds: int = 10_000, seed: int = 1) -> float:
    """Return how probable a difference in micro F1 at least as large is if the two runs are equally good (two-sided).

    `first` and `second` hold (tp, fp, fn) of the same pages in the same order. Each round swaps the two runs on a
    random half of the pages.
    """
    one, other = _checked(first), _checked(second)
    if one.shape != other.shape:
        raise BadData(f"the runs have {len(one)} and {len(other)} pages: give the same pages in the same order.")
    if rounds < 1:
        raise BadData(f"rounds must be at least 1, not {rounds}.")
    totals = one.sum(axis=0), other.sum(axis=0)
    change = (other - one)[(one != other).any(axis=1)]  # to swap equal pages changes nothing
    if not len(change):
        return 1.0
    observed = abs(_f1(totals[0]) - _f1(totals[1]))
    random = np.random.default_rng(seed)
    num_as_large = 0
    for size in _chunks(rounds, len(change)):
        swapped = random.integers(2, size=(size, len(change)), dtype=np.int8) @ change  # (rounds, 3)
        difference = np.abs(_f1(totals[0] + swapped) - _f1(totals[1] - swapped))
        num_as_large += int((difference >= observed - 1e-12).sum())  # rounding must not lose what is equal
    return (num_as_large + 1) / (rounds + 1)  # the observed outcome is one of the possible: p is never 0


def _checked(counts: ArrayLike) -> NDArray[np.float64]:
    """The counts as numbers, if they are (tp, fp, fn) of at least one page."""
    try:
        pages = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData(f"counts must be a table of numbers, a row (tp, fp, fn) per page: {error}.") from None
    if pages.ndim != 2 or pages.shape[1] != 3 or not len(pages):
        raise BadData(f"counts must have the shape (pages, 3), a row (tp, fp, fn) per page; given {pages.shape}.")
    if not np.isfinite(pages).all() or (pages < 0).any():
        raise BadData(f"counts must be finite and not negative; row {int(_first_bad(pages))} is not.")
    return pages


def _first_bad(pages: NDArray[np.float64]) -> np.intp:
    return np.argmax((~np.isfinite(pages) | (pages < 0)).any(axis=1))


def _chunks(rounds: int, num_pages: int) -> list[int]:
    """How many rounds to draw at once."""
    size = max(1, CHUNK // num_pages)
    return [min(size, rounds - done) for done in range(0, rounds, size)]


def _f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Micro F1 over the last axis, (…, 3) -> (…); 0 where nothing was answered and nothing true."""
    doubled = 2 * counts[..., 0]
    whole = doubled + counts[..., 1] + counts[..., 2]
    scores: NDArray[np.float64] = np.divide(doubled, whole, out=np.zeros_like(whole), where=whole > 0)
    return scores
