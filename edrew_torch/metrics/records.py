"""Record scores: how many records of a list page were found, and how many of the items inside them.

    predicted records, true records   ->   pairs (predicted, true), one to one   ->   Counts(matched, predicted, true)

Spec: protocols, "Record scores". Sums and means over pages: `micro` and `mean_score` of statistics.py. Read by
datasets/lists.py and experiments/.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from edrew_torch.metrics.statistics import Counts, micro

NODES_F = 0.5  # spec: where the truth gives text nodes (`shops`)
GRAMS_F = 0.6  # spec: where it gives the record's whole text (`records`)
GRAM = 5
ITEMS_F = 0.35  # Moura 2018: records match above it …
COMMON = 0.8  # … and items of more than this share of the records are the template's


def is_scored(entry: Mapping[str, Any]) -> bool:
    """Whether a page of `records` is scored: annotated, its sources agree and its records were located."""
    is_doubtful = entry.get("sources_agree") is False or entry.get("located") is False  # absent is no doubt
    return entry.get("records") is not None and not is_doubtful


def score_record_nodes(predicted: Sequence[Collection[Hashable]], true: Sequence[Collection[Hashable]]) -> Counts:
    """Return the score of a page of `shops`; a record is the set of its text nodes, by text or by number."""
    return Counts(len(match_nodes(predicted, true)), len(predicted), len(true))


def score_record_texts(predicted: Sequence[str], true: Sequence[str]) -> Counts:
    """Return the score of a page of `records`; a record is its whole text."""
    return Counts(len(match_texts(predicted, true)), len(predicted), len(true))


def score_record_counts(num_predicted: int, num_true: int) -> Counts:
    """Return the score of a page with `unit: title`: its truth knows how many records there are, not their extent."""
    return Counts(min(num_predicted, num_true), num_predicted, num_true)


def score_items(
    predicted: Sequence[Iterable[Hashable]],
    true: Sequence[Iterable[Hashable]],
    pairs: Iterable[tuple[int, int]],
) -> Counts:
    """Return the score of the items inside the matched records of a page, as often as each occurs in its record."""
    return micro(_common(Counter(predicted[mine]), Counter(true[theirs])) for mine, theirs in pairs)


def score_item_sets(
    predicted: Sequence[Iterable[str]], true: Sequence[Iterable[str]], least: float = ITEMS_F, common: float = COMMON
) -> tuple[Counts, Counts]:
    """Return the scores of records and of their items as Moura (2018, section 4.1) counts them.

    A record is the set of its items, without empty ones; of the predicted, without items that more than `common` of
    them have: those are the template's. Records match where the F of their sets exceeds `least`. Items of records that
    match none count as wrong, or as missed.

    >>> records, items = score_item_sets([["a", "b", "buy"], ["c", "buy"]], [["a", "b"], ["d", "e"]])
    >>> records, items
    (Counts(correct=1, predicted=2, true=2), Counts(correct=2, predicted=3, true=4))
    """
    sets = [frozenset(filter(None, record)) for record in predicted]
    times = Counter(item for record in sets for item in record)
    fixed = {item for item, number in times.items() if number > common * len(sets)} if len(sets) > 1 else set()
    sets = [record - fixed for record in sets]
    wanted = [frozenset(filter(None, record)) for record in true]
    pairs = match_sets(sets, wanted, np.nextafter(least, 1))
    shared = sum(len(sets[mine] & wanted[theirs]) for mine, theirs in pairs)
    return Counts(len(pairs), len(sets), len(wanted)), Counts(shared, sum(map(len, sets)), sum(map(len, wanted)))


def score_values(predicted: Sequence[Iterable[Hashable]], true: Sequence[Iterable[Hashable]]) -> Counts:
    """Return the score of all values of a page, whatever the record (Ribeiro and Miranda 2011, section 3.1.2)."""
    first, second = (Counter(value for record in records for value in record) for records in (predicted, true))
    return _common(first, second)


def mean_of_records(
    predicted: Sequence[Collection[Hashable]], true: Sequence[Collection[Hashable]]
) -> tuple[float, float]:
    """Return the mean precision and recall of the extracted records; one that matches none counts 0 (likewise)."""
    pairs = match_nodes(predicted, true)
    scores = [_common(Counter(predicted[mine]), Counter(true[theirs])) for mine, theirs in pairs]
    number = max(len(predicted), 1)
    return sum(score.precision for score in scores) / number, sum(score.recall for score in scores) / number


def _common(predicted: Counter[Hashable], true: Counter[Hashable]) -> Counts:
    return Counts((predicted & true).total(), predicted.total(), true.total())


def match_nodes(
    predicted: Sequence[Collection[Hashable]], true: Sequence[Collection[Hashable]]
) -> list[tuple[int, int]]:
    """Return the matches at F >= 0.5 over sets of text nodes."""
    return match_sets([frozenset(record) for record in predicted], [frozenset(record) for record in true], NODES_F)


def match_texts(predicted: Sequence[str], true: Sequence[str]) -> list[tuple[int, int]]:
    """Return the matches at F >= 0.6 over sets of character 5-grams, white space removed."""
    return match_sets([grams(text) for text in predicted], [grams(text) for text in true], GRAMS_F)


def grams(text: str) -> frozenset[str]:
    """Return the set of 5-grams of `text` without its white space; a shorter text is one gram, an empty one has none.

    Sets, not multisets: what a record repeats should not outweigh what it says.

    >>> sorted(grams("ab cd ef"))
    ['abcde', 'bcdef']
    """
    joined = "".join(text.split())
    return frozenset(joined[start : start + GRAM] for start in range(max(1, len(joined) - GRAM + 1))) - {""}


def match_sets(
    predicted: Sequence[frozenset[Hashable]], true: Sequence[frozenset[Hashable]], least: float
) -> list[tuple[int, int]]:
    """Return pairs of sets with F >= `least`, each in one pair at most, best first; of equals the first on the page.

    An index of what stands in which true record finds the overlaps of a predicted record with all true ones at once:
    1,000 × 1,000 records of one template take about a second.
    """
    places = defaultdict(list)
    for number, record in enumerate(true):
        for part in record:
            places[part].append(number)
    index = {part: np.array(numbers, dtype=np.intp) for part, numbers in places.items()}
    sizes = np.array([len(record) for record in true], dtype=np.intp)
    mine, theirs, quality = [], [], []
    for number, record in enumerate(predicted):
        shared = [index[part] for part in record if part in index]
        if shared:
            overlap = np.bincount(np.concatenate(shared), minlength=len(true))
            f = 2 * overlap / (len(record) + sizes)
            near = np.flatnonzero((f >= least) & (overlap > 0))
            mine.append(np.full(len(near), number))
            theirs.append(near)
            quality.append(f[near])
    if not mine:
        return []
    first, second = np.concatenate(mine), np.concatenate(theirs)
    pairs: list[tuple[int, int]] = []
    free_first, free_second = set(range(len(predicted))), set(range(len(true)))
    for place in np.lexsort((second, first, -np.concatenate(quality))).tolist():
        pair = int(first[place]), int(second[place])
        if pair[0] in free_first and pair[1] in free_second:
            pairs.append(pair)
            free_first.discard(pair[0])
            free_second.discard(pair[1])
    return pairs
