"""Ground truth for given pages: from an SWDE root, a CSV table or JSON lines.

    pages in ROOT/<vertical>/<vertical>-<site>(<n>)/   +   ROOT                ->   per page {"price": ["$5"]}
    page,price,genre                   a.html,$5,Drama | Comedy                ->   (an empty cell: known to be absent)
    page,attribute,value               a.html,genre,Drama
    {"page": "a.html", "price": "$5", "genre": ["Drama", "Comedy"], "mpaa_rating": null}

A page is named as it was given, or by its file's name with or without the ending. Called by cli/.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from html import unescape
from io import StringIO
from pathlib import Path

from edrew_torch.datasets.annotate import LONG_FORM, SEPARATOR
from edrew_torch.datasets.swde import PAGE, read_truth
from edrew_torch.errors import BadData

PageTruth = dict[str, list[str]]  # attribute -> texts


def read_page_truth(truth: Path, sources: Sequence[str]) -> list[PageTruth]:
    """Return what is known of each page; an empty mapping for a page that the truth does not name."""
    if truth.is_dir():
        found = _from_root(truth, sources)
    else:
        try:
            text = truth.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise BadData(f"{truth} cannot be read: {error.strerror}. Give an SWDE root, a .csv or a .jsonl.") from None
        except UnicodeDecodeError as error:
            raise BadData(f"{truth} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
        rows = _csv_rows(truth, text) if truth.suffix.lower() == ".csv" else _json_rows(truth, text)
        found = _by_page(rows, sources)
    if not any(any(values.values()) for values in found):
        raise BadData(f"{truth} has no value for any of the {len(sources)} pages given, {sources[0]} for example.")
    return found


def _from_root(root: Path, sources: Sequence[str]) -> list[PageTruth]:
    keys = []
    for source in sources:
        match = PAGE.match(Path(source).absolute().as_posix())
        if not match:
            raise BadData(
                f"{source} lies in no site of an SWDE root (<vertical>/<vertical>-<site>(<n>)/NNNN.htm): "
                "give pages of the root, or the truth as .csv or .jsonl."
            )
        keys.append((match[1], match[2], match[4]))
    known = read_truth(root, {vertical for vertical, _, _ in keys})
    return [
        {name: [unescape(value) for value in values] for name, values in known.get(key, {}).items()} for key in keys
    ]


def _by_page(rows: Iterator[tuple[str, str, list[str]]], sources: Sequence[str]) -> list[PageTruth]:
    names: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        for name in {source, Path(source).name, Path(source).stem}:
            names.setdefault(name, []).append(number)
    found: list[PageTruth] = [{} for _ in sources]
    for page, attribute, texts in rows:
        places = names.get(page, [])
        if len(places) > 1:
            raise BadData(f"page {page!r} could be {sources[places[0]]} or {sources[places[1]]}: name it in full.")
        for number in places:  # a truth file may know more pages than are given
            kept = found[number].setdefault(attribute, [])
            kept += [text for text in texts if text.strip() and text not in kept]
    return found


def _csv_rows(file: Path, text: str) -> Iterator[tuple[str, str, list[str]]]:
    try:
        rows = [row for row in csv.reader(StringIO(text, newline=""), strict=True) if any(map(str.strip, row))]
    except csv.Error as error:
        raise BadData(f"{file}: no CSV ({error}).") from None
    if not rows or "page" not in (header := [cell.strip() for cell in rows[0]]) or len(set(header)) < len(header):
        raise BadData(f"{file}, line 1: give a header, page,<attribute>,… or page,attribute,value, each name once.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise BadData(f"{file}, row {number}: {len(row)} cells, but the header has {len(header)}.")
        cells = dict(zip(header, row, strict=True))
        page = cells.pop("page").strip()
        if sorted(header) == sorted(LONG_FORM):
            yield page, cells["attribute"].strip(), [cells["value"]]
        else:
            for attribute, cell in cells.items():
                yield page, attribute, cell.split(SEPARATOR)


def _json_rows(file: Path, text: str) -> Iterator[tuple[str, str, list[str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
            raise BadData(f"{place}: not JSON ({error}). Give a .csv table, or a JSON object a line.") from None
        if not isinstance(row, dict) or not isinstance(row.get("page"), str):
            raise BadData(f'{place}: give an object with "page" and attributes: {{"page": "a.html", "price": "$5"}}.')
        page = row.pop("page")
        for attribute, given in row.items():
            texts = [] if given is None else [given] if isinstance(given, str) else given
            if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
                raise BadData(f"{place}: {attribute!r} must be a text, a list of texts or null.")
            yield page, attribute, texts
