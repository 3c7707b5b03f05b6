"""Optimal k-means of numbers on a line: scores of a page's regions -> which of them are content.

    0.02  0.40  0.05  0.38   ->   0  1  0  1   (cluster of each, counted from the lowest)

Exact, by dynamic programming over the sorted values (Wang and Song 2011), so the same values always give the same
clusters; Velloso, Section 5.2.1. Reads nothing else here; read by signal.py.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edrew_torch.errors import BadData

TIE = 1e-12  # of the best gain: what differs by less is rounding, not a better cut


def upper_cluster(values: ArrayLike) -> NDArray[np.bool_]:
    """Return for each value whether it lies in the upper of two clusters.

    Without two different values there is no lower cluster and all are in the upper one: the thesis uses this on pages
    known to have content, and a sole region is then that content. No values give an empty array.

    >>> upper_cluster([0.02, 0.40, 0.05, 0.38]).tolist()
    [False, True, False, True]
    >>> upper_cluster([0.3]).tolist(), upper_cluster([0.3, 0.3]).tolist(), upper_cluster([]).tolist()
    ([True], [True, True], [])
    """
    clusters = find_clusters(values)
    is_upper: NDArray[np.bool_] = clusters == clusters.max(initial=0)
    return is_upper


def find_clusters(values: ArrayLike, k: int = 2) -> NDArray[np.intp]:
    """Return the cluster of each value, 0 for the lowest, such that the squared distances to the means are least.

    Equal values share a cluster, so there are fewer than `k` if fewer values differ. Of equally good cuts the lower
    one is taken: what may be content is kept.

    >>> find_clusters([1, 2, 10, 11, 50], k=3).tolist()
    [0, 0, 1, 1, 2]
    >>> find_clusters([0, 1, 2]).tolist()
    [0, 1, 1]
    """
    if k < 1:
        raise BadData(f"k must be at least 1, not {k}.")
    points, inverse, counts = np.unique(_checked(values), return_inverse=True, return_counts=True)
    cuts = _best_cuts(points, counts, min(k, len(points)))
    of_point = np.searchsorted(cuts, np.arange(len(points)), side="right")
    return of_point[inverse]


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    """The values as numbers, if they are a list of finite ones."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData(f"values must be a list of numbers: {error}.") from None
    if numbers.ndim != 1:
        raise BadData(f"values must be a list of numbers; given an array of shape {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise BadData(f"values must be finite; value {int(np.argmin(np.isfinite(numbers)))} is not.")
    return numbers


def _best_cuts(points: NDArray[np.float64], counts: NDArray[np.intp], k: int) -> list[int]:
    """Where clusters 1 … k-1 begin among the sorted points.

    The squared distances of a cluster to its mean are (sum of squares) - (sum)²/size, and the first term is the same
    for every clustering: the sum of (sum)²/size is to be made large. The last cluster ends at the last point, so only
    the clusters between it and the first need a table: k = 2 takes O(n) after sorting, another k O(k n²).
    """
    if k < 2:
        return []
    centred = points - np.average(points, weights=counts)
    centred /= np.abs(centred).max()  # within ±1: the sums below neither overflow nor cancel
    sums = np.concatenate([[0.0], np.cumsum(centred * counts)])
    sizes = np.concatenate([[0], np.cumsum(counts)])
    num_points = len(points)
    best = np.concatenate([[0.0], sums[1:] ** 2 / sizes[1:]])  # of the first e points in one cluster, at index e
    begins: list[NDArray[np.intp]] = []  # per further cluster: where it begins if it ends at index e
    for number in range(2, k + 1):
        longer, begin = np.zeros(num_points + 1), np.zeros(num_points + 1, dtype=np.intp)
        for end in range(number if number < k else num_points, num_points + 1):
            starts = np.arange(number - 1, end)  # each cluster before has at least one point
            totals = best[starts] + (sums[end] - sums[starts]) ** 2 / (sizes[end] - sizes[starts])
            longer[end] = totals.max()
            begin[end] = starts[np.argmax(totals >= longer[end] * (1 - TIE))]
        best = longer
        begins.append(begin)
    cuts = [num_points]
    for begin in reversed(begins):
        cuts.append(int(begin[cuts[-1]]))
    return cuts[:0:-1]
