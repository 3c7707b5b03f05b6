"""All experiments, one after the other: what is not measured yet is measured, what is there is left as it is.

    make reproduce DATA=path     # a day on two cores where nothing is there; started again, it goes on where it stopped
    make reproduce QUICK=1       # every experiment in small, ten minutes on two cores; writes nothing

Each script skips what its csv holds: to measure an experiment anew, remove that csv (git keeps the old one). One that
fails or lacks its data does not stop the others; what they print is in outputs/reproduce. At the end the overview and
the README's results are rendered anew. The exit code is 1 where one has failed.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pages import HERE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from edrew_torch.datasets.packs import shared_data

ROOT = HERE.parent
DATA = shared_data()
LOGS = ROOT / "outputs" / "reproduce"
NUM_SHOWN = 5  # lines of what a script that failed has said last


@dataclass(frozen=True)
class Step:
    """A script, the folders of the shared data that it reads, and those that it reads even with --quick."""

    script: str
    needs: tuple[str, ...]
    quick_needs: tuple[str, ...] | None = ()  # None: it has no --quick
    arguments: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()  # done before where one of these is there; () where the script itself knows


@dataclass(frozen=True)
class Outcome:
    """How it went."""

    step: Step
    state: str  # done, failed, skipped
    note: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0


STEPS = (
    Step("signal/content/run.py", ("records",), ("records",)),
    Step("signal/records/run.py", ("records", "shops")),
    Step("jober/run.py", ("records", "shops")),
    Step("equivalence/run.py", ("records", "shops")),
    Step("records/run.py", ("records", "shops")),
    Step("wrappers/run.py", ("records", "shops")),
    Step("protocols/run.py", ("swde",)),
    Step("encoders/run.py", ("swde",)),
    Step("edrew/unique/run.py", ("swde",)),
    Step("edrew/verticals/run.py", ("swde",)),
    Step("edrew/settings/run.py", ("swde",)),
    Step("edrew/new_web/run.py", ("swde", "recipe")),
    Step(
        "news/train.py",
        ("articles",),
        None,
        ("--cross-validate",),
        ("outputs/news/judged.npz", "experiments/news/results.csv"),
    ),
    Step("news/run.py", ("articles", "swde")),
    Step("by_example/run.py", ("swde",)),
    Step("recipe/run.py", ("recipe",), ("recipe",)),
    Step("enriched/run.py", ("swde",)),
    Step("attributes/run.py", ("swde",)),
    Step("attributes/unseen.py", ("swde", "recipe", "articles")),
)


def main() -> None:
    """Run, report, render."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    is_quick = parser.parse_args().quick
    console = Console()
    steps = all_steps()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    outcomes: list[Outcome] = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Experiments", total=len(steps))
        for step in steps:
            progress.update(task, description=step.script)
            outcomes.append(run_step(step, HERE, DATA, is_quick))
            progress.advance(task)
            console.print(Text(told(outcomes[-1])), soft_wrap=True)
    console.print(summary(outcomes))
    if not is_quick:
        subprocess.run([sys.executable, str(HERE / "overview.py")], cwd=ROOT, check=True)
        console.print("To measure an experiment anew, remove its csv and start again.")
    sys.exit(any(outcome.state == "failed" for outcome in outcomes))


def all_steps() -> tuple[Step, ...]:
    """The steps above, and every other run.py: one that was added is not forgotten."""
    known = {step.script for step in STEPS}
    others = (script.relative_to(HERE).as_posix() for script in sorted(HERE.rglob("run.py")))
    return STEPS + tuple(Step(script, ("swde",)) for script in others if script not in known)


def run_step(step: Step, folder: Path, data: Path, is_quick: bool) -> Outcome:
    """Run one script to its end; what it says goes to its log."""
    needs = step.quick_needs if is_quick else step.needs
    if needs is None:
        return Outcome(step, "skipped", "has no small form")
    if lacking := [name for name in needs if not (data / name).is_dir()]:
        place = "make reproduce DATA=path says where the shared data is"
        return Outcome(step, "skipped", f"needs {', '.join(lacking)}, not in {data}: {place}")
    if there := [name for name in step.makes if (ROOT / name).exists()]:
        return Outcome(step, "skipped", f"{there[0]} is there")
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{step.script.removesuffix('.py').replace('/', '-')}{'-quick' if is_quick else ''}.log"
    command = [sys.executable, str(folder / step.script), *step.arguments, *(["--quick"] if is_quick else [])]
    begun, used = time.perf_counter(), cpu_seconds()
    with log.open("w", encoding="utf-8") as out:
        environment = os.environ | {"EDREW_DATA": str(data), "COLUMNS": "160"}
        code = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=environment).returncode
    seconds, used = time.perf_counter() - begun, cpu_seconds() - used
    if code == 0:
        return Outcome(step, "done", "", seconds, used)
    last = "\n".join(last_lines(log.read_text(encoding="utf-8", errors="replace").splitlines()))
    return Outcome(step, "failed", f"exit code {code}, {log}:\n{last}", seconds, used)


def last_lines(lines: Iterable[str]) -> Iterator[str]:
    """The last lines that say something."""
    yield from [f"    {line}" for line in lines if line.strip()][-NUM_SHOWN:]


def cpu_seconds() -> float:
    """Processor time of all scripts so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(outcome: Outcome) -> str:
    """One line, or what went wrong."""
    times = f" in {outcome.seconds:.0f} s ({outcome.cpu_seconds:.0f} s of processor)" if outcome.seconds else ""
    return f"{outcome.state:8}{outcome.step.script}{times}{': ' if outcome.note else ''}{outcome.note}"


def summary(outcomes: list[Outcome]) -> Table:
    """All in one table."""
    table = Table(title="Experiments", title_justify="left")
    for name in ("script", "state", "s", "s of processor"):
        table.add_column(name, justify="right" if name.startswith("s ") or name == "s" else "left")
    for each in outcomes:
        table.add_row(each.step.script, each.state, f"{each.seconds:.0f}", f"{each.cpu_seconds:.0f}")
    table.add_section()
    total = (sum(each.seconds for each in outcomes), sum(each.cpu_seconds for each in outcomes))
    failed = sum(each.state == "failed" for each in outcomes)
    skipped = sum(each.state == "skipped" for each in outcomes)
    table.add_row("all", f"{failed} failed, {skipped} skipped", *(f"{seconds:.0f}" for seconds in total))
    return table


if __name__ == "__main__":
    main()
