"""`edrew records`: the lists of records of pages."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edrew_torch.cli.arguments import MaxMb, Method, MethodSettings, RecordsForm, Sources, Timeout, pairs_of
from edrew_torch.cli.printing import print_records
from edrew_torch.cli.sources import for_each_page, pages_of, told_errors, told_usage
from edrew_torch.errors import EdrewError
from edrew_torch.page import MAX_BYTES, TIMEOUT, Page

if TYPE_CHECKING:
    from edrew_torch.records.methods import Settings

PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def records(
    sources: Sources,
    method: Annotated[Method, typer.Option(help="How records are found.")] = Method.auto,
    form: Annotated[RecordsForm, typer.Option("--format", help="How to print them.")] = RecordsForm.json,
    keep_noise: Annotated[bool, typer.Option("--all", help="Menus, footers and other noise too.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the page as a signal (.png, .svg, .pdf).")] = None,
    setting: MethodSettings = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Print the lists of records of each page as tables: one row a record, aligned in columns.

    JSON is one line a page. A page without records has no regions, which is no error.

        $ edrew records results.html --format table
    """
    from edrew_torch.pipeline import extract_records
    from edrew_torch.records.methods import read_settings

    with told_usage():
        settings = read_settings(method.value, pairs_of(setting))
        if plot:
            check_plot(plot, len(list(pages_of(sources))))

    def show(page: Page) -> None:
        print_records(extract_records(page, method.value, keep_noise, settings), form)
        if plot:  # last: a picture that cannot be written costs no records
            draw_signal(page, plot, settings)

    for_each_page(sources, show, max_mb, timeout, as_json=form in (RecordsForm.json, RecordsForm.jsonl))


def check_plot(file: Path, num_pages: int) -> None:
    """Raise before any page is read if the plot cannot be drawn."""
    if num_pages > 1:
        raise EdrewError(f"--plot draws one page, not {num_pages}: give one source.")
    if file.suffix.lower() not in PLOT_SUFFIXES:
        raise EdrewError(f"--plot {file}: give a name that ends in {' or '.join(PLOT_SUFFIXES)}.")
    if not file.absolute().parent.is_dir():
        raise EdrewError(f"--plot {file}: there is no folder {file.parent}.")


def draw_signal(page: Page, file: Path, settings: "Settings") -> None:
    """Draw the page as a signal, with the settings of that method if it is the one in use."""
    from edrew_torch.parse import parse_tree
    from edrew_torch.records.signal import DEFAULTS, SignalSettings

    try:
        from edrew_torch.plots import plot_signal
    except ImportError as error:
        raise EdrewError(f"--plot needs matplotlib ({error}): pip install 'edrew-torch[train]'.") from None
    with told_errors(file):
        plot_signal(parse_tree(page), file, settings if isinstance(settings, SignalSettings) else DEFAULTS)
