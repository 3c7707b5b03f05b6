"""Plots: figures of runs and pages, for people who look rather than read. Read by sweep.py, cli/, experiments/."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from edrew_torch.errors import BadConfig
from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.records.regions import contour
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.signal import DEFAULTS, SignalSettings, signal_lists
from edrew_torch.sweep import grouped, swept_keys
from edrew_torch.tree import Tree

MAX_SPECTRA = 4  # of the surest lists; more would be too small to see


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


def save_figure(figure: Figure, stem: Path) -> None:
    """Write a figure as PNG and SVG, the same bytes for the same figure."""
    with rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "none"}):
        figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(stem.with_suffix(".png"), dpi=120)


def plot_signal(tree: Tree, file: Path, settings: SignalSettings = DEFAULTS) -> None:
    """The page's tag path sequence with its contour and lists, and each list's spectrum with the peak at its records.

    Content is green, noise red. Velloso 2020, figures 2, 4 and 5.
    """
    page = page_sequence(tree)
    lists = signal_lists(page, settings)
    spectra = sorted((each for each in lists[:MAX_SPECTRA]), key=lambda each: each.records[0])
    figure = Figure(figsize=(12, 4 + 3 * bool(spectra)), layout="constrained")
    grid = figure.add_gridspec(1 + bool(spectra), max(len(spectra), 1))
    axes = figure.add_subplot(grid[0, :])
    if len(page):
        axes.plot(contour(page.code), color="tab:orange", linewidth=1, label="contour")
        axes.plot(page.code, color="tab:blue", linewidth=0.5, marker=".", markersize=2, label="tag path codes")
    for each in lists:
        start, end = each.records[0][0], each.records[-1][1]
        axes.axvspan(start, end, color="tab:green" if each.content else "tab:red", alpha=0.2)
        if each.content:
            axes.plot([begin for begin, _ in each.records], page.code[[begin for begin, _ in each.records]], "gs", ms=4)
    axes.set_xlabel("node in document order")
    axes.set_ylabel("code")
    axes.legend(loc="upper left")
    for column, each in enumerate(spectra):
        start, end = each.records[0][0], each.records[-1][1]
        region = page.code[start:end]
        power = np.abs(np.fft.rfft(region - region.mean())) ** 2
        below = figure.add_subplot(grid[1, column])
        below.plot(power, color="tab:blue", linewidth=0.8)
        number = len(each.records)
        if number < len(power):
            below.plot(number, power[number], "o", color="tab:green" if each.content else "tab:red")
        below.set_title(f"nodes {start} to {end}: {number} records, {each.confidence:.2f}", fontsize=9)
        below.set_xlabel("cycles")
        below.set_ylabel("power")
    try:
        figure.savefig(file, dpi=120)
    except ValueError as error:  # an ending that matplotlib has no format for
        raise BadConfig(f"{file} cannot be drawn: {error}. Give a name that ends in .png or .svg.") from None
