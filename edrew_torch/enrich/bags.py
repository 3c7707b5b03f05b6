"""Bags: descriptions -> for each node its tokens, group behind group, as indices into a table of weights.

    roles and marks of N nodes   ->   tokens (T,), ends (N, groups)

The same piece means something else in another role, so role and token are mixed into one index. Which groups are used
is a switch. Reads describe.py and site.py; read by attributes/.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from edrew_torch.enrich import describe
from edrew_torch.enrich.describe import Description
from edrew_torch.site import MARKS as SITE_MARKS

BITS = 18  # of an index: 262,144 rows; at 16 bits two tokens meet in every third row

# (role or mark, group), groups in one piece each
ROLES = tuple(describe.ROLES.items())
MARKS = (*describe.MARKS.items(), *((name, "site") for name in SITE_MARKS))
GROUPS = tuple(dict.fromkeys([group for _, group in ROLES] + [group for _, group in MARKS]))
ROLE_FACTOR = np.array([crc32(name.encode()) | 1 for name, _ in ROLES], dtype=np.uint64)
MARK_START = np.array([crc32(f"mark {name}".encode()) for name, _ in MARKS], dtype=np.uint64)
LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32 - BITS)


@dataclass(frozen=True, eq=False)
class Bags:
    """The tokens of N nodes; those of node n and group g end at `ends[n, g]`, where the next ones begin."""

    tokens: NDArray[np.int32]  # (T,)
    ends: NDArray[np.int64]  # (N, groups)

    def __len__(self) -> int:
        return len(self.ends)

    def starts(self) -> NDArray[np.int64]:
        """(N,) Where the tokens of each node begin."""
        last = self.ends[:, -1]
        return np.concatenate([np.zeros(min(len(last), 1), dtype=np.int64), last[:-1]])

    def of(self, nodes: NDArray[np.integer]) -> "Bags":
        """The bags of some nodes."""
        start = self.starts()[nodes]
        ends = self.ends[nodes]
        length = ends[:, -1] - start
        before = np.cumsum(length) - length
        places = np.repeat(start - before, length) + np.arange(length.sum())
        return Bags(self.tokens[places], ends - (start - before)[:, None])

    def without(self, groups: Collection[str]) -> "Bags":
        """The same nodes without the tokens of some groups."""
        length = np.diff(self.ends, axis=1, prepend=self.starts()[:, None])
        is_kept = np.array([group not in groups for group in GROUPS])
        kept = np.repeat(np.broadcast_to(is_kept, length.shape).reshape(-1), length.reshape(-1))
        ends = np.cumsum(np.where(is_kept, length, 0).reshape(-1)).reshape(length.shape)
        return Bags(self.tokens[kept], ends)

    @classmethod
    def joined(cls, parts: Sequence["Bags"]) -> "Bags":
        """Several as one."""
        sizes = np.cumsum([0, *(len(part.tokens) for part in parts)])
        ends = [part.ends + size for part, size in zip(parts, sizes.tolist(), strict=False)]
        return cls(np.concatenate([part.tokens for part in parts]), np.concatenate(ends))


def make_bags(page: Description, site: NDArray[np.uint8] | None = None, groups: Collection[str] = GROUPS) -> Bags:
    """Return the bags of a page's nodes; `site` holds its marks from site.py, None where the page stands alone."""
    count = len(page)
    local, sizes, pieces = page.pieces()
    flat = pieces.astype(np.uint64)
    first = np.cumsum(sizes) - sizes

    used = np.array([group in groups for _, group in ROLES])
    length = np.where(used, sizes[local], 0)  # (N, roles)
    marks = page.marks if site is None else np.concatenate([page.marks, site], axis=1)
    marked = np.array([group in groups for _, group in MARKS[: marks.shape[1]]])
    chosen = np.flatnonzero(marked)

    # a line of cells for each node: its roles, each as long as its piece, then its marks, one token each
    table = np.concatenate([length, np.broadcast_to(marked.astype(np.int64), (count, len(marked)))], axis=1)
    cell_end = np.cumsum(table.reshape(-1)).reshape(table.shape)
    tokens = np.empty(int(cell_end[-1, -1]) if count else 0, dtype=np.int32)
    role_length = length.reshape(-1)
    start = np.repeat((cell_end[:, : len(ROLES)] - length).reshape(-1), role_length)
    within = np.arange(len(start)) - np.repeat(np.cumsum(role_length) - role_length, role_length)
    values = flat[np.repeat(first[local].reshape(-1), role_length) + within]
    factor = np.repeat(np.broadcast_to(ROLE_FACTOR, (count, len(ROLES))).reshape(-1), role_length)
    tokens[start + within] = ((values * factor & LOW) >> SHIFT).astype(np.int32)
    numbers = (marks[:, chosen].astype(np.uint64) + MARK_START[chosen]) * np.uint64(0x9E3779B1) & LOW
    tokens[cell_end[:, len(ROLES) + chosen] - 1] = (numbers >> SHIFT).astype(np.int32)

    of_group = [group for _, group in (*ROLES, *MARKS[: marks.shape[1]])]
    last = {group: column for column, group in enumerate(of_group)}
    columns = [last.get(group, table.shape[1] - 1) for group in GROUPS]
    return Bags(tokens, cell_end[:, columns] if count else np.zeros((0, len(GROUPS)), dtype=np.int64))
