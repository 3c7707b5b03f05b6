"""Context: what speaks for a node beside its own logit: how it stands among the nodes of its page, and of its site.

    contributions of all nodes   ->   for each attribute: the likeliest nodes, (K,), and what is known of each, (K, F)

Nothing here names an attribute or a site, so that what is learnt of one vertical holds for another: is it the best of
its page, does its path do well on the other pages, is the attribute's name said beside it?
Reads enrich/; read by training.py and model.py.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from edrew_torch.enrich import describe
from edrew_torch.enrich.describe import Description

CANDIDATES = 8  # nodes of a page that an attribute is looked for among, by each of two rankings
MANY = 100  # and so many, if they are this likely, where a page may have several values: a list of ingredients
LIKELY = float(np.log(0.1))
RARE = 0.02  # added to a share of the pages before its logarithm is taken

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

# Where the words of an attribute's own name may be said: `publisher` in "Publisher:", in class="publisher"…
NAMED_IN = (
    (("said",), ("said",)),
    (("element", "element2", "element3"), ("name",)),
    (("heading",), ("w",)),
    (("data", "property"), ("prop", "data")),
)
ROLE_COLUMN = {name: column for column, name in enumerate(describe.ROLES)}


@dataclass(frozen=True, eq=False)
class SiteNodes:
    """The nodes of some pages of one site (or of one page), as the rankings read them."""

    page: Places  # (N,)
    num_pages: int
    path: Places  # (N,) small numbers
    slot: Places  # (N,)
    same: Places  # (N,) small numbers of (page, text)
    marks: NDArray[np.uint8]  # (N, M)

    @classmethod
    def of(cls, pages: Sequence[Description], site: Sequence[NDArray[np.uint8]]) -> "SiteNodes":
        """From descriptions, and the marks of site.py."""
        page = np.repeat(np.arange(len(pages)), [len(each) for each in pages])
        number: dict[tuple[int, str], int] = {}
        texts = ((place, text) for place, each in enumerate(pages) for text in each.texts)
        same = np.array([number.setdefault(each, len(number)) for each in texts], dtype=np.int64)
        marks = np.concatenate([np.concatenate([p.marks, s], axis=1) for p, s in zip(pages, site, strict=True)])
        return cls(
            page,
            len(pages),
            np.unique(np.concatenate([each.path for each in pages]), return_inverse=True)[1],
            np.unique(np.concatenate([each.slot for each in pages]), return_inverse=True)[1],
            same,
            marks,
        )

    def __len__(self) -> int:
        return len(self.page)

    def kept(self, nodes: NDArray[np.bool_]) -> "SiteNodes":
        """Without the others."""
        return SiteNodes(
            self.page[nodes],
            self.num_pages,
            np.unique(self.path[nodes], return_inverse=True)[1],
            np.unique(self.slot[nodes], return_inverse=True)[1],
            np.unique(self.same[nodes], return_inverse=True)[1],
            self.marks[nodes],
        )


def name_matches(page: Description, attributes: Sequence[str]) -> Floats:
    """(N, attributes, 4) The share of the words of each attribute's name that are said at each of four places."""
    local, sizes, flat = page.pieces()
    piece_of = np.repeat(np.arange(len(sizes)), sizes)
    found = np.zeros((len(page), len(attributes), len(NAMED_IN)), dtype=np.float32)
    for number, attribute in enumerate(attributes):
        words = [word for word in attribute.split("_") if not word.isdigit()]
        for place, (roles, prefixes) in enumerate(NAMED_IN):
            columns = [ROLE_COLUMN[role] for role in roles]
            for word in words:
                has = np.zeros(len(sizes), dtype=np.bool_)
                for prefix in prefixes:
                    has[piece_of[flat == crc32(f"{prefix} {word}".encode())]] = True
                if has.any():
                    found[:, number, place] += has[local[:, columns]].any(axis=1) / len(words)
    return found


def contexts(
    nodes: SiteNodes, parts: Floats, bias: Floats, names: Floats, several: Collection[int] = ()
) -> list[tuple[Places, Floats]]:
    """Return for each attribute its likeliest nodes and the features of each.

    `parts` is (N, groups, attributes + 1), class 0 is none; `names` is (N, attributes, 4). `several` has the classes
    of which a page may have more values than a few.
    """
    logits = parts.sum(axis=1) + bias
    chances = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    path, slot = Groups.of(nodes.path, nodes), Groups.of(nodes.slot, nodes)
    found = []
    for column in range(1, logits.shape[1]):
        most = MANY if column in several else 0
        found.append(_context_of(nodes, chances, column, parts, names[:, column - 1], path, slot, most))
    return found


@dataclass(frozen=True, eq=False)
class Groups:
    """Nodes of one path, or one slot, over the pages."""

    of_node: Places  # (N,)
    count: Places  # (G,) nodes
    share: NDArray[np.float64]  # (G,) of the pages that have one

    @classmethod
    def of(cls, group: Places, nodes: SiteNodes) -> "Groups":
        """From the group of each node."""
        pairs = np.unique(group * nodes.num_pages + nodes.page)
        return cls(group, np.bincount(group), np.bincount(pairs // nodes.num_pages) / nodes.num_pages)

    def mean(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """(G,) The mean of each group."""
        sums: NDArray[np.float64] = np.bincount(self.of_node, values) / self.count
        return sums

    def features(self, values: NDArray[np.floating]) -> tuple[list[NDArray[np.floating]], NDArray[np.float64]]:
        """Mean, share of the pages, distance from the best group, rank; and (N,) the mean, lower where it is rare."""
        mean = self.mean(values)
        weighed = mean + np.log(self.share + RARE)
        best = weighed.max() if len(weighed) else 0.0
        rank = np.empty(len(weighed))
        rank[np.argsort(-weighed)] = np.arange(len(weighed))
        here = self.of_node
        top = np.full(len(here), best)
        return [mean[here], self.share[here], weighed[here] - best, rank[here], top], weighed[here]


def _context_of(
    nodes: SiteNodes,
    chances: Floats,
    column: int,
    parts: Floats,
    names: Floats,
    path: Groups,
    slot: Groups,
    num_likely: int,
) -> tuple[Places, Floats]:
    """The likeliest nodes of one attribute, and their features."""
    own = chances[:, column].astype(np.float64)
    others = np.delete(chances, [0, column], axis=1).max(axis=1, initial=-99.0)
    by_path, weighed_path = path.features(own)
    by_slot, weighed_slot = slot.features(own)
    together = 0.5 * (own + weighed_path + weighed_slot)
    rank, best = ranks(nodes, own)
    rank_together, best_together = ranks(nodes, together)
    elsewhere = np.full(int(nodes.same.max(initial=-1)) + 1, -99.0)
    np.maximum.at(elsewhere, nodes.same, own)
    near_best = np.bincount(nodes.page, own > best[nodes.page] - 1, minlength=nodes.num_pages)
    is_likely = (rank < num_likely) & (own > LIKELY)
    kept = np.flatnonzero((rank < CANDIDATES) | (rank_together < CANDIDATES) | (names[:, 0] > 0) | is_likely)
    group_parts = parts[:, :, column] - parts[:, :, 0]
    group_means = np.stack([path.mean(each) for each in group_parts.T], axis=1)[nodes.path[kept]]
    columns = [
        own,
        own - chances[:, 0],
        own - others,
        rank,
        own - best[nodes.page],
        *by_path,
        *by_slot,
        rank_together,
        together - best_together[nodes.page],
        elsewhere[nodes.same] - own,
        best[nodes.page],
        near_best[nodes.page],
    ]
    table = np.stack([each[kept] for each in columns], axis=1)
    return kept, np.concatenate([table, names[kept], group_parts[kept], group_means, nodes.marks[kept]], axis=1).astype(
        np.float32
    )


def ranks(nodes: SiteNodes, values: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(N,) The rank of each node on its page, 0 for the best, and (pages,) the best value."""
    order = np.lexsort((-values, nodes.page))
    first = np.searchsorted(nodes.page[order], np.arange(nodes.num_pages))
    rank = np.empty(len(values))
    rank[order] = np.arange(len(values)) - first[nodes.page[order]]
    best = np.full(nodes.num_pages, -99.0)
    np.maximum.at(best, nodes.page, values)
    return rank, best
