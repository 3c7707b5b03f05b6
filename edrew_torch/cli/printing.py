"""Values and records, printed as lines, CSV or tables. Read by values.py, lists.py and wrappers.py."""

import csv
import sys
from typing import TYPE_CHECKING

from edrew_torch.cli.arguments import RecordsForm

if TYPE_CHECKING:
    from edrew_torch.result import Result

VALUE_COLUMNS = ("source", "attribute", "text", "xpath", "confidence")
MIN_WIDTH = 10  # characters of the terminal for each column of a table; narrower ones cannot be read


def print_values_text(result: "Result") -> None:
    """Print the values a line each, under the title of their page."""
    print(printable(result.title or result.source))
    width = max((len(each.attribute or "") for each in result.values), default=0)
    for each in result.values:
        print(f"  {each.attribute or '':{width}}  {printable(each.text)}  ({each.confidence:.2f})")


def print_values_csv(result: "Result") -> None:
    """Print the values as lines of CSV; VALUE_COLUMNS is the line above them."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for each in result.values:
        writer.writerow([result.source, each.attribute or "", each.text, each.xpath, f"{each.confidence:.2f}"])


def print_values_table(result: "Result") -> None:
    """Print the values as a table, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if result.values:
        title = Text(printable(f"{result.source}: {result.title or ''}"))
        table = Table(*VALUE_COLUMNS[1:], title=title)
        for each in result.values:
            cells = (each.attribute or "", each.text, each.xpath, f"{each.confidence:.2f}")
            table.add_row(*(Text(printable(cell)) for cell in cells))
        Console().print(table)


def printable(text: str) -> str:
    """The text without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def print_records(result: "Result", form: RecordsForm) -> None:
    """Print the tables of a page, and what went wrong to standard error."""
    for warning in result.warnings:
        print(f"{result.source}: {warning}", file=sys.stderr)
    if form in (RecordsForm.json, RecordsForm.jsonl):
        print(result.as_json())
    elif form is RecordsForm.csv:
        print("\n".join(region.as_csv() for region in result.regions), end="")
    else:
        print_tables(result)


def print_tables(result: "Result") -> None:
    """Print the regions as tables, as wide as the terminal; columns without any text are left out."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for region in result.regions:
        kind = "content" if region.content else "noise"
        title = f"{result.source}: {len(region.rows)} records, {kind}, confidence {region.confidence:.2f}"
        console.print(Text(title), soft_wrap=True)
        # a page must not steer the terminal
        rows = [[printable((cell.text or cell.src or "") if cell else "") for cell in row] for row in region.rows]
        used = [place for place, column in enumerate(zip(*rows, strict=True)) if any(column)]
        if len(used) * MIN_WIDTH > console.width:
            print_record_lines(rows, region.columns)
            continue
        table = Table(*(region.columns[place] for place in used if region.columns), show_lines=True)
        table.show_header = bool(region.columns)
        for row in rows:
            table.add_row(*(Text(row[place]) for place in used))
        console.print(table)


def print_record_lines(rows: list[list[str]], columns: tuple[str, ...]) -> None:
    """Print each record as lines, one for each of its texts: what a table is too narrow for."""
    width = max(map(len, columns), default=0)
    for number, row in enumerate(rows, start=1):
        print(f"record {number}")
        for name, text in zip(columns or [""] * len(row), row, strict=True):
            if text:
                print(f"  {name:{width}}  {text}" if width else f"  {text}")
