"""Training: prepared data, a split and an encoder -> a fitted classifier, its scores, and a run folder.

    run folder: config.yaml  metrics.json  model.json  model.safetensors  checkpoints/  csv/metrics.csv

Reads datasets/, encoders/, classifier.py, metrics/; called by train.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightning as pl
import torch

from edrew_torch.classifier import SCHEDULES, RelevanceClassifier
from edrew_torch.datamodule import RowsDataModule, count_rows
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import BY_ATTRIBUTE, PROTOCOLS, fold_of_seed, make_splits, protocol_label
from edrew_torch.encoders import check_encoder, make_encoder
from edrew_torch.encoders.vectors import row_vectors
from edrew_torch.errors import BadConfig, EdrewError
from edrew_torch.fitting import TrainerSettings, fit, is_number, is_whole, one_of
from edrew_torch.metrics.nodes import NodeScore, metrics_content, score_baselines, score_nodes
from edrew_torch.profile import Profile
from edrew_torch.report import signature, write_metrics
from edrew_torch.runs import Run, predict, save_model, versions

MOST_WIDTH = 100_000  # of a hidden layer
NODE_PROTOCOLS = tuple(name for name in PROTOCOLS if name not in BY_ATTRIBUTE)


@dataclass(frozen=True)
class Settings(TrainerSettings):
    """What a run is trained with; the names are those of configs/."""

    encoder: str = "onehot"
    encoder_arguments: Mapping[str, Any] = field(default_factory=dict)
    protocol: str = "pages"
    num_seed_sites: int = 5  # of the protocols over sites
    hidden: tuple[int, ...] = ()
    learning_rate: float = 0.3
    schedule: str = "constant"
    dropout: float = 0.0
    positive_weight: float = 1.0
    focal_gamma: float = 0.0
    choose_threshold: bool = True
    batch_size: int = 128
    distinct_rows: bool = True
    reshuffle: bool = True

    def rules(self) -> list[tuple[str, bool, str]]:
        """Name of a setting, whether it is right, what it must be."""
        return [
            ("protocol", self.protocol in NODE_PROTOCOLS, one_of(NODE_PROTOCOLS)),
            ("num_seed_sites", is_whole(self.num_seed_sites, 1), "a whole number from 1 on"),
            ("hidden", self._has_widths(), f"a list of whole numbers from 1 to {MOST_WIDTH}"),
            ("learning_rate", is_number(self.learning_rate, 0, 1000), "between 0 and 1000"),
            ("schedule", self.schedule in SCHEDULES, one_of(SCHEDULES)),
            ("dropout", is_number(self.dropout, 0, 1), "between 0 and 1"),
            ("positive_weight", is_number(self.positive_weight, 1e-6), "a positive number"),
            ("focal_gamma", is_number(self.focal_gamma, 0), "a number from 0 on"),
            ("batch_size", is_whole(self.batch_size, 1), "a whole number from 1 on"),
            *(
                (name, isinstance(getattr(self, name), bool), "true or false")
                for name in ("choose_threshold", "distinct_rows", "reshuffle")
            ),
            *super().rules(),
        ]

    def _has_widths(self) -> bool:
        return isinstance(self.hidden, tuple) and all(is_whole(width, 1, MOST_WIDTH) for width in self.hidden)

    def faults(self) -> list[str]:
        """What is wrong with the settings, all of it; the encoder may stand outside the package."""
        try:
            check_encoder(self.encoder, self.encoder_arguments)
        except EdrewError as error:
            return [str(error).rstrip("."), *super().faults()]
        return super().faults()


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted model and its scores on the test pages, beside the trivial ones."""

    model: RelevanceClassifier
    scores: dict[str, NodeScore]  # per vertical, and "all"
    baselines: dict[str, dict[str, NodeScore]]
    data: str  # what the scores are of: the data's checksum,
    protocol: str  # the protocol, with its fold,
    seed: int

    @property
    def signature(self) -> str:
        """The line under a table."""
        return signature(self.data, self.protocol, [self.seed])


def train(data: PreparedData, settings: Settings, folder: Path, resume: Path | None = None) -> Outcome:
    """Fit, keep the epoch with the best val/f1, score it on the test pages."""
    pl.seed_everything(settings.seed, verbose=False)
    splits = make_splits(data, settings.protocol, settings.seed, settings.num_seed_sites)
    fold = fold_of_seed(settings.seed, len(splits))
    parts = splits[fold]
    if not data.relevant[parts.train].any():
        raise BadConfig(
            "no node of the training part is relevant: the data has no true values, or none that is a node."
        )
    encoder = make_encoder(settings.encoder, data.vocabulary.tokens(), **settings.encoder_arguments)
    model = RelevanceClassifier(
        encoder,
        settings.hidden,
        settings.learning_rate,
        settings.schedule,
        settings.dropout,
        settings.positive_weight,
        settings.focal_gamma,
        settings.choose_threshold,
        settings.seed,
    )
    vectors = row_vectors(encoder, data.rows) if encoder.is_frozen else None
    if vectors is not None:
        model.standardize(torch.from_numpy(vectors[count_rows(data, parts.train)[0]]))
    batches = RowsDataModule(
        data, parts, settings.batch_size, settings.seed, vectors, settings.distinct_rows, settings.reshuffle
    )
    fit(model, batches, settings, folder, resume)
    label = protocol_label(settings.protocol, settings.num_seed_sites)
    label += f",fold {fold + 1} of {len(splits)}" if len(splits) > 1 else ""
    return Outcome(
        model,
        score_nodes(data, parts.test, predict(model, data), parts.test_pages),
        score_baselines(data, parts),
        data.checksum,
        label,
        settings.seed,
    )


def save_run(
    outcome: Outcome,
    data: PreparedData,
    settings: Settings,
    profile: Profile,
    folder: Path,
    metrics_file: Path | None = None,
) -> None:
    """Write metrics and model of a run."""
    run = Run(outcome.model, profile, data.vocabulary)
    save_model(folder, run, settings.encoder, settings.encoder_arguments, settings.hidden)
    write_metrics(metrics_of(outcome, settings), folder, metrics_file)


def metrics_of(outcome: Outcome, settings: Settings) -> dict[str, Any]:
    """The content of metrics.json."""
    return {
        **metrics_content(settings.protocol, settings.seed, outcome.scores, outcome.baselines),
        "encoder": settings.encoder,
        "data": outcome.data,
        "split": outcome.protocol,
        "signature": outcome.signature,
        "versions": versions(),
    }
