"""Values and records, printed as lines, CSV or tables. Read by values.py, lists.py and wrappers.py."""

import csv
import sys
from typing import TYPE_CHECKING

from edrew_torch.cli.arguments import RecordsForm

if TYPE_CHECKING:
    from edrew_torch.result import Result

VALUE_COLUMNS = ("source", "attribute", "text", "xpath", "confidence")


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
    """Print the regions as tables, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for region in result.regions:
        kind = "content" if region.content else "noise"
        title = f"{result.source}: {len(region.rows)} records, {kind}, confidence {region.confidence:.2f}"
        console.print(Text(title), soft_wrap=True)
        table = Table(*region.columns, show_header=bool(region.columns), show_lines=True)
        for row in region.rows:
            texts = ((cell.text or cell.src or "") if cell else "" for cell in row)
            # a page must not steer the terminal
            table.add_row(*(Text(printable(text)) for text in texts))
        console.print(table)
