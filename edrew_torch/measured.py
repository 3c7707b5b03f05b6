"""Measured: the folder of an experiment: what was measured, on what, and the page that people read.

    results.csv     the figures, raw, a line each        measured.json   on what data, by which version
    results.md      the page, rendered from these two (and from what the folder holds of the literature) by `render()`

So a table can be drawn anew without the data, and a test can tell a page that was edited by hand. Every script under
experiments/ that writes a page has a `render()`. Read by experiments/.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edrew_torch import __version__
from edrew_torch.errors import BadData
from edrew_torch.report import Cell, signature


@dataclass(frozen=True)
class Measured:
    """The files of one table or group of tables; `name` tells several in one folder apart."""

    folder: Path
    columns: tuple[str, ...]
    name: str = "results"

    @property
    def file(self) -> Path:
        """The lines."""
        return self.folder / f"{self.name}.csv"

    def rows(self) -> list[dict[str, str]]:
        """The lines, as text; none before the first run."""
        if not self.file.exists():
            return []
        with self.file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            if tuple(reader.fieldnames or ()) != self.columns:
                raise BadData(f"{self.file} has the columns {reader.fieldnames}, not {self.columns}: remove it.")
            return list(reader)

    def as_rows(self, lines: Iterable[Sequence[Cell]]) -> list[dict[str, str]]:
        """Lines that are not kept, as `rows` would give them."""
        return [dict(zip(self.columns, map(str, line), strict=True)) for line in lines]

    def cells(self) -> list[tuple[Cell, ...]]:
        """The lines with figures as numbers, as `add` was given them; an empty cell is None."""
        return [tuple(map(as_cell, row.values())) for row in self.rows()]

    def add(self, rows: Iterable[Sequence[Cell]], data: str) -> None:
        """Add lines that were measured on this data."""
        is_new = not self.file.exists()
        with self.file.open("a", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerows([self.columns] if is_new else [])
            writer.writerows(rows)
        self._note(data)

    def replace(self, rows: Iterable[Sequence[Cell]], data: str) -> None:
        """Write all lines anew."""
        self.file.unlink(missing_ok=True)
        self.add(rows, data)

    def signature(self, protocol: str, seeds: Iterable[int] = ()) -> str:
        """The line under a table; it names the version of the latest lines, not of the program that renders."""
        about = self._about()[self.name]
        return signature(about["data"], protocol, seeds, about["version"])

    def sign(self, *claims: str) -> str:
        """The same where no seed was drawn: what else is to be known of the figures, such as `rule:…` or `split:…`."""
        about = self._about()[self.name]
        return "|".join((f"data:{about['data']}", *claims, f"v:{about['version']}"))

    def write(self, page: str) -> None:
        """Write the page."""
        (self.folder / f"{self.name}.md").write_text(page, encoding="utf-8")

    def _about(self) -> dict[str, Any]:
        file = self.folder / "measured.json"
        about: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return about

    def _note(self, data: str) -> None:
        about = self._about() | {self.name: {"data": data, "version": __version__}}
        (self.folder / "measured.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def read_table(file: Path) -> list[dict[str, str]]:
    """The lines of a csv that stands beside an experiment, such as what others published."""
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def as_cell(text: str) -> Cell:
    """What a cell of a csv says.

    >>> [as_cell(text) for text in ("30", "0.5", "67-70", "")]
    [30, 0.5, '67-70', None]
    """
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
