"""The four encoders under four protocols, three seeds each, beside always-noise and lookup (thesis, figure 22).

    python experiments/encoders/run.py            # 5,760 pages of SWDE, 48 runs: 30 minutes on 2 cores
    python experiments/encoders/run.py --quick    # the embedded sample, unseen pages, three epochs: a minute; prints

It is a sweep of train.py in the profile `thesis`; started again, it goes on where it stopped. Writes results.csv (one
line a run), figure_22 and results.md beside this file; to measure anew, remove results.csv and
outputs/experiments/encoders.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.figure import Figure
from rich.console import Console

from edrew_torch.datasets.packs import shared_data
from edrew_torch.measured import Measured
from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.plots import save_figure
from edrew_torch.report import Cell, Report, as_markdown, as_rich, percent, signature
from edrew_torch.sweep import read_runs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATA = shared_data()
ENCODERS = ("elmo", "bert", "glove", "native")
PROTOCOLS = ("rows", "rows-balanced", "pages", "sites")
MODELS = ("always_noise", "lookup", *ENCODERS)
FIGURES = ("weighted F1", "F1", "F1, lost values missed", "mean F1 of verticals")
MEASURED = Measured(HERE, ("protocol", "model", "seed", *FIGURES))
QUICK = ("data=sample", "data.pages=12", "protocol=pages", "seed=1", "trainer.max_epochs=3")


def main() -> None:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        with TemporaryDirectory() as folder:
            lines, data = sweep(Path(folder), *QUICK)
        Console().print(as_rich(summary(lines, signature(data, "pages", [1]))))
        return
    if not MEASURED.file.exists():
        protocols = f"protocol={','.join(PROTOCOLS)}"
        overrides = ("data=swde", f"data.root={DATA / 'swde'}", protocols, "seed=1,2,3")
        MEASURED.replace(*sweep(ROOT / "outputs" / "experiments" / "encoders", *overrides))
    draw()
    MEASURED.write(render())
    print(render())


def sweep(folder: Path, *overrides: str) -> tuple[list[tuple[Cell, ...]], str]:
    """Run what is missing of a sweep over the encoders; its lines in order, and the data."""
    command = [sys.executable, "train.py", "-m", f"hydra.sweep.dir={folder}", "retps=thesis", *overrides]
    command += [f"encoder={','.join(ENCODERS)}", "trainer.progress_bar=false"]
    command += ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    runs = read_runs(folder)
    lines = {line for run in runs for line in lines_of(run)}
    order = sorted(lines, key=lambda line: (PROTOCOLS.index(line[0]), MODELS.index(line[1]), line[2]))
    return order, runs[0]["data"]


def render() -> str:
    """The summary of all runs."""
    lines = MEASURED.cells()
    return as_markdown(summary(lines, MEASURED.signature("each row's own", {line[2] for line in lines}))) + NOTES


def lines_of(run: dict[str, Any]) -> list[tuple[str, str, int, float, float, float, float | None]]:
    """The figures of a run's model and of the trivial ones beside it."""
    models = {run["encoder"]: (run["overall"], run["mean"]["f1"])}
    models |= {name: (scores, None) for name, scores in run["baselines"].items()}
    return [
        (run["protocol"], name, run["seed"], scores["weighted_f1"], scores["f1"], scores["value_f1"], mean)
        for name, (scores, mean) in models.items()
    ]


def summary(lines: list[tuple[Cell, ...]], sign: str) -> Report:
    """Mean and standard deviation over the seeds."""
    rows = []
    for protocol, model in dict.fromkeys(line[:2] for line in lines):
        figures = zip(*(line[3:] for line in lines if line[:2] == (protocol, model)), strict=True)
        rows.append((protocol, model, *(percent(() if None in values else values) for values in figures)))
    columns = ("protocol", "model", *FIGURES)
    return Report("Encoders under four protocols, profile thesis, %", columns, tuple(rows), sign)


def draw() -> None:
    """Figure 22: F1 of the relevant class, a group of bars for each protocol."""
    lines = MEASURED.cells()
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot()
    shown = ("lookup", *ENCODERS)
    for number, model in enumerate(shown):
        place = FIGURES.index("F1") + 3
        f1 = [[line[place] for line in lines if line[:2] == (protocol, model)] for protocol in PROTOCOLS]
        means, spreads = zip(*map(mean_and_spread, f1), strict=True)
        places = [group + (number - 2) * 0.16 for group in range(len(PROTOCOLS))]
        heights, errors = [100 * mean for mean in means], [100 * spread for spread in spreads]
        axes.bar(places, heights, 0.16, yerr=errors, capsize=2, label=model)
    axes.set_xticks(range(len(PROTOCOLS)), PROTOCOLS)
    axes.set_ylabel("F1 of the relevant class, %")
    axes.set_ylim(0, 100)
    axes.grid(alpha=0.3, axis="y")
    axes.legend()
    save_figure(figure, HERE / "figure_22")


NOTES = """
`python experiments/encoders/run.py`. Figure 22: [PNG](figure_22.png), [SVG](figure_22.svg).

- The thesis (figure 22) has ELMo a little over BERT, both far over GloVe; its figures are plotted, not printed, and its
  protocol is most likely `rows-balanced`.
- ELMo, BERT and GloVe are the embedded ones, frozen: small, pretrained by this project on rows of the training pages of
  `pages`, seed 1 (profile full, no labels). Under that protocol and seed they have not seen the test pages; under the
  other seeds and protocols they have read most of them, without labels. `native` begins from random weights.
- The three frozen encoders stay far below a lookup of the exact reTPS: their head reads a mean over elements, which
  forgets most of the path. `native` also sees prefixes of the path as wholes, most of what a lookup knows; hence its
  place. Its form was chosen in a trial on the validation pages of `pages`, seed 1, some of which are test pages of the
  other seeds and protocols.
- `sites` trains one fold for each seed (k = 5): its spread is over sites, too. The trivial rows there are of the same
  folds.
"""


if __name__ == "__main__":
    main()
