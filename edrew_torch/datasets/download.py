"""Download: a large public file, once, whole and checked.

    url   ->   target.part, growing, also over several runs   ->   target, with the right SHA-256

`target` is there only when it is complete: what was fetched so far stands in `target.part`, and `target.part.from`
says of which address and version, so that no part is ever continued with another file. Read by cli/ and
encoders/weights.py; whoever keeps something asks it for the cache folder.
"""

import hashlib
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edrew_torch.errors import BadConfig, EdrewError, FetchFailed, UnknownName

if TYPE_CHECKING:
    import httpx

TIMEOUT = 60.0  # seconds for connecting and for each read: archives answer slowly
GO_ON = "Run the same command again: it goes on where it stopped."
CONTENT_RANGE = re.compile(r"bytes (?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)")
SHA256 = re.compile(r"[0-9a-f]{64}")

Progress = Callable[[int, int | None], object]  # bytes there, bytes of the whole (None: the server does not say)


@dataclass(frozen=True)
class Dataset:
    """A public data set: where it is, and what it is."""

    url: str
    file_name: str
    sha256: str | None  # None: not known, so only the length is checked
    about: str


DATASETS = {
    "swde": Dataset(
        # CodePlex is gone; this is the copy in the Internet Archive that published code names (MarkupLM, DOM-LM,
        # awe). Neither the address nor a checksum could be checked where this was written: there was no network.
        url="https://web.archive.org/web/20210630013015id_/"
        "https://codeplexarchive.blob.core.windows.net/archive/projects/swde/swde.zip",
        file_name="swde.zip",
        sha256=None,
        about="SWDE, 80 sites of 8 verticals (Hao et al., SIGIR 2011), close to 1 GB. In swde.zip lies "
        "sourceCode/sourceCode.zip, in that a .7z for each vertical and one of the truth files.",
    ),
}


@dataclass(frozen=True)
class Downloaded:
    """A data set's file on this machine."""

    path: Path
    url: str
    sha256: str  # computed: print it where `was_checked` is false, so that the user can pin it
    was_checked: bool  # was the sum compared with a known one?


def download_dataset(
    name: str,
    folder: Path | None = None,
    url: str | None = None,
    sha256: str | None = None,
    on_progress: Progress | None = None,
    timeout: float = TIMEOUT,
) -> Downloaded:
    """Fetch a data set of `DATASETS` into `folder`, the cache if not given.

    The address is `url`, else the environment variable EDREW_<NAME>_URL (EDREW_SWDE_URL), else the known one.
    """
    if name not in DATASETS:
        raise UnknownName.among("data set", name, DATASETS)
    known = DATASETS[name]
    address = url or os.environ.get(f"EDREW_{name.upper()}_URL") or known.url
    expected = sha256 or known.sha256
    path = download(address, (folder or cache_folder()) / known.file_name, expected, on_progress, timeout)
    if not zipfile.is_zipfile(path):  # with no known sum, this tells an archive from a page that says "try later"
        _remove(path)
        raise FetchFailed(
            f"{address} is no zip archive; what was fetched is removed. Try later or give another address."
        )
    return Downloaded(path, address, file_sha256(path), expected is not None)


def download(
    url: str,
    target: Path,
    sha256: str | None = None,
    on_progress: Progress | None = None,
    timeout: float = TIMEOUT,
) -> Path:
    """Fetch `url` to `target` and return it, going on from what an earlier run left; do nothing if it is there."""
    expected = _check_arguments(url, sha256)
    target = Path(target)
    part, origin = (target.with_name(f"{target.name}.{suffix}") for suffix in ("part", "part.from"))
    with _disk_errors(target):
        if target.is_dir():
            raise BadConfig(f"{target} is a folder. Give the name of the file to write.")
        if target.is_file() and (expected is None or _has_sum(target, expected)):
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
    if not _fetch(url, part, origin, on_progress, timeout) and not (expected and _has_sum(part, expected)):
        _remove(part, origin)  # it fits nothing the server has: once more, from the start
        if not _fetch(url, part, origin, on_progress, timeout):
            raise FetchFailed(f"{url} sends only a part when asked for the whole file. Give another address.")
    with _disk_errors(target):
        actual = file_sha256(part) if expected else None
        if actual != expected:
            _remove(part, origin)
            raise FetchFailed(
                f"{url} is not the expected file: its SHA-256 is {actual}, expected {expected}. What was fetched is "
                "removed. Run the command again; if it fails again, the file has changed: give another address or sum."
            )
        os.replace(part, target)
        _remove(origin)
    return target


def _fetch(url: str, part: Path, origin: Path, on_progress: Progress | None, timeout: float) -> bool:
    """Bring `part` to its full length; False where the server says that it cannot be continued (416)."""
    import httpx  # here: who only asks for the cache folder needs no HTTP client

    headers = {"user-agent": "edrew", "accept-encoding": "identity"}  # identity: lengths are of the file itself
    with _disk_errors(part):
        size = _size_to_continue(part, origin, url)
        version = _read_origin(origin)[1]
    if size:
        headers["range"] = f"bytes={size}-"
        if version:
            headers["if-range"] = version  # the server answers 200, the whole, if it has another version by now
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=timeout) as client,
            client.stream("GET", url, headers=headers) as answer,
        ):
            stated = CONTENT_RANGE.fullmatch(answer.headers.get("content-range", ""))
            if answer.status_code == 416 and size:
                # the whole part may be there already: the last run ended between the last byte and the renaming
                return stated is not None and stated[2] == str(size)
            answer.raise_for_status()
            if answer.status_code == 206:
                if not size or stated is None or stated[1] != str(size):
                    return False  # another range than the one asked for
                total = None if stated[2] == "*" else int(stated[2])
            else:
                size = 0
                length = answer.headers.get("content-length", "")
                total = int(length) if length.isdecimal() else None
            _store(answer, part, origin, url, size, total, on_progress)
    except httpx.HTTPStatusError as error:
        reason = f"answered {error.response.status_code} {error.response.reason_phrase}"
        raise FetchFailed(f"{url} {reason}. Try later, or give another address. {GO_ON}") from None
    except httpx.TimeoutException:
        raise FetchFailed(f"{url} did not answer within {timeout:g} s. {GO_ON}") from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise FetchFailed(f"{url} could not be fetched: {error or type(error).__name__}. {GO_ON}") from None
    return True


def _store(
    answer: "httpx.Response",
    part: Path,
    origin: Path,
    url: str,
    size: int,
    total: int | None,
    on_progress: Progress | None,
) -> None:
    """Append the answer's body to the first `size` bytes of `part`."""
    etag = answer.headers.get("etag", "")
    version = answer.headers.get("last-modified", "") if etag.startswith("W/") or not etag else etag
    with _disk_errors(part):
        if not size:
            # first, so that the new address never stands beside bytes of the old one
            part.unlink(missing_ok=True)
            origin.write_text(f"{url}\n{version}\n", encoding="utf-8")
        file = part.open("ab")
    with file:
        for chunk in answer.iter_raw():
            with _disk_errors(part):
                file.write(chunk)
            size += len(chunk)
            if on_progress:
                on_progress(size, total)
        with _disk_errors(part):
            file.flush()
    if total is not None and size != total:
        if size > total:
            _remove(part, origin)
        raise FetchFailed(f"{url} ended at {size} of {total} bytes. {GO_ON}")


def _size_to_continue(part: Path, origin: Path, url: str) -> int:
    """Return the length of the part; 0 where there is none, or where it is of another address."""
    if not part.is_file():
        return 0
    return part.stat().st_size if _read_origin(origin)[0] in ("", url) else 0


def _read_origin(origin: Path) -> tuple[str, str]:
    """Return address and version (ETag or date) of the part; empty where they are not known."""
    if not origin.is_file():
        return "", ""
    lines = origin.read_text("utf-8", errors="replace").split("\n")
    return (lines[0], lines[1]) if len(lines) > 1 else ("", "")


def _check_arguments(url: str, sha256: str | None) -> str | None:
    """Return the sum in lower case; raise BadConfig with every fault."""
    faults = []
    if not url.lower().startswith(("http://", "https://")):
        faults.append(f"{url!r} is no address: it must begin with http:// or https://")
    expected = sha256.strip().lower() if sha256 else None
    if expected and not SHA256.fullmatch(expected):
        faults.append(f"{sha256!r} is no SHA-256: give 64 hexadecimal digits")
    if faults:
        raise BadConfig(f"{'; '.join(faults)}.")
    return expected


def _has_sum(file: Path, expected: str) -> bool:
    return file.is_file() and file_sha256(file) == expected


def _remove(*files: Path) -> None:
    for file in files:
        with _disk_errors(file):
            file.unlink(missing_ok=True)


@contextmanager
def _disk_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise EdrewError(f"{file} cannot be written: {reason}. Free space or give another folder. {GO_ON}") from None


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cache_folder() -> Path:
    """Return where downloads are kept: $EDREW_CACHE, else `edrew` in the user's cache folder of this platform."""
    if chosen := os.environ.get("EDREW_CACHE"):
        return Path(chosen).expanduser()
    home = Path.home()
    platform: str = sys.platform  # a plain str: mypy would take the branches of other platforms for dead
    if platform == "darwin":
        return home / "Library" / "Caches" / "edrew"
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "edrew"
    # the XDG standard: a relative path is to be ignored
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (xdg if xdg.is_absolute() else home / ".cache") / "edrew"
