"""Candidates: every way to read a page as a list of records that the tree suggests, before anyone judges them.

    nodes of one kind, each a record                       <li>…  <li>…  <li>…
    nodes of one path under one grandparent                cells of a grid, whatever the style of its rows
    children of one parent, cut where a kind comes again   <h3>… <p>… <p>…  |  <h3>… <p>…
    the same over several parents of one path              rows of a grid, lists with headings between them
    a tag that was never closed, nested into itself        <dd>… <dd>… <dd>…

Lists that grammars (tree_lists.py) or classes of subtrees (equivalence.py) propose are candidates of the same kind.

"Kind" is read at four grains: tag path; tag path with styles; tag under a styled path; the same with what stands below.
A record is a range of the sequence. Differs from the thesis, which cuts the signal: boundaries are always those of
subtrees. Everything is an array operation over all groups at once; only groups that hold a fair share of the page's
text are looked at one by one. Reads sequence.py; read by quality.py, choice.py and the methods.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.sequence import PageSequence, Places

MIN_SHARE = 0.03  # of the page's text; with it the best candidate still scores 98 to 100 on the shared list pages
MAX_DEPTH = 1000  # of a record: nobody writes lists so deep, and their XPaths would grow with the square of the page
MAX_CANDIDATES = 200  # of one page, those with the most text: it bounds the time on any input

FORMS = {
    **dict.fromkeys(("node", "cousins", "siblings", "split", "splits", "chain"), "signal"),
    **dict.fromkeys(("grammar", "grammars"), "wrapper"),
    **dict.fromkeys(("class", "outline"), "equivalence"),
}
GRAINS = ("path", "style", "under", "shape")


@dataclass(frozen=True, eq=False)
class Candidate:
    """Records as ranges of the sequence: from `starts` to before `ends`."""

    form: str
    grain: str
    starts: Places
    ends: Places
    votes: tuple[str, ...] = ()  # the forms of all that proposed these records

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def proposers(self) -> str:
        """The methods that proposed these records: `signal+wrapper`."""
        return "+".join(dict.fromkeys(FORMS[form] for form in sorted(self.votes, key=list(FORMS).index)))

    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The records as pairs of places."""
        return tuple(zip(self.starts.tolist(), self.ends.tolist(), strict=True))


def select_candidates(
    page: PageSequence, proposed: Iterable[Candidate], min_share: float = MIN_SHARE
) -> list[Candidate]:
    """Return what was proposed, each set of records once with the votes for it; those with the most text first."""
    least = max(min_share * page.text_before[-1], 1)
    if len(page) < 3 or page.text_before[-1] == 0:
        return []
    found: dict[tuple[bytes, bytes], tuple[float, Candidate]] = {}
    votes: dict[tuple[bytes, bytes], list[str]] = {}
    kept: dict[tuple[bytes, bytes], tuple[bytes, bytes]] = {}  # the records as proposed -> as kept
    for candidate in proposed:
        key = candidate.starts.tobytes(), candidate.ends.tobytes()
        if key in kept:  # most: the grains agree more often than not
            votes[kept[key]].append(candidate.form)
            continue
        length = page.text_before[candidate.ends] - page.text_before[candidate.starts]
        total = int(length.sum())
        own = key
        if not length.all():  # separators and spacers are no records
            has_text = length > 0
            candidate = replace(candidate, starts=candidate.starts[has_text], ends=candidate.ends[has_text])
            key = candidate.starts.tobytes(), candidate.ends.tobytes()
        kept[own] = key
        votes.setdefault(key, []).append(candidate.form)
        if len(candidate) >= 2 and total >= least and page.depth[candidate.starts].max() <= MAX_DEPTH:
            found.setdefault(key, (-total, candidate))
    ranked = sorted(found.items(), key=lambda item: item[1][0])  # stable: of equals the first form stands first
    return [replace(candidate, votes=tuple(votes[key])) for key, (_, candidate) in ranked[:MAX_CANDIDATES]]


def find_candidates(page: PageSequence) -> list[Candidate]:
    """Return the candidates that the tree suggests."""
    return select_candidates(page, suggested_lists(page))


def suggested_lists(page: PageSequence) -> Iterator[Candidate]:
    """Yield everything that the tree suggests as a list."""
    least = max(MIN_SHARE * page.text_before[-1], 1)
    if len(page) < 3 or page.text_before[-1] == 0:
        return
    grains = _grains(page)
    elements = np.flatnonzero(~page.is_text)
    for grain, kind in grains.items():
        for places in groups_of(page, elements, kind[elements], page.end[elements], least):
            yield Candidate("node", grain, places, page.end[places])
    grandparent = np.where(page.parent >= 0, page.parent[page.parent], -1)
    cousins = (grandparent + 1) * (int(page.path.max()) + 1) + page.path
    for places in groups_of(page, elements, cousins[elements], page.end[elements], least):
        yield Candidate("cousins", "path", places, page.end[places])
    children = np.flatnonzero(page.parent >= 0)
    family = _Family(page, children)
    for grain, kind in grains.items():
        yield from _splits(page, grain, kind, family, least)
    for places in groups_of(page, elements, page.look[elements], page.end[elements], least):
        is_nested = page.end[places[:-1]] > places[1:]
        if is_nested.mean() > 0.5:  # of a menu with menus in it, few are
            ends = np.minimum(np.append(places[1:], page.end[places[-1]]), page.end[places])
            yield Candidate("chain", "style", places, ends)


def _grains(page: PageSequence) -> dict[str, Places]:
    """(N,) The kind of every node, at each grain."""
    up = page.parent
    parent_code = np.where(up >= 0, page.code[up], 0)
    under = _numbered(parent_code * (len(page.tree.names) + 3) + page.tag + 2)
    # what stands below: a sum of random numbers, one for each distinct path among the children
    numbers = np.random.default_rng(0).integers(1, 2**40, size=int(page.path.max()) + 1)
    has_parent = np.flatnonzero(up >= 0)
    pairs = np.unique(up[has_parent] * (int(page.path.max()) + 1) + page.path[has_parent])
    owner, path = np.divmod(pairs, int(page.path.max()) + 1)
    below = np.zeros(len(page), dtype=np.int64)
    np.add.at(below, owner, numbers[path])
    shape = _numbered(below * 1_000_003 + page.code)
    return dict(zip(GRAINS, (page.path, page.code, under, shape), strict=True))


def _numbered(keys: Places) -> Places:
    """The same keys as small numbers."""
    _, number = np.unique(keys, return_inverse=True)
    return number.astype(np.int64)


def groups_of(page: PageSequence, places: Places, kind: Places, ends: Places, least: float) -> Iterator[Places]:
    """Yield the places of each kind that occurs at least twice and holds at least so much text."""
    order = np.argsort(kind, kind="stable")
    first = _starts_of_runs(kind[order])
    length = (page.text_before[ends] - page.text_before[places])[order]
    is_wanted = (np.add.reduceat(length, first) >= least) & (np.diff(first, append=len(order)) >= 2)
    behind = np.append(first[1:], len(order))
    for start, end in zip(first[is_wanted].tolist(), behind[is_wanted].tolist(), strict=True):
        yield places[order[start:end]]


def _starts_of_runs(keys: Places) -> NDArray[np.intp]:
    """Where runs of equal keys begin."""
    return np.flatnonzero(np.diff(keys, prepend=keys[0] - 1)) if len(keys) else np.zeros(0, dtype=np.intp)


class _Family:
    """All children grouped by parent: who stands where among whose siblings."""

    def __init__(self, page: PageSequence, children: Places) -> None:
        self.page = page
        self.children = children
        self.siblings = children[np.argsort(page.parent[children], kind="stable")]  # grouped by parent
        first = _starts_of_runs(page.parent[self.siblings])
        sizes = np.diff(first, append=len(self.siblings))
        self.place = np.zeros(len(page), dtype=np.int64)  # (N,) of a child in `siblings`
        self.place[self.siblings] = np.arange(len(self.siblings))
        self.behind = np.zeros(len(page), dtype=np.int64)  # (N,) where the children of a parent end there
        self.behind[page.parent[self.siblings[first]]] = first + sizes
        # (S,) the sibling before with the same path, as a place in `siblings`, or -1
        key = page.parent[self.siblings] * (int(page.path.max()) + 1) + page.path[self.siblings]
        order = np.argsort(key, kind="stable")
        before = np.append(-1, order[:-1])
        before[_starts_of_runs(key[order])] = -1
        self.before = np.empty(len(self.siblings), dtype=np.int64)
        self.before[order] = before
        self._ends: dict[bytes, Places] = {}

    def ends_of_split(self, starts: Places, longest: int) -> Places:
        """Where the records end that begin at these siblings; the longest but the last has so many children.

        A record ends where the next begins. The last one has no more children than the longest before it, and only
        such as were seen in those: what follows a list in the same parent is no part of it.
        """
        if longest == 1:
            return self.page.end[starts]
        key = starts.tobytes()
        if key not in self._ends:
            first, last = int(self.place[starts[0]]), int(self.place[starts[-1]])
            stop = min(last + longest, int(self.behind[self.page.parent[starts[0]]]))
            before = self.before[last + 1 : stop]
            before = np.where(before == last, self.before[last], before)  # the last start itself is not before it
            is_new = before < first
            behind = last + 1 + (int(is_new.argmax()) if is_new.any() else len(is_new))
            self._ends[key] = np.append(starts[1:], self.page.end[self.siblings[behind - 1]])
        return self._ends[key]


def _splits(page: PageSequence, grain: str, kind: Places, family: _Family, least: float) -> Iterator[Candidate]:
    """Children of one parent cut at a kind, and the same over all parents of one path."""
    children = family.children
    width = int(kind.max()) + 1
    key = page.parent[children] * width + kind[children]
    order = np.argsort(key, kind="stable")
    places = children[order]
    first = _starts_of_runs(key[order])
    count = np.diff(first, append=len(order))
    step = np.diff(family.place[places], append=0)  # to the next of the group; of its last one, nothing
    step[np.append(first[1:], len(order)) - 1] = 0
    longest = np.maximum.reduceat(step, first)
    is_repeated = count >= 2
    first, count, longest = first[is_repeated], count[is_repeated], longest[is_repeated]
    if not len(first):
        return
    above = page.parent[places[first]]
    reach = page.text_before[page.end[above]] - page.text_before[places[first]]  # the most that a split can hold
    relatives = page.path[above] * width + kind[places[first]]
    by_relatives = np.argsort(relatives, kind="stable")
    runs = _starts_of_runs(relatives[by_relatives])
    is_large = np.add.reduceat(reach[by_relatives], runs) >= least
    behind = np.append(runs[1:], len(by_relatives))
    for start, end in zip(runs[is_large].tolist(), behind[is_large].tolist(), strict=True):
        pieces = []
        for member in by_relatives[start:end].tolist():
            starts = places[first[member] : first[member] + count[member]]
            ends = family.ends_of_split(starts, int(longest[member]))
            pieces.append((starts, ends))
            if reach[member] >= least:
                yield Candidate("siblings", grain, starts, page.end[starts])
                if longest[member] > 1:
                    yield Candidate("split", grain, starts, ends)
        if len(pieces) > 1:
            all_starts, all_ends = (np.concatenate(column) for column in zip(*pieces, strict=True))
            by_place = np.argsort(all_starts, kind="stable")
            all_starts, all_ends = all_starts[by_place], all_ends[by_place]
            if (all_ends[:-1] <= all_starts[1:]).all():
                yield Candidate("splits", grain, all_starts, all_ends)
