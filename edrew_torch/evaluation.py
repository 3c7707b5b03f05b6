"""Evaluation of models that need no training loop: the trivial ones and trained runs, under any protocol.

    prepared data, a protocol, "lookup"   ->   scores per vertical, summed over the folds of the protocol

The table these give explains why the same classifier has 97 in one paper and 7 in another. Read by evaluate.py.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import (
    BY_ATTRIBUTE,
    Nodes,
    fold_of_seed,
    make_splits,
    pages_of_sites,
    protocol_label,
)
from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.metrics.attributes import SitePage, SitePages, score_published, score_strict, vertical_table
from edrew_torch.metrics.nodes import NodeScore, baseline_predictions, count_by_page, metrics_content, score_nodes
from edrew_torch.metrics.statistics import Counts, bootstrap_interval
from edrew_torch.report import Report, signature

MODELS = ("lookup", "always_noise")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of a model on the test nodes, and of all trivial models beside it."""

    model: str
    protocol: str
    seed: int
    scores: dict[str, NodeScore]  # per vertical, and "all"
    baselines: dict[str, dict[str, NodeScore]]
    num_folds: int
    interval: tuple[float, float]  # of F1 over all verticals, 95 %, by resampling the test pages
    signature: str

    def metrics(self) -> dict[str, Any]:
        """The content of a metrics file."""
        return {
            **metrics_content(self.protocol, self.seed, self.scores, self.baselines),
            "model": self.model,
            "folds": self.num_folds,
            "f1_interval": self.interval,
            "signature": self.signature,
        }

    def report(self) -> Report:
        """The same as a table."""
        columns = ("vertical", "precision", "recall", "F1", "F1, lost values missed", "weighted F1", "weighted, noise")
        noise = self.baselines["always_noise"]
        rows = tuple(
            (name, score.precision, score.recall, score.f1, score.value_f1, score.weighted_f1, noise[name].weighted_f1)
            for name, score in self.scores.items()
        )
        folds = f", {self.num_folds} folds added up" if self.num_folds > 1 else ""
        low, high = (f"{100 * end:.1f}" for end in self.interval)
        title = f"{self.model} under {self.protocol}{folds}, F1 of all in [{low}, {high}] at 95 %: relevant nodes"
        return Report(title, columns, rows, self.signature)


def evaluate(
    data: PreparedData,
    model: str,
    protocol: str,
    seed: int,
    num_seed_sites: int = 5,
    answer: NDArray[np.bool_] | None = None,
) -> Evaluation:
    """Score a model by nodes; the counts of several folds are added up.

    The model is a trivial one by name, or any other by its `answer` for every node of the data. Such a model was
    trained once: of several folds the one that the seed chose then is scored.
    """
    if answer is None:
        _check_model(model)
    if protocol in BY_ATTRIBUTE:
        raise BadConfig(
            f"{protocol} scores attributes, not nodes, which is what {model} tells: choose another protocol, or train "
            "and score attributes by `train.py task=attributes`."
        )
    splits = make_splits(data, protocol, seed, num_seed_sites)
    if answer is not None:
        splits = [splits[fold_of_seed(seed, len(splits))]]
    baselines: dict[str, dict[str, NodeScore]] = {}
    page_counts = np.zeros((len(data.pages), 3), dtype=np.int64)  # a page that several folds test is one draw
    for split in splits:
        answers = baseline_predictions(data, split) | ({} if answer is None else {model: answer})
        for name, called in answers.items():
            scores = score_nodes(data, split.test, called, split.test_pages)
            total = baselines.setdefault(name, dict.fromkeys(scores, NodeScore()))
            baselines[name] = {vertical: total[vertical] + score for vertical, score in scores.items()}
            if name == model:
                page_counts[np.unique(data.page[split.test])] += count_by_page(data, split.test, called)
    interval = bootstrap_interval(page_counts[page_counts.any(axis=1)], seed=seed) if page_counts.any() else (0.0, 0.0)
    sign = signature(data.checksum, protocol_label(protocol, num_seed_sites), [seed])
    scores = baselines[model] if answer is None else baselines.pop(model)
    return Evaluation(model, protocol, seed, scores, baselines, len(splits), interval, sign)


@dataclass(frozen=True, eq=False)
class AttributeEvaluation:
    """Scores by attribute and page, as in the literature: F1 is a mean over attributes, sites and starts."""

    model: str
    protocol: str
    seed: int
    scores: dict[str, list[dict[str, dict[str, Counts]]]]  # vertical -> start -> site -> attribute
    signature: str

    def table(self) -> dict[str, dict[str, float]]:
        """Precision, recall (over all pages) and F1 (the mean) of each vertical, and their means as "all"."""
        return vertical_table(self.scores)

    def metrics(self) -> dict[str, Any]:
        """The content of a metrics file."""
        table = self.table()
        return {
            "protocol": self.protocol,
            "seed": self.seed,
            "overall": table.pop("all"),
            "verticals": table,
            "baselines": {},
            "model": self.model,
            "signature": self.signature,
        }

    def report(self) -> Report:
        """The same as a table."""
        rows = tuple((name, row["precision"], row["recall"], row["f1"]) for name, row in self.table().items())
        title = f"{self.model} under {self.protocol}: attributes by page"
        return Report(title, ("vertical", "precision", "recall", "F1"), rows, self.signature)


def evaluate_attributes(
    data: PreparedData, model: str, protocol: str, seed: int, num_seed_sites: int = 5
) -> AttributeEvaluation:
    """Score a trivial model by attribute on the unseen sites of every fold."""
    _check_model(model)
    of_site = pages_of_sites(data)
    ends = np.searchsorted(data.page, np.arange(len(data.pages) + 1)).tolist()
    nodes_of = [slice(start, end) for start, end in pairwise(ends)]  # nodes stand in page order
    sites = {key: _site_pages(data, key, numbers, nodes_of) for key, numbers in of_site.items()}
    is_of = {name: np.array([page.vertical == name for page in data.pages]) for name in data.verticals}
    scores: dict[str, list[dict[str, dict[str, Counts]]]] = {vertical: [] for vertical in data.verticals}
    for split in make_splits(data, protocol, seed, num_seed_sites):
        tested = {(data.pages[number].vertical, data.pages[number].site) for number in split.test_pages.tolist()}
        for vertical in dict.fromkeys(vertical for vertical, _ in sorted(tested)):
            names = next(site.attributes for key, site in sites.items() if key[0] == vertical)
            columns = np.array([0, *(data.attributes.index(f"{vertical}/{name}") for name in names)])
            train = split.train[is_of[vertical][data.page[split.train]]]
            chances = _lookup_chances(data, train, columns if model == "lookup" else columns * 0)
            fold = {}
            for site in sorted(name for of, name in tested if of == vertical):
                probabilities = [chances[data.row[nodes_of[number]]] for number in of_site[vertical, site]]
                score = score_published if protocol == "swde-published" else score_strict
                fold[site] = score(sites[vertical, site], probabilities)
            scores[vertical].append({site: counts for site, counts in fold.items() if counts})
    sign = signature(data.checksum, protocol_label(protocol, num_seed_sites), [seed])
    return AttributeEvaluation(model, protocol, seed, scores, sign)


def _lookup_chances(data: PreparedData, train: Nodes, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """(U, A + 1) How often each row held each attribute in training; a row never seen holds none."""
    counts = np.zeros((len(data.rows), len(columns)))
    row, attribute = data.row[train], data.attribute[train]
    for place, number in enumerate(columns.tolist()):
        if place == 0 or number:  # always noise knows no attribute
            counts[:, place] = np.bincount(row[attribute == number], minlength=len(data.rows))
    total = counts.sum(axis=1, keepdims=True)
    counts[total[:, 0] == 0, 0] = 1
    chances: NDArray[np.float64] = counts / np.maximum(total, 1)
    return chances


def _site_pages(data: PreparedData, key: tuple[str, str], numbers: list[int], nodes_of: list[slice]) -> SitePages:
    """The pages of a site as attribute scores read them; a path's number serves as its XPath."""
    vertical, site = key
    prefix = f"{vertical}/"
    names = tuple(name.removeprefix(prefix) for name in data.attributes if name.startswith(prefix))
    pages = []
    for number in numbers:
        nodes = nodes_of[number]
        pages.append(
            SitePage(
                [str(path) for path in data.path[nodes].tolist()],
                [data.text(node) for node in range(nodes.start, nodes.stop)],
                {name: tuple(values) for name, values in data.truth[number].items() if values},
            )
        )
    return SitePages(vertical, site, names, tuple(pages))


def _check_model(model: str) -> None:
    if model not in MODELS:
        raise UnknownName.among("model", model, MODELS)
