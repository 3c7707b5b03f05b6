"""Tables of scores for people and programs: the one place where a number gets its written form.

    Report(title, columns, rows, signature)   ->   terminal, Markdown, CSV or LaTeX

A float is a fraction and shown in % with one decimal; a whole number is a count; None is "-". CSV keeps raw numbers.
Read by the scripts, experiments/ and cli/.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.table import Table
from rich.text import Text

from edrew_torch import __version__
from edrew_torch.errors import BadData
from edrew_torch.metrics.statistics import mean_and_spread

if TYPE_CHECKING:  # training.py imports Lightning, which takes seconds
    from edrew_torch.training import Outcome

Cell: TypeAlias = str | int | float | None

MARKDOWN_SPECIAL = re.compile(r"([\\`*_|<>\[\]])")
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    **{character: f"{{{character}}}" for character in "[]*"},  # after `\\` LaTeX would read them as its arguments
}


@dataclass(frozen=True)
class Report:
    """A table: what it shows, its columns and rows, and what its figures were measured on."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    signature: str

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise BadData(
                    f"row {number} of the report {self.title!r} has {len(row)} cells and not {len(self.columns)}, "
                    "one per column: give None for a figure that is missing."
                )


def signature(data: str, protocol: str, seeds: Iterable[int], version: str = __version__) -> str:
    """Return the line under a table that says what its figures were measured on.

    >>> signature("swde@1f3a", "sites", [1, 2, 3, 7], "0.1.0")
    'data:swde@1f3a|protocol:sites|seeds:1-3,7|v:0.1.0'
    """
    runs: list[list[int]] = []
    for seed in sorted(set(seeds)):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    shown = ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    return f"data:{data}|protocol:{protocol}|seeds:{shown}|v:{version}"


def percent(fractions: Iterable[float]) -> str:
    """Return the mean of fractions in %, with its spread where there are several; "-" where there is none.

    >>> percent([0.52, 0.51, 0.53]), percent([0.5]), percent([])
    ('52.0 ± 1.0', '50.0', '-')
    """
    values = list(fractions)
    if not values:
        return "-"
    mean, spread = mean_and_spread(values)
    return f"{100 * mean:.1f} ± {100 * spread:.1f}" if len(values) > 1 else f"{100 * mean:.1f}"


def write_metrics(metrics: Mapping[str, Any], folder: Path, metrics_file: Path | None = None) -> None:
    """Write the metrics of a run to its folder as metrics.json, and to another file where that is asked for."""
    for file in (folder / "metrics.json", *([metrics_file] if metrics_file else [])):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(metrics, indent=2) + "\n")


def score_report(outcome: "Outcome", encoder: str) -> Report:
    """Return F1 per vertical of a run, beside the trivial rows."""
    trivial = {name.replace("_", " "): scores for name, scores in outcome.baselines.items()}
    return Report(
        "Relevant nodes of the test pages",
        ("vertical", "precision", "recall", *(f"F1 {name}" for name in (encoder, *trivial))),
        tuple(
            (vertical, score.precision, score.recall, score.f1, *(scores[vertical].f1 for scores in trivial.values()))
            for vertical, score in outcome.scores.items()
        ),
        outcome.signature,
    )


def score_table(outcome: "Outcome", encoder: str) -> Table:
    """Return the same for the terminal."""
    return as_rich(score_report(outcome, encoder))


def as_rich(report: Report) -> Table:
    """Return the table for the terminal, the row "all" set off from those it sums up."""
    # Text, not str: a "[b]" or ":on:" in a name is no markup here
    title, caption = Text(_title(report), style="table.title"), Text(report.signature, style="table.caption")
    width = max(title.cell_len, caption.cell_len)  # a narrower table would break the signature, which is there to copy
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left", min_width=width)
    for heading, is_number in zip(report.columns, _number_columns(report), strict=True):
        table.add_column(Text(heading), justify="right" if is_number else "left")
    for number, row in enumerate(report.rows):
        if number and row[:1] == ("all",):
            table.add_section()
        table.add_row(*(Text(_shown(cell)) for cell in row))
    return table


def as_markdown(report: Report) -> str:
    """Return the table in Markdown, as GitHub reads it."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def escape(text: str) -> str:
        return MARKDOWN_SPECIAL.sub(r"\\\1", _on_one_line(text))

    rules = ("---:" if is_number else "---" for is_number in _number_columns(report))
    lines = [
        f"**{escape(_title(report))}**",
        "",
        line(map(escape, report.columns)),
        f"|{'|'.join(rules)}|",
        *(line(escape(_shown(cell)) for cell in row) for row in report.rows),
        "",
        f"`{_on_one_line(report.signature)}`",
    ]
    return "\n".join(lines) + "\n"


def as_csv(report: Report) -> str:
    """Return columns and raw figures as CSV, the signature as a comment at its end; a missing figure is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(report.columns)
    writer.writerows(report.rows)
    return f"{text.getvalue()}# {_on_one_line(report.signature)}\n"


def as_latex(report: Report) -> str:
    """Return the table in LaTeX; the document needs the package booktabs."""

    def line(cells: Iterable[str]) -> str:
        return rf"    {' & '.join(cells)} \\"

    def escape(text: str) -> str:
        return "".join(LATEX_SPECIAL.get(character, character) for character in _on_one_line(text))

    alignment = "".join("r" if is_number else "l" for is_number in _number_columns(report))
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape(_title(report))}}}",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        line(map(escape, report.columns)),
        r"    \midrule",
        *(line(escape(_shown(cell)) for cell in row) for row in report.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \par\footnotesize\texttt{{{escape(report.signature)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _title(report: Report) -> str:
    has_fractions = any(_is_fraction(cell) for row in report.rows for cell in row)
    return f"{report.title}, %" if has_fractions else report.title


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{100 * cell:.1f}" if _is_fraction(cell) else str(cell)


def _is_fraction(cell: Cell) -> bool:
    return not (cell is None or isinstance(cell, str | Integral))


def _number_columns(report: Report) -> Sequence[bool]:
    return [
        any(cell is not None for cell in column) and not any(isinstance(cell, str) for cell in column)
        for column in (zip(*report.rows, strict=True) if report.rows else ((),) * len(report.columns))
    ]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def read_report(file: Path, title: str, signature: str) -> Report:
    """A table of others' figures, kept as CSV beside an experiment."""
    with file.open(encoding="utf-8") as given:
        columns, *rows = csv.reader(given)
    return Report(title, tuple(columns), tuple(map(tuple, rows)), signature)
