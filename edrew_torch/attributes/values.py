"""Values: the chances of a page's nodes -> the values that are told, one of each attribute or several.

    Found, descriptions, trees   ->   Value(text, attribute, xpath, confidence), in the order of the page

Of one and the same text the likeliest node stands for all. On pages of one site an attribute that no node of a page
reaches is taken from the path that most of the pages have it at, if those are sure enough. Reads model.py; read by
pipeline.py.
"""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from edrew_torch.attributes.model import Found
from edrew_torch.enrich.describe import Description
from edrew_torch.result import Value
from edrew_torch.tree import Tree

MIN_CONFIDENCE = 0.5
MIN_VOTERS = 2
VOTES = 0.5  # of the pages that must have an attribute at one path, for the path to speak for the others
METHOD = "edrew"


def page_values(
    found: Found, page: Description, tree: Tree, min_confidence: float = MIN_CONFIDENCE
) -> tuple[Value, ...]:
    """The values of a page on its own."""
    return site_values([found], [page], [tree], min_confidence)[0]


def site_values(
    found: Sequence[Found],
    pages: Sequence[Description],
    trees: Sequence[Tree],
    min_confidence: float = MIN_CONFIDENCE,
) -> list[tuple[Value, ...]]:
    """The values of each page of a site."""
    return [
        tuple(
            Value(page.texts[node], attribute, tree.xpath(int(page.nodes[node])), confidence, METHOD)
            for node, attribute, confidence in picks
        )
        for picks, page, tree in zip(site_picks(found, pages, min_confidence), pages, trees, strict=True)
    ]


def site_picks(
    found: Sequence[Found], pages: Sequence[Description], min_confidence: float = MIN_CONFIDENCE
) -> list[list[tuple[int, str, float]]]:
    """Place among the page's texts, attribute and confidence of the values of each page of a site, in page order."""
    chosen: list[list[tuple[int, str, float]]] = [[] for _ in pages]
    taken: list[set[int]] = [set() for _ in pages]
    vertical = next((each.vertical for each in found if each.vertical), None)
    missing: list[tuple[str, int, float, list[int]]] = []  # attribute, path, confidence, pages
    for column, attribute in enumerate(vertical.attributes if vertical else (), start=1):
        voters: dict[int, list[float]] = {}  # by path: how sure the pages are that have the attribute there
        without = []
        for number, (each, page) in enumerate(zip(found, pages, strict=True)):
            is_several = each.vertical is not None and attribute in each.vertical.several
            nodes = pick_nodes(each, page, column, is_several, min_confidence) if each.vertical else []
            chosen[number] += [(node, attribute, float(each.chances[node, column])) for node in nodes]
            taken[number].update(nodes)
            if nodes:
                voters.setdefault(int(page.path[nodes[0]]), []).append(float(each.chances[nodes[0], column]))
            else:
                without.append(number)
        if voters:
            winner = max(voters, key=lambda path: len(voters[path]))
            share = len(voters[winner]) / len(pages)
            # as sure as those that have it there, times how many they are
            confidence = share * fmean(voters[winner])
            if len(voters[winner]) >= MIN_VOTERS and share >= VOTES and confidence >= min_confidence:
                missing.append((attribute, winner, confidence, without))
    for attribute, path, confidence, without in missing:
        for number in without:
            node = next(iter(np.flatnonzero(pages[number].path == path).tolist()), None)
            if node is not None and node not in taken[number]:  # a node is one attribute
                taken[number].add(node)
                chosen[number].append((node, attribute, confidence))
    return [sorted(picks) for picks in chosen]


def pick_nodes(found: Found, page: Description, column: int, is_several: bool, least: float) -> list[int]:
    """The nodes of one attribute, each of another text: all that are sure enough, or the surest."""
    chances = found.chances[:, column]
    # a node is one attribute: the likeliest
    sure = np.flatnonzero((chances >= least) & (chances >= found.chances[:, 1:].max(axis=1)))
    best: dict[str, int] = {}
    for node in sure[np.argsort(-chances[sure], kind="stable")].tolist():
        best.setdefault(page.texts[node], node)
    nodes = list(best.values())
    return nodes if is_several else nodes[:1]
