"""Sweeps: what Hydra's `-m` ends with, one table (mean ± standard deviation over the seeds) and a plot.

    outputs/sweep/NAME/encoder=elmo,seed=1/metrics.json   …   ->   sweep.csv  sweep.md  sweep.png

A run that is done is not run again when the sweep is started once more under its name (`sweep=NAME`).
Reads the run folders; called by Hydra (configs/train.yaml, `hydra.callbacks`) and by train.py.
"""

import json
import logging
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.report import Report, as_csv, as_markdown, as_rich, signature

IGNORED = ("metrics_file", "sweep", "resume")  # keys that do not change what a run gives


class SweepTable(Callback):
    """Hydra calls it when all jobs of a sweep have ended."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Print the table and write it beside the runs."""
        folder = Path(config.hydra.sweep.dir)
        runs = read_runs(folder)
        if not runs:
            return
        report = sweep_report(runs, folder.name)
        Console().print(as_rich(report))
        (folder / "sweep.csv").write_text(as_csv(report))
        (folder / "sweep.md").write_text(as_markdown(report))
        from edrew_torch.plots import plot_sweep

        # at an axis of texts that look like numbers it asks, point by point, whether they are meant as numbers
        logging.getLogger("matplotlib.category").setLevel(logging.WARNING)
        plot_sweep(runs, folder / "sweep.png")
        Console(stderr=True).print(f"Sweep folder: {folder}", soft_wrap=True)


def finished_score(config: DictConfig, folder: Path) -> float | None:
    """F1 of the run that stands in `folder` complete and with this very configuration; None where there is none."""
    metrics, old = folder / "metrics.json", folder / "config.yaml"
    if not (metrics.is_file() and old.is_file()) or _compared(OmegaConf.load(old)) != _compared(config):
        return None
    return float(json.loads(metrics.read_text())["overall"]["f1"])


def _compared(config: Any) -> dict[str, Any]:
    content: dict[str, Any] = OmegaConf.to_container(config, resolve=True)  # type: ignore[assignment]
    return {key: value for key, value in content.items() if key not in IGNORED}


def read_runs(folder: Path) -> list[dict[str, Any]]:
    """The metrics of every finished run below `folder`, each with the `overrides` that it was started with."""
    runs = []
    for file in sorted(folder.rglob("metrics.json")):  # a path among the overrides makes folders in folders
        given = file.parent / ".hydra" / "overrides.yaml"
        if not given.is_file():
            continue  # a copy that somebody wanted here (metrics_file=…)
        overrides = OmegaConf.load(given)
        pairs = dict(str(override).lstrip("+").split("=", 1) for override in overrides if "=" in str(override))
        metrics = json.loads(file.read_text())
        runs.append({**metrics, "overrides": {key: value for key, value in pairs.items() if key not in IGNORED}})
    return runs


def grouped(runs: list[dict[str, Any]]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """Runs that differ in their seed alone, by the values of what else was swept."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for run in runs:
        groups.setdefault(tuple(run["overrides"].get(key, "") for key in swept_keys(runs)), []).append(run)
    return dict(sorted(groups.items(), key=lambda item: [_order(value) for value in item[0]]))


def swept_keys(runs: list[dict[str, Any]]) -> tuple[str, ...]:
    """The keys that do not have the same value in all runs, the seed left out."""
    keys = dict.fromkeys(key for run in runs for key in run["overrides"] if key != "seed")
    return tuple(key for key in keys if len({run["overrides"].get(key) for run in runs}) > 1)


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def sweep_report(runs: list[dict[str, Any]], name: str) -> Report:
    """A row for each setting: F1 of all and of each vertical, mean ± standard deviation over its seeds."""
    verticals = list(runs[0]["verticals"])
    keys = swept_keys(runs)
    has_lookup = all("lookup" in run["baselines"] for run in runs)  # the task `attributes` has no trivial models
    rows: list[tuple[str | int | float | None, ...]] = []
    for values, group in grouped(runs).items():
        scores = [[run["overall"]["f1"] for run in group]]
        scores += [[run["verticals"].get(vertical, {"f1": 0.0})["f1"] for run in group] for vertical in verticals]
        scores += [[run["baselines"]["lookup"]["f1"] for run in group]] if has_lookup else []
        shown = [f"{100 * mean:.1f} ± {100 * spread:.1f}" for mean, spread in map(mean_and_spread, scores)]
        rows.append((*values, len(group), *shown))
    columns = (*keys, "runs", "F1 all", *(f"F1 {vertical}" for vertical in verticals))
    columns += ("F1 lookup",) if has_lookup else ()
    seeds: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        seeds.setdefault((run["data"], run["split"]), []).append(run["seed"])
    signed = " ".join(signature(*what, numbers) for what, numbers in sorted(seeds.items()))
    return Report(f"Sweep {name}, %", columns, tuple(rows), signed)
