"""Plots: figures of runs, for people who would rather look than read. Read by sweep.py and experiments/."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.sweep import grouped, swept_keys


def plot_sweep(runs: list[dict[str, Any]], file: Path) -> None:
    """F1 over the values of the first swept key, a line for each setting of the others; bars show the seeds' spread."""
    keys = swept_keys(runs)
    lines: dict[str, list[tuple[str, float, float]]] = {}
    for values, group in grouped(runs).items():
        mean, spread = mean_and_spread([100 * run["overall"]["f1"] for run in group])
        label = ", ".join(f"{key}={value}" for key, value in zip(keys[1:], values[1:], strict=True))
        lines.setdefault(label, []).append((values[0] if values else "all runs", mean, spread))
    figure = Figure(figsize=(7, 4), layout="constrained")  # no pyplot: no window, no global state
    axes = figure.add_subplot()
    for label, points in lines.items():
        names, means, spreads = zip(*points, strict=True)
        axes.errorbar(names, means, yerr=spreads, marker="o", capsize=3, label=label or None)
    axes.set_xlabel(keys[0] if keys else "")
    axes.set_ylabel("F1 of the relevant class, %")
    axes.grid(alpha=0.3)
    if len(lines) > 1:
        axes.legend()
    figure.savefig(file, dpi=150)
