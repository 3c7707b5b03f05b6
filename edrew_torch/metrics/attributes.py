"""Attribute scores on SWDE: on how many pages of a site the value of an attribute was found.

    a site's pages, (N, A + 1) probabilities per page   ->   {"price": Counts(hits, pages predicted, pages with truth)}

Two protocols (spec/protocols.md): `swde-published` as FreeDOM, SimpDOM and MarkupLM are scored, with its two leaks of
the target site's truth, and `swde-strict` without them. Read by evaluation.py, attributes/ and experiments/.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edrew_torch.errors import BadData, UnknownName
from edrew_torch.metrics.statistics import Counts, micro

MIN_TEXTS = 5  # rule 4: a variable XPath has more distinct texts over the site's pages than this …
MAX_XPATHS = 300  # … and is one of so many with the most

Probabilities: TypeAlias = Sequence[NDArray[np.floating[Any]]]  # per page (N, A + 1), column 0 is "none"
Scores: TypeAlias = "Counts | Mapping[str, Scores] | Sequence[Scores]"


def published_text(text: str) -> str:
    r"""Return `text` as the published systems compare it (rule 2): ASCII without NUL, blanks collapsed.

    White space goes first: a no-break space is a blank, whether the text is as in the page or collapsed already.

    >>> published_text(" Caf\xe9\n  No.\x00\xa01 ")
    'Caf No. 1'
    """
    ascii_only = " ".join(text.split()).encode("ascii", "ignore").replace(b"\0", b"").decode("ascii")
    return " ".join(ascii_only.split())


def is_gold(vertical: str, site: str, attribute: str, text: str, value: str) -> bool:
    """Whether a node with `text` holds the true `value` (rule 3, with its two exceptions)."""
    match vertical, site, attribute:
        case "movie", "allmovie", "mpaa_rating":
            return text.startswith(value) and len(text) <= 5
        case "movie", "amctv", "director":
            return text.endswith(value)
    return text == value


@dataclass(frozen=True)
class SitePage:
    """The text nodes of one page in document order, and its true values."""

    xpaths: Sequence[str]
    texts: Sequence[str]  # as in the page; published_text is applied here
    truth: Mapping[str, Collection[str]]  # values of each attribute, entities as in SWDE's files


@dataclass(frozen=True)
class SitePages:
    """All pages of one site. What does not depend on a model is worked out once and kept."""

    vertical: str
    site: str
    attributes: tuple[str, ...]  # column a + 1 of the probabilities is attributes[a]
    pages: tuple[SitePage, ...]

    def __post_init__(self) -> None:
        for number, page in enumerate(self.pages):
            if len(page.xpaths) != len(page.texts):
                raise BadData(
                    f"page {number} of {self.site} has {len(page.xpaths)} XPaths and {len(page.texts)} texts: "
                    "give one of each per node."
                )
            if unknown := sorted(set(page.truth) - set(self.attributes)):
                raise UnknownName.among("attribute", unknown[0], self.attributes)

    @cached_property
    def texts(self) -> list[list[str]]:
        """The nodes' texts of each page, as compared."""
        return [[published_text(text) for text in page.texts] for page in self.pages]

    @cached_property
    def values(self) -> list[dict[str, set[str]]]:
        """The true values of each page, as compared. One that is empty so (all Chinese, say) can not be found."""
        return [
            {name: {published_text(unescape(value)) for value in values} - {""} for name, values in page.truth.items()}
            for page in self.pages
        ]

    @cached_property
    def variable_xpaths(self) -> frozenset[str]:
        """The XPaths whose text varies from page to page (rule 4), without a look at the truth."""
        seen = defaultdict(set)
        for page, texts in zip(self.pages, self.texts, strict=True):
            for xpath, text in zip(page.xpaths, texts, strict=True):
                if text:
                    seen[xpath].add(text)
        variable = [xpath for xpath, texts_there in seen.items() if len(texts_there) > MIN_TEXTS]
        # stable: of XPaths that vary alike, those first seen
        return frozenset(sorted(variable, key=lambda xpath: -len(seen[xpath]))[:MAX_XPATHS])

    @cached_property
    def gold_xpaths(self) -> frozenset[str]:
        """The XPaths that hold a true value on some page: the first leak."""
        return frozenset(
            xpath
            for number, page in enumerate(self.pages)
            for xpath, text in zip(page.xpaths, self.texts[number], strict=True)
            if any(self.is_true(number, name, text) for name in page.truth)
        )

    def has_truth(self, number: int, attribute: str) -> bool:
        """Whether page `number` has a value of `attribute`, be it in a node or not."""
        return any(value.strip() for value in self.pages[number].truth.get(attribute, ()))

    def is_true(self, number: int, attribute: str, text: str) -> bool:
        """Whether `text` is a true value of `attribute` on page `number`."""
        values = self.values[number].get(attribute, ())
        return any(is_gold(self.vertical, self.site, attribute, text, value) for value in values)


def score_published(site: SitePages, probabilities: Probabilities) -> dict[str, Counts]:
    """Return hits, pages predicted and pages with truth of each attribute (`swde-published`, rules 4 to 6).

    A page is a hit when one predicted text is true. An attribute neither predicted nor true on the site is left out.
    """
    numbers = range(len(site.pages))
    least = [
        # the second leak: whether the site has the attribute at all is read off its truth
        -np.inf if any(site.has_truth(number, name) for number in numbers) else np.inf
        for name in site.attributes
    ]
    predicted = _predict(site, probabilities, site.variable_xpaths | site.gold_xpaths, least)
    return _count(site, predicted, any)


def score_strict(
    site: SitePages, probabilities: Probabilities, thresholds: Mapping[str, float] | None = None
) -> dict[str, Counts]:
    """Return the same under `swde-strict`: nothing of the site's truth is used, and all predicted texts must be true.

    Where no node of a page is predicted as an attribute, the most probable one is taken if it reaches the attribute's
    entry in `thresholds`, which come from the seed sites; without an entry, none is.
    """
    thresholds = thresholds or {}
    if unknown := sorted(set(thresholds) - set(site.attributes)):
        raise UnknownName.among("attribute", unknown[0], site.attributes)
    least = [thresholds.get(name, np.inf) for name in site.attributes]
    return _count(site, _predict(site, probabilities, site.variable_xpaths, least), all)


def _predict(
    site: SitePages, probabilities: Probabilities, candidates: frozenset[str], least: Sequence[float]
) -> dict[str, list[set[str]]]:
    """The predicted texts per attribute and page (rule 5); `least` is what a most probable node has to reach."""
    _check(site, probabilities)
    kept = [
        np.array([node for node, xpath in enumerate(page.xpaths) if xpath in candidates and texts[node]], dtype=np.intp)
        for page, texts in zip(site.pages, site.texts, strict=True)
    ]
    answers = [table[nodes].argmax(axis=1) for table, nodes in zip(probabilities, kept, strict=True)]
    predicted: dict[str, list[set[str]]] = {}
    for column, name in enumerate(site.attributes, start=1):
        chosen = [nodes[answer == column] for nodes, answer in zip(kept, answers, strict=True)]
        for number, nodes in enumerate(kept):
            if len(nodes) and not len(chosen[number]):
                chances = probabilities[number][nodes, column]
                if chances.max() >= least[column - 1]:
                    chosen[number] = nodes[[chances.argmax()]]
        votes = Counter(
            page.xpaths[node] for page, nodes in zip(site.pages, chosen, strict=True) for node in nodes.tolist()
        )
        winner = votes.most_common(1)[0][0] if votes else None  # of equals, the one first seen
        predicted[name] = []
        for page, texts, nodes, mine in zip(site.pages, site.texts, kept, chosen, strict=True):
            voted = mine.tolist() or [node for node in nodes.tolist() if page.xpaths[node] == winner]
            predicted[name].append({texts[node] for node in voted})
    return predicted


def _check(site: SitePages, probabilities: Probabilities) -> None:
    expected = [(len(page.xpaths), len(site.attributes) + 1) for page in site.pages]
    given = [np.shape(table) for table in probabilities]
    if given != expected:
        wrong = next((pair for pair in zip(given, expected, strict=False) if pair[0] != pair[1]), None)
        detail = f"a table of shape {wrong[0]} where {wrong[1]} is needed" if wrong else f"{len(given)} tables"
        raise BadData(
            f"{site.site} has {len(expected)} pages and {len(site.attributes)} attributes; given {detail}: "
            "give per page a row per node, and a column for 'none' before the attributes'."
        )


def _count(
    site: SitePages, predicted: dict[str, list[set[str]]], is_hit: Callable[[Iterable[bool]], bool]
) -> dict[str, Counts]:
    scores = {}
    for name, pages in predicted.items():
        hits = sum(
            bool(texts) and is_hit(site.is_true(number, name, text) for text in texts)
            for number, texts in enumerate(pages)
        )
        num_true = sum(site.has_truth(number, name) for number in range(len(pages)))
        score = Counts(hits, sum(map(bool, pages)), num_true)
        if score.predicted or score.true:
            scores[name] = score
    return scores


def mean_f1(scores: Scores) -> float:
    """Return F1, averaged level by level from the inside: {vertical: [start: {site: {attribute: Counts}}]}.

    >>> mean_f1({"auto": {"price": Counts(1, 1, 1), "model": Counts(0, 1, 1)}, "book": {"title": Counts(1, 1, 1)}})
    0.75
    """
    if isinstance(scores, Counts):
        return scores.f1
    inner: Iterable[Scores] = scores.values() if isinstance(scores, Mapping) else scores
    means = [mean_f1(part) for part in inner]
    if not means:
        raise BadData("a level of the scores is empty: there is nothing to average.")
    return sum(means) / len(means)


def vertical_table(
    scores: Mapping[str, Sequence[Mapping[str, Mapping[str, Counts]]]],
) -> dict[str, dict[str, float]]:
    """Return precision and recall over all pages, and `mean_f1`, of each vertical; and their means as "all".

    `scores` is {vertical: [start: {site: {attribute: Counts}}]}.
    """
    names = ("precision", "recall", "f1")
    rows = {}
    for vertical, starts in scores.items():
        total = micro(counts for start in starts for site in start.values() for counts in site.values())
        rows[vertical] = {"precision": total.precision, "recall": total.recall, "f1": mean_f1(starts)}
    rows["all"] = {name: sum(row[name] for row in rows.values()) / len(rows) for name in names}
    return rows
