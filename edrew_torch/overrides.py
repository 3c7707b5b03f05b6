"""Overrides of the command line, checked before Hydra reads them, so that a wrong key is told with its alternatives.

    model.dropuot=0.2   ->   BadConfig: no key of model named 'dropuot'; did you mean 'dropout'? Available: …

Hydra itself names the alternatives of a group (`encoder=emlo`), but not those of a key. Here is also what the scripts
do alike once it has read them: a run that cannot be is told without a traceback. Read by train.py, evaluate.py and
pretrain.py.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue

from edrew_torch.errors import BadConfig, EdrewError, UnknownName

CONFIGS = Path(__file__).parents[1] / "configs"


def check_overrides(config_name: str, arguments: Sequence[str]) -> None:
    """Exit with a message if an argument `key=value` names a key that the configuration does not have."""
    given = [argument for argument in arguments if "=" in argument and not argument.startswith(("+", "~", "-"))]
    keys = [argument.partition("=")[0] for argument in given]
    groups = [argument for argument, key in zip(given, keys, strict=True) if _is_group(key) and "," not in argument]
    try:
        with initialize_config_dir(str(CONFIGS), version_base="1.3"):
            config = compose(config_name, overrides=groups)
    except HydraException:
        return  # a wrong group: Hydra's own message lists what there is
    for key in keys:
        if not key.startswith("hydra") and not _is_group(key):
            try:
                _check_key(config, key)
            except UnknownName as error:
                sys.exit(f"{type(error).__name__}: {error} To add a new key write +{key}=…")


def run_told(run: Callable[[DictConfig, Path], float], config: DictConfig) -> float:
    """Run a script in the folder that Hydra gave it; exit with a message where the user can mend what is wrong."""
    try:
        return run(config, Path(HydraConfig.get().runtime.output_dir))
    except MissingMandatoryValue as error:
        sys.exit(f"BadConfig: {error.full_key} has no value: set {error.full_key}=…")
    except EdrewError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except OSError as error:  # a full disk, a folder that may not be written
        sys.exit(f"OSError: {error.filename or 'a file'} cannot be read or written: {error.strerror or error}.")


def metrics_file(config: DictConfig) -> Path | None:
    """The further file for the metrics, None without one; BadConfig where it cannot be written."""
    if config.metrics_file is None:
        return None
    file = Path(str(config.metrics_file))
    if file.is_dir() or not _can_be_made(file):
        raise BadConfig(f"metrics_file={file}: it is a folder, or cannot be written. Give the name of a file.")
    return file


def _can_be_made(path: Path) -> bool:
    """May it, and the folders above it that are missing, be written?"""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    return os.access(there, os.W_OK) and (there.is_dir() or there == path.absolute())


def keep_config(config: DictConfig, folder: Path) -> None:
    """Write the configuration of a run to its folder, every value resolved.

    Figures that stand there are of another configuration: a run that ends early would be taken for one that is done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metrics.json").unlink(missing_ok=True)
    OmegaConf.save(config, folder / "config.yaml", resolve=True)


def _is_group(key: str) -> bool:
    return (CONFIGS / key).is_dir()


def _check_key(config: DictConfig, key: str) -> None:
    here, place = config, ""
    for step in key.split("."):
        if not isinstance(here, DictConfig):
            return  # below a value: Hydra says what is wrong there
        known = [str(name) for name in here]  # `step in here` would deny a key whose value is still to be given
        if step not in known:
            raise UnknownName.among(f"key of {place}" if place else "key", step, known)
        here, place = here._get_node(step), f"{place}.{step}".lstrip(".")  # type: ignore[assignment]
