"""Alignment: the cells of several records in one table, a column for each position.

    a b c        a b c -
    a c d   ->   a - c d
    a b c        a b c -

Center Star: the sequence with the least total distance to all others is the centre, every other one is aligned with
it, and the gaps are merged. Velloso 2020, section 4.1.4. Equal sequences are aligned once. Quadratic in the length of a
record, which is the one part of `signal` that is not linear; bounded for records of thousands of cells. Read by
tables.py.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import partial

Codes = tuple[int, ...]

MAX_PADDING = 20  # cells of a table for each element, beyond 10,000 cells: no table of the shared pages has so many
# Comparisons to find the centre, beyond which the most frequent sequence serves; five times as many to align with it.
MAX_CELLS = 1_000_000
SUBSTITUTION = 2  # as much as a gap on each side: a column then holds one kind of cell only. Plain edit distance: 1


def align(sequences: Sequence[Codes], substitution: int = SUBSTITUTION) -> list[list[int | None]]:
    """Return, for each sequence, the index of its element in every column, or None.

    >>> align([(1, 2, 3), (1, 3, 4), (1, 2, 3)])
    [[0, 1, 2, None], [0, None, 1, 2], [0, 1, 2, None]]
    """
    if not sequences:
        return []
    most_cells = MAX_PADDING * sum(map(len, sequences)) + 10_000
    if len({code for codes in sequences for code in codes}) * len(sequences) > most_cells:
        return packed(sequences)
    distinct = list(dict.fromkeys(sequences))
    center = find_center(distinct, Counter(sequences), substitution)
    is_long = len(center) * sum(map(len, distinct)) > 5 * MAX_CELLS
    find = _match_in_order if is_long else partial(match, substitution=substitution)
    matches = {codes: find(center, codes) for codes in distinct}
    # the columns before each element of the centre, and after the last: the codes that others have there
    slots: list[list[int]] = [[] for _ in range(len(center) + 1)]
    placed: dict[Codes, list[tuple[int, int | None]]] = {}  # (slot, place in it), or (element, None)
    for codes in distinct:
        placed[codes] = _place(codes, matches[codes], slots)
    first_of_slot, first_of_element, column = [], [], 0
    for number, slot in enumerate(slots):
        first_of_slot.append(column)
        column += len(slot)
        if number < len(center):
            first_of_element.append(column)
            column += 1
    if column * len(sequences) > most_cells:
        return packed(sequences)
    rows: dict[Codes, list[int | None]] = {}
    for codes, places in placed.items():
        row: list[int | None] = [None] * column
        for index, (where, offset) in enumerate(places):
            row[first_of_element[where] if offset is None else first_of_slot[where] + offset] = index
        rows[codes] = row
    return [list(rows[codes]) for codes in sequences]


def packed(sequences: Sequence[Codes]) -> list[list[int | None]]:
    """The elements one after the other, not aligned: of records that have next to nothing in common.

    Aligned, each would stand in columns of its own, and the table would grow with the square of the page.
    """
    width = max(map(len, sequences))
    return [[*range(len(codes)), *[None] * (width - len(codes))] for codes in sequences]


def find_center(distinct: Sequence[Codes], times: Counter[Codes], substitution: int = SUBSTITUTION) -> Codes:
    """Return the sequence with the least sum of distances to all; of equals the first."""
    longest = max(map(len, distinct))
    if len(distinct) ** 2 * (longest + 5) ** 2 > MAX_CELLS:  # 5: short ones cost a call, too
        return max(distinct, key=lambda codes: (times[codes], len(codes)))
    total = [0] * len(distinct)
    for i, one in enumerate(distinct):
        for j in range(i):
            apart = distance(one, distinct[j], substitution)
            total[i] += apart * times[distinct[j]]
            total[j] += apart * times[one]
    return distinct[total.index(min(total))]


def distance(one: Codes, other: Codes, substitution: int = SUBSTITUTION) -> int:
    """Return the edit distance: gaps cost 1.

    >>> distance((1, 2, 3), (1, 3, 4)), distance((1, 2), (1, 3), substitution=1)
    (2, 1)
    """
    start = 0  # equal ends cost nothing and are most of two records of one list
    while start < len(one) and start < len(other) and one[start] == other[start]:
        start += 1
    end = 0
    while end < len(one) - start and end < len(other) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return _cost_table(one[start : len(one) - end], other[start : len(other) - end], substitution)[-1][-1]


def match(center: Codes, codes: Codes, substitution: int = SUBSTITUTION) -> list[int | None]:
    """Return, for each element of `codes`, the element of the centre that it is aligned with, or None."""
    found: list[int | None] = [None] * len(codes)
    costs = _cost_table(center, codes, substitution)
    i, j = len(center), len(codes)
    while i and j:
        cost = 0 if center[i - 1] == codes[j - 1] else substitution
        if costs[i][j] == costs[i - 1][j - 1] + cost and (not cost or substitution < 2):
            i, j = i - 1, j - 1
            found[j] = i
        elif costs[i][j] == costs[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return found


def _match_in_order(center: Codes, codes: Codes) -> list[int | None]:
    """Each element with the next equal one of the centre: not the best alignment, but in linear time."""
    places: dict[int, list[int]] = {}
    for place, code in enumerate(center):
        places.setdefault(code, []).append(place)
    found: list[int | None] = []
    last = -1
    for code in codes:
        later = places.get(code, [])
        number = bisect_right(later, last)
        found.append(later[number] if number < len(later) else None)
        last = found[-1] if found[-1] is not None else last
    return found


def _cost_table(one: Codes, other: Codes, substitution: int) -> list[list[int]]:
    """The table of the dynamic programme: costs[i][j] of the first i and j elements."""
    costs = [list(range(len(other) + 1))]
    for i, code in enumerate(one, start=1):
        above = costs[-1]
        row = [i]
        for j, theirs in enumerate(other):
            if code == theirs:
                row.append(above[j])
            else:
                best = above[j + 1] if above[j + 1] < row[j] else row[j]
                swap = above[j] + substitution
                row.append(best + 1 if best + 1 < swap else swap)
        costs.append(row)
    return costs


def _place(codes: Codes, matched: list[int | None], slots: list[list[int]]) -> list[tuple[int, int | None]]:
    """Where each element stands: with an element of the centre, or in a slot, which grows where it must."""
    places: list[tuple[int, int | None]] = []
    slot, offset = 0, 0
    for code, element in zip(codes, matched, strict=True):
        if element is not None:
            places.append((element, None))
            slot, offset = element + 1, 0
            continue
        # the next column of this slot that holds such cells; a new one at the end, so that no place given before moves
        try:
            offset = slots[slot].index(code, offset)
        except ValueError:
            offset = len(slots[slot])
            slots[slot].append(code)
        places.append((slot, offset))
        offset += 1
    return places
