"""Tables: the records of a list as rows of cells, aligned in columns.

    ranges of the sequence   ->   texts and images in them   ->   one row a record, one column for what stands alike

Reads align.py; called for every method by methods.py and by wrapper.py.
"""

from urllib.parse import urljoin

import numpy as np

from edrew_torch.records.align import SUBSTITUTION, align
from edrew_torch.records.choice import RecordList
from edrew_torch.records.sequence import PageSequence
from edrew_torch.result import Cell, Row
from edrew_torch.tree import Tree


def table(page: PageSequence, found: RecordList, base: str | None, substitution: int = SUBSTITUTION) -> tuple[Row, ...]:
    """Return the records as rows of cells, aligned: texts and images; what carries no data is left out."""
    places = data_places(page, found)
    code = page.path if substitution == SUBSTITUTION else page.code  # styles mark single records: columns do not care
    aligned = align([tuple(code[row].tolist()) for row in places], substitution)
    return tuple(
        tuple(None if index is None else make_cell(page, row[index], base) for index in columns)
        for row, columns in zip(places, aligned, strict=True)
    )


def data_places(page: PageSequence, found: RecordList) -> list[list[int]]:
    """The places of the texts and images of each record."""
    if found.texts is not None:
        return [list(texts) for texts in found.texts]
    is_data = page.is_text | page.is_named("img")
    return [(np.flatnonzero(is_data[start:end]) + start).tolist() for start, end in found.records]


def make_cell(page: PageSequence, place: int, base: str | None) -> Cell:
    """Return the cell of a text or an image."""
    tree, node = page.tree, int(page.node[place])
    href = None
    if page.in_link[place]:
        above = node
        while above >= 0 and href is None:  # a link in a link, without an address of its own, is no answer
            href = tree.attributes(above).get("href") if tree.name(above) == "a" else None
            above = int(tree.parent[above])
        href = join_address(base, href)
    src = None if page.is_text[place] else join_address(base, tree.attributes(node).get("src", ""))
    return Cell(page.texts[place], tree.xpath(node), href, src)


def base_address(tree: Tree, url: str | None) -> str | None:
    """What addresses in the page are relative to: its <base>, else where it came from."""
    if "base" not in tree.names:
        return url
    for node in np.flatnonzero(tree.tag == tree.names.index("base")).tolist():
        if href := tree.attributes(node).get("href"):
            return join_address(url, href)
    return url


def join_address(base: str | None, address: str | None) -> str | None:
    """An address in full, as far as it can be known; one that cannot be read stays as it is."""
    if address is None or base is None:
        return address and address.strip()
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return address
