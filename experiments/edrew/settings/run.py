"""The settings of EDREW: figures 10, 19, 20, 21 and 23 of the thesis, on the vertical auto.

    python experiments/edrew/settings/run.py            # 477 unique pages, 108 runs: 9 minutes on 1 core
    python experiments/edrew/settings/run.py --quick    # the embedded sample, two thresholds, prints: half a minute

Length of the reTPS, epochs, learning rate, batch size, seed of the split; each alone is changed, the rest is as in
../node_runs.py: the published recipe under `rows-balanced`, this project's under `pages` and `sites`. All on auto, as
the thesis did for figure 10 (for the others it does not say): with batch size 1, 50 epochs of all verticals would take
half an hour in train.py. Writes results.csv (the counts of each run on the test nodes), curve.csv (F1 on the
validation nodes after each epoch), the figures and results.md beside this file; what is there is not run again.
`paper.csv`: what the thesis says of its figures, which it plots and does not print.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.measured import Measured
from edrew_torch.metrics.nodes import NodeScore
from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.plots import save_figure
from edrew_torch.profile import PROFILES
from edrew_torch.report import Cell, Report, as_markdown, as_rich, percent

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import node_runs  # noqa: E402
from node_runs import COUNTS  # noqa: E402

PROTOCOLS = ("rows-balanced", "pages", "sites")
MODELS = ("elmo", "lookup")
SEEDS = (1, 2, 3)
MANY_SEEDS = tuple(range(1, 11))  # figure 23
USUAL = {  # the values of node_runs, by protocol
    "threshold": dict.fromkeys(PROTOCOLS, 20),
    "learning rate": {"rows-balanced": 0.001, "pages": 0.01, "sites": 0.01},
    "batch size": {"rows-balanced": node_runs.BATCH_SIZE, "pages": 256, "sites": 256},
}
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01)
VALUES: dict[str, dict[str, tuple[float, ...]]] = {
    "threshold": dict.fromkeys(PROTOCOLS, (5, 10, 20, 30, 40)),
    "learning rate": {"rows-balanced": RATES, "pages": RATES[2:], "sites": RATES[2:]},
    "batch size": {
        "rows-balanced": (1, 4, 16, 32, 64, 128),
        "pages": (32, 128, 256),
        "sites": (32, 128, 256),
    },
}
FIGURES = {"threshold": "figure_10", "learning rate": "figure_20", "batch size": "figure_21", "seed": "figure_23"}
ARGUMENTS = {"learning rate": "learning_rate", "batch size": "batch_size"}
PUBLISHED_FOR_DISTINCT = node_runs.AS_PUBLISHED | {"choose_threshold": True, "distinct_rows": True}
CURVES = {  # figure 19: what is changed of the recipe
    ("rows-balanced", 1): {"batch_size": 1},
    ("rows-balanced", 32): {"max_epochs": 100},
    ("pages", 32): PUBLISHED_FOR_DISTINCT | {"max_epochs": 100},
    ("sites", 32): PUBLISHED_FOR_DISTINCT | {"max_epochs": 100},
}
EPOCHS_SHOWN = (1, 2, 5, 10, 20, 30, 40, 50, 75, 100)
MEASURED = Measured(HERE, ("setting", "value", "protocol", "seed", "model", *COUNTS))
CURVE = Measured(HERE, ("protocol", "batch size", "seed", "epoch", "F1"), "curve")
Key = tuple[str, float, str, int]  # setting, value, protocol, seed
Row = dict[str, str]


def main() -> None:
    """Run what is missing, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        show_quick()
        return
    done = {tuple(row.values())[:4] for row in MEASURED.rows()}
    missing = [key for key in wanted() if tuple(map(str, key)) not in done]
    for key in track(missing, "Runs", console=Console(stderr=True), transient=True):
        data = auto_pages(int(key[1]) if key[0] == "threshold" else 20)
        if key[0] == "epochs":
            run_curve(data, key)
        else:
            found, _ = node_runs.train_and_score(data, key[2], key[3], **changes(*key[:2]))
            MEASURED.add(lines_of(key, found), auto_pages(20).checksum)
    draw()
    MEASURED.write(render())
    print(render())


def wanted() -> list[Key]:
    """Every run, the most wanted first; one with the usual value of all settings is a run of `seed`."""
    seeds: list[Key] = [("seed", seed, protocol, seed) for seed, protocol in product(MANY_SEEDS, PROTOCOLS)]
    curves: list[Key] = [("epochs", batch_size, protocol, 1) for protocol, batch_size in CURVES]
    others: list[Key] = []
    for setting, of_protocol in VALUES.items():
        for protocol, values in of_protocol.items():
            for value, seed in product(values, SEEDS):
                # batch size 1 is a curve already; 4 is slow, and on whole pages the size is a matter of time alone
                is_one = setting == "batch size" and (value == 4 or protocol != "rows-balanced")
                is_left_out = (setting, value) == ("batch size", 1) or (is_one and seed > 1)
                if value != USUAL[setting][protocol] and not is_left_out:
                    others.append((setting, value, protocol, seed))
    return [key for key in seeds if key[3] in SEEDS] + curves + others + [key for key in seeds if key[3] not in SEEDS]


def changes(setting: str, value: float) -> dict[str, float]:
    """What a run is told other than the recipe says."""
    return {ARGUMENTS[setting]: value} if setting in ARGUMENTS else {}


@cache
def auto_pages(threshold: int) -> PreparedData:
    """The same pages for every length: unique ones are those that are so with 20 elements."""
    if threshold == 20:
        return node_runs.load_unique(verticals=("auto",))
    kept = {(page.site, page.page_id) for page in auto_pages(20).pages}
    profile = replace(PROFILES["thesis"], threshold=threshold)
    every = load_data("swde", profile, root=node_runs.DATA / "swde", verticals=("auto",), processes=1)
    return node_runs.part_of(every, lambda page: (page.site, page.page_id) in kept)


def run_curve(data: PreparedData, key: Key) -> None:
    """A run of figure 19; with batch size 1 it is also one of figure 21."""
    _, batch_size, protocol, seed = key
    how = CURVES[protocol, int(batch_size)]
    found, curve = node_runs.train_and_score(data, protocol, seed, **how)
    CURVE.add([(protocol, int(batch_size), seed, epoch, f1) for epoch, f1 in enumerate(curve, 1)], data.checksum)
    MEASURED.add(lines_of(key, found), data.checksum)


def lines_of(key: Key, found: node_runs.Scores) -> list[tuple[Cell, ...]]:
    """The lines of a run."""
    return [(*key, model, *node_runs.counts_of(scores["all"])) for model, scores in found.items()]


def show_quick() -> None:
    """Two lengths of the reTPS on the sample."""
    lines = []
    for threshold in (5, 20):
        profile = replace(PROFILES["thesis"], threshold=threshold)
        data = load_data("sample", profile, pages=10, verticals=("auto",))
        found, _ = node_runs.train_and_score(data, "pages", 1, **node_runs.QUICK)
        lines.append((threshold, *(found[model]["all"].f1 for model in MODELS)))
    title = "Length of the reTPS, the sample, three epochs: F1"
    Console().print(as_rich(Report(title, ("threshold", *MODELS), tuple(lines), data.checksum)))


# --- the page -------------------------------------------------------------------------------------------------------


def render() -> str:
    """A table for each figure."""
    rows = MEASURED.rows()
    parts = [
        sweep_table(rows, "threshold", "Figure 10: length of the reTPS"),
        curve_table(),
        sweep_table(rows, "learning rate", "Figure 20: learning rate"),
        sweep_table(rows, "batch size", "Figure 21: batch size"),
        sweep_table(rows, "seed", "Figure 23: seed of the split"),
        seeds_table(rows),
    ]
    named = figures()
    # names with dots, broken over lines: nothing for str.format
    notes = re.sub(r"{([^{}]+)}", lambda found: named[" ".join(found[1].split())], NOTES)
    return "\n".join(map(as_markdown, parts)) + notes


def scores(rows: Sequence[Row], setting: str, value: float, protocol: str, model: str) -> list[NodeScore]:
    """The scores of the seeds; the usual value's are of the runs of `seed`."""
    if setting == "batch size" and value == 1:
        setting = "epochs"  # that run is a curve as well
    is_usual = setting in USUAL and value == USUAL[setting][protocol]
    return [
        node_runs.score_of(row)
        for row in rows
        if (row["protocol"], row["model"]) == (protocol, model)
        and (
            (row["setting"] == "seed" and int(row["seed"]) in SEEDS)
            if is_usual
            else (row["setting"] == setting and float(row["value"]) == value)
        )
    ]


def values_of(setting: str) -> list[float]:
    """All values that were tried under some protocol."""
    if setting == "seed":
        return [float(seed) for seed in MANY_SEEDS]
    return sorted({float(value) for values in VALUES[setting].values() for value in values})


def f1_cell(found: list[NodeScore]) -> str | None:
    """F1 over the seeds."""
    return percent(score.f1 for score in found) if found else None


def sweep_table(rows: Sequence[Row], setting: str, title: str) -> Report:
    """F1 for each value."""
    lines = []
    for value in values_of(setting):
        cells = [f1_cell(scores(rows, setting, value, protocol, model)) for protocol in PROTOCOLS for model in MODELS]
        lines.append((f"{value:g}", *cells))
    columns = (setting, *(f"{protocol}, {model}" for protocol in PROTOCOLS for model in MODELS))
    seeds = {int(row["seed"]) for row in rows if row["setting"] in (setting, "seed")}
    kept = seeds if setting == "seed" else seeds & set(SEEDS)
    sign = MEASURED.signature("each column's own", kept)
    return Report(f"{title}, auto, F1 of the relevant class, %", columns, tuple(lines), sign)


def seeds_table(rows: Sequence[Row]) -> Report:
    """What ten seeds make of one and the same model."""
    lines = []
    for protocol, model in product(PROTOCOLS, MODELS):
        found = [score.f1 for seed in MANY_SEEDS for score in scores(rows, "seed", seed, protocol, model)]
        if found:
            mean, spread = mean_and_spread(found)
            lines.append((protocol, model, *(f"{100 * each:.1f}" for each in (mean, spread, min(found), max(found)))))
    columns = ("protocol", "model", "mean", "standard deviation", "least", "most")
    sign = MEASURED.signature("each row's own", MANY_SEEDS)
    return Report("Figure 23: ten seeds, auto, F1, %", columns, tuple(lines), sign)


def curves() -> dict[tuple[str, int], list[float]]:
    """F1 on the validation nodes after each epoch."""
    found: dict[tuple[str, int], list[float]] = {}
    for row in CURVE.rows():
        found.setdefault((row["protocol"], int(row["batch size"])), []).append(float(row["F1"]))
    return found


def curve_table() -> Report:
    """Some epochs of figure 19."""
    found = curves()
    lines = []
    for epoch in EPOCHS_SHOWN:
        cells = [f"{100 * curve[epoch - 1]:.1f}" if epoch <= len(curve) else None for curve in found.values()]
        lines.append((str(epoch), *cells))
    columns = ("epoch", *(f"{protocol}, batch size {size}" for protocol, size in found))
    title = "Figure 19: F1 on the validation nodes after each epoch, auto, %"
    return Report(title, columns, tuple(lines), CURVE.signature("each column's own", (1,)))


def figures() -> dict[str, str]:
    """What verdicts.csv names: F1 at each value, the best value, and how far apart the values lie."""
    rows = MEASURED.rows()
    named = {}
    for setting, protocol, model in product(FIGURES, PROTOCOLS, MODELS):
        f1 = {}
        for value in values_of(setting):
            if found := scores(rows, setting, value, protocol, model):
                f1[value] = mean_and_spread([score.f1 for score in found])[0]
                named[f"{setting} {value:g}/{protocol}/{model}"] = f"{100 * f1[value]:.1f}"
        if f1:
            key = f"{setting}/{protocol}/{model}"
            named[f"best {key}"] = f"{max(f1, key=f1.__getitem__):g}"
            named[f"range {key}"] = f"{100 * min(f1.values()):.1f} to {100 * max(f1.values()):.1f}"
            named[f"spread {key}"] = f"{100 * mean_and_spread(list(f1.values()))[1]:.1f}"
    for (protocol, size), curve in curves().items():
        found = scores(rows, "epochs", size, protocol, "elmo")
        named[f"epochs {size}/{protocol}/elmo"] = f"{100 * found[0].f1:.1f}"
        for epoch in EPOCHS_SHOWN:
            if epoch <= len(curve):
                named[f"epoch {epoch}/{protocol}/{size}"] = f"{100 * curve[epoch - 1]:.1f}"
    return named


def draw() -> None:
    """One figure for each setting, and the curves."""
    rows = MEASURED.rows()
    for setting, name in FIGURES.items():
        figure = Figure(figsize=(8.5, 4), layout="constrained")
        axes = figure.add_subplot()
        for number, (protocol, model) in enumerate(product(PROTOCOLS, MODELS)):
            there = [(value, scores(rows, setting, value, protocol, model)) for value in values_of(setting)]
            points = [(value, *mean_and_spread([each.f1 for each in found])) for value, found in there if found]
            values, means, spreads = zip(*points, strict=True)
            axes.errorbar(
                values,
                [100 * mean for mean in means],
                yerr=[100 * spread for spread in spreads],
                color=f"C{number // 2}",
                linestyle="-" if model == "elmo" else ":",
                marker="o" if model == "elmo" else None,
                capsize=2,
                label=f"{protocol}, {model}",
            )
        if setting in ARGUMENTS:
            axes.set_xscale("log")
        label(axes, setting)
        save_figure(figure, HERE / name)
    figure = Figure(figsize=(8.5, 4), layout="constrained")
    axes = figure.add_subplot()
    for (protocol, size), curve in curves().items():
        axes.plot(range(1, len(curve) + 1), [100 * f1 for f1 in curve], label=f"{protocol}, batch size {size}")
    label(axes, "epoch")
    axes.set_ylabel("F1 on the validation nodes, %")
    save_figure(figure, HERE / "figure_19")


def label(axes, name: str) -> None:
    """What both kinds of figure carry."""
    axes.set_xlabel(name)
    axes.set_ylabel("F1 of the relevant class, %")
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))


NOTES = """
`python experiments/edrew/settings/run.py`. Figures, each also as SVG: [10](figure_10.png), [19](figure_19.png),
[20](figure_20.png), [21](figure_21.png), [23](figure_23.png). ± is over three seeds; what
has none is of seed 1, the curves too.

- The thesis plots these figures and prints none of their values: what can be compared is what its text says of them.
- Figure 10, length of the reTPS: under `rows-balanced` it hardly matters (F1 {range threshold/rows-balanced/elmo}), so
  20 is as good as any. On unseen pages shorter ones are better ({threshold 5/pages/elmo} at 5, {threshold
  10/pages/elmo} at 10, {threshold 20/pages/elmo} at 20), and on unseen sites by far, if not evenly:
  {threshold 5/sites/elmo} at 5, {threshold 20/sites/elmo} at 20, where even a lookup has {threshold 5/sites/lookup} and
  {threshold 20/sites/lookup}: the end of a path recurs on other sites, its whole does not.
  These are test figures: nothing was chosen by them.
- Figure 19, epochs: little is gained after 50, as the text says: {epoch 50/rows-balanced/32} after 50 and {epoch
  100/rows-balanced/32} after 100 (batch size 32), {epoch 20/rows-balanced/1} after 20 and {epoch 50/rows-balanced/1}
  after 50 with the thesis's batch size 1. On all nodes of whole pages the same recipe (distinct rows, threshold chosen)
  still gains, {epoch 50/pages/32} after 50 and {epoch 100/pages/32} after 100; hence this project's own for
  `pages` and `sites`. The validation nodes of `sites` are other pages of the five sites that
  are trained on: {epoch 100/sites/32} there, {epochs 32/sites/elmo} on the test nodes, all of unseen sites.
- Figure 20, learning rate: from 0.001 on there is little difference, as the text says ({learning rate
  0.001/rows-balanced/elmo}, {learning rate 0.003/rows-balanced/elmo}, {learning rate 0.01/rows-balanced/elmo}); below
  it falls to {learning rate 0.0001/rows-balanced/elmo} at 0.0001. On unseen pages 0.01 is best; on unseen sites the
  rates differ by less than their spread.
- Figure 21, batch size: little difference up to 64, as the text says: with seed 1 {batch size 1/rows-balanced/elmo}
  at 1, {batch size 4/rows-balanced/elmo} at 4 and {seed 1/rows-balanced/elmo} at 32, so nothing is lost with 32 nodes
  to a step; over three seeds {batch size 16/rows-balanced/elmo} at 16, {batch size 128/rows-balanced/elmo} at 128.
- Figure 23, seeds: a standard deviation of {spread seed/rows-balanced/elmo} over ten seeds under `rows-balanced`,
  {spread seed/pages/elmo} on unseen pages, {spread seed/sites/elmo} on unseen sites, where the seed also says which
  five sites are known. “Lack of influence” holds for the first. Our seed also begins the weights.
"""


if __name__ == "__main__":
    main()
