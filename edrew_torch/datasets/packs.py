"""Packs of the shared data: where they lie, and the members of an archive one by one, nothing unpacked to disk.

    data/articles/trafilatura-pages.tar.xz   ->   ("eval/a.html", b"<html>…"), …

Read by articles.py and lists.py (swde.py, which takes archives of any kind, has a reader of its own), by experiments/,
benchmarks/ and tests.
"""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

from edrew_torch.datasets.swde import UNREADABLE
from edrew_torch.errors import BadData


def shared_data() -> Path:
    """Return the folder of the shared data: $EDREW_DATA, else shared/data beside this checkout."""
    return Path(os.environ.get("EDREW_DATA", Path(__file__).parents[3] / "shared" / "data"))


def read_whole(file: Path) -> bytes:
    """Return the content of a file of the shared data; BadData where it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise _unreadable(file, error) from None


def pack_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in a .tar, .tar.xz…"""
    try:
        with tarfile.open(archive) as pack:
            for member in pack:
                if member.isfile() and (file := pack.extractfile(member)):
                    yield member.name, file.read()
    except UNREADABLE as error:
        raise _unreadable(archive, error) from None


def _unreadable(file: Path, error: Exception) -> BadData:
    reason = getattr(error, "strerror", None) or error
    return BadData(f"{file} cannot be read ({reason}). Give the folder that holds {file.parent.name}/.")
