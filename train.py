"""Train a classifier and print its F1 per vertical.

    python train.py encoder=elmo                         # the embedded sample, about a minute on 2 cores
    python train.py encoder=native data=swde data.root=PATH protocol=sites
    python train.py -m encoder=elmo,bert,glove seed=1,2,3 sweep=encoders     # a sweep; it ends with one table
    python train.py experiment=thesis
    python train.py task=attributes protocol=swde-published     # which attribute each node is; some minutes

Configuration: configs/train.yaml. Everything is turned into plain arguments here; the package never sees a config.
"""

import sys
from pathlib import Path

import hydra
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.overrides import check_overrides, keep_config, metrics_file, run_told
from edrew_torch.sweep import finished_score

TASKS = ("relevance", "attributes")


@hydra.main(version_base="1.3", config_path="configs", config_name="train")
def main(config: DictConfig) -> float:
    """Return F1 over all verticals, so that a sweep can compare runs."""
    return run_told(run, config)


def run(config: DictConfig, folder: Path) -> float:
    """One run: its settings are checked before any data is made."""
    if (score := finished_score(config, folder)) is not None:  # a sweep that goes on where it stopped
        Console(stderr=True).print(f"Done before: {folder}", soft_wrap=True)
        return score
    if config.task.name not in TASKS:
        raise UnknownName.among("task", config.task.name, TASKS)
    metrics_at = metrics_file(config)
    if config.task.name == "attributes":
        return run_attributes(config, folder, metrics_at)
    if "name" in config.model:
        raise BadConfig(f"model={config.model.name} is for evaluate.py: choose model=feed_forward or model=linear.")
    # here, not above: Lightning takes seconds to import, and a wrong override should not have to wait for it
    from edrew_torch.datasets.load import load_data
    from edrew_torch.fitting import find_checkpoint
    from edrew_torch.profile import extend_profile
    from edrew_torch.report import score_table
    from edrew_torch.training import Settings, save_run, train

    encoder, logger, model = (OmegaConf.to_object(config[group]) for group in ("encoder", "logger", "model"))
    hidden = model["hidden"]
    settings = Settings(
        encoder=encoder.pop("name"),
        encoder_arguments=encoder,
        protocol=config.protocol.name,
        num_seed_sites=config.protocol.num_seed_sites,
        seed=config.seed,
        **model | {"hidden": tuple(hidden) if isinstance(hidden, list) else hidden},
        **config.trainer,
        logger=logger.pop("name"),
        logger_arguments=logger,
    )
    profile = extend_profile(**config.retps)
    resume = find_checkpoint(Path(str(config.resume))) if config.resume else None
    keep_config(config, folder)
    data = load_data(profile=profile, **config.data)
    outcome = train(data, settings, folder, resume)
    save_run(outcome, data, settings, profile, folder, metrics_at)
    Console().print(score_table(outcome, settings.encoder))
    Console(stderr=True).print(f"Run folder: {folder}", soft_wrap=True)
    return outcome.scores["all"].f1


def run_attributes(config: DictConfig, folder: Path, metrics_at: Path | None) -> float:
    """One run of the task `attributes`."""
    from functools import partial

    from rich.progress import track

    from edrew_torch.attributes.task import check_task, read_data, save_outcome, train_attributes
    from edrew_torch.datasets.prepared import Watch
    from edrew_torch.report import as_rich

    def watch(what: str) -> Watch:
        return partial(track, description=what, console=Console(stderr=True), transient=True)

    data, protocol = config.data, config.protocol
    check_task(protocol.name, protocol.num_seed_sites, config.seed)  # before data is read, which takes minutes
    sites, checksum = read_data(
        data.name,
        data.get("root"),
        data.verticals,
        data.get("sites"),
        data.pages,
        data.get("seed", 1),
        config.task.groups,
        watch("Describing sites"),
    )
    outcome = train_attributes(
        sites, checksum, protocol.name, protocol.num_seed_sites, config.seed, watch("Training verticals")
    )
    keep_config(config, folder)
    save_outcome(outcome, folder, metrics_at)
    Console().print(as_rich(outcome.report()))
    Console(stderr=True).print(f"Run folder: {folder}", soft_wrap=True)
    return outcome.table()["all"]["f1"]


if __name__ == "__main__":
    check_overrides("train", sys.argv[1:])
    main()
