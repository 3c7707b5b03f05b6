"""Quality: how well each candidate would do as the page's list of records, learnt from pages whose records are known.

    candidates of a page   ->   (C, F) features   ->   (C,) expected F1 of their records; (C,) chance to be content

Features are of five kinds: how even the records are, what they hold (text, links, images, prices), where the list lies
in the page (features of the thesis among them), who proposed it and what other candidates over the same part of the
page say, and whether the page itself tells how many records it shows. None looks at words but those of such ranges.
Reads candidates.py and tree_ensemble.py; trained by experiments/records/train.py.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.records.candidates import FORMS, GRAINS, Candidate
from edrew_torch.records.sequence import PageSequence, Places
from edrew_torch.records.tree_ensemble import TreeEnsemble
from edrew_torch.tree import running_sum

Floats = NDArray[np.float64]

MODELS = Path(__file__).parents[1] / "models" / "records"
QUALITY_MODEL, CONTENT_MODEL = MODELS / "quality.safetensors", MODELS / "content.safetensors"
NUM_BUCKETS = 64  # looks are counted by hash: few pages have more that matter
MANY_NODES = 100_000
START_TAGS = tuple("tr td li div table p dt dd a b font hr br ul span article section".split())
DIGIT = re.compile(r"\d")
PRICE = re.compile(r"[$€£¥₹]|\d[.,]\d\d(?!\d)")
TITLE_TAGS = tuple("h1 h2 h3 h4 h5 h6 b strong dt th".split())
RANGE = re.compile(
    r"(?<![\d.,:/$€£-])(\d{1,4})\s?(?:-|–|—|to|through|thru|bis|a|à|al|até)\s?(\d{1,4})(?![\d:/%]|[.,]\d)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\W{0,2}(\d{1,4})(?!\d)")


@cache
def load_ensemble(file: Path) -> TreeEnsemble:
    """An embedded model."""
    return TreeEnsemble.load(file)


def rate_candidates(features: Floats) -> Floats:
    """(C, F) -> (C,): the F1 that the records of each candidate are expected to have."""
    return load_ensemble(QUALITY_MODEL).predict(features)


def content_chances(features: Floats) -> Floats:
    """(C, F) -> (C,): how likely each candidate is the page's content, however well it is cut into records."""
    return 1 / (1 + np.exp(-load_ensemble(CONTENT_MODEL).predict(features)))


def candidate_features(page: PageSequence, candidates: Sequence[Candidate]) -> Floats:
    """(C, F) The features of the candidates of one page, a column for each."""
    records = _Records(page, candidates)
    columns = {**_sizes(records), **_content(records), **_place(records), **_looks(records), **_starts(records)}
    columns |= {**_edges(records), **_declared(records), **_links(records)}
    columns |= _others(records, columns["share"])
    for name in FORMS:
        columns[f"votes {name}"] = np.log1p(records.of_candidates(c.votes.count(name) for c in candidates))
    columns["votes"] = np.log1p(records.of_candidates(len(c.votes) for c in candidates))
    columns["grain"] = np.array([GRAINS.index(c.grain) for c in candidates], dtype=np.float64)
    return np.stack(list(columns.values()), axis=1)


class _Records:
    """The records of all candidates in one row, so that every feature is a few array operations."""

    def __init__(self, page: PageSequence, candidates: Sequence[Candidate]) -> None:
        self.page = page
        self.starts = np.concatenate([candidate.starts for candidate in candidates])  # (R,)
        self.ends = np.concatenate([candidate.ends for candidate in candidates])  # (R,)
        self.count = np.array([len(candidate) for candidate in candidates])  # (C,)
        self.first = np.cumsum(self.count) - self.count  # (C,) the first record of each candidate
        self.last = self.first + self.count - 1
        self.owner = np.repeat(np.arange(len(candidates)), self.count)  # (R,)
        self.size = self.ends - self.starts  # (R,) nodes
        self.text = self.between(page.text_before)  # (R,) characters
        self.texts = self.between(running_sum(page.is_text))  # (R,) text nodes
        self.from_place = self.starts[self.first]  # (C,) where the list begins
        self.to_place = self.ends[self.last]  # (C,) and ends
        text_places = np.flatnonzero(page.is_text)
        self.first_text = text_places[np.searchsorted(text_places, self.starts)]  # (R,) every record has text
        self.last_text = text_places[np.searchsorted(text_places, self.ends) - 1]  # (R,)

    def between(self, sums: Places) -> Places:
        """(N + 1,) running sums -> (R,) the sum inside each record."""
        inside: Places = sums[self.ends] - sums[self.starts]
        return inside

    def total(self, values: NDArray[np.generic]) -> Floats:
        """(R, …) -> (C, …): sums over the records of each candidate."""
        return np.add.reduceat(values.astype(np.float64), self.first, axis=0)

    def mean(self, values: NDArray[np.generic]) -> Floats:
        """(R, …) -> (C, …): means over the records of each candidate."""
        mean: Floats = self.total(values) / self.count.reshape(-1, *[1] * (values.ndim - 1))
        return mean

    def variation(self, values: NDArray[np.generic]) -> Floats:
        """(R,) -> (C,): coefficients of variation."""
        mean = self.mean(values)
        deviation: Floats = np.sqrt(np.maximum(self.mean(values.astype(np.float64) ** 2) - mean**2, 0))
        varied: Floats = deviation / np.maximum(mean, 1e-9)
        return varied

    def steps(self, values: NDArray[np.generic], apart: int = 1) -> Floats:
        """(R - apart,) of pairs of records -> (C,): means over the pairs inside each candidate; 1 without any."""
        is_inside = self.owner[apart:] == self.owner[:-apart]
        number = np.bincount(self.owner[apart:][is_inside], minlength=len(self.count))
        total = np.bincount(self.owner[apart:][is_inside], values[is_inside], len(self.count))
        return np.where(number > 0, total / np.maximum(number, 1), 1.0)

    def of_candidates(self, claims: Iterable[float]) -> Floats:
        """Claims about each candidate as a column."""
        return np.fromiter(claims, dtype=np.float64, count=len(self.count))


def _share(part: NDArray[Any], whole: NDArray[Any] | float) -> Floats:
    share: Floats = part / np.maximum(whole, 1)
    return share


def _sizes(records: _Records) -> dict[str, Floats]:
    """How many records, how large, how even."""
    page = records.page
    span = records.to_place - records.from_place
    text_span = page.text_before[records.to_place] - page.text_before[records.from_place]
    gap = np.diff(records.starts).astype(np.float64)
    mean_gap = records.steps(gap)
    spread = np.sqrt(np.maximum(records.steps(gap**2) - mean_gap**2, 0))
    return {
        "count": np.log(records.count),
        "share": _share(records.total(records.text), float(page.text_before[-1])),
        "span": _share(span, len(page)),
        "density": _share(records.total(records.size), span),
        "text density": _share(records.total(records.text), text_span),
        "text": np.log1p(records.mean(records.text)),
        "text variation": records.variation(records.text),
        "size": np.log(records.mean(records.size)),
        "size variation": records.variation(records.size),
        "text nodes": np.log(records.mean(records.texts)),
        "text nodes variation": records.variation(records.texts),
        "gap variation": spread / np.maximum(mean_gap, 1e-9),
    }


def _content(records: _Records) -> dict[str, Floats]:
    """What stands in the records: links, images, digits, prices, texts that no other node of the page has."""
    page = records.page
    link_text = records.between(running_sum(page.length * page.in_link))
    links = records.between(running_sum(page.is_named("a")))
    images = records.between(running_sum(page.is_named("img")))
    marks = [(bool(DIGIT.search(text)), bool(PRICE.search(text))) for text in page.texts]
    digits, prices = (records.between(running_sum(np.array(column))) for column in zip(*marks, strict=True))
    _, number, times = np.unique([hash(text) for text in page.texts], return_inverse=True, return_counts=True)
    single = records.between(running_sum((times[number] == 1) & page.is_text))
    return {
        "link share": _share(records.total(link_text), records.total(records.text)),
        "links": np.log1p(records.mean(links)),
        "links variation": records.variation(links),
        "with link": records.mean(links > 0),
        "only link": records.mean(link_text >= 0.9 * records.text),
        "images": np.log1p(records.mean(images)),
        "with image": records.mean(images > 0),
        "with digit": records.mean(digits > 0),
        "with price": records.mean(prices > 0),
        "prices": np.log1p(records.mean(prices)),
        "single texts": _share(records.total(single), records.total(records.texts)),
        "with single text": records.mean(single > 0),
    }


def _place(records: _Records) -> dict[str, Floats]:
    """Where the list lies: features of the thesis (section 4.3), and the text around it."""
    page = records.page
    number = len(page)
    middle = (records.from_place + records.to_place) / 2
    codes = records.between(running_sum(page.code))
    size = records.mean(records.size)
    total = float(page.text_before[-1])
    return {
        "center": 1 - np.abs(middle - number / 2) / (number / 2),
        "horizontal": (number - middle) / number,
        "vertical": _share(records.total(codes), records.total(records.size)) / page.code.max(),
        "record": np.minimum(records.count, size) / np.maximum(records.count, size),
        "depth": page.depth[records.from_place].astype(np.float64),
        "text before": page.text_before[records.from_place] / total,
        "text after": (total - page.text_before[records.to_place]) / total,
    }


def _looks(records: _Records) -> dict[str, Floats]:
    """Whether each record has the same elements as often: a list cut too fine or too coarse shows here."""
    page = records.page
    bucket = page.look * 2_654_435_761 % 2**32 % NUM_BUCKETS
    parts = []
    apart = {distance: np.zeros((2, max(len(records.starts) - distance, 0))) for distance in (1, 2, 3)}
    # all buckets at once take 256 bytes for every node, and more for every record: on large pages, some at a time
    width = NUM_BUCKETS if len(page) < MANY_NODES else 8
    for first in range(0, NUM_BUCKETS, width):
        sums = np.zeros((len(page) + 1, width), dtype=np.int32)
        inside = np.flatnonzero((bucket >= first) & (bucket < first + width))
        sums[inside + 1, bucket[inside] - first] = 1
        np.cumsum(sums, axis=0, out=sums)
        seen = sums[records.ends] - sums[records.starts]  # (R, K) how often each record has each look
        squares = seen.astype(np.int64) ** 2
        parts.append([records.mean(part) for part in (seen, seen == 1, seen == 0, squares)])  # (C, K) each
        for distance, (unlike, total) in apart.items():
            one, other = seen[distance:], seen[:-distance]
            unlike += np.abs(one - other).sum(axis=1)
            total += (one + other).sum(axis=1)
    mean, once, never, square = (np.concatenate(column, axis=1) for column in zip(*parts, strict=True))
    number = (mean > 0).sum(axis=1)
    is_common = never < 0.1
    deviation = np.sqrt(np.maximum(square - mean**2, 0))
    step = {distance: records.steps(_share(*sums), distance) for distance, sums in apart.items()}
    return {
        "once": _share((once * (mean > 0)).sum(axis=1), number),
        "always once": _share((once > 0.9).sum(axis=1), number),
        "looks once": np.log1p((once > 0.9).sum(axis=1)),
        "common": _share(is_common.sum(axis=1), number),
        "in half": _share(((never > 0.3) & (never < 0.7)).sum(axis=1), number),
        "times": _share(np.where(is_common, mean, 0).sum(axis=1), is_common.sum(axis=1)),
        "dispersion": deviation.sum(axis=1) / np.maximum(mean.sum(axis=1), 1e-9),
        # how unlike a record is to the next one, and whether the one after is more alike
        "next": step[1],
        "second next": step[2] - step[1],
        "third next": step[3] - step[1],
    }


def _starts(records: _Records) -> dict[str, Floats]:
    """What the records begin with."""
    page = records.page
    tags = page.tag[records.from_place]
    columns = {f"starts {tag}": page.is_named(tag)[records.from_place].astype(np.float64) for tag in START_TAGS}
    values = np.full(len(page), -99)
    for place in np.unique(records.first_text).tolist():
        if match := NUMBER.match(page.texts[place]):
            values[place] = int(match[1])
    number = values[records.first_text]
    first_texts = np.array([hash(page.texts[place]) for place in records.first_text.tolist()])
    by_candidate = np.lexsort((first_texts, records.owner))
    is_new = np.ones(len(by_candidate), dtype=np.bool_)
    texts, owners = first_texts[by_candidate], records.owner[by_candidate]
    is_new[1:] = (texts[1:] != texts[:-1]) | (owners[1:] != owners[:-1])
    return {
        "starts text": (tags < 0).astype(np.float64),
        **columns,
        "one node": records.mean(page.end[records.starts] == records.ends),
        "numbered": records.steps((number[1:] == number[:-1] + 1) & (number[1:] > 0)),
        "first text": np.log1p(records.mean(page.length[records.first_text])),
        "first texts": np.bincount(owners[is_new], minlength=len(records.count)) / records.count,
    }


def _edges(records: _Records) -> dict[str, Floats]:
    """Whether records begin and end as titles do: a list that is cut in the wrong place ends with the next title."""
    page = records.page
    is_title = np.zeros(len(page), dtype=np.bool_)
    for name in TITLE_TAGS:
        is_title |= page.is_named(name)
    depth = running_sum(is_title)  # inside one: an element of such a tag that is not over yet
    depth = depth[:-1] - running_sum(np.bincount(page.end[is_title], minlength=len(page) + 1))[:-2]
    in_title = depth > 0
    last = records.last_text
    return {
        "first linked": records.mean(page.in_link[records.first_text]),
        "last linked": records.mean(page.in_link[last]),
        "first titled": records.mean(in_title[records.first_text]),
        "last titled": records.mean(in_title[last]),
        "first is last": records.mean(records.first_text == last),
        "last text": np.log1p(records.mean(page.length[last])),
        "same first look": records.steps(page.look[records.starts[1:]] == page.look[records.starts[:-1]]),
        "same first path": records.steps(page.path[records.first_text[1:]] == page.path[records.first_text[:-1]]),
        "same last path": records.steps(page.path[last[1:]] == page.path[last[:-1]]),
    }


def _declared(records: _Records) -> dict[str, Floats]:
    """Whether the page itself says how many there are: "1-10 of 245"."""
    numbers = declared_numbers(records.page)
    if not numbers:
        return {"declared": np.zeros(len(records.count)), "far from declared": np.full(len(records.count), -1.0)}
    apart = np.abs(np.log(records.count[:, None] / np.array(numbers))).min(axis=1)
    return {"declared": np.where(apart == 0, 1.0, -1.0), "far from declared": apart}


def declared_numbers(page: PageSequence) -> list[int]:
    """The numbers of records that a page speaks of: of "21 - 40" twenty, where pages of twenty begin at 1, 21, 41."""
    found = set()
    for match in RANGE.finditer(" ".join(filter(None, page.texts))):
        first, last = int(match[1]), int(match[2])
        number = last - first + 1
        if 2 <= number <= 500 and (first - 1) % number == 0:
            found.add(number)
    return sorted(found)


def _links(records: _Records) -> dict[str, Floats]:
    """Whether the first link of each record leads to a place of its own, and how alike these places are."""
    page = records.page
    anchors = np.flatnonzero(page.is_named("a"))
    if not len(anchors):
        return dict.fromkeys(("own link", "link length", "link length variation"), np.zeros(len(records.count)))
    addresses = [page.tree.attributes(node).get("href", "") for node in page.node[anchors].tolist()]
    _, number = np.unique([hash(address) for address in addresses], return_inverse=True)
    first = np.searchsorted(anchors, records.starts)
    has_link = (first < len(anchors)) & (anchors[np.minimum(first, len(anchors) - 1)] < records.ends)
    first = np.minimum(first, len(anchors) - 1)
    target = np.where(has_link, number[first], -1)
    key = records.owner * (len(anchors) + 1) + target + 1
    distinct = np.unique(key[has_link])
    own = np.bincount(distinct // (len(anchors) + 1), minlength=len(records.count))
    length = np.where(has_link, np.array([len(address) for address in addresses])[first], 0)
    return {
        "own link": own / records.count,
        "link length": np.log1p(records.mean(length)),
        "link length variation": records.variation(length),
    }


def _others(records: _Records, share: Floats) -> dict[str, Floats]:
    """What the other candidates over the same part of the page say: how many records they see there."""
    begin, end = records.from_place, records.to_place
    common = np.minimum(end[:, None], end) - np.maximum(begin[:, None], begin)
    whole = np.maximum(end[:, None], end) - np.minimum(begin[:, None], begin)
    is_same = common > 0.8 * whole  # (C, C), true on the diagonal
    count = np.log(records.count)
    most = np.where(is_same, count, -np.inf).max(axis=1)
    fewest = np.where(is_same, count, np.inf).min(axis=1)
    return {
        "share of most": share / share.max(),
        "rank": np.argsort(np.argsort(-share, kind="stable")) / len(share),
        "below most": count - most,
        "above fewest": count - fewest,
        "above mean": count - (is_same * count).sum(axis=1) / is_same.sum(axis=1),
        "agreeing": (is_same & (records.count[:, None] == records.count)).sum(axis=1) / is_same.sum(axis=1),
    }
