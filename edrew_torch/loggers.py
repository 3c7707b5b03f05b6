"""Loggers: where Lightning writes the figures of each epoch. One table; read by fitting.py.

| name | writes |
|---|---|
| `csv` | csv/metrics.csv in the run folder (the default) |
| `wandb` | Weights & Biases, online or offline (`logger.mode=offline`) |
| `tensorboard` | event files in the run folder |
| `none` | nothing |
"""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lightning.pytorch.loggers import CSVLogger, Logger, TensorBoardLogger, WandbLogger

from edrew_torch.errors import BadConfig


def _csv(folder: Path) -> Logger:
    return CSVLogger(folder, name="", version="csv")


def _tensorboard(folder: Path) -> Logger:
    return TensorBoardLogger(folder, name="", version="tensorboard")


def _wandb(folder: Path, project: str = "edrew_torch", mode: str = "online", name: str | None = None) -> Logger:
    if mode not in ("online", "offline"):
        raise BadConfig(f"logger.mode must be online or offline, not {mode!r}.")
    return WandbLogger(name=name or folder.name, save_dir=folder, project=project, offline=mode == "offline")


LOGGERS: dict[str, Callable[..., Logger] | None] = {
    "csv": _csv,
    "wandb": _wandb,
    "tensorboard": _tensorboard,
    "none": None,
}


def unknown_arguments(name: str, arguments: Iterable[str]) -> list[str]:
    """Those that the logger of this name does not take."""
    make = LOGGERS[name]
    known = inspect.signature(make).parameters if make else {}
    return [argument for argument in arguments if argument not in known]


def make_logger(name: str, folder: Path, **arguments: Any) -> Logger | bool:
    """Return the logger of this name for Lightning's Trainer; False for none."""
    make = LOGGERS[name]
    return make(folder, **arguments) if make else False
