"""The command `edrew`. Data goes to standard output, messages to standard error.

    values.py     extract        lists.py      records        articles.py   article
    wrappers.py   wrap, apply    trees.py      retps, tree    data.py       data …

Exit code 0; 1 if any source failed (the others are still printed); 2 for wrong usage. Whatever a command needs
beyond these files it imports when it runs, so that `edrew --help` answers at once.
"""

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from edrew_torch import __version__
from edrew_torch.cli.articles import article
from edrew_torch.cli.data import annotate, check, collect, download, sample
from edrew_torch.cli.lists import records
from edrew_torch.cli.trees import retps, tree
from edrew_torch.cli.values import extract
from edrew_torch.cli.wrappers import apply, wrap

# in the order that --help shows
COMMANDS: tuple[Callable[..., None], ...] = (retps, tree, extract, records, article, wrap, apply)
DATA_COMMANDS: tuple[Callable[..., None], ...] = (sample, check, download, collect, annotate)

app = typer.Typer(
    name="edrew",
    help="The relevant data of any web page, without rendering it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(name="data", help="Data sets: make, fetch, collect, annotate, check.", no_args_is_help=True)
app.add_typer(data_app)
for command in COMMANDS:
    app.command()(command)
for command in DATA_COMMANDS:
    data_app.command()(command)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The relevant data of any web page, without rendering it."""
    if version:
        print(f"edrew {__version__}")
        raise typer.Exit


def main() -> None:
    """Entry point of the console command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # pages hold every character; a terminal of another encoding must not stop the output
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except OSError as error:  # the output cannot be written: a full disk, say
        print(f"edrew: {error.strerror}", file=sys.stderr)
        sys.exit(1)
