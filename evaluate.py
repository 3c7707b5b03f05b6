"""Score a model under any protocol: a trivial one, or one that train.py made.

    python evaluate.py model=lookup protocol=pages data=swde data.root=PATH     # a minute the first time, then seconds
    python evaluate.py model=run model.folder=outputs/train/…   # honest under its own protocol and seed
    python evaluate.py -m protocol=rows,rows-balanced,unique,pages,sites

Configuration: configs/evaluate.yaml. Everything is turned into plain arguments here; the package never sees a config.
"""

import sys
from pathlib import Path

import hydra
from omegaconf import DictConfig
from rich.console import Console

from edrew_torch.errors import BadConfig
from edrew_torch.overrides import check_overrides, keep_config, metrics_file, run_told


@hydra.main(version_base="1.3", config_path="configs", config_name="evaluate")
def main(config: DictConfig) -> float:
    """Return F1 over all verticals."""
    return run_told(run, config)


def run(config: DictConfig, folder: Path) -> float:
    """One evaluation."""
    from edrew_torch.datasets.load import load_data
    from edrew_torch.datasets.protocols import check_protocol
    from edrew_torch.evaluation import evaluate, evaluate_attributes
    from edrew_torch.profile import extend_profile
    from edrew_torch.report import as_rich, write_metrics

    if "name" not in config.model:
        raise BadConfig("this model is for train.py: choose model=lookup, always_noise, or run for one that it made.")
    metrics_at = metrics_file(config)
    protocol = (config.protocol.name, config.seed, config.protocol.num_seed_sites)
    check_protocol(*protocol)  # before data is read, which takes minutes
    if config.model.name == "run":
        from edrew_torch.runs import load_run, predict

        trained = load_run(Path(str(config.model.folder)))
        data = load_data(profile=trained.profile, **config.data)  # pages are cut as the model knows them
        result = evaluate(data, "run", *protocol, predict(trained.model, data, trained.vocabulary))
    else:
        data = load_data(profile=extend_profile(**config.retps), **config.data)
        score = evaluate_attributes if config.protocol.name.startswith("swde-") else evaluate
        result = score(data, config.model.name, *protocol)
    content = result.metrics()
    keep_config(config, folder)
    write_metrics(content, folder, metrics_at)
    Console().print(as_rich(result.report()))
    return float(content["overall"]["f1"])


if __name__ == "__main__":
    check_overrides("evaluate", sys.argv[1:])
    main()
