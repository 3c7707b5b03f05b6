"""Fitting: Lightning's loop with what every training here shares, checkpoints, early stopping, resuming, a logger.

    a LightningModule, its batches, TrainerSettings   ->   the module, with the weights of its best epoch

Read by training.py and pretraining.py.
"""

import logging
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightning as pl
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint, RichProgressBar

from edrew_torch.errors import BadConfig
from edrew_torch.loggers import LOGGERS, make_logger


@dataclass(frozen=True)
class TrainerSettings:
    """How long, on what, and logged where; the names are those of configs/trainer and configs/logger."""

    seed: int = 1
    max_epochs: int = 30
    patience: int | None = 5  # None: no early stopping, and the last epoch is the model
    accelerator: str = "auto"
    devices: int = 1
    strategy: str = "auto"
    precision: str = "32-true"
    progress_bar: bool = True
    logger: str = "none"
    logger_arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if faults := self.faults():
            raise BadConfig("; ".join(faults) + ".")

    def faults(self) -> list[str]:
        """What is wrong with the settings, all of it."""
        return [
            f"{name} must be {what}, not {getattr(self, name)!r}"
            for name, is_right, what in self.rules()
            if not is_right
        ]

    def rules(self) -> list[tuple[str, bool, str]]:
        """Name of a setting, whether it is right, what it must be."""
        return [
            ("seed", is_whole(self.seed, 0), "a whole number from 0 on"),
            ("max_epochs", is_whole(self.max_epochs, 1), "a whole number from 1 on"),
            ("patience", self.patience is None or is_whole(self.patience, 0), "a whole number from 0 on, or null"),
            ("devices", is_whole(self.devices, 1), "a whole number from 1 on"),
            ("logger", self.logger in LOGGERS, one_of(LOGGERS)),
        ]


class TellEpoch(Callback):
    """Tells the sampler which epoch begins; Lightning itself forgets it for the first epoch of a resumed run."""

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Set the epoch that the order of the rows depends on."""
        trainer.train_dataloader.sampler.set_epoch(trainer.current_epoch)  # type: ignore[union-attr]


def set_learning_rate(module: pl.LightningModule, rate: float) -> None:
    """Set the rate of the epoch that begins. A function of the epoch alone: a resumed run takes up its own schedule."""
    for group in module.optimizers().param_groups:  # type: ignore[union-attr]
        group["lr"] = rate


def one_of(names: Iterable[str]) -> str:
    """What a setting with a few known values must be."""
    return f"one of {', '.join(names)}"


def is_whole(value: object, least: int) -> bool:
    """Is it a whole number, and not below `least`?"""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value: object, least: float, most: float = float("inf")) -> bool:
    """Is it a number in this range?"""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def fit(
    model: pl.LightningModule,
    batches: pl.LightningDataModule,
    settings: TrainerSettings,
    folder: Path,
    resume: Path | None = None,
    monitor: str = "val/f1",
    mode: str = "max",
) -> None:
    """Run Lightning's loop and leave `model` with the weights of the best epoch, or of the last (no patience)."""
    checkpoints = folder / "checkpoints"
    keep = ModelCheckpoint(checkpoints, "best", monitor=monitor, mode=mode, enable_version_counter=False)
    # one of its own for the last epoch: `save_last` writes only when the epoch is also the best
    last = ModelCheckpoint(checkpoints, "last", enable_version_counter=False)
    callbacks: list[Callback] = [keep, last, TellEpoch()]
    if settings.patience is not None:
        callbacks.append(EarlyStopping(monitor, mode=mode, patience=settings.patience))
    if settings.progress_bar:
        callbacks.append(RichProgressBar(leave=False))
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)  # which accelerators there are not
    logger = make_logger(settings.logger, folder, **settings.logger_arguments)
    with warnings.catch_warnings():
        # batches are slices of arrays in memory: processes to load them would only cost
        warnings.filterwarnings("ignore", ".*does not have many workers.*")
        # Lightning 2.6 calls what torch 2.13 renames
        warnings.filterwarnings("ignore", ".*treespec, LeafSpec.*")
        # a resumed run writes to a folder of its own or goes on in the old one: both are meant
        warnings.filterwarnings("ignore", ".*The dirpath has changed.*")
        warnings.filterwarnings("ignore", ".*Checkpoint directory .* exists and is not empty.*")
        warnings.filterwarnings("ignore", ".*the number of training batches .* is smaller than the logging interval.*")
        try:
            trainer = pl.Trainer(
                max_epochs=settings.max_epochs,
                accelerator=settings.accelerator,
                devices=settings.devices,
                strategy=settings.strategy,
                precision=settings.precision,  # type: ignore[arg-type]
                deterministic=True,
                callbacks=callbacks,
                logger=logger,
                enable_progress_bar=settings.progress_bar,
                enable_model_summary=False,
                default_root_dir=folder,
                use_distributed_sampler=False,  # ours shares the rows out itself
                num_sanity_val_steps=0,  # the threshold would be chosen on them
            )
        except (MisconfigurationException, ValueError) as error:  # no such hardware here, or no such name
            raise BadConfig(
                f"Lightning cannot train with accelerator={settings.accelerator}, devices={settings.devices}, "
                f"strategy={settings.strategy}, precision={settings.precision}: {error} "
                "Leave these settings of the trainer out to train on what there is."
            ) from error
        # a frozen encoder stays in eval mode, so that its vectors stay as they are
        warnings.filterwarnings("ignore", r".*module\(s\) in eval mode at the start of training.*")
        model.train()
        trainer.fit(model, batches, ckpt_path=_last_checkpoint(resume) if resume else None, weights_only=True)
    # of a resumed run the best epoch may lie in the folder of the first part, its last is always here
    kept = keep.best_model_path if settings.patience is not None else checkpoints / "last.ckpt"
    state = torch.load(kept, weights_only=True)["state_dict"]
    model.load_state_dict(state, strict=model.strict_loading)
    model.cpu().eval()


def _last_checkpoint(given: Path) -> Path:
    """The checkpoint to go on from: the file itself, or the last one of a run folder."""
    file = given / "checkpoints" / "last.ckpt" if given.is_dir() else given
    if not file.is_file():
        raise BadConfig(f"resume={given}: there is no {file}. Give a run folder of train.py or a checkpoint file.")
    return file
