"""Which blocks of a page are its article: the truth of the shared sets, brought to blocks.

    ArticlePage, Blocks   ->   (B,) share of each block that is article, (B,) how much it weighs in training

Where the whole text is known, blocks are matched with it in order, so that a teaser or a menu entry of the same words
is no article. Where only segments are known, blocks that have none of them weigh nothing. Read by train.py.
"""

import bisect

import numpy as np
from numpy.typing import NDArray

from edrew_torch.datasets.articles import ArticlePage, without_space
from edrew_torch.metrics.words import find_words
from edrew_torch.news.blocks import Blocks

SIZE = 4  # words of a shingle
MIN_SEGMENT = 12  # characters: a shorter segment of the truth could stand anywhere
Floats = NDArray[np.float64]


def block_labels(page: ArticlePage, blocks: Blocks) -> tuple[Floats, Floats]:
    """The labels and the weights of a page's blocks; the weights of a page sum up to 1, of segments to less."""
    if page.text is None:
        return segment_labels(page, blocks)
    words = [find_words(text) for text in blocks.texts]
    # as a block's shingles do, its weight reaches beyond its own words
    weights = np.array([len(each) + SIZE - 1 if each else 0 for each in words], dtype=np.float64)
    return text_labels(words, find_words(page.text)), weights / max(weights.sum(), 1.0)


def text_labels(blocks: list[list[str]], truth: list[str]) -> Floats:
    """The share of each block that stands in the truth, in its order."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(truth) - SIZE + 1):
        places.setdefault(tuple(truth[place : place + SIZE]), []).append(place)
    labels = np.zeros(len(blocks))
    spans: dict[int, tuple[int, int]] = {}  # of a long block: where its words stand in the truth
    for number, words in enumerate(blocks):
        if len(words) < SIZE:
            continue
        hits = [places.get(tuple(words[start : start + SIZE])) for start in range(len(words) - SIZE + 1)]
        found = [(start, hit) for start, hit in enumerate(hits) if hit]
        if found:
            labels[number] = min(1.0, len(found) / len(hits))
            if labels[number] >= 0.5:
                start, hit = found[0]
                spans[number] = hit[0] - start, hit[0] - start + len(words)
    chain = best_chain(spans)
    claimed = np.zeros(len(truth) + 1, dtype=bool)
    for number in chain:
        begin, end = spans[number]
        claimed[max(begin, 0) : end] = True
    for number in set(spans) - set(chain):
        begin, end = (max(bound, 0) for bound in spans[number])
        if claimed[begin:end].mean() > 0.5:  # the same words stand in the article itself: a teaser, a repetition
            labels[number] = 0.0
    mark_short(blocks, truth, labels, chain, spans)
    return labels


def best_chain(spans: dict[int, tuple[int, int]]) -> list[int]:
    """The blocks that stand in the order of the truth, of most words in all."""
    numbers = sorted(spans)
    best: list[tuple[int, int]] = []  # words up to here, place of the one before
    for place, number in enumerate(numbers):
        begin, end = spans[number]
        before = [(best[other][0], other) for other in range(place) if spans[numbers[other]][1] <= begin + SIZE - 1]
        length, other = max(before, default=(0, -1))
        best.append((length + end - begin, other))
    chain: list[int] = []
    place = max(range(len(best)), key=lambda each: best[each][0], default=-1)
    while place >= 0:
        chain.append(numbers[place])
        place = best[place][1]
    return chain[::-1]


def mark_short(
    blocks: list[list[str]], truth: list[str], labels: Floats, chain: list[int], spans: dict[int, tuple[int, int]]
) -> None:
    """Blocks of few words are article if they stand in the truth between the long blocks around them."""
    for number, words in enumerate(blocks):
        if not words or number in spans:
            continue
        behind = bisect.bisect(chain, number)
        first = spans[chain[behind - 1]][1] if behind else 0
        last = spans[chain[behind]][0] if behind < len(chain) else len(truth)
        around = f" {' '.join(truth[max(first, 0) : max(last, 0)])} "
        if f" {' '.join(words)} " in around:
            labels[number] = 1.0
        elif len(words) < SIZE:
            labels[number] = 0.0


def segment_labels(page: ArticlePage, blocks: Blocks) -> tuple[Floats, Floats]:
    """1 for blocks with a segment of the article, 0 for those with another; they alone weigh."""
    labels, weights = np.zeros(len(blocks)), np.zeros(len(blocks))
    present, absent = ([without_space(each) for each in group] for group in (page.present, page.absent))
    for number, text in enumerate(blocks.texts):
        own = without_space(text)
        if any(has_segment(own, each) for each in present):
            labels[number] = weights[number] = 1.0
        elif any(has_segment(own, each) for each in absent):
            weights[number] = 1.0
    return labels, weights / max(len(present) + len(absent), 1)


def has_segment(text: str, segment: str) -> bool:
    """Is the segment in the text, or the text a large part of a segment that goes over several blocks?"""
    if segment in text:
        return len(segment) >= MIN_SEGMENT or segment == text
    return len(text) >= MIN_SEGMENT and text in segment
