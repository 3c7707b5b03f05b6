"""auto: what all methods propose as lists, judged together; each page gets the list of whichever method saw it best.

    signal's candidates + wrapper's + equivalence's   ->   one judge (choice.py)   ->   lists

A list that several methods propose has several votes, and the judge knows them. Reads candidates.py, tree_lists.py and
equivalence.py; the default of methods.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from edrew_torch.errors import BadConfig
from edrew_torch.records.candidates import Candidate, select_candidates, suggested_lists
from edrew_torch.records.choice import MIN_CONFIDENCE, RecordList, choose_lists
from edrew_torch.records.equivalence import class_lists
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.tree_lists import grammar_lists

PROPOSERS: dict[str, Callable[[PageSequence], Iterator[Candidate]]] = {
    "signal": suggested_lists,
    "wrapper": grammar_lists,
    "equivalence": class_lists,
}


@dataclass(frozen=True)
class AutoSettings:
    """Who proposes lists."""

    signal: bool = True
    wrapper: bool = True
    equivalence: bool = True
    min_confidence: float = MIN_CONFIDENCE  # of content

    def __post_init__(self) -> None:
        faults = []
        if not any(getattr(self, name) for name in PROPOSERS):
            faults.append(f"at least one of {', '.join(PROPOSERS)} must be true")
        if not self.min_confidence >= 0:
            faults.append(f"min_confidence must be a number from 0 on, not {self.min_confidence!r}")
        if faults:
            raise BadConfig(f"auto: {'; '.join(faults)}.")


DEFAULTS = AutoSettings()


def auto_lists(page: PageSequence, settings: AutoSettings = DEFAULTS) -> list[RecordList]:
    """Return the lists of a page: content first, then the best."""
    proposed = (propose(page) for name, propose in PROPOSERS.items() if getattr(settings, name))
    return choose_lists(page, select_candidates(page, chain.from_iterable(proposed)), settings.min_confidence)
