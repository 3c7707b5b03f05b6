"""Sources: what a command is given -> pages, one by one. One that fails is told, and the others go on.

Read by the modules of the commands.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from edrew_torch.errors import EdrewError, NotAPage
from edrew_torch.page import Page, load_page

if TYPE_CHECKING:
    from edrew_torch.result import Result

Found = TypeVar("Found")  # what is kept of a page until all are read

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")


def for_each_page(
    sources: Iterable[str], show: Callable[[Page], None], max_mb: float, timeout: float, as_json: bool = False
) -> None:
    """Call `show` with the page of each source; a folder stands for the pages in it.

    One that fails is reported and the others go on; in JSON its line says so, so that there is a line for every source.
    """
    has_failed = False
    for source in pages_of(sources):
        try:
            show(load_source(source, max_mb, timeout))
        except EdrewError as error:
            report_source(source, error, as_json)
            has_failed = True
    if has_failed:
        raise typer.Exit(1)


def for_each_site(
    sources: Iterable[str],
    find: Callable[[Page], Found],
    finish: "Callable[[list[Found]], list[Result]]",
    show: Callable[["Result"], None],
    max_mb: float,
    timeout: float,
    as_json: bool = False,
) -> None:
    """Like `for_each_page` where a page's answer depends on the others': all are found, finished together, then shown.

    Only what `find` gives is kept of each. One that fails takes no part and is told at its place.
    """
    found: list[tuple[str, Found | EdrewError]] = []
    for source in pages_of(sources):
        try:
            found.append((source, find(load_source(source, max_mb, timeout))))
        except EdrewError as error:
            found.append((source, error))
    finished = iter(finish([each for _, each in found if not isinstance(each, EdrewError)]))
    has_failed = False
    for source, each in found:
        try:
            if isinstance(each, EdrewError):
                raise each
            show(next(finished))
        except EdrewError as error:
            report_source(source, error, as_json)
            has_failed = True
    if has_failed:
        raise typer.Exit(1)


def load_all(sources: Iterable[str], max_mb: float, timeout: float) -> tuple[list[Page], bool]:
    """The pages that can be read, and whether some cannot: the others may do."""
    pages, has_failed = [], False
    for source in pages_of(sources):
        try:
            pages.append(load_source(source, max_mb, timeout))
        except EdrewError as error:
            report(error)
            has_failed = True
    return pages, has_failed


def pages_of(sources: Iterable[str]) -> Iterator[str]:
    """The sources, a folder replaced by its HTML files in order of their names; one without any is left to fail."""
    for source in sources:
        folder = Path(source)
        is_folder = source != "-" and "://" not in source and folder.is_dir()
        inside = sorted(filter(is_page_file, folder.iterdir())) if is_folder else []
        yield from map(str, inside) if inside else [source]


def is_page_file(path: Path) -> bool:
    """Does the name say that it is a page?"""
    return path.suffix.lower() in PAGE_SUFFIXES and path.is_file()


def load_source(source: str, max_mb: float, timeout: float) -> Page:
    """The page of an argument: never markup itself, which `load_page` takes too."""
    is_path = source != "-" and not source[:8].lower().startswith(("http://", "https://"))
    if is_path and Path(source).is_dir():  # one with pages stands for them
        raise NotAPage(
            f"{source} is a folder without pages: its own {', '.join(PAGE_SUFFIXES)} files are read, not those of "
            "folders in it. Give a folder that holds pages, or the pages."
        )
    return load_page(Path(source) if is_path else source, timeout, int(max_mb * 2**20))


def report(error: EdrewError) -> None:
    """Say what was wrong."""
    print(f"{type(error).__name__}: {error}", file=sys.stderr)


def report_source(source: str, error: EdrewError, as_json: bool) -> None:
    """Say what was wrong with a source, in JSON on its line of the output too."""
    report(error)
    if as_json:
        told = {"source": source, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


@contextmanager
def told_errors(target: Path) -> Iterator[None]:
    """Turn what a user can mend into a message and exit code 1."""
    try:
        yield
    except EdrewError as error:
        report(error)
        raise typer.Exit(1) from None
    except OSError as error:
        report(EdrewError(f"{error.filename or target} cannot be read or written: {error.strerror}."))
        raise typer.Exit(1) from None


@contextmanager
def told_usage() -> Iterator[None]:
    """Turn a wrong argument into a message and exit code 2."""
    try:
        yield
    except EdrewError as error:
        report(error)
        raise typer.Exit(2) from None
