"""Labels: which nodes of a site's pages hold a value of the ground truth.

    node texts, {"price": ("$5",)}   ->   the attribute each node holds, and the values that no node holds

Two texts are the same when they agree with entities decoded and white space collapsed, no-break spaces included:
SWDE's values are raw source text. A quarter of its values stand in more than one node (breadcrumb, heading, related
items): every one of them is relevant, and one is canonical. Read by prepared.py, attributes/, fields/ and annotate.py.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape


def normalize(text: str) -> str:
    """Return `text` as it is compared.

    >>> normalize(" Glen&nbsp;Davis ")
    'Glen Davis'
    """
    return collapse(unescape(text) if "&" in text else text)


def collapse(text: str) -> str:
    """Return `text` with each run of white space, no-break spaces included, as one blank, and none at its ends."""
    return " ".join(text.split())


@dataclass(frozen=True)
class FoundValue:
    """One true value of a page, and the nodes that hold it."""

    attribute: str
    value: str  # normalized
    nodes: tuple[int, ...]  # places in the list of the page's texts; () where no node holds it


def find_values(texts: Sequence[str], truth: Mapping[str, Iterable[str]]) -> list[FoundValue]:
    """Return the distinct values of the truth, each with the places of the texts that equal it.

    The texts are normalized already, by whoever knows whether their entities have been decoded.
    """
    places: dict[str, list[int]] = {}
    normalized = ((name, normalize(value)) for name, several in truth.items() for value in several)
    wanted = dict.fromkeys(pair for pair in normalized if pair[1])  # a value of blanks alone is in every other cell
    values = {value for _, value in wanted}
    for place, text in enumerate(texts):
        if text in values:
            places.setdefault(text, []).append(place)
    return [FoundValue(name, value, tuple(places.get(value, ()))) for name, value in wanted]


def canonical_nodes(pages: Sequence[tuple[Sequence[FoundValue], Sequence[int]]]) -> list[set[int]]:
    """Return the canonical nodes of each page of a site: for each value, the node whose path recurs over the pages.

    A page is its found values and the path of each node (any number that is the same for the same path). Of several
    nodes with one value that one is taken whose path holds the attribute on the most pages; the first of equals.
    """
    recurs: Counter[tuple[str, int]] = Counter()
    for found, paths in pages:
        recurs.update({(value.attribute, paths[node]) for value in found for node in value.nodes})
    return [
        {
            max(value.nodes, key=lambda node: (recurs[value.attribute, paths[node]], -node))
            for value in found
            if value.nodes
        }
        for found, paths in pages
    ]


def label_nodes(texts: Sequence[str], truth: Mapping[str, Iterable[str]]) -> tuple[list[bool], list[tuple[str, str]]]:
    """Return whether each node holds a true value, and the (attribute, value) pairs that none holds."""
    found = find_values([normalize(text) for text in texts], truth)
    relevant = {node for value in found for node in value.nodes}
    missed = sorted((value.attribute, value.value) for value in found if not value.nodes)
    return [place in relevant for place in range(len(texts))], missed
