"""What a protocol makes of one and the same trivial model: the table that explains a published 97.

    python experiments/protocols/run.py            # 5,760 pages of SWDE, 3 seeds: a minute to prepare, then seconds
    python experiments/protocols/run.py --quick    # the embedded sample, some seconds; prints

Writes results.csv (a line per run) and results.md beside this file; to measure anew, remove results.csv. `trial.csv`
holds the figures of an earlier trial on 3,200 other pages of SWDE (40 of each of its 80 sites).
"""

import argparse
from pathlib import Path

from rich.console import Console

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.evaluation import evaluate
from edrew_torch.measured import Measured, read_table
from edrew_torch.profile import PROFILES
from edrew_torch.report import Cell, Report, as_markdown, as_rich, percent, signature

HERE = Path(__file__).parent
DATA = shared_data()
PROTOCOLS = ("rows", "rows-balanced", "unique", "pages", "sites")
SEEDS = (1, 2, 3)
MEASURED = Measured(HERE, ("protocol", "model", "seed", "weighted F1", "F1", "F1, lost values missed"))


def main() -> None:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        data = load_data("sample", PROFILES["thesis"])
        sign = signature(data.checksum, "each row's own", SEEDS)
        Console().print(as_rich(summary(measure(data), sign)))
        return
    if not MEASURED.file.exists():
        data = load_data("swde", PROFILES["thesis"], root=DATA / "swde")
        MEASURED.replace(measure(data), data.checksum)
    MEASURED.write(render())
    print(render())


def measure(data: PreparedData) -> list[tuple[Cell, ...]]:
    """A line for each protocol, seed and trivial model."""
    runs: list[tuple[Cell, ...]] = []
    for protocol in PROTOCOLS:
        for seed in SEEDS:
            result = evaluate(data, "lookup", protocol, seed)
            for model, scores in result.baselines.items():
                score = scores["all"]
                runs.append((protocol, model, seed, score.weighted_f1, score.f1, score.value_f1))
    return runs


def render() -> str:
    """The summary of all runs."""
    runs = MEASURED.cells()
    return as_markdown(summary(runs, MEASURED.signature("each row's own", {run[2] for run in runs}))) + NOTES


def summary(runs: list[tuple[Cell, ...]], sign: str) -> Report:
    """Mean and standard deviation over the seeds, beside the trial's figures."""
    trial = {(row["protocol"], row["model"]): row for row in read_table(HERE / "trial.csv")}
    rows = []
    for protocol, model in dict.fromkeys(run[:2] for run in runs):
        figures = [run[3:] for run in runs if run[:2] == (protocol, model)]
        shown = map(percent, zip(*figures, strict=True))
        theirs = trial.get((protocol, model), {})
        rows.append((protocol, model, *shown, theirs.get("weighted F1") or "-", theirs.get("F1") or "-"))
    columns = ("protocol", "model", "weighted F1", "F1", "F1, lost values missed", "trial: weighted F1", "trial: F1")
    return Report("The same two models under five protocols, %", columns, tuple(rows), sign)


NOTES = """
`python experiments/protocols/run.py`. `lookup` has the majority label of each reTPS of the training nodes. The trial's
pages are others: 40 of each of 80 sites.
"""


if __name__ == "__main__":
    main()
