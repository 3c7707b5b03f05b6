"""`edrew data …`: data sets are made, fetched, collected, annotated and checked."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from edrew_torch.cli.arguments import ProfileName, ProfileOption, Timeout
from edrew_torch.cli.sources import told_errors
from edrew_torch.page import MAX_WAIT, TIMEOUT
from edrew_torch.profile import find_profile

Vertical = Annotated[str, typer.Option(help="For example auto.")]
SiteName = Annotated[str, typer.Option("--site", help="For example cars.")]


class Form(StrEnum):
    """How a table is printed."""

    table = "table"
    csv = "csv"
    markdown = "markdown"


def sample(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write, made if missing.")],
    seed: Annotated[int, typer.Option(help="Another seed gives other pages.")] = 1,
    pages: Annotated[int, typer.Option(min=1, max=10_000, help="Pages of each site.")] = 30,
) -> None:
    """Write the embedded sample: 8 verticals of invented pages with ground truth, in the layout of SWDE."""
    from edrew_torch.datasets.sample import write_sample

    with told_errors(target):
        write_sample(target, seed=seed, pages=pages)
    print(f"wrote the sample to {target}", file=sys.stderr)


def check(
    root: Annotated[Path, typer.Argument(metavar="ROOT", help="An SWDE root: a folder, its packs, an archive.")],
    profile: ProfileOption = ProfileName.full,
    vertical: Annotated[list[str] | None, typer.Option(help="Only this one; may be given again.")] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the tables.")] = Form.table,
) -> None:
    """Show which true values of a data set are found as nodes: per attribute found, missing, ambiguous.

    A second table counts the unique pages of each vertical: those whose set of reTPS no earlier page has.
    """
    from rich.console import Console

    from edrew_torch import report as reports
    from edrew_torch.datasets.check import coverage_report, unique_report
    from edrew_torch.datasets.load import load_data

    with told_errors(root):
        data = load_data("swde", find_profile(profile.value), root=root, verticals=vertical)
        for made in (coverage_report(data, profile.value), unique_report(data, profile.value)):
            if form is Form.table:
                Console().print(reports.as_rich(made))
            else:
                print({Form.csv: reports.as_csv, Form.markdown: reports.as_markdown}[form](made))


def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The data set: swde.")],
    folder: Annotated[Path | None, typer.Option(help="Where to keep it; the user's cache if not given.")] = None,
    url: Annotated[str | None, typer.Option(help="Another address, also by $EDREW_SWDE_URL.")] = None,
    sha256: Annotated[str | None, typer.Option(help="The checksum it must have.")] = None,
) -> None:
    """Fetch a public data set to the cache; run again after an interruption, it goes on where it stopped."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    from edrew_torch.datasets.download import download_dataset

    columns = ("{task.description}", BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with told_errors(folder or Path()), Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        done = download_dataset(
            name, folder, url, sha256, lambda there, total: progress.update(task, completed=there, total=total)
        )
    print(done.path)
    if not done.was_checked:
        print(f"sha256 {done.sha256}: not checked; give it with --sha256 to pin this file", file=sys.stderr)


def collect(
    urls: Annotated[Path, typer.Argument(metavar="LIST", help="A file with one URL a line.")],
    vertical: Vertical,
    site: SiteName,
    root: Annotated[Path, typer.Option(help="The SWDE root to write to.")] = Path("nswde"),
    delay: Annotated[float, typer.Option(min=0, max=MAX_WAIT, help="Seconds between two requests to one host.")] = 1.0,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Fetch today's pages of a site into the layout of SWDE: politely, resumable, never twice."""
    from rich.console import Console
    from rich.progress import Progress

    from edrew_torch.datasets.collect import Collected, read_urls
    from edrew_torch.datasets.collect import collect as collect_pages

    with told_errors(root), Progress(console=Console(stderr=True), transient=True) as progress:
        listed = read_urls(urls)
        task = progress.add_task(site, total=len(set(listed)))

        def show(page: Collected) -> None:
            progress.advance(task)
            if not page.is_ok:
                print(f"{page.url}: {page.status}", file=sys.stderr)

        pages = collect_pages(listed, root, vertical, site, delay=delay, timeout=timeout, on_page=show)
        failed = sum(not page.is_ok for page in pages)
    print(f"{len(pages) - failed} pages of {site} in {root}, {failed} failed", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def annotate(
    table: Annotated[Path, typer.Argument(metavar="CSV", help="page,attribute,value or page,<attribute>,…")],
    root: Annotated[Path, typer.Argument(metavar="ROOT", help="The SWDE root that holds the site.")],
    vertical: Vertical,
    site: SiteName,
) -> None:
    """Write the ground truth files of a site from a table of values, and say which values no node holds."""
    from edrew_torch.datasets.annotate import annotate as write_truth

    with told_errors(root):
        done = write_truth(table, root, vertical, site)
    for missed in done.missed:
        hint = f"; nearest: {missed.nearest!r}" if missed.nearest else ""
        print(f"{missed.page_id} {missed.attribute}: no node holds {missed.value!r}{hint}", file=sys.stderr)
    print(
        f"{done.num_values} values on {done.num_annotated} of {done.num_pages} pages, {len(done.missed)} in no node",
        file=sys.stderr,
    )
