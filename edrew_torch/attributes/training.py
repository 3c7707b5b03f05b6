"""Training: descriptions of labelled sites -> an AttributeModel.

    1. the weights of each vertical, on its training sites
    2. the judge, on what such weights say of sites that they have not seen

The judge must meet logits as they are on unseen sites, so its examples come from weights trained without the site: the
sites of a vertical take turns. Reads weights.py, context.py; called by experiments/ and train.py.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.attributes.context import SiteNodes, contexts, name_matches
from edrew_torch.attributes.model import AttributeModel, SparseWeights, Vertical, judge_nodes, page_tokens
from edrew_torch.attributes.weights import SEEN_ON, TokenWeights, fit_weights
from edrew_torch.datasets.prepared import Watch
from edrew_torch.enrich.bags import BITS, GROUPS, Bags, make_bags
from edrew_torch.enrich.describe import Book, Description
from edrew_torch.errors import BadData
from edrew_torch.records.tree_ensemble import TreeEnsemble
from edrew_torch.site import MARKS as SITE_MARKS
from edrew_torch.site import is_fixed, site_marks

WEIGHT_PAGES = 30  # of a site, that the weights are trained on: pages of one template repeat themselves
JUDGE_PAGES = 20
DETECTOR_PAGES = 20
NUM_TURNS = 3
THINNED = 3  # of the nodes that hold nothing, on pages that stand alone, one in so many
NEVER = -1e4  # the logit of a class without examples
SEVERAL = 1.15  # distinct values of a page on average: from there on a page may have several
JUDGE = {
    "max_iter": 150,
    "learning_rate": 0.08,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 100,
    "l2_regularization": 1.0,
}

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LabelledSite:
    """The pages of a site with what holds for all models: bags, name matches, classes, what is of the template."""

    vertical: str
    site: str
    attributes: tuple[str, ...]
    pages: tuple[Description, ...]
    classes: tuple[NDArray[np.int64], ...]  # (N,) of each page: 0 for none, else a place in `attributes` + 1
    bags: tuple[Bags, ...]
    names: tuple[Floats, ...]
    marks: tuple[NDArray[np.uint8], ...]
    fixed: tuple[NDArray[np.bool_], ...]

    def __len__(self) -> int:
        return len(self.pages)


def label_site(
    vertical: str,
    site: str,
    attributes: Sequence[str],
    pages: Sequence[Description],
    classes: Sequence[NDArray[np.int64]],
    alone: bool = False,
    groups: Sequence[str] = GROUPS,
) -> LabelledSite:
    """Make the bags of a site's pages; `alone`: each as if it were the only one."""
    if alone:
        marks = [np.zeros((len(page), len(SITE_MARKS)), dtype=np.uint8) for page in pages]
        fixed = [np.zeros(len(page), dtype=np.bool_) for page in pages]
    else:
        marks, fixed = site_marks(pages), is_fixed(pages)
    bags = [make_bags(page, None if alone else mark, groups) for page, mark in zip(pages, marks, strict=True)]
    return LabelledSite(
        vertical,
        site,
        tuple(attributes),
        tuple(replace(page, roles=page.roles[:, :0], book=Book()) for page in pages),  # the bags hold what they said
        tuple(classes),
        tuple(bags),
        tuple(name_matches(page, attributes) for page in pages),
        tuple(marks),
        tuple(fixed),
    )


def weight_examples(site: LabelledSite, pages: slice = slice(WEIGHT_PAGES)) -> tuple[Bags, NDArray[np.int64]]:
    """The bags and classes of some pages of a site, without what belongs to its template."""
    parts, classes = [], []
    for bags, answer, fixed in zip(site.bags[pages], site.classes[pages], site.fixed[pages], strict=True):
        kept = np.flatnonzero(~fixed | (answer > 0))
        parts.append(bags.of(kept))
        classes.append(answer[kept])
    if not parts:
        return Bags(np.zeros(0, dtype=np.int32), np.zeros((0, len(GROUPS)), dtype=np.int64)), np.zeros(
            0, dtype=np.int64
        )
    return Bags.joined(parts), np.concatenate(classes)


def site_contexts(
    weights: TokenWeights, site: LabelledSite, pages: slice = slice(None), several: Collection[int] = ()
) -> tuple[NDArray[np.int64], list[tuple[NDArray[np.int64], Floats]]]:
    """The candidate nodes, numbered over the pages; for each attribute places among them, and their features."""
    descriptions = site.pages[pages]
    nodes = SiteNodes.of(descriptions, site.marks[pages])
    kept = ~np.concatenate(site.fixed[pages])
    bags = Bags.joined(site.bags[pages])
    numbers = np.flatnonzero(kept)
    parts = weights.contributions(bags.of(numbers))
    names = np.concatenate(site.names[pages])[kept]
    return numbers, contexts(nodes.kept(kept), parts, weights.bias, names, several)


def judge_examples(
    weights: TokenWeights, site: LabelledSite, together: bool = True, several: Collection[int] = ()
) -> tuple[Floats, NDArray[np.bool_]]:
    """What the judge learns from a site that the weights have not seen: its pages together, or one by one."""
    rows, truths = [], []
    most = min(JUDGE_PAGES, len(site))
    for pages in [slice(most)] if together else [slice(page, page + 1) for page in range(most)]:
        numbers, found = site_contexts(weights, site, pages, several)
        answer = np.concatenate(site.classes[pages])[numbers]
        for attribute, (places, features) in enumerate(found, start=1):
            truth = answer[places] == attribute
            if truth.any():  # where the site does not have it, or the truth does not say, nothing is learnt
                rows.append(features)
                truths.append(truth)
    if not rows:
        return np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_)
    return np.concatenate(rows), np.concatenate(truths)


def fit_judge(examples: Sequence[tuple[Floats, NDArray[np.bool_]]], seed: int = 1, **settings: Any) -> TreeEnsemble:
    """Train the judge."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    used = [(rows, truth) for rows, truth in examples if len(truth)]
    model = HistGradientBoostingClassifier(**JUDGE | settings, random_state=seed, early_stopping=False)
    model.fit(np.concatenate([rows for rows, _ in used]), np.concatenate([truth for _, truth in used]))
    return TreeEnsemble.from_boosting(model)


def judged(model: AttributeModel, site: LabelledSite, together: bool = True) -> list[Floats]:
    """(N, attributes + 1) for each page: the chance of each attribute, and in column 0 of none of them."""
    vertical = model.verticals[site.vertical]
    judge = model.together if together else model.alone
    slices = [slice(len(site))] if together else [slice(page, page + 1) for page in range(len(site))]
    tables: list[Floats] = []
    for pages in slices:
        numbers, found = site_contexts(vertical.weights.dense, site, pages, vertical.several_classes)
        sizes = [len(page) for page in site.pages[pages]]
        tables += np.split(judge_nodes(judge, found, numbers, sum(sizes)), np.cumsum(sizes)[:-1])
    return tables


def fit_model(
    sites: Sequence[tuple[LabelledSite, LabelledSite]],
    others: Sequence[Bags],
    seed: int = 1,
    watch: Watch = iter,
    invented: Sequence[LabelledSite] = (),
) -> AttributeModel:
    """Train a whole model on sites, each labelled twice: its pages together, and alone. `others` are of no vertical.

    The judges learn from three turns: weights of two thirds of a vertical's sites say what they think of the rest.
    Pages of `invented` sites, labelled alone, are not seen by the judges: what words and labels say there holds for
    others, how sure weights are of them does not.
    """
    names = list(dict.fromkeys(site.vertical for site, _ in sites))
    further = [site for site in invented if site.vertical in names]
    verticals: dict[str, Vertical] = {}
    examples: dict[bool, list[tuple[Floats, NDArray[np.bool_]]]] = {True: [], False: []}
    for name in watch(names):
        own = [pair for pair in sites if pair[0].vertical == name]
        attributes = own[0][0].attributes
        if odd := next((site for site, _ in own if site.attributes != attributes), None):
            raise BadData(
                f"{name}: {odd.site} is labelled with {', '.join(odd.attributes)}, {own[0][0].site} with "
                f"{', '.join(attributes)}: label all sites of a vertical with the attributes of all of them."
            )
        labelled = [site for site, _ in own]
        mine = [site for site in further if site.vertical == name]
        several = [number for number, _ in enumerate(attributes, 1) if _mean_values(labelled, number) > SEVERAL]
        for turn in range(NUM_TURNS):
            weights = _fit_both([pair for place, pair in enumerate(own) if place % NUM_TURNS != turn], mine, seed)
            for pair in own[turn::NUM_TURNS]:
                for together, site in zip((True, False), pair, strict=True):
                    examples[together].append(judge_examples(weights, site, together, several))
        lists = frozenset(attributes[number - 1] for number in several)
        verticals[name] = Vertical(name, attributes, lists, SparseWeights.of(_fit_both(own, mine, seed)))
    return AttributeModel(
        verticals,
        fit_detector([*(site for _, site in sites), *further], others, names),
        alone=fit_judge(examples[False], seed),
        together=fit_judge(examples[True], seed),
    )


def _fit_both(
    pairs: Sequence[tuple[LabelledSite, LabelledSite]], further: Sequence[LabelledSite], seed: int
) -> TokenWeights:
    """Weights that serve with and without the site's marks: of each site half of the pages are seen either way."""
    parts = []
    for together, alone in pairs:
        half = -(-min(len(together), 2 * WEIGHT_PAGES) // 2)
        seen = [weight_examples(together, slice(half)), _thinned(weight_examples(alone, slice(half, 2 * half)))]
        parts.append((Bags.joined([bags for bags, _ in seen]), np.concatenate([classes for _, classes in seen])))
    parts += [_thinned(weight_examples(site)) for site in further]
    return fit_weights(parts, len(pairs[0][0].attributes) + 1, seed)


def _thinned(examples: tuple[Bags, NDArray[np.int64]]) -> tuple[Bags, NDArray[np.int64]]:
    """Without the site's marks the template cannot be told: a part of its many nodes will do."""
    bags, classes = examples
    kept = np.flatnonzero((classes > 0) | (np.arange(len(classes)) % THINNED == 0))
    return bags.of(kept), classes[kept]


def _mean_values(sites: Sequence[LabelledSite], number: int) -> float:
    """How many distinct texts of an attribute a page has, of those that have one."""
    counts = [
        len({page.texts[node] for node in np.flatnonzero(answer == number).tolist()})
        for site in sites
        for page, answer in zip(site.pages, site.classes, strict=True)
        if (answer == number).any()
    ]
    return sum(counts) / len(counts) if counts else 0.0


def fit_detector(sites: Sequence[LabelledSite], others: Sequence[Bags], names: Sequence[str]) -> SparseWeights:
    """Train what tells the verticals apart: logistic regression over the distinct tokens of a page."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    times = np.zeros(1 << BITS, dtype=np.int32)
    pages: list[NDArray[np.int32]] = []
    answer: list[int] = []
    for site in sites:
        mine = [page_tokens(bags) for bags in site.bags[:DETECTOR_PAGES]]
        times[np.unique(np.concatenate(mine))] += 1
        pages += mine
        answer += [names.index(site.vertical)] * len(mine)
    for bags in others:
        pages.append(page_tokens(bags))
        times[pages[-1]] += 1
        answer.append(len(names))
    pages = [page[times[page] >= SEEN_ON] for page in pages]
    values = np.concatenate([np.full(len(page), 1 / np.sqrt(max(len(page), 1))) for page in pages])
    starts = np.cumsum([0, *map(len, pages)])
    rows, place = np.unique(np.concatenate(pages), return_inverse=True)  # the tokens that occur
    table = csr_matrix((values, place, starts), shape=(len(pages), len(rows)))
    known = sorted(set(answer))
    bias = np.full(len(names) + 1, NEVER, dtype=np.float32)
    weights = np.zeros((1 << BITS, len(names) + 1), dtype=np.float32)
    if len(known) == 1:
        bias[known] = 0.0
    else:
        model = LogisticRegression(C=100.0, max_iter=200, class_weight="balanced").fit(table, answer)
        # of two classes scikit-learn keeps the second alone
        signs = np.array([[-0.5], [0.5]]) if len(known) == 2 else np.eye(len(known))
        weights[rows[:, None], known] = (signs @ model.coef_).T
        bias[known] = signs @ model.intercept_
    return SparseWeights.of(TokenWeights(weights, bias))
