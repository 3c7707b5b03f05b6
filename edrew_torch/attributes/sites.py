"""Labelled sites: the pages of a data set -> descriptions with the attribute of each node.

    pages of one site, as read_swde gives them   ->   descriptions, classes

SWDE's truth is whole text nodes. The truth of `recipe` may span several (`2 cups`, `flour`) or leave white space out:
there a value is found as a run of text nodes, all of which are labelled. Reads datasets/, enrich/; read by task.py.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from edrew_torch.datasets.labels import find_values
from edrew_torch.datasets.pages import DataPage
from edrew_torch.enrich.describe import Describer, Description
from edrew_torch.errors import EdrewError
from edrew_torch.metrics.attributes import is_gold, published_text
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree

IN_PARTS = frozenset({("movie", "allmovie", "mpaa_rating"), ("movie", "amctv", "director")})  # truth with data bugs
IN_RUNS = frozenset({"recipe"})  # verticals whose values are runs of nodes
MAX_FINDS = 50  # of one value on one page


def describe_site(
    pages: Sequence[DataPage], attributes: Sequence[str]
) -> tuple[list[Description], list[NDArray[np.int64]]]:
    """Describe the pages of a site and label their nodes: 0 for none, else the attribute's place + 1."""
    describer = Describer()
    descriptions, classes = [], []
    for page in pages:
        try:
            tree = parse_tree(Page.from_bytes(page.data, f"{page.vertical}/{page.site}/{page.page_id}"))
        except EdrewError:  # one bad page never loses the others
            tree = parse_tree("")
        descriptions.append(describer.describe(tree))
        classes.append(label_nodes(descriptions[-1].texts, page, attributes))
    return descriptions, classes


def label_nodes(texts: Sequence[str], page: DataPage, attributes: Sequence[str]) -> NDArray[np.int64]:
    """The class of each node; a node with two values keeps the first attribute."""
    classes = np.zeros(len(texts), dtype=np.int64)
    number = {name: place for place, name in enumerate(attributes, start=1)}
    if page.vertical in IN_RUNS:
        found = [(name, nodes) for name, nodes in find_runs(texts, page.truth) if name in number]
    else:
        found = [(value.attribute, list(value.nodes)) for value in find_values(texts, page.truth)]
    for name, nodes in reversed(found):
        classes[nodes] = number[name]
    for name, values in page.truth.items():
        key = (page.vertical, page.site, name)
        if key in IN_PARTS:
            wanted = [published_text(unescape(value)) for value in values]
            for place, text in enumerate(map(published_text, texts)):
                if any(is_gold(*key, text, value) for value in wanted if value):
                    classes[place] = number[name]
    return classes


def find_runs(texts: Sequence[str], truth: Mapping[str, Sequence[str]]) -> list[tuple[str, list[int]]]:
    """Return for each value the text nodes that make it up, white space left out, wherever they do.

    >>> find_runs(["Tea", "2 cups", "flour", "flour"], {"ingredients": ["2 cups flour"]})
    [('ingredients', [1, 2])]
    """
    plain = ["".join(text.split()) for text in texts]
    whole = "".join(plain)
    ends = list(accumulate(map(len, plain)))
    starts = [end - len(text) for end, text in zip(ends, plain, strict=True)]
    found = []
    for name, values in truth.items():
        nodes: list[int] = []
        for value in dict.fromkeys("".join(unescape(value).split()) for value in values):
            place, times = whole.find(value) if value else -1, 0
            while place >= 0 and times < MAX_FINDS:
                first, last = bisect_left(starts, place), bisect_left(ends, place + len(value))
                if first <= last < len(ends) and starts[first] == place and ends[last] == place + len(value):
                    nodes += range(first, last + 1)
                place, times = whole.find(value, place + 1), times + 1
        if nodes:
            found.append((name, sorted(set(nodes))))
    return found
