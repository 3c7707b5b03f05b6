"""SWDE: a root in the layout of the SWDE data set -> pages with truth, in a fixed order.

    ROOT/<vertical>/<vertical>-<site>(<n>)/NNNN.htm
    ROOT/groundtruth/<vertical>/<vertical>-<site>-<attribute>.txt

A root is a folder, an archive of one (.zip, .tar, .tar.xz…), or a folder of such archives: these are read as they
are, nothing is unpacked to disk. The `recipe` pack has the same layout and is a further vertical. Read by prepared.py,
attributes/ and fields/truth_file.py.
"""

import hashlib
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from edrew_torch.datasets.pages import DataPage
from edrew_torch.errors import BadData, UnknownName
from edrew_torch.page import MAX_BYTES

PAGE = re.compile(r"(?:.*/)?([^/]+)/\1-([^/()]+)\((\d+)\)/([^/]+)\.html?\Z")
TRUTH = re.compile(r"(?:.*/)?groundtruth/([^/]+)/\1-([^/]+)-([^/-]+)\.txt\Z")
ARCHIVES = (".zip", ".tar", ".tar.xz", ".tar.gz", ".tar.bz2", ".tgz")
# RuntimeError: a zip file that is encrypted or packed in an unknown way
UNREADABLE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError)
MAX_DIGITS = 9  # of the number of values of a page
NULL = "<NULL>"
VERTICALS = ("auto", "book", "camera", "job", "movie", "nbaplayer", "restaurant", "university")  # of the public set

Truth = dict[tuple[str, str, str], dict[str, tuple[str, ...]]]  # (vertical, site, page id) -> attribute -> values


@dataclass(frozen=True)
class Subset:
    """Which part of a data set is wanted; None is all of it."""

    verticals: tuple[str, ...] | None = None
    sites: tuple[str, ...] | None = None
    max_pages: int | None = None  # the first so many of each site


ALL = Subset()


def read_swde(root: Path, subset: Subset = ALL) -> Iterator[list[DataPage]]:
    """Yield the pages of each site, sites in the order of their files.

    Raises BadData where the root has no page or a truth file has a wrong line; a page without truth has an empty one.
    """
    truth = read_truth(root)
    _check_names(truth, subset)
    site: tuple[str, str] | None = None
    pages: list[DataPage] = []
    sites: set[tuple[str, str]] = set()
    for name, file in _files(root, {vertical for vertical, _, _ in truth}, subset.verticals):
        match = PAGE.match(name)
        if not match or not _is_wanted(match[1], match[2], subset):
            continue
        if (match[1], match[2]) != site:
            if pages:
                yield pages
            site, pages = (match[1], match[2]), []
            if site in sites:  # else a page could be on both sides of a split, and a site be labelled in pieces
                raise BadData(f"{name}: the pages of this site stand in two places of {root}. Keep one, in one piece.")
            sites.add(site)
        if subset.max_pages is None or len(pages) < subset.max_pages:
            key = (match[1], match[2], match[4])
            pages.append(DataPage(*key, _read(file, name), truth.get(key, {})))
    if pages:
        yield pages
    if not sites:
        raise _no_page(root, subset)


def _no_page(root: Path, subset: Subset = ALL) -> BadData:
    wanted = ", ".join([*(subset.verticals or ()), *(subset.sites or ())])
    what = f"no page of {wanted}" if wanted else "no page of an SWDE root"
    return BadData(
        f"{root} holds {what} (<vertical>/<vertical>-<site>(<n>)/NNNN.htm). Give the folder that "
        "holds the verticals, or the folder of their .tar.xz or .zip packs."
    )


def read_truth(root: Path, verticals: Collection[str] | None = None) -> Truth:
    """Return the ground truth of every page that its files list, at hand or not."""
    truth: Truth = {}
    # a folder or pack of that name holds it all; without one it lies among the pages, in one archive or deeper
    has_own = root.is_dir() and any(path.name.split(".")[0] == "groundtruth" for path in root.iterdir())
    others = {path.name.split(".")[0] for path in root.iterdir()} if has_own else ()
    for name, file in _files(root, others, ("groundtruth",) if has_own else None):
        match = TRUTH.match(name)
        if match and (verticals is None or match[1] in verticals):
            vertical, site, attribute = match.groups()
            for page_id, values in parse_truth(_read(file, name), name, (vertical, site, attribute)).items():
                truth.setdefault((vertical, site, page_id), {})[attribute] = values
    return truth


def parse_truth(data: bytes, name: str, header: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return page id -> values of one truth file; BadData names the file and the line that is wrong.

    >>> lines = b"book\\tx\\ttitle\\n2\\t1\\t1\\t1\\n0000\\t1\\tA &amp; B\\n0001\\t0\\t<NULL>\\n"
    >>> parse_truth(lines, "book-x-title.txt", ("book", "x", "title"))
    {'0000': ('A &amp; B',), '0001': ()}
    """
    lines = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
    if tuple(lines[0].split("\t")) != tuple(header):
        raise BadData(f"{name}, line 1: expected {'<TAB>'.join(header)!r}, found {lines[0]!r}.")
    values_of: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines[2:], start=3):
        page_id, *rest = line.split("\t")
        if len(rest) < 2 or not rest[0].isdecimal() or len(rest[0]) > MAX_DIGITS:
            raise BadData(
                f"{name}, line {number}: expected page, number of values, values, parted by TABs; found {line[:80]!r}."
            )
        values = tuple(value for value in rest[1:] if value != NULL)
        if int(rest[0]) != len(values):
            raise BadData(f"{name}, line {number}: says {rest[0]} values and has {len(values)}.")
        values_of[page_id] = values
    return values_of


def checksum(root: Path) -> str:
    """Return a checksum of everything below the root, as it is stored."""
    digest = hashlib.sha256()
    count = 0
    for path in _stored(root, None):
        name = path.relative_to(root).as_posix()
        if PAGE.match(name) or TRUTH.match(name) or path.name.endswith(ARCHIVES):
            digest.update(name.encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
            count += 1
    if not count:
        raise _no_page(root)
    return digest.hexdigest()[:12]


def _stored(root: Path, folders: Collection[str] | None) -> Iterator[Path]:
    """The files of a root in order: those of its folders, and those beside them; `folders` limits the first level."""
    if not root.exists():
        raise BadData(f"{root} does not exist. Give the root of a data set: a folder or an archive.")
    if root.is_file():
        yield root
        return
    for path in sorted(root.iterdir()):
        if path.is_file():
            yield path
        elif path.is_dir() and (folders is None or path.name in folders):
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())


def _files(root: Path, known: Collection[str], folders: Collection[str] | None) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield name and open file of everything in a root, archives opened; `folders` limits the first level.

    An archive named after a vertical (of those `known`) or "groundtruth" is passed over when that is not asked for.
    """
    for path in _stored(root, folders):
        if path.name.endswith(ARCHIVES):
            stem = path.name.split(".")[0]
            is_other = folders is not None and stem not in folders
            if not (is_other and (stem in known or stem == "groundtruth")):
                yield from _archive_files(path)
        else:
            with path.open("rb") as opened:
                yield path.relative_to(root).as_posix(), opened


def _archive_files(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield name and open file of each member; nothing is written, so member names cannot lead anywhere."""
    try:
        if path.name.endswith(".zip"):
            with zipfile.ZipFile(path) as pack:
                for info in sorted(pack.infolist(), key=lambda info: info.filename):
                    if not info.is_dir():
                        with pack.open(info) as file:
                            yield info.filename, file
        else:
            with tarfile.open(path, "r|*") as stream:
                for member in stream:
                    opened = stream.extractfile(member) if member.isfile() else None
                    if opened:
                        yield member.name, opened
    except UNREADABLE as error:
        raise BadData(f"{path} cannot be read: {error}. Fetch it again, or check its checksum.") from None


def _read(file: IO[bytes], name: str) -> bytes:
    try:
        data = file.read(MAX_BYTES + 1)
    except UNREADABLE as error:
        raise BadData(f"{name} cannot be read: {error}. Fetch its archive again, or check its checksum.") from None
    if len(data) > MAX_BYTES:
        raise BadData(f"{name} is larger than {MAX_BYTES / 2**20:g} MiB: no page of a data set.")
    return data


def _is_wanted(vertical: str, site: str, subset: Subset) -> bool:
    return (subset.verticals is None or vertical in subset.verticals) and (subset.sites is None or site in subset.sites)


def _check_names(truth: Truth, subset: Subset) -> None:
    """Raise UnknownName for a vertical or site that the truth does not know."""
    if truth:
        for site in subset.sites or ():
            if site not in (known := {site for _, site, _ in truth}):
                raise UnknownName.among("site", site, known)
    for vertical in subset.verticals or ():
        if truth and vertical not in (known := {vertical for vertical, _, _ in truth}):
            raise UnknownName.among("vertical", vertical, known)
