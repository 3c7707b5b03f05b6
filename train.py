"""Train a classifier and print its F1 per vertical.

    python train.py encoder=onehot                       # the embedded sample, about a minute on 2 cores
    python train.py retps=thesis retps.threshold=10
    python train.py -m seed=1,2,3                        # a sweep

Configuration: configs/train.yaml. Everything is turned into plain arguments here; the package never sees a config.
"""

import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from edrew_torch.errors import EdrewError


@hydra.main(version_base="1.3", config_path="configs", config_name="train")
def main(config: DictConfig) -> float:
    """Return F1 over all verticals, so that a sweep can compare runs."""
    try:
        return run(config, Path(HydraConfig.get().runtime.output_dir))
    except EdrewError as error:
        sys.exit(f"{type(error).__name__}: {error}")


def run(config: DictConfig, folder: Path) -> float:
    """One run: its settings are checked before any data is made."""
    # here, not above: Lightning takes seconds to import, and a wrong override should not have to wait for it
    from edrew_torch.datasets.load import load_data
    from edrew_torch.profile import extend_profile
    from edrew_torch.report import score_table
    from edrew_torch.training import Settings, save_run, train

    settings = Settings(
        encoder=config.encoder.name,
        protocol=config.protocol.name,
        num_seed_sites=config.protocol.num_seed_sites,
        seed=config.seed,
        **config.model,
        **config.trainer,
    )
    profile = extend_profile(**config.retps)
    folder.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(config, folder / "config.yaml", resolve=True)
    data = load_data(profile=profile, **config.data)
    outcome = train(data, settings, folder)
    save_run(outcome, data, settings, folder, Path(config.metrics_file) if config.metrics_file else None)
    Console().print(score_table(outcome, settings.encoder))
    Console(stderr=True).print(f"Run folder: {folder}", soft_wrap=True)
    return outcome.scores["all"].f1


if __name__ == "__main__":
    main()
