"""Values: the chances of a page's nodes -> the values that are told, one of each attribute or several.

    Found, description, tree   ->   Value(text, attribute, xpath, confidence), in the order of the page

Of one and the same text the likeliest node stands for all, but in a list: there "1" and "cup" come again and again.
Reads model.py; read by extraction.py and pipeline.py.
"""

import numpy as np
from numpy.typing import NDArray

from edrew_torch.attributes.model import Found
from edrew_torch.enrich.describe import ROLES, Description
from edrew_torch.result import Value
from edrew_torch.tree import Tree

MIN_CONFIDENCE = 0.5
METHOD = "edrew"
TAGS = list(ROLES).index("path")  # the last tags above a text


def page_values(
    found: Found, page: Description, tree: Tree, min_confidence: float = MIN_CONFIDENCE
) -> tuple[Value, ...]:
    """The values of a page, in its order."""
    return tuple(
        Value(page.texts[node], attribute, tree.xpath(int(page.nodes[node])), confidence, METHOD)
        for node, attribute, confidence in page_picks(found, page, min_confidence)
    )


def page_picks(found: Found, page: Description, min_confidence: float = MIN_CONFIDENCE) -> list[tuple[int, str, float]]:
    """Place among the page's texts, attribute and confidence of each value, in page order.

    On pages of one site the judge has asked the others already (attributes/context.py). Filling a page without an
    answer from the path that most of the others have it at was tried on nine unseen sites of auto, movie and
    university: it gave four to eight values more on 360 pages, at best three of them right.
    """
    vertical = found.vertical
    if vertical is None:
        return []
    return sorted(
        (node, attribute, float(found.chances[node, column]))
        for column, attribute in enumerate(vertical.attributes, start=1)
        for node in with_repeats(found, page, column, attribute in vertical.several, min_confidence)
    )


def with_repeats(found: Found, page: Description, column: int, is_several: bool, least: float) -> list[int]:
    """`pick_nodes`, and of an attribute of several values also what repeats one of them on the same tags."""
    nodes = pick_nodes(found, page, column, is_several, least)
    if not is_several:
        return nodes
    tags = page.roles[:, TAGS]
    told = {(page.texts[node], int(tags[node])) for node in nodes}
    sure = sure_nodes(found, column, least).tolist()
    return [node for node in sure if (page.texts[node], int(tags[node])) in told]


def pick_nodes(found: Found, page: Description, column: int, is_several: bool, least: float) -> list[int]:
    """The nodes of one attribute, each of another text: all that are sure enough, or the surest."""
    chances, sure = found.chances[:, column], sure_nodes(found, column, least)
    best: dict[str, int] = {}
    for node in sure[np.argsort(-chances[sure], kind="stable")].tolist():
        best.setdefault(page.texts[node], node)
    nodes = list(best.values())
    return nodes if is_several else nodes[:1]


def sure_nodes(found: Found, column: int, least: float) -> NDArray[np.intp]:
    """The nodes that are sure enough to be of this attribute, and likelier of it than of any other."""
    chances = found.chances[:, column]
    return np.flatnonzero((chances >= least) & (chances >= found.chances[:, 1:].max(axis=1)))
