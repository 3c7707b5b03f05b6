"""Fitting: Lightning's loop with what every training here shares, checkpoints, early stopping, resuming, a logger.

    a LightningModule, its batches, TrainerSettings   ->   the module, with the weights of its best epoch

Read by training.py and pretraining.py.
"""

import logging
import os
import pickle
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
from edrew_torch.loggers import LOGGERS, make_logger, unknown_arguments

MAX_SEED = 2**32 - 1  # of numpy


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
        faults = [
            f"{name} must be {what}, not {getattr(self, name)!r}"
            for name, is_right, what in self.rules()
            if not is_right
        ]
        if self.logger in LOGGERS:
            unknown = unknown_arguments(self.logger, self.logger_arguments)
            faults += [f"the logger {self.logger} takes no {name}" for name in unknown]
        return faults or self.trainer_faults()

    def trainer_faults(self) -> list[str]:
        """What Lightning says of accelerator, devices, strategy and precision: now, not when all data has been read."""
        logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)  # which accelerators there are not
        try:
            pl.Trainer(**self.machine(), logger=False, enable_checkpointing=False, enable_progress_bar=False)
        except (MisconfigurationException, TypeError, ValueError) as error:
            return [f"the trainer cannot run so: {str(error).rstrip('.!')}"]
        return []

    def machine(self) -> dict[str, Any]:
        """Where Lightning's Trainer is to run."""
        return {name: getattr(self, name) for name in ("accelerator", "devices", "strategy", "precision")}

    def rules(self) -> list[tuple[str, bool, str]]:
        """Name of a setting, whether it is right, what it must be."""
        return [
            ("seed", is_whole(self.seed, 0, MAX_SEED), f"a whole number from 0 to {MAX_SEED}"),
            ("max_epochs", is_whole(self.max_epochs, 1), "a whole number from 1 on"),
            ("patience", self.patience is None or is_whole(self.patience, 0), "a whole number from 0 on, or null"),
            ("devices", is_whole(self.devices, 1, most_devices()), f"a whole number from 1 to {most_devices()} here"),
            ("progress_bar", isinstance(self.progress_bar, bool), "true or false"),
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


def is_whole(value: object, least: int, most: float = float("inf")) -> bool:
    """Is it a whole number in this range?"""
    return isinstance(value, int) and is_number(value, least, most)


def most_devices() -> int:
    """Each device is a process: a machine has as many as GPUs or cores."""
    return max(os.cpu_count() or 1, torch.cuda.device_count(), 2)


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
    checkpoint = find_checkpoint(resume) if resume else None
    if checkpoint:
        _check_checkpoint(model, checkpoint)
    with warnings.catch_warnings():
        # batches are slices of arrays in memory: processes to load them would only cost
        warnings.filterwarnings("ignore", ".*does not have many workers.*")
        # Lightning 2.6 calls what torch 2.13 renames
        warnings.filterwarnings("ignore", ".*treespec, LeafSpec.*")
        # a resumed run writes to a folder of its own or goes on in the old one: both are meant
        warnings.filterwarnings("ignore", ".*The dirpath has changed.*")
        warnings.filterwarnings("ignore", ".*Checkpoint directory .* exists and is not empty.*")
        warnings.filterwarnings("ignore", ".*the number of training batches .* is smaller than the logging interval.*")
        trainer = pl.Trainer(
            max_epochs=settings.max_epochs,
            **settings.machine(),
            deterministic=True,
            callbacks=callbacks,
            logger=make_logger(settings.logger, folder, **settings.logger_arguments),
            enable_progress_bar=settings.progress_bar,
            enable_model_summary=False,
            default_root_dir=folder,
            use_distributed_sampler=False,  # ours shares the rows out itself
            num_sanity_val_steps=0,  # the threshold would be chosen on them
        )
        # a frozen encoder stays in eval mode, so that its vectors stay as they are
        warnings.filterwarnings("ignore", r".*module\(s\) in eval mode at the start of training.*")
        model.train()
        trainer.fit(model, batches, ckpt_path=checkpoint, weights_only=True)
    # of a resumed run the best epoch may lie in the folder of the first part, its last is always here
    kept = keep.best_model_path if settings.patience is not None else checkpoints / "last.ckpt"
    state = torch.load(kept, weights_only=True)["state_dict"]
    model.load_state_dict(state, strict=model.strict_loading)
    model.cpu().eval()


def find_checkpoint(given: Path) -> Path:
    """The checkpoint to go on from: the file itself, or the last one of a run folder."""
    file = given / "checkpoints" / "last.ckpt" if given.is_dir() else given
    if not file.is_file():
        raise BadConfig(f"resume={given}: there is no {file}. Give a run folder of train.py or a checkpoint file.")
    return file


def _check_checkpoint(model: pl.LightningModule, file: Path) -> None:
    """Raise BadConfig where a training of this model cannot go on from the file."""
    advice = "Give a run folder of the same settings and data, or leave resume out."
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
        shapes = {name: tensor.shape for name, tensor in content["state_dict"].items()}
        missing = {"epoch", "loops", "optimizer_states"} - set(content)
    except (AttributeError, EOFError, KeyError, OSError, RuntimeError, TypeError, pickle.UnpicklingError) as error:
        raise BadConfig(
            f"resume: {file} is no checkpoint that can be read ({type(error).__name__}). {advice}"
        ) from error
    own = {name: tensor.shape for name, tensor in model.state_dict().items()}
    other = [name for name, shape in shapes.items() if own.get(name) != shape]
    if missing or other:
        raise BadConfig(f"resume: {file} is of another model ({', '.join([*missing, *other][:3])}). {advice}")
