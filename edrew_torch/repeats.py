"""Text that repeats across pages: counted by hash over the documents of a stream, then left out of any result.

    texts of each document   ->   RepeatCounter   ->   is this text in many documents?   ->   results without it

Spec `news`, section 2 (the document of 2009): each text is a hash modulo a table size p; a text in many documents
(copyright lines, shared advertisements) is irrelevant. Documents are counted, not occurrences. Counting is one pass and
marking another, memory is the table alone, and counters of two halves of a site merge into that of the whole.

Ours: several tables with hashes of their own, of which the smallest count holds (Cormode and Muthukrishnan 2005), since
in one table of a sensible size every fourth text would meet another; `num_tables=1` is as documented. Reads result.py;
read by cli/. Works after any extractor.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from edrew_torch.datasets.labels import collapse
from edrew_torch.errors import BadConfig, BadData
from edrew_torch.result import Region, Result

NUM_TABLES = 3
ROOM = 4  # places of a table for each text: a fifth of it is used at most, where no text comes twice
MIN_SIZE, MAX_SIZE = 1009, 67_108_859  # primes; the largest takes 0.8 GB in three tables
MANY = 0.5  # the share of the documents that counts as many: see experiments/news/results.md
MIN_DOCUMENTS = 2  # a text of one document never repeats


class RepeatCounter:
    """In how many documents each text stands, whatever its white space. `p` is the size of its tables.

    >>> counter = RepeatCounter.for_texts(100)
    >>> for texts in (["Tea", "© 2026", "© 2026"], ["Cake", "© 2026"]):
    ...     counter.count(texts)
    >>> [counter.is_repeated(text) for text in ("Tea", "Cake", "© 2026")]
    [False, False, True]
    """

    def __init__(self, p: int, num_tables: int = NUM_TABLES) -> None:
        if p < 1 or not 1 <= num_tables <= 8:
            raise BadConfig(f"p must be at least 1 and num_tables 1 to 8; given {p} and {num_tables}.")
        self.p = p
        self.counts: NDArray[np.int32] = np.zeros((num_tables, p), dtype=np.int32)
        self.num_documents = 0

    @classmethod
    def for_texts(cls, num_texts: int, num_tables: int = NUM_TABLES) -> "RepeatCounter":
        """A counter with room for so many texts (text nodes, values, paragraphs) of all documents together."""
        return cls(table_size(num_texts), num_tables)

    def __repr__(self) -> str:
        return f"RepeatCounter({self.num_documents} documents, p={self.p})"

    def count(self, texts: Iterable[str]) -> None:
        """Count the texts of one document, each once."""
        self.num_documents += 1
        for table, places in enumerate(self._places(set(map(collapse, texts)))):
            self.counts[table, np.unique(places)] += 1

    def merge(self, other: "RepeatCounter") -> None:
        """Add what another counter has counted, of other documents."""
        if self.counts.shape != other.counts.shape:
            raise BadConfig(
                f"counters of {self.counts.shape} and {other.counts.shape} places cannot be merged: "
                "make both with the same p and number of tables."
            )
        self.counts += other.counts
        self.num_documents += other.num_documents

    def num_documents_with(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """In how many documents each of these texts stands; now and then too many, never too few."""
        if not len(texts):
            return np.zeros(0, dtype=np.int32)
        places = self._places([collapse(text) for text in texts])
        return np.asarray(np.min([row[at] for row, at in zip(self.counts, places, strict=True)], axis=0))

    def are_repeated(self, texts: Sequence[str], many: float = MANY) -> NDArray[np.bool_]:
        """Does each of these texts stand in many documents: at least two, and this share of them?"""
        return np.asarray(self.num_documents_with(texts) >= self.bound(many))

    def is_repeated(self, text: str, many: float = MANY) -> bool:
        """`are_repeated` of one text."""
        return bool(self.are_repeated([text], many)[0])

    def bound(self, many: float) -> int:
        """The number of documents that is many."""
        if not 0 < many <= 1:
            raise BadConfig(f"many is a share of the documents, above 0 and up to 1; given {many}.")
        return max(MIN_DOCUMENTS, math.ceil(many * self.num_documents - 1e-9))  # 0.1 · 30 is a little above 3

    def save(self, file: Path) -> None:
        """Write it, so that another process can merge it."""
        save_file({"counts": self.counts, "num_documents": np.array([self.num_documents])}, file)

    @classmethod
    def load(cls, file: Path) -> "RepeatCounter":
        """Read what `save` has written."""
        try:
            arrays = load_file(file)
            counts, number = arrays["counts"], int(arrays["num_documents"][0])
        except (OSError, KeyError, SafetensorError) as error:
            raise BadData(f"{file} holds no counter of repeated text: {error}.") from error
        counter = cls(counts.shape[1], counts.shape[0])
        counter.counts, counter.num_documents = counts, number
        return counter

    def _places(self, texts: Iterable[str]) -> Iterator[NDArray[np.uint64]]:
        """Table by table the places of texts; the same in every process, unlike Python's own hash."""
        size = 8 * len(self.counts)
        digests = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=size).digest() for text in texts]
        numbers = np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, len(self.counts))
        for column in numbers.T:
            yield column % np.uint64(self.p)


def table_size(num_texts: int) -> int:
    """The default p: the first prime with room for so many texts.

    >>> table_size(10), table_size(1000)
    (1009, 4001)
    """
    size = min(max(ROOM * num_texts + 1, MIN_SIZE), MAX_SIZE) | 1
    while any(size % divisor == 0 for divisor in range(3, math.isqrt(size) + 1, 2)):
        size += 2
    return size


def texts_of(result: Result) -> list[str]:
    """What a result says, piece by piece: its paragraphs, its values, the records of its regions."""
    paragraphs = [paragraph.text for paragraph in result.paragraphs]
    values = [value.text for value in result.values]
    return [*paragraphs, *values, *(text for region in result.regions for text in region.texts())]


def count_results(results: Iterable[Result], counter: RepeatCounter) -> None:
    """Count a stream of results, each one document."""
    for result in results:
        counter.count(texts_of(result))


def without_repeats(
    results: Sequence[Result], many: float = MANY, counter: RepeatCounter | None = None
) -> list[Result]:
    """Return the results of one site without the paragraphs, values and records that many of its pages have.

    With a counter of one's own (counted before, over more pages than these) this can be done result by result.
    """
    if counter is None:
        counter = RepeatCounter.for_texts(sum(len(texts_of(result)) for result in results))
        count_results(results, counter)
    return [without_repeated(result, counter, many) for result in results]


def without_repeated(result: Result, counter: RepeatCounter, many: float = MANY) -> Result:
    """Return one result without what a counter knows to repeat; a region without any record left goes as a whole."""

    def fresh(texts: Sequence[str]) -> list[bool]:
        are_fresh: list[bool] = (~counter.are_repeated(texts, many)).tolist()
        return are_fresh

    def kept(region: Region) -> Region:
        rows = zip(region.rows, fresh(region.texts()), strict=True)
        return replace(region, rows=tuple(row for row, is_fresh in rows if is_fresh))

    paragraphs = zip(result.paragraphs, fresh([each.text for each in result.paragraphs]), strict=True)
    values = zip(result.values, fresh([each.text for each in result.values]), strict=True)
    regions = ((region, kept(region)) for region in result.regions)
    return replace(
        result,
        paragraphs=tuple(each for each, is_fresh in paragraphs if is_fresh),
        values=tuple(each for each, is_fresh in values if is_fresh),
        regions=tuple(after for before, after in regions if after.rows or not before.rows),
    )
