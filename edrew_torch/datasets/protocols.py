"""Protocols: what is trained on, chosen on and tested on. The same model scores 7 or 98 depending on it.

| name | test set |
|---|---|
| `rows` | nodes shuffled over all pages, 70/20/10: as the thesis most likely did |
| `rows-balanced` | the same over all relevant nodes and as many noise nodes |
| `unique` | the same over one node of each distinct (reTPS, label) |
| `pages` | unseen pages of seen sites, all their nodes; 70/20/10 of the pages of each site (the default) |
| `sites` | unseen sites of the vertical: k seed sites in cyclic order, tested on all others; one fold for every start |
| `swde-published`, `swde-strict` | the folds of `sites`, scored by attribute (metrics/attributes.py) |

In the first three a page stands on both sides by design: they show what such a figure is worth. In the others no page
of a test set is in training. Reads prepared.py; read by datamodule.py, training.py and evaluation.py.
"""

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.errors import BadConfig, UnknownName

Nodes = NDArray[np.intp]

# The literature's order of sites; alphabetical where none is given. Sites that are not at hand are left out.
SITE_ORDER = {"auto": "msn aol kbb cars yahoo autoweb autobytel automotive carquotes motortrend".split()}


@dataclass(frozen=True, eq=False)
class Split:
    """Node numbers of the three parts. `test_pages` are set where whole pages are tested: their missed values count."""

    train: Nodes
    val: Nodes
    test: Nodes
    test_pages: Nodes


def split_rows(data: PreparedData, seed: int, num_seeds: int) -> list[Split]:
    """`rows`: all nodes, shuffled."""
    return [_split_nodes(np.arange(len(data.row)), seed)]


def split_rows_balanced(data: PreparedData, seed: int, num_seeds: int) -> list[Split]:
    """`rows-balanced`: all relevant nodes and as many others, drawn at random, shuffled."""
    relevant, noise = np.flatnonzero(data.relevant), np.flatnonzero(~data.relevant)
    drawn = np.random.default_rng(seed).choice(noise, min(len(relevant), len(noise)), replace=False)
    return [_split_nodes(np.sort(np.concatenate([relevant, drawn])), seed)]


def split_unique(data: PreparedData, seed: int, num_seeds: int) -> list[Split]:
    """`unique`: the first node of each distinct (reTPS, label), shuffled."""
    _, first = np.unique(data.row.astype(np.int64) * 2 + data.relevant, return_index=True)
    return [_split_nodes(np.sort(first), seed)]


def split_pages(data: PreparedData, seed: int, num_seeds: int) -> list[Split]:
    """`pages`: of each site 70 % of the pages train, 20 % validate, the rest test."""
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for key, numbers in pages_of_sites(data).items():
        for part, chosen in zip(parts, shuffled_parts(numbers, f"{seed}/{'/'.join(key)}", (0.7, 0.9)), strict=True):
            part += chosen
    return [_split_of_pages(data, *parts)]


def split_sites(data: PreparedData, seed: int, num_seeds: int) -> list[Split]:
    """`sites`: fold i trains on sites i … i+k-1 of each vertical, cyclically (a ninth of their pages validate)."""
    of_site = pages_of_sites(data)
    orders = {vertical: site_order(data, vertical) for vertical in data.verticals}
    fewest = min(len(order) for order in orders.values())
    if fewest < 2:
        raise BadConfig("a vertical has one site alone: a protocol over unseen sites needs two of each, better ten.")
    if not 1 <= num_seeds < fewest:
        raise BadConfig(
            f"seed sites must be 1 to {fewest - 1} (the smallest vertical has {fewest} sites), not {num_seeds}."
        )
    splits = []
    for start in range(max(len(order) for order in orders.values())):
        train: list[int] = []
        val: list[int] = []
        test: list[int] = []
        for vertical, order in orders.items():
            if start >= len(order):
                continue  # every start of a vertical counts once
            seeds = {order[(start + step) % len(order)] for step in range(num_seeds)}
            for site in order:
                numbers = of_site[vertical, site]
                if site in seeds:
                    more_train, more_val, _ = shuffled_parts(numbers, f"{seed}/{vertical}/{site}", (8 / 9, 1))
                    train += more_train
                    val += more_val
                else:
                    test += numbers
        splits.append(_split_of_pages(data, train, val, test))
    return splits


Protocol = Callable[[PreparedData, int, int], list[Split]]
BY_ATTRIBUTE = ("swde-published", "swde-strict")  # scored by attribute and page, not by node
PROTOCOLS: dict[str, Protocol] = {
    "rows": split_rows,
    "rows-balanced": split_rows_balanced,
    "unique": split_unique,
    "pages": split_pages,
    "sites": split_sites,
    "swde-published": split_sites,
    "swde-strict": split_sites,
}


def make_splits(data: PreparedData, protocol: str, seed: int, num_seeds: int = 5) -> list[Split]:
    """Split `data` by the protocol of this name: one split, or one for every start of the seed sites."""
    check_protocol(protocol, seed, num_seeds)
    splits = PROTOCOLS[protocol](data, seed, num_seeds)
    for split in splits:
        for part in ("train", "val", "test"):
            if not len(getattr(split, part)):
                raise BadConfig(f"the {part} part of protocol {protocol} is empty: it needs more pages of each site.")
    return splits


def check_protocol(protocol: str, seed: int, num_seeds: int) -> None:
    """Raise where no data can be split so: to be told before it is read, which may take minutes."""
    if protocol not in PROTOCOLS:
        raise UnknownName.among("protocol", protocol, PROTOCOLS)
    for name, number in (("seed", seed), ("protocol.num_seed_sites", num_seeds)):
        if type(number) is not int or number < 0:
            raise BadConfig(f"{name} must be a whole number from 0 on, not {number!r}.")


def fold_of_seed(seed: int, num_folds: int) -> int:
    """The fold that a single training takes: another seed starts at another site."""
    return (seed - 1) % num_folds


def protocol_label(protocol: str, num_seeds: int) -> str:
    """The protocol as signatures name it: with k where sites are held out."""
    return f"{protocol}(k={num_seeds})" if PROTOCOLS[protocol] is split_sites else protocol


def pages_of_sites(data: PreparedData) -> dict[tuple[str, str], list[int]]:
    """Return the page numbers of each (vertical, site)."""
    of_site: dict[tuple[str, str], list[int]] = {}
    for number, page in enumerate(data.pages):
        of_site.setdefault((page.vertical, page.site), []).append(number)
    return of_site


def site_order(data: PreparedData, vertical: str) -> list[str]:
    """Return the sites of a vertical of the data in the order of the literature."""
    return ordered_sites(vertical, {page.site for page in data.pages if page.vertical == vertical})


def ordered_sites(vertical: str, sites: Collection[str]) -> list[str]:
    """Return these sites of a vertical in the order of the literature.

    >>> ordered_sites("auto", ["cars", "aol", "mine"])
    ['aol', 'cars', 'mine']
    """
    known = [site for site in SITE_ORDER.get(vertical, []) if site in sites]
    return [*known, *sorted(set(sites) - set(known))]


def _split_nodes(nodes: Nodes, seed: int) -> Split:
    shuffled = np.random.default_rng(seed).permutation(nodes)
    train, val, test = np.split(shuffled, [round(0.7 * len(nodes)), round(0.9 * len(nodes))])
    return Split(np.sort(train), np.sort(val), np.sort(test), np.zeros(0, dtype=np.intp))


def _split_of_pages(data: PreparedData, train: list[int], val: list[int], test: list[int]) -> Split:
    pages = [np.array(sorted(part), dtype=np.intp) for part in (train, val, test)]
    train_nodes, val_nodes, test_nodes = (data.nodes_of(part) for part in pages)
    return Split(train_nodes, val_nodes, test_nodes, pages[2])


def shuffled_parts(
    numbers: list[int], seed: str, shares: tuple[float, float]
) -> tuple[list[int], list[int], list[int]]:
    """Return a site's pages, shuffled, in three parts that end at these shares."""
    # a generator of its own: a site's parts do not depend on which other sites are there
    shuffled = random.Random(seed).sample(numbers, len(numbers))
    first, second = (round(share * len(numbers)) for share in shares)
    return shuffled[:first], shuffled[first:second], shuffled[second:]
