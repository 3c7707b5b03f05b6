"""Node scores: which nodes a model calls relevant, over all nodes with content of the test pages.

Spec: protocols, "Node scores". Read by training.py, evaluation.py and report.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import Nodes, Split
from edrew_torch.metrics.statistics import Counts


@dataclass(frozen=True)
class NodeScore:
    """Precision, recall and F1 of the relevant class, as fractions.

    Two figures, because they answer two questions: `f1` is over the nodes that there are, which is what a classifier
    answers for; `value_f1` also counts as missed the true values that no node holds, which the parser has lost.
    """

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0
    lost_values: int = 0  # true values of the test pages that no node holds

    def __add__(self, other: "NodeScore") -> "NodeScore":
        return NodeScore(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
            self.true_negatives + other.true_negatives,
            self.lost_values + other.lost_values,
        )

    @property
    def precision(self) -> float:
        """Share of the nodes called relevant that are."""
        return self._counts(0).precision

    @property
    def recall(self) -> float:
        """Share of the relevant nodes that were found."""
        return self._counts(0).recall

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return self._counts(0).f1

    @property
    def value_f1(self) -> float:
        """F1 with the lost values counted as missed."""
        return self._counts(self.lost_values).f1

    @property
    def weighted_f1(self) -> float:
        """F1 of both classes, weighted by their size: near 97 for a model that never finds anything."""
        relevant = self._counts(0)
        called_noise, noise = self.true_negatives + self.false_negatives, self.true_negatives + self.false_positives
        noise_f1 = Counts(self.true_negatives, called_noise, noise).f1
        return (relevant.true * relevant.f1 + noise * noise_f1) / max(relevant.true + noise, 1)

    def _counts(self, lost: int) -> Counts:
        """What was called relevant, rightly, and what is; with so many values beyond the nodes."""
        hits = self.true_positives
        return Counts(hits, hits + self.false_positives, hits + self.false_negatives + lost)


def score_nodes(
    data: PreparedData, nodes: Nodes, predicted: NDArray[np.bool_], pages: Sequence[int] | Nodes = ()
) -> dict[str, NodeScore]:
    """Return the score of each vertical and of "all" (micro) over `nodes`.

    `predicted` has an answer for every node of the data; `pages` are the tested ones where pages are tested whole.
    """
    verticals = data.verticals
    vertical_of_page = np.array([verticals.index(page.vertical) for page in data.pages])
    lost_values = np.zeros(len(verticals), dtype=np.int64)
    for number in np.asarray(pages, dtype=np.intp).tolist():
        lost_values[vertical_of_page[number]] += data.pages[number].num_missed
    # one of four cells for each node, counted by vertical
    cell = 2 * data.relevant[nodes] + predicted[nodes]
    counts = np.bincount(vertical_of_page[data.page[nodes]] * 4 + cell, minlength=4 * len(verticals))
    table = counts.reshape(-1, 4).tolist()
    scores = {
        vertical: NodeScore(hits, false, missed, quiet, int(lost_values[number]))
        for number, (vertical, (quiet, false, missed, hits)) in enumerate(zip(verticals, table, strict=True))
    }
    scores["all"] = sum(scores.values(), NodeScore())
    return scores


def count_by_page(data: PreparedData, nodes: Nodes, predicted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(P, 3) True positives, false positives, false negatives of each page that `nodes` touch, in page order.

    What `bootstrap_interval` and `paired_test` resample: nodes of one page are no independent draws, pages are.
    """
    cell = 2 * data.relevant[nodes] + predicted[nodes]
    pages, place = np.unique(data.page[nodes], return_inverse=True)
    counts = np.bincount(place * 4 + cell, minlength=4 * len(pages)).reshape(-1, 4)
    return counts[:, [3, 1, 2]]


def lookup_rows(data: PreparedData, train: Nodes) -> NDArray[np.bool_]:
    """(U,) The trivial baseline: the majority label that each exact reTPS has in training."""
    total = np.bincount(data.row[train], minlength=len(data.rows))
    relevant = np.bincount(data.row[train][data.relevant[train]], minlength=len(data.rows))
    answer: NDArray[np.bool_] = 2 * relevant > total
    return answer


def lookup_predictions(data: PreparedData, train: Nodes) -> NDArray[np.bool_]:
    """(N,) The same for each node."""
    return lookup_rows(data, train)[data.row]


def baseline_predictions(data: PreparedData, split: Split) -> dict[str, NDArray[np.bool_]]:
    """The answers of the two trivial models that every table carries."""
    return {
        "always_noise": np.zeros(len(data.row), dtype=np.bool_),
        "lookup": lookup_predictions(data, split.train),
    }


def score_baselines(data: PreparedData, split: Split) -> dict[str, dict[str, NodeScore]]:
    """The scores of the two trivial models."""
    return {
        name: score_nodes(data, split.test, answer, split.test_pages)
        for name, answer in baseline_predictions(data, split).items()
    }


def metrics_content(
    protocol: str, seed: int, scores: dict[str, NodeScore], baselines: dict[str, dict[str, NodeScore]]
) -> dict[str, Any]:
    """Return what metrics files hold: fractions; `overall` is micro over the verticals, `mean` their mean."""

    def shown(score: NodeScore) -> dict[str, float]:
        return {name: getattr(score, name) for name in ("precision", "recall", "f1", "weighted_f1", "value_f1")}

    verticals = {name: shown(score) for name, score in scores.items() if name != "all"}
    return {
        "protocol": protocol,
        "seed": seed,
        "overall": shown(scores["all"]),
        "mean": {name: sum(row[name] for row in verticals.values()) / len(verticals) for name in shown(scores["all"])},
        "verticals": verticals,
        "baselines": {name: shown(scores["all"]) for name, scores in baselines.items()},
    }
