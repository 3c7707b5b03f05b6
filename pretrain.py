"""Pretrain an encoder on the rows of a data set, without labels, and print its perplexity.

    python pretrain.py encoder=elmo                                  # the embedded sample, some minutes on 2 cores
    python pretrain.py encoder=bert data=swde data.root=PATH
    python train.py encoder=elmo encoder.weights=outputs/pretrain/…/weights

Configuration: configs/pretrain.yaml. Everything is turned into plain arguments here; the package never sees a config.
"""

import sys
from pathlib import Path

import hydra
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from edrew_torch.overrides import check_overrides, keep_config, run_told


@hydra.main(version_base="1.3", config_path="configs", config_name="pretrain")
def main(config: DictConfig) -> float:
    """Return the loss on the validation part, so that a sweep can compare runs."""
    return run_told(run, config)


def run(config: DictConfig, folder: Path) -> float:
    """One pretraining."""
    from edrew_torch.datasets.load import load_data
    from edrew_torch.fitting import find_checkpoint
    from edrew_torch.pretraining import PretrainSettings, pretrain
    from edrew_torch.profile import extend_profile

    sizes, logger = (OmegaConf.to_object(config[group]) for group in ("pretrain", "logger"))
    settings = PretrainSettings(
        encoder=sizes.pop("name"),
        protocol=config.protocol.name,
        num_seed_sites=config.protocol.num_seed_sites,
        seed=config.seed,
        learning_rate=sizes.pop("learning_rate"),
        batch_size=sizes.pop("batch_size"),
        **config.trainer,
        logger=logger.pop("name"),
        logger_arguments=logger,
    )
    profile = extend_profile(**config.retps)
    resume = find_checkpoint(Path(str(config.resume))) if config.resume else None
    keep_config(config, folder)
    data = load_data(profile=profile, **config.data)
    metrics = pretrain(data, settings, sizes, folder, resume)
    for name, value in metrics.items():
        Console().print(f"{name}: {value}", soft_wrap=True)
    Console(stderr=True).print(f"Weights: {folder / 'weights'}", soft_wrap=True)
    return float(metrics["val_loss"])


if __name__ == "__main__":
    check_overrides("pretrain", sys.argv[1:])
    main()
