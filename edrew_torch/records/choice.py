"""Choice: of all candidates of a page those that are its lists, the best first, none overlapping a better one.

    candidates   ->   expected F1 and chance to be content   ->   [RecordList, …]

One judge for all methods, so that they differ only in what they propose. Reads candidates.py and quality.py; read by
signal.py, tree_lists.py, equivalence.py and auto.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from edrew_torch.errors import BadConfig
from edrew_torch.records.candidates import Candidate
from edrew_torch.records.quality import Floats, candidate_features, content_chances, rate_candidates
from edrew_torch.records.sequence import PageSequence

MIN_CONFIDENCE = 0.5
NEARLY = 0.15  # of a rating; 0.05 to 0.3 give the same F1 on the training sites

Ranges = tuple[tuple[int, int], ...]  # of records: from, behind the end


@dataclass(frozen=True)
class RecordList:
    """A list of records as ranges of the sequence, and how sure it is that it is content.

    `texts` are the places of each record's texts, where a method takes less than the whole range.
    """

    records: Ranges
    confidence: float
    content: bool
    texts: tuple[tuple[int, ...], ...] | None = None
    method: str = ""  # who proposed it, where several did propose


@dataclass(frozen=True)
class StepSettings:
    """Two steps beyond a document's method, each to be switched by itself."""

    NAME: ClassVar[str]  # of the method
    RULE: ClassVar[str]  # the document's own way to choose

    plain: bool = False  # as the document has it: neither step
    tolerant: bool = True  # optional and repeated parts do not part two records
    choice: str = "model"  # model | the document's own
    min_confidence: float = MIN_CONFIDENCE  # of content, by the model

    def __post_init__(self) -> None:
        faults = []
        if self.choice not in ("model", self.RULE):
            faults.append(f"choice must be one of model, {self.RULE}, not {self.choice!r}")
        if not self.min_confidence >= 0:
            faults.append(f"min_confidence must be a number from 0 on, not {self.min_confidence!r}")
        if faults:
            raise BadConfig(f"{self.NAME}: {'; '.join(faults)}.")

    @property
    def is_tolerant(self) -> bool:
        """Is the first step taken?"""
        return self.tolerant and not self.plain

    @property
    def is_judged(self) -> bool:
        """Is the second step taken?"""
        return self.choice == "model" and not self.plain


def choose_lists(
    page: PageSequence, candidates: Sequence[Candidate], min_confidence: float = MIN_CONFIDENCE
) -> list[RecordList]:
    """Return the candidates that are rated best, none overlapping a better one: content first, then the best."""
    if not candidates:
        return []
    features = candidate_features(page, candidates)
    ratings = rate_candidates(features)
    chosen = []
    is_taken = np.zeros(len(page), dtype=np.bool_)
    for number in np.argsort(-ratings, kind="stable").tolist():
        if is_taken[candidates[number].starts].any():  # the cheap half of the question, which settles most
            continue
        number = whole_records(candidates, ratings, number)
        is_own = _covered(page, candidates[number])
        if not (is_own & is_taken).any():
            is_taken |= is_own
            chosen.append(number)
    # of twelve rules tried on the training sites, the one that takes the fewest articles for lists at the same F1
    confidence = (np.clip(ratings[chosen], 0, 1) + content_chances(features[chosen])) / 2
    found = [
        RecordList(
            without_head(page, candidates[number].ranges()),
            float(sure),
            bool(sure >= min_confidence),
            method=candidates[number].proposers,
        )
        for number, sure in zip(chosen, confidence, strict=True)
    ]
    return sorted(found, key=lambda each: not each.content)  # stable: the best stays first


def without_head(page: PageSequence, records: Ranges) -> Ranges:
    """The records without a first one that is the head of their table: it names the columns and says nothing of them.

    Its cells are of another tag, so that every column would stand there twice.
    """
    heads = [_is_head(page, *each) for each in records[:2]]
    return records[1:] if len(records) > 2 and heads == [True, False] else records


def _is_head(page: PageSequence, start: int, end: int) -> bool:
    """Do all texts of a record stand in `th` or `thead`?"""
    in_head = page.in_head[start:end][page.is_text[start:end]]
    return bool(len(in_head)) and bool(in_head.all())


def whole_records(candidates: Sequence[Candidate], ratings: Floats, number: int) -> int:
    """The candidate that holds the most of each record of this one, if it is rated nearly as well.

    The title of each record alone makes an even list, too; whoever asks for records wants them whole.
    """
    best = candidates[number]
    for other in np.flatnonzero(ratings >= ratings[number] - NEARLY).tolist():
        wider = candidates[other]
        if len(wider) == len(best) and (wider.starts <= best.starts).all() and (wider.ends >= best.ends).all():
            best, number = wider, other
    return number


def _covered(page: PageSequence, candidate: Candidate) -> NDArray[np.bool_]:
    """(N,) Is the place in one of the records?"""
    change = np.zeros(len(page) + 1, dtype=np.int64)
    change[candidate.starts] = 1
    np.add.at(change, candidate.ends, -1)  # an end may be the next record's start
    covered: NDArray[np.bool_] = np.cumsum(change[:-1]) > 0
    return covered
