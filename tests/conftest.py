"""Shared by all tests: where the real pages lie, and how to read a few of them."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

DATA = Path(os.environ.get("EDREW_DATA", Path(__file__).parents[2] / "shared" / "data"))


def read_pages(archive: Path, every: int) -> Iterator[tuple[str, bytes]]:
    """Every so-many-th page of a pack, name and bytes, without unpacking it to disk."""
    with tarfile.open(archive) as pack:
        members = (member for member in pack if member.isfile() and member.name.endswith((".htm", ".html")))
        for number, member in enumerate(members):
            if number % every == 0:
                yield member.name, pack.extractfile(member).read()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    if not (DATA / "swde").is_dir():
        pytest.skip(f"no real pages at {DATA}: set EDREW_DATA to the folder that holds swde/, recipe/, …")
    return DATA


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show which floors can be raised (test_floors.py): what a passing test prints is not shown."""
    reports = terminalreporter.getreports("passed")
    for told in (text for report in reports for name, text in report.user_properties if name == "advice"):
        terminalreporter.write_line(told, yellow=True)
