"""Training: prepared data, a split and an encoder -> a fitted classifier, its scores, and a run folder.

    run folder: config.yaml  metrics.json  model.safetensors  vocabulary.json

Reads datasets/, encoders/, classifier.py, metrics.py; called by train.py.
"""

import json
import logging
import platform
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightning as pl
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint, RichProgressBar
from numpy.typing import NDArray
from safetensors.torch import save_file

from edrew_torch import __version__
from edrew_torch.classifier import RelevanceClassifier
from edrew_torch.datamodule import RowsDataModule
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import BY_ATTRIBUTE, PROTOCOLS, make_splits, protocol_label
from edrew_torch.encoders import ENCODERS, make_encoder
from edrew_torch.errors import BadConfig
from edrew_torch.metrics.nodes import NodeScore, metrics_content, score_baselines, score_nodes
from edrew_torch.report import signature

NODE_PROTOCOLS = tuple(name for name in PROTOCOLS if name not in BY_ATTRIBUTE)


@dataclass(frozen=True)
class Settings:
    """What a run is trained with; the names are those of configs/."""

    encoder: str = "onehot"
    protocol: str = "pages"
    num_seed_sites: int = 5  # of the protocols over sites
    seed: int = 1
    learning_rate: float = 0.3
    dropout: float = 0.0
    positive_weight: float = 1.0
    batch_size: int = 128
    max_epochs: int = 30
    patience: int = 5
    accelerator: str = "auto"
    devices: int = 1
    progress_bar: bool = True

    def __post_init__(self) -> None:
        faults = [
            f"{name} must be {what}, not {getattr(self, name)!r}"
            for name, is_right, what in (
                ("encoder", self.encoder in ENCODERS, f"one of {', '.join(ENCODERS)}"),
                ("protocol", self.protocol in NODE_PROTOCOLS, f"one of {', '.join(NODE_PROTOCOLS)}"),
                ("seed", _is_whole(self.seed, 0), "a whole number from 0 on"),
                ("learning_rate", _is_number(self.learning_rate, 0, 1000), "between 0 and 1000"),
                ("dropout", _is_number(self.dropout, 0, 1), "between 0 and 1"),
                ("positive_weight", _is_number(self.positive_weight, 1e-6), "a positive number"),
                ("batch_size", _is_whole(self.batch_size, 1), "a whole number from 1 on"),
                ("max_epochs", _is_whole(self.max_epochs, 1), "a whole number from 1 on"),
                ("patience", _is_whole(self.patience, 0), "a whole number from 0 on"),
            )
            if not is_right
        ]
        if faults:
            raise BadConfig("; ".join(faults) + ".")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and value >= least


def _is_number(value: object, least: float, most: float = float("inf")) -> bool:
    return isinstance(value, int | float) and least <= value <= most


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted model and its scores on the test pages, beside the trivial ones."""

    model: RelevanceClassifier
    scores: dict[str, NodeScore]  # per vertical, and "all"
    baselines: dict[str, dict[str, NodeScore]]
    signature: str  # what the scores are of: data, protocol, seed, version


def train(data: PreparedData, settings: Settings, folder: Path) -> Outcome:
    """Fit, keep the epoch with the best val/f1, score it on the test pages."""
    pl.seed_everything(settings.seed, verbose=False)
    # of the folds of `sites` one is trained: another seed starts at another site
    splits = make_splits(data, settings.protocol, settings.seed, settings.num_seed_sites)
    parts = splits[(settings.seed - 1) % len(splits)]
    model = RelevanceClassifier(
        make_encoder(settings.encoder, len(data.vocabulary)),
        settings.learning_rate,
        settings.dropout,
        settings.positive_weight,
    )
    best = fit(model, RowsDataModule(data, parts, settings.batch_size, settings.seed), settings, folder)
    return Outcome(
        best,
        score_nodes(data, parts.test, predict(best, data), parts.test_pages),
        score_baselines(data, parts),
        signature(data.checksum, protocol_label(settings.protocol, settings.num_seed_sites), [settings.seed]),
    )


def fit(model: RelevanceClassifier, batches: RowsDataModule, settings: Settings, folder: Path) -> RelevanceClassifier:
    """Run Lightning's loop with early stopping and return the model with the best epoch's weights."""
    keep_best = ModelCheckpoint(folder / "checkpoints", "best", monitor="val/f1", mode="max")
    callbacks: list[Callback] = [
        keep_best,
        EarlyStopping("val/f1", mode="max", patience=settings.patience),
    ]
    if settings.progress_bar:
        callbacks.append(RichProgressBar(leave=False))
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)  # which accelerators there are not
    with warnings.catch_warnings():
        # batches are slices of arrays in memory: processes to load them would only cost
        warnings.filterwarnings("ignore", ".*does not have many workers.*")
        # Lightning 2.6 calls what torch 2.13 renames
        warnings.filterwarnings("ignore", ".*treespec, LeafSpec.*")
        trainer = pl.Trainer(
            max_epochs=settings.max_epochs,
            accelerator=settings.accelerator,
            devices=settings.devices,
            deterministic=True,
            callbacks=callbacks,
            logger=False,
            enable_progress_bar=settings.progress_bar,
            enable_model_summary=False,
            default_root_dir=folder,
        )
        trainer.fit(model, batches)
    state = torch.load(keep_best.best_model_path, weights_only=True)["state_dict"]
    model.load_state_dict(state)
    return model.eval()


@torch.inference_mode()
def predict(model: RelevanceClassifier, data: PreparedData, batch_size: int = 1024) -> NDArray[np.bool_]:
    """Return whether the model calls each node relevant; distinct rows are classified once each."""
    rows = torch.from_numpy(data.rows.astype(np.int64))
    logits = torch.cat([model(batch) for batch in torch.split(rows, batch_size)]) if len(rows) else rows.flatten()
    called: NDArray[np.bool_] = (logits > model.threshold).numpy()[data.row]
    return called


def save_run(
    outcome: Outcome,
    data: PreparedData,
    settings: Settings,
    folder: Path,
    metrics_file: Path | None,
) -> None:
    """Write metrics, weights and vocabulary of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(outcome.model.state_dict(), folder / "model.safetensors")
    words = {"specials": data.vocabulary.specials, "tags": data.vocabulary.tags}
    (folder / "vocabulary.json").write_text(json.dumps(words))
    metrics = json.dumps(metrics_of(outcome, settings), indent=2) + "\n"
    (folder / "metrics.json").write_text(metrics)
    if metrics_file:
        metrics_file.parent.mkdir(parents=True, exist_ok=True)
        metrics_file.write_text(metrics)


def metrics_of(outcome: Outcome, settings: Settings) -> dict[str, Any]:
    """The content of metrics.json."""
    return {
        **metrics_content(settings.protocol, settings.seed, outcome.scores, outcome.baselines),
        "encoder": settings.encoder,
        "signature": outcome.signature,
        "versions": {
            "edrew_torch": __version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
    }
