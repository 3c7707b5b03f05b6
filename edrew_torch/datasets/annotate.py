"""Annotate: a table of values, made by hand -> the truth files of a collected site.

    page,title,author                    root/groundtruth/book/book-shop-title.txt
    0000,Sea & Salt,Alma Roe | Bo Ek ->  root/groundtruth/book/book-shop-author.txt
    https://shop.example/2,Rain,         and the values that no node of their page holds, each with the nearest node

The long form, `page,attribute,value`, has a row for each value. Values are text as a browser shows it. Reads
collect.py's index (a page may be given by its address), labels.py, layout.py.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from io import StringIO
from pathlib import Path
from urllib.parse import urldefrag

from edrew_torch.datasets.collect import index_path, read_index
from edrew_torch.datasets.labels import label_nodes, normalize
from edrew_torch.datasets.layout import (
    NAME,
    check_names,
    find_site,
    page_ids,
    site_folders,
    truth_path,
    truth_text,
    write_text,
)
from edrew_torch.errors import BadData, EdrewError
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.profile import Profile
from edrew_torch.retps import RetpsBuilder

SEPARATOR = " | "  # between the values of a cell, in the wide form
LONG_FORM = ("page", "attribute", "value")
# Bounds of the hints: a table that fits nothing must not cost an hour.
MAX_HINTS = 300  # misses that get one
MAX_HINT_NODES = 1000  # nodes of a page that are compared
MAX_HINT_CHARACTERS = 160  # of each text; difflib's time grows with the square
MIN_LIKENESS = 0.5  # difflib's ratio below which a text is no hint

Truth = dict[str, dict[str, list[str]]]  # attribute -> page id -> values, as text


@dataclass(frozen=True)
class MissedValue:
    """A value that no node of its page holds as a whole."""

    page_id: str
    attribute: str
    value: str
    nearest: str | None  # the node text most like it; None: nothing like it, or past MAX_HINTS


@dataclass(frozen=True)
class AnnotateReport:
    """What was written, and what does not fit the pages."""

    files: tuple[Path, ...]
    num_pages: int  # in the site's folder, and so in each file
    num_annotated: int  # pages with a value
    num_values: int
    missed: tuple[MissedValue, ...]


def annotate(csv_path: Path, root: Path, vertical: str, site: str, profile: str | Profile = "full") -> AnnotateReport:
    """Write the truth files of the attributes in a table; those of other attributes stay as they are.

    Values that no node holds are written too: the table is the truth, the report says where to look.
    """
    check_names(vertical, site)
    builder = RetpsBuilder(profile)
    csv_path, root = Path(csv_path), Path(root)
    folder = find_site(root, vertical, site)
    if folder is None:
        there = ", ".join(site_folders(root, vertical)) or "none"
        raise BadData(f"{root / vertical} has no site {site!r}. Sites there: {there}. Collect its pages first.")
    pages = page_ids(folder)
    if not pages:
        raise BadData(f"{folder} has no pages (NNNN.htm). Collect them first.")
    addresses = _page_addresses(index_path(root, vertical, site), pages)
    truth = _read_table(csv_path, folder, addresses, pages)
    by_page: dict[str, dict[str, list[str]]] = {}
    for attribute, values_of in truth.items():
        for page_id, values in values_of.items():
            by_page.setdefault(page_id, {})[attribute] = values
    missed: list[MissedValue] = []
    for page_id in sorted(by_page):
        missed += _find_missed(folder, page_id, by_page[page_id], builder, MAX_HINTS - len(missed))
    return AnnotateReport(
        files=tuple(_write_truth(root, vertical, site, truth, pages)),
        num_pages=len(pages),
        num_annotated=len(by_page),
        num_values=sum(len(values) for values_of in truth.values() for values in values_of.values()),
        missed=tuple(missed),
    )


def _read_table(csv_path: Path, folder: Path, addresses: Mapping[str, str], pages: Sequence[str]) -> Truth:
    """Return the values in the table; BadData names the line that is wrong."""
    rows = _read_rows(csv_path)
    line, header = next(rows, (0, []))
    if not header:
        raise BadData(f"{csv_path} is empty. Give a table that begins: page,<attribute>,… or page,attribute,value.")
    columns = [cell.strip() for cell in header]
    columns = ["page" if name.lower() == "page" else name for name in columns]
    is_long = sorted(columns) == sorted(LONG_FORM)
    _check_columns(f"{csv_path}, line {line}", columns, is_long)
    truth: Truth = {} if is_long else {name: {} for name in columns if name != "page"}
    num_rows = 0
    for line, cells in rows:
        place = f"{csv_path}, line {line}"
        if len(cells) != len(columns):
            raise BadData(f"{place}: {len(cells)} cells, but the header has {len(columns)}: {', '.join(columns)}.")
        row = dict(zip(columns, cells, strict=True))
        num_rows += 1
        page_id = _find_page(place, row.pop("page").strip(), folder, addresses, pages)
        if is_long:
            attribute = row["attribute"].strip()
            _check_attribute(place, attribute)
            row = {attribute: row["value"]}
        for attribute, cell in row.items():
            for value in [cell] if is_long else cell.split(SEPARATOR):
                text = " ".join(value.split())  # a TAB or a line end would be another column or line of the file
                values_of = truth.setdefault(attribute, {})
                if text and text not in values_of.get(page_id, ()):
                    values_of.setdefault(page_id, []).append(text)
    if not num_rows:
        raise BadData(f"{csv_path} has a header and no rows. Give a row for each page with a value.")
    return truth


def _read_rows(csv_path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the line it ends on."""
    try:
        text = csv_path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadData(f"{csv_path} cannot be read: {error.strerror or error}. Give a table as CSV.") from None
    except UnicodeDecodeError as error:
        raise BadData(f"{csv_path} is not UTF-8 text (byte {error.start}). Save the table as CSV UTF-8.") from None
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadData(f"{csv_path}, line {reader.line_num}: no CSV ({error}).") from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _check_columns(place: str, columns: Sequence[str], is_long: bool) -> None:
    there = f"Columns there: {', '.join(columns)}"
    if "page" not in columns:
        raise BadData(f"{place}: no column 'page'. {there}. Part columns with commas.")
    if len(set(columns)) < len(columns):
        raise BadData(f"{place}: a column stands twice. {there}.")
    if len(columns) == 1:
        raise BadData(f"{place}: no column besides 'page'. Add one for each attribute, or attribute and value.")
    if "attribute" in columns and "value" not in columns:
        raise BadData(f"{place}: no column 'value' beside 'attribute'. {there}.")
    if not is_long:
        for name in columns:
            _check_attribute(place, name)


def _check_attribute(place: str, attribute: str) -> None:
    if not NAME.fullmatch(attribute):  # it becomes part of a file name
        raise BadData(f"{place}: {attribute!r} is no name of an attribute: give 1 to 64 of a-z, 0-9 and _.")


def _page_addresses(index_file: Path, pages: Sequence[str]) -> dict[str, str]:
    """Return the page id of each address in the index, of those pages that are there."""
    index = read_index(index_file)
    found = {entry.final_url: entry.page_id for entry in index.values()}
    found |= {url: entry.page_id for url, entry in index.items()}  # what the list said goes before redirects
    there = set(pages)
    return {url: page_id for url, page_id in found.items() if url and page_id and page_id in there}


def _find_page(place: str, given: str, folder: Path, addresses: Mapping[str, str], pages: Sequence[str]) -> str:
    """Return the id of the page that a cell names."""
    if re.fullmatch("[0-9]{1,4}", given):
        page_id = given.zfill(4)  # spreadsheets take the zeros away
        if page_id in pages:
            return page_id
    elif (address := urldefrag(given).url) in addresses:
        return addresses[address]
    near = get_close_matches(given, [*pages, *addresses][:MAX_HINT_NODES], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    shown = ", ".join(pages) if len(pages) <= 6 else f"{', '.join(pages[:5])}, … {pages[-1]}"
    raise BadData(
        f"{place}: no page {given!r}{hint} {folder} has {len(pages)}: {shown}; or give an address of its index."
    )


def _find_missed(
    folder: Path, page_id: str, truth: Mapping[str, Sequence[str]], builder: RetpsBuilder, num_hints: int
) -> list[MissedValue]:
    """Return the values of a page that none of its nodes holds; the nodes are those that training sees."""
    tree = parse_tree(Page.from_path(folder / f"{page_id}.htm"), builder.profile)
    texts = [tree.text(node) for node in builder.rows(tree).nodes.tolist()]
    raw = {attribute: [escape(value, quote=False) for value in values] for attribute, values in truth.items()}
    _, missed = label_nodes(texts, raw)
    contents = list(dict.fromkeys(normalize(text) for text in texts)) if missed else []
    return [
        MissedValue(page_id, attribute, value, _nearest(value, contents) if number < num_hints else None)
        for number, (attribute, value) in enumerate(missed)
    ]


def _nearest(value: str, contents: Sequence[str]) -> str | None:
    """Return the text most like `value`: one that holds it, as "Price: $5" holds "$5", before one that resembles it."""
    folded = value.casefold()
    holding = [content for content in contents if folded in content.casefold()]
    if holding:
        return min(holding, key=len)
    whole = {content[:MAX_HINT_CHARACTERS]: content for content in contents[:MAX_HINT_NODES]}
    near = get_close_matches(value[:MAX_HINT_CHARACTERS], whole, n=1, cutoff=MIN_LIKENESS)
    return whole[near[0]] if near else None


def _write_truth(root: Path, vertical: str, site: str, truth: Truth, pages: Sequence[str]) -> Iterator[Path]:
    """Write a file for each attribute, with every page of the site."""
    for attribute, values_of in truth.items():
        # SWDE's values are source text, so & < > stand as entities: what reads SWDE decodes them
        raw = {page_id: [escape(value, quote=False) for value in values_of.get(page_id, ())] for page_id in pages}
        file = truth_path(root, vertical, site, attribute)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(file, truth_text(vertical, site, attribute, raw))
        except OSError as error:
            raise EdrewError(f"{file} cannot be written: {error.strerror or error}. Run the command again.") from None
        yield file
