"""Arguments that several commands take. Read by the modules of the commands."""

from enum import StrEnum
from typing import Annotated

import typer

from edrew_torch.page import MAX_WAIT


class Method(StrEnum):
    """The ways to find records; tests hold it against METHODS."""

    auto = "auto"
    signal = "signal"
    wrapper = "wrapper"
    equivalence = "equivalence"


class ProfileName(StrEnum):
    """The profiles by name; tests hold it against PROFILES."""

    full = "full"
    thesis = "thesis"


class RecordsForm(StrEnum):
    """How records are printed."""

    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    table = "table"


Sources = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE", help="HTML files, folders of them, URLs, or '-' for standard input."),
]
ProfileOption = Annotated[
    ProfileName,
    typer.Option(help="How the page is cut: 'full' loses nothing, 'thesis' follows the thesis."),
]
MethodSettings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="For example wrapper.plain=true.")
]
MaxMb = Annotated[float, typer.Option("--max-mb", min=0, max=100_000, help="Refuse pages larger than this.")]
Timeout = Annotated[float, typer.Option(min=0, max=MAX_WAIT, help="Seconds to wait for a server.")]


def pairs_of(settings: list[str] | None) -> dict[str, str]:
    """`key=value` arguments as a table."""
    return dict(pair.partition("=")[::2] for pair in settings or [])
