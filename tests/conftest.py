"""Shared by all tests: the real pages and how to read a few of them, a server on this machine, a folder's files."""

import http.server
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from edrew_torch.datasets.packs import shared_data

DATA = shared_data()


def read_pages(archive: Path, every: int) -> Iterator[tuple[str, bytes]]:
    """Every so-many-th page of a pack, name and bytes, without unpacking it to disk."""
    with tarfile.open(archive) as pack:
        members = (member for member in pack if member.isfile() and member.name.endswith((".htm", ".html")))
        for number, member in enumerate(members):
            if number % every == 0:
                yield member.name, pack.extractfile(member).read()


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[http.server.ThreadingHTTPServer]:
    """A server of which `handler` gives the answers, with its address as `url`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file in a folder and its folders, by its path from there."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


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
