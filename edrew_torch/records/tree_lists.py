"""wrapper: the lists of records of a page, found by matching its tree with itself.

    sequence   ->   shapes   ->   G-STM   ->   grammars   ->   lists   ->   the main list

Two steps beyond the document can be switched, each by itself; `plain` switches both off:
- `tolerant`: a child belongs to a list when it is alike, whether or not a grammar reads all that is below it; jumps of
  a grammar that cross are widened; rows of a grid are one list. Without it, one optional field can end a list.
- `choice=model`: lists are judged by what good lists look like (choice.py), not by their length, which favours menus.
Moura 2018. Reads tree_match.py and extraction.py; one of the methods of methods.py, read by auto.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from edrew_torch.records.candidates import Candidate, select_candidates
from edrew_torch.records.choice import RecordList, StepSettings, choose_lists
from edrew_torch.records.extraction import (
    Extractor,
    FoundList,
    PagePlaces,
    find_data_lists,
    level_lists,
    main_list,
)
from edrew_torch.records.sequence import PageSequence, Places
from edrew_torch.records.shapes import Shapes
from edrew_torch.records.tree_match import TreeMatcher

MAX_COUSINS = 300  # distinct subtrees of one path that are compared with each other


@dataclass(frozen=True)
class WrapperSettings(StepSettings):
    """How lists are found by tree matching."""

    NAME = "wrapper"
    RULE = "longest"


DEFAULTS = WrapperSettings()


def wrapper_lists(
    page: PageSequence, settings: WrapperSettings = DEFAULTS, faults: list[str] | None = None
) -> list[RecordList]:
    """Return the lists of a page: content first, then the best. Grammars that failed are added to `faults`."""
    if settings.is_judged:
        proposed = grammar_lists(page, faults) if settings.is_tolerant else _candidates(matched_lists(page, faults))
        return choose_lists(page, select_candidates(page, proposed), settings.min_confidence)
    found = _as_found(page, grammar_lists(page, faults)) if settings.is_tolerant else matched_lists(page, faults)
    best = main_list(found)
    ranked = sorted(found, key=lambda each: (each is not best, -len(each.records)))
    # a rule that says yes or no has no degrees of confidence
    return [RecordList(each.records, float(each is best), each is best, each.texts) for each in ranked]


def matched_lists(page: PageSequence, faults: list[str] | None = None) -> list[FoundList]:
    """The lists of the data that the page's own grammars extract."""
    shapes = Shapes()
    places = PagePlaces.of(shapes, page)
    matcher = TreeMatcher(shapes)
    matcher.match(places.root, places.root)
    found = find_data_lists(Extractor(matcher), (places.root, places.root), places)
    if faults is not None:
        faults += matcher.faults
    return found


def grammar_lists(page: PageSequence, faults: list[str] | None = None) -> Iterator[Candidate]:
    """Yield the lists that the grammar of each level sees, and alike nodes of one path under several parents."""
    shapes = Shapes()
    places = PagePlaces.of(shapes, page)
    matcher = TreeMatcher(shapes, tolerant=True)
    matcher.match(places.root, places.root)
    known: dict[int, list[tuple[tuple[int, int], ...]]] = {}
    of_path: dict[int, list[int]] = {}
    for place, children in enumerate(places.children[:-1]):
        of_path.setdefault(int(page.path[place]), []).append(place)
        if len(children) < 2:
            continue
        shape = places.shape[place]
        if shape not in known:
            known[shape] = [*level_lists(matcher, shape), *symbol_lists(matcher.level(shape, shape).string_a)]
        for spans in known[shape]:
            starts = np.array([children[start] for start, _ in spans], dtype=np.int64)
            ends = page.end[[children[end - 1] for _, end in spans]]
            yield Candidate("grammar", "path", starts, ends)
    for found in of_path.values():
        if len(found) > 1 and not page.is_text[found[0]]:
            yield from _cousins(page, matcher, places.shape, found)
    if faults is not None:
        faults += matcher.faults


def _cousins(page: PageSequence, matcher: TreeMatcher, shape: list[int], found: list[int]) -> Iterator[Candidate]:
    """The nodes of one path that are alike, whoever their parents are: cells of a grid, lists with headings between."""
    distinct = list(dict.fromkeys(shape[place] for place in found))
    if len(distinct) > MAX_COUSINS:
        return
    symbol = dict(zip(distinct, matcher.symbols(distinct), strict=True))
    groups: dict[int, list[int]] = {}
    for place in found:
        groups.setdefault(symbol[shape[place]], []).append(place)
    for group in groups.values():
        if len(group) > 1:
            starts: Places = np.array(group, dtype=np.int64)
            yield Candidate("grammars", "path", starts, page.end[starts])


def symbol_lists(string: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the lists that begin wherever a symbol stands again: of single children, and of all up to the next one.

    >>> list(symbol_lists([7, 1, 2, 1, 2, 2, 1, 2, 9]))[:2]
    [((1, 2), (3, 4), (6, 7)), ((1, 3), (3, 6), (6, 9))]
    """
    places: dict[int, list[int]] = {}
    for place, symbol in enumerate(string):
        places.setdefault(symbol, []).append(place)
    for found in places.values():
        if len(found) > 1:
            yield tuple((place, place + 1) for place in found)
            longest = max(behind - place for place, behind in pairwise(found))
            if longest > 1:  # the last record is no longer than the longest before it
                yield tuple(pairwise([*found, min(found[-1] + longest, len(string))]))


def _candidates(found: list[FoundList]) -> Iterator[Candidate]:
    for each in found:
        starts, ends = np.array(each.records, dtype=np.int64).T
        yield Candidate("grammar", "path", starts, ends)


def _as_found(page: PageSequence, candidates: Iterator[Candidate]) -> list[FoundList]:
    """Candidates as the document's rule for the main list wants them: texts and tuples."""
    texts = np.flatnonzero(page.is_text)
    found = []
    for each in select_candidates(page, candidates, min_share=0):
        inside = [
            tuple(texts[np.searchsorted(texts, start) : np.searchsorted(texts, end)].tolist())
            for start, end in each.ranges()
        ]
        found.append(FoundList(each.ranges(), tuple(inside), all(len(record) > 1 for record in inside)))
    return found
