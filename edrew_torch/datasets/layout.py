"""The layout of SWDE on disk: how folders and files are named, how a truth file is written.

    root, "book", "inkwharf"   ->   root/book/book-inkwharf(30)/0000.htm, 0001.htm, …
                                    root/groundtruth/book/book-inkwharf-author.txt, …

Read by sample.py, collect.py and annotate.py, which write it.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from edrew_torch.errors import BadConfig, BadData

MAX_PAGES = 10_000  # page ids have four digits
TRUTH_FOLDER = "groundtruth"  # beside the verticals, so no vertical has this name
NAME = re.compile(r"[a-z0-9_]{1,64}")
PAGE_FILE = re.compile(r"([0-9]{4})\.htm")


def check_names(vertical: str, site: str) -> None:
    """Raise BadConfig, with every fault, where a name cannot become part of a file name."""
    faults = [
        f"the {kind} {name!r} is no name: give 1 to 64 of a-z, 0-9 and _"
        for kind, name in (("vertical", vertical), ("site", site))
        if not NAME.fullmatch(name)
    ]
    if vertical == TRUTH_FOLDER:
        faults.append(f"no vertical can be named {TRUTH_FOLDER!r}, the folder of the truth files")
    if faults:
        raise BadConfig(f"{'; '.join(faults)}.")


def site_folders(root: Path, vertical: str) -> dict[str, list[Path]]:
    """Return the folders of each site of a vertical; a sound root has one for each."""
    name = re.compile(rf"{re.escape(vertical)}-(.+)\([0-9]+\)")
    found: dict[str, list[Path]] = {}
    for folder in sorted((root / vertical).glob("*")):
        if (match := name.fullmatch(folder.name)) and folder.is_dir():
            found.setdefault(match[1], []).append(folder)
    return found


def find_site(root: Path, vertical: str, site: str) -> Path | None:
    """Return the folder of a site; None if there is none, BadData if there are several."""
    folders = site_folders(root, vertical).get(site, [])
    if len(folders) > 1:
        names = ", ".join(folder.name for folder in folders)
        raise BadData(f"{root / vertical} has {len(folders)} folders of the site {site!r}: {names}. Keep one of them.")
    return folders[0] if folders else None


def page_ids(folder: Path) -> list[str]:
    """Return the ids of the pages in a site's folder, in order."""
    matches = (PAGE_FILE.fullmatch(file.name) for file in folder.iterdir())
    return sorted(match[1] for match in matches if match)


def truth_path(root: Path, vertical: str, site: str, attribute: str) -> Path:
    """Return where the truth of one attribute of a site stands."""
    return root / TRUTH_FOLDER / vertical / f"{vertical}-{site}-{attribute}.txt"


def truth_text(vertical: str, site: str, attribute: str, truth: Mapping[str, Sequence[str]]) -> str:
    """Return the truth file of one attribute; `truth` has the values of each page of the site, none for absent.

    >>> print(truth_text("book", "inkwharf", "author", {"0000": ["Roe", "Poe"], "0001": []}).expandtabs(10), end="")
    book      inkwharf  author
    2         1         2         2
    0000      2         Roe       Poe
    0001      0         <NULL>
    """
    values = [value for page_values in truth.values() for value in page_values]
    filled = sum(1 for page_values in truth.values() if page_values)
    rows: list[tuple[object, ...]] = [
        (vertical, site, attribute),
        (len(truth), filled, len(values), len(set(values))),
    ]
    rows += [(page_id, len(found), *(found or ("<NULL>",))) for page_id, found in truth.items()]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def write_text(file: Path, text: str) -> None:
    """Write `text` as SWDE has it, UTF-8 with a byte order mark: the whole file or, if anything fails, none of it."""
    part = file.with_name(f".{file.name}.part")
    part.write_bytes(text.encode("utf-8-sig"))  # bytes: no platform's line ends
    os.replace(part, file)
