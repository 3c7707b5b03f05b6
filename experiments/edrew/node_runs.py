"""Runs of the thesis's classifier, relevant or noise, as the scripts of this folder share them.

    load_unique()                                    ->   SWDE at hand, one page of each distinct set of reTPS
    train_and_score(data, "rows-balanced", seed=1)   ->   {"elmo": {vertical: NodeScore, …}, "lookup": …}, curve

Two recipes. `rows-balanced` is trained as published (configs/experiment/thesis.yaml: head of 300 and 300, rate 0.001,
dropout 0.5, 50 epochs, threshold 0.5), but with 32 nodes to a step in place of 1, for the time. The other protocols,
where 98 % of the nodes are noise, are trained with this project's defaults (configs/model/feed_forward.yaml), the best
of eight on validation pages of `pages`, seed 1: the published recipe does worse there.
Read by verticals/, settings/ and new_web/; their csv keep the four counts of a score, from which the rest follows.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from omegaconf import OmegaConf

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.prepared import PageInfo, PreparedData
from edrew_torch.datasets.protocols import Split, fold_of_seed, make_splits
from edrew_torch.metrics.nodes import NodeScore, lookup_predictions, score_nodes
from edrew_torch.overrides import CONFIGS
from edrew_torch.profile import PROFILES
from edrew_torch.report import percent

DATA = shared_data()
PROTOCOLS = ("rows", "rows-balanced", "pages", "sites")
COUNTS = ("hits", "false", "missed", "quiet", "lost")  # of the relevant class; quiet: noise, and called so
BATCH_SIZE = 32
MODEL, TRAINER, THESIS = (
    OmegaConf.to_object(OmegaConf.load(CONFIGS / f"{name}.yaml"))
    for name in ("model/feed_forward", "trainer/default", "experiment/thesis")
)
BY_DEFAULT: dict[str, Any] = MODEL | TRAINER
AS_PUBLISHED: dict[str, Any] = BY_DEFAULT | THESIS["model"] | THESIS["trainer"] | {"batch_size": BATCH_SIZE}
QUICK: dict[str, Any] = {"max_epochs": 3, "patience": None}
Scores = dict[str, dict[str, NodeScore]]  # model -> vertical, or "all"
TRIVIAL: dict[str, Callable[[NodeScore], NodeScore]] = {  # what always the same answer would have had in a run's place
    "always noise": lambda score: NodeScore(
        0, 0, score.true_positives + score.false_negatives, score.false_positives + score.true_negatives
    ),
    "always relevant": lambda score: NodeScore(
        score.true_positives + score.false_negatives, score.false_positives + score.true_negatives
    ),
}


def load_unique(**subset: Any) -> PreparedData:
    """The thesis's data: unique pages, its own tree and reTPS."""
    return load_data("swde", PROFILES["thesis"], root=DATA / "swde", unique_pages=True, processes=1, **subset)


def load_quick() -> PreparedData:
    """The embedded sample, small."""
    return load_data("sample", PROFILES["thesis"], pages=10)


def part_of(data: PreparedData, is_kept: Callable[[PageInfo], bool]) -> PreparedData:
    """The pages that are wanted."""
    return data.with_pages(np.array([number for number, page in enumerate(data.pages) if is_kept(page)]))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model, the split it was trained on, and val/f1 after each epoch."""

    model: Any  # RelevanceClassifier; its module imports Lightning, which takes seconds, and pages are drawn without it
    split: Split
    curve: tuple[float, ...]


def fit_model(data: PreparedData, protocol: str, seed: int, **changes: Any) -> Fitted:
    """As edrew_torch/training.py does it, with the same answers, in a loop of its own.

    The head is so small that Lightning's loop takes most of the time of a step; here there are millions of them.
    """
    import torch

    from edrew_torch.classifier import SCHEDULES, RelevanceClassifier
    from edrew_torch.datamodule import RowsDataModule, count_rows
    from edrew_torch.encoders import make_encoder
    from edrew_torch.encoders.vectors import row_vectors

    how = (AS_PUBLISHED if protocol == "rows-balanced" else BY_DEFAULT) | changes
    rate, schedule, dropout, num_epochs = (how[name] for name in ("learning_rate", "schedule", "dropout", "max_epochs"))
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    splits = make_splits(data, protocol, seed)
    split = splits[fold_of_seed(seed, len(splits))]
    encoder = make_encoder("elmo", data.vocabulary.tokens(), weights="embedded", output="elmo", frozen=True)
    head = how["hidden"], rate, schedule, dropout
    model = RelevanceClassifier(encoder, *head, choose_threshold=how["choose_threshold"], seed=seed)
    vectors = row_vectors(encoder, data.rows)
    model.standardize(torch.from_numpy(vectors[count_rows(data, split.train)[0]]))
    order = how["distinct_rows"], how["reshuffle"]
    batches = RowsDataModule(data, split, how["batch_size"], seed, vectors, *order)
    train, val = batches.train_dataloader(), batches.val_dataloader()
    optimizer = model.configure_optimizers()
    curve: list[float] = []
    best = model.own_state()
    for epoch in range(num_epochs):
        torch.manual_seed(seed * 1_000_003 + epoch)  # as RelevanceClassifier does
        train.sampler.set_epoch(epoch)
        for group in optimizer.param_groups:
            group["lr"] = rate * SCHEDULES[schedule](epoch, num_epochs, dropout)
        model.train()
        for numbers in train.sampler:
            optimizer.zero_grad()
            model.loss(train.dataset[numbers]).backward()
            optimizer.step()
        curve.append(validate(model, val))
        if how["patience"] is None or curve[-1] > max(curve[:-1], default=-1.0):
            best = {name: tensor.clone() for name, tensor in model.own_state().items()}
        elif len(curve) - 1 - curve.index(max(curve)) >= how["patience"]:
            break
    model.load_state_dict(best, strict=False)
    return Fitted(model.eval(), split, tuple(curve))


def validate(model: Any, val: Any) -> float:
    """F1 of the relevant class on the validation nodes, with the best threshold or that of 0.5."""
    import torch

    model.eval()
    with torch.inference_mode():
        answers = [(model(inputs), share * count, count) for inputs, share, count in val]
    return float(model.validation_f1(answers))


def train_and_score(data: PreparedData, protocol: str, seed: int, **changes: Any) -> tuple[Scores, tuple[float, ...]]:
    """One run beside the lookup of the exact reTPS, on the test nodes; and its val/f1 after each epoch."""
    from edrew_torch.runs import predict

    fitted = fit_model(data, protocol, seed, **changes)
    test, pages = fitted.split.test, fitted.split.test_pages
    answers = {"elmo": predict(fitted.model, data), "lookup": lookup_predictions(data, fitted.split.train)}
    return {model: score_nodes(data, test, answer, pages) for model, answer in answers.items()}, fitted.curve


def counts_of(score: NodeScore) -> tuple[int, ...]:
    """COUNTS."""
    return (
        score.true_positives,
        score.false_positives,
        score.false_negatives,
        score.true_negatives,
        score.lost_values,
    )


def score_of(row: Mapping[str, str]) -> NodeScore:
    """The score of a line with COUNTS."""
    return NodeScore(*(int(row[name]) for name in COUNTS))


def of_relevant(score: NodeScore) -> tuple[float, float, float]:
    """Precision, recall, F1 of the relevant class."""
    return score.precision, score.recall, score.f1


def weighted(score: NodeScore) -> tuple[float, float, float]:
    """The same, mean of both classes, each counted as often as it has nodes: near 97 where nothing is ever found."""
    # noise as the class that is looked for
    noise = NodeScore(score.true_negatives, score.false_negatives, score.false_positives, score.true_positives)
    relevant = score.true_positives + score.false_negatives
    share = relevant / (relevant + noise.true_positives + noise.false_negatives)
    own, other = of_relevant(score), of_relevant(noise)
    precision, recall, f1 = (share * a + (1 - share) * b for a, b in zip(own, other, strict=True))
    return precision, recall, f1


def shown_three(scores: Iterable[tuple[float, float, float]]) -> str:
    """Precision / recall / F1 over the seeds, with the spread of F1."""
    precision, recall, f1 = zip(*scores, strict=True)
    return f"{percent(precision).split()[0]} / {percent(recall).split()[0]} / {percent(f1)}"
