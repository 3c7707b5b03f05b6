"""Word scores of an article's text: by words, as the seed document counts, and by shingles, as the benchmark does.

    "tea and cake", "tea or cake"   ->   Counts(correct=2, predicted=3, true=3) of words

Spec: news, "Evaluation". The benchmark is scrapinghub/article-extraction-benchmark, its rules written anew; its F1, the
one other tools are quoted with, is `f1_of_means`. All in linear time. Read by experiments/.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from edrew_torch.metrics.statistics import Counts, MeanScore, mean_score, micro

WORD = re.compile(r"\w+")  # the benchmark's rule; coarse for Chinese or Japanese, which come in whole phrases
SHINGLE = 4


@dataclass(frozen=True)
class ArticleScore:
    """Scores of a set of pages."""

    words: MeanScore
    shingles: MeanScore
    exact: float  # share of pages whose words are the true ones, in order


def find_words(text: str) -> list[str]:
    """Return the words of `text` in order; case matters.

    >>> find_words("Don't, 東京 2")
    ['Don', 't', '東京', '2']
    """
    return WORD.findall(text)


def score_words(predicted: str, true: str) -> Counts:
    """Return words selected rightly, words selected, relevant words; each as often as it occurs."""
    return _overlap(find_words(predicted), find_words(true))


def score_shingles(predicted: str, true: str, size: int = SHINGLE) -> Counts:
    """Return the same over all runs of `size` words; a text with fewer words is one run."""
    return _overlap(_shingles(find_words(predicted), size), _shingles(find_words(true), size))


def _shingles(words: list[str], size: int) -> Iterable[tuple[str, ...]]:
    if len(words) <= size:
        return [tuple(words)] if words else []
    return zip(*(words[start:] for start in range(size)), strict=False)


def _overlap(predicted: Iterable[Hashable], true: Iterable[Hashable]) -> Counts:
    answer, truth = Counter(predicted), Counter(true)
    return Counts((answer & truth).total(), answer.total(), truth.total())


def score_articles(pages: Iterable[tuple[str, str]]) -> ArticleScore:
    """Return the means over pages, each a pair (predicted text, true text).

    As in the benchmark, a page without an answer has no precision and one without an article no recall.
    """
    pages = list(pages)
    num_exact = sum(find_words(predicted) == find_words(true) for predicted, true in pages)
    return ArticleScore(
        mean_score(score_words(*page) for page in pages),
        mean_score(score_shingles(*page) for page in pages),
        num_exact / len(pages) if pages else 0.0,
    )


def score_sites(pages: Iterable[tuple[str, str, str]]) -> dict[str, Counts]:
    """Return the word counts of each site, from triples (site, predicted text, true text).

    `mean_score` of the values is the mean over sites, as in the document's table.
    """
    sites: dict[str, list[Counts]] = {}
    for site, predicted, true in pages:
        sites.setdefault(site, []).append(score_words(predicted, true))
    return {site: micro(counts) for site, counts in sites.items()}
