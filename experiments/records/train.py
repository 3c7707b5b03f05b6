"""Train the embedded models of the record finder: quality and content of candidates, content of plain regions.

    python experiments/records/train.py --tune     # compares settings by cross-validation over the training sites
    python experiments/records/train.py            # writes edrew_torch/models/records/, 13 minutes on two busy cores
    python experiments/records/train.py --plain    # the model of the plain signal method, too

Trained on the training sites of the list pages (two thirds of each set, see datasets/lists.py; not `wien`, whose truth
does not say how far a record reaches, nor `unstructured`), on 1,000 invented list pages, and on 120 real, 80 invented
article pages, where every candidate counts as wrong. The test sites are not read. Each page is read four times: with
the candidates of `signal`, of `wrapper`, of `equivalence`, and of all three (`auto`): one judge serves them all.
"""

import argparse
import gzip
import os
from collections import Counter
from collections.abc import Hashable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from edrew_torch.datasets.lists import ListPage, read_list_pages, sites_for_testing
from edrew_torch.datasets.packs import pack_members, shared_data
from edrew_torch.datasets.sample_lists import make_article_page, make_list_page
from edrew_torch.metrics.statistics import Counts, micro
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.auto import PROPOSERS
from edrew_torch.records.candidates import select_candidates
from edrew_torch.records.quality import CONTENT_MODEL, QUALITY_MODEL, candidate_features
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.records.signal import PLAIN_MODEL, SignalSettings, plain_regions
from edrew_torch.records.tree_ensemble import TreeEnsemble

ROOT = Path(__file__).parents[2]
DATA = shared_data()
SETS = ("tbdw", "zhao1", "zhao2", "zhao3", "clustvx", "tpsf", "shops")
NUM_INVENTED, NUM_INVENTED_ARTICLES = 1000, 80
NUM_FOLDS, NUM_MODELS = 4, 3
BOOSTING = {"max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 20, "max_features": 0.3}
TRIED = ({}, {"max_leaf_nodes": 8}, {"min_samples_leaf": 60}, {"max_features": 0.15}, {"max_iter": 120})


@dataclass(frozen=True, eq=False)
class Example:
    """A page as a method sees it: the features of its candidates and their scores; and its plain regions."""

    set: str
    site: str
    method: str
    features: NDArray[np.float64]  # (C, F)
    counts: NDArray[np.int64]  # (C, 3) correct, predicted, true
    overlap: NDArray[np.float64]  # (C,) F between the text of a candidate and that of all true records
    is_extent_known: bool  # False: only the number of records is known; of no use for training
    regions: NDArray[np.float64]  # (R, 6)
    is_content: NDArray[np.bool_]  # (R,)

    @property
    def f1(self) -> NDArray[np.float64]:
        """(C,) F1 of each candidate."""
        return 2 * self.counts[:, 0] / np.maximum(self.counts[:, 1] + self.counts[:, 2], 1)


def main() -> None:
    """Gather, tune or train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    examples = list(gather())
    if arguments.tune:
        for changed in TRIED:
            Console().print(f"{changed or 'as it is'}: {cross_validate(examples, BOOSTING | changed)}", soft_wrap=True)
        return
    for model, file in zip(fit_candidates(examples, BOOSTING), (QUALITY_MODEL, CONTENT_MODEL), strict=True):
        model.save(file)
    if arguments.plain:
        fit_plain(examples).save(PLAIN_MODEL)
    Console().print(f"wrote {QUALITY_MODEL.parent}", soft_wrap=True)


PROPOSALS: dict[str, tuple[str, ...]] = {**{name: (name,) for name in PROPOSERS}, "auto": tuple(PROPOSERS)}


def gather() -> Iterator[Example]:
    """Yield the examples of all training pages, one for each method."""
    pages = list(read_list_pages(DATA, SETS))
    held_out = sites_for_testing(pages)
    chosen = [page for page in pages if (page.set, page.site) not in held_out]
    chosen += [*invented_pages(), *article_pages()]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(make_examples, chosen, chunksize=4)
        for examples in track(made, "Reading pages", len(chosen), console=Console(stderr=True), transient=True):
            yield from examples


def invented_pages() -> Iterator[ListPage]:
    """List pages of datasets/sample_lists.py."""
    for seed in range(NUM_INVENTED):
        made = make_list_page(seed)
        texts = tuple(" ".join(record) for record in made.records)
        yield ListPage("invented", made.form, str(seed), made.html.encode(), texts, number=len(texts))


def article_pages() -> Iterator[ListPage]:
    """Pages whose main content is no list."""
    for name, data in pack_members(DATA / "articles" / "benchmark-html.tar"):
        yield ListPage("articles", name, name, gzip.decompress(data))
    for seed in range(NUM_INVENTED_ARTICLES):
        yield ListPage("articles", "invented", str(seed), make_article_page(seed).encode())


def make_examples(given: ListPage) -> list[Example]:
    """Score every candidate of a page, method by method."""
    page = page_sequence(parse_tree(Page.from_bytes(given.data)))
    regions = plain_regions(page, SignalSettings(plain=True))
    is_content = [given.share_of_truth(page, region.start, region.end) > 0.5 for region in regions]
    true = given.true_parts(page)
    known: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], float]] = {}
    made = []
    for method, proposers in PROPOSALS.items():
        proposed = chain.from_iterable(PROPOSERS[name](page) for name in proposers)
        candidates = select_candidates(page, proposed)
        scores = [score_candidate(given, page, candidate.ranges(), true, known) for candidate in candidates]
        made.append(
            Example(
                given.set,
                given.site,
                method,
                candidate_features(page, candidates) if candidates else np.zeros((0, 0)),
                np.array([counts for counts, _ in scores], dtype=np.int64).reshape(-1, 3),
                np.array([overlap for _, overlap in scores]),
                given.set == "articles" or bool(given.texts or given.xpaths),
                np.array([region.features.vector() for region in regions]).reshape(-1, 6),
                np.array(is_content, dtype=bool),
            )
        )
    return made


def score_candidate(
    given: ListPage,
    page: PageSequence,
    records: tuple[tuple[int, int], ...],
    true: frozenset[Hashable],
    known: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], float]],
) -> tuple[tuple[int, int, int], float]:
    """Correct, predicted and true records, and F between the text of the candidate and that of all true records."""
    if records not in known:
        if given.set == "articles":
            known[records] = (0, len(records), 0), 0.0
        else:
            score = given.score(page, records)
            own = set().union(*(given.parts(page, *record) for record in records))
            overlap = 2 * len(own & true) / max(len(own) + len(true), 1)
            known[records] = (score.correct, score.predicted, score.true), overlap
    return known[records]


def fit_candidates(examples: list[Example], settings: dict[str, float]) -> tuple[TreeEnsemble, TreeEnsemble]:
    """The models that rate candidates, by F1 of their records, and tell whether they are content at all.

    Every page weighs the same, those of a site with many pages less; an invented form is a site.
    """
    used = [each for each in examples if each.is_extent_known and len(each.features)]
    pages_of_site = Counter((each.set, each.site) for each in used if each.method == "auto")
    weights = np.concatenate(
        [
            np.full(len(each.features), 1 / len(each.features) / pages_of_site[each.set, each.site] ** 0.5)
            for each in used
        ]
    )
    weights /= weights.mean()
    features = np.concatenate([each.features for each in used])
    f1 = np.concatenate([each.f1 for each in used])
    is_content = np.concatenate([each.overlap for each in used]) > 0.5
    made: list[TreeEnsemble] = []
    for kind, target in ((HistGradientBoostingRegressor, f1), (HistGradientBoostingClassifier, is_content)):
        models = [
            kind(**settings, l2_regularization=1.0, early_stopping=False, random_state=seed).fit(
                features, target, sample_weight=weights
            )
            for seed in range(NUM_MODELS)
        ]
        made.append(TreeEnsemble.mean([TreeEnsemble.from_boosting(model) for model in models]))
    return made[0], made[1]


def fit_plain(examples: list[Example]) -> TreeEnsemble:
    """The model over the six features of the thesis."""
    used = [each for each in examples if each.is_extent_known and len(each.regions) and each.set != "invented"]
    used = [each for each in used if each.method == "signal"]  # each page once
    model = HistGradientBoostingClassifier(
        max_iter=60, learning_rate=0.1, max_leaf_nodes=6, min_samples_leaf=20, random_state=0, early_stopping=False
    )
    return TreeEnsemble.from_boosting(
        model.fit(np.concatenate([each.regions for each in used]), np.concatenate([each.is_content for each in used]))
    )


def cross_validate(examples: list[Example], settings: dict[str, float]) -> str:
    """Of each method and set, by folds over the sites: micro F1 of the best candidate; how often it is content."""
    sites = sorted({(each.set, each.site) for each in examples})
    order = np.random.default_rng(1).permutation(len(sites))
    fold_of = {sites[place]: number % NUM_FOLDS for number, place in enumerate(order.tolist())}
    scores: dict[tuple[str, str], list[Counts]] = {}
    chances: dict[tuple[str, str], list[float]] = {}
    for fold in range(NUM_FOLDS):
        quality, content = fit_candidates([e for e in examples if fold_of[e.set, e.site] != fold], settings)
        for each in examples:
            if fold_of[each.set, each.site] == fold and len(each.features):
                best = int(quality.predict(each.features).argmax())
                key = each.method, each.set
                scores.setdefault(key, []).append(Counts(*map(int, each.counts[best])))
                chance = 1 / (1 + np.exp(-content.predict(each.features[best : best + 1])[0]))
                chances.setdefault(key, []).append(chance)
    lines = []
    for method in PROPOSALS:
        sets = sorted(name for chosen, name in scores if chosen == method)
        shown = [f"{name} {micro(scores[method, name]).f1:.3f}" for name in sets if name != "articles"]
        shares = [f"{name} {np.mean(np.array(chances[method, name]) >= 0.5):.2f}" for name in sets]
        lines.append(f"\n  {method}: {', '.join(shown)}\n    content at 0.5: {', '.join(shares)}")
    return "".join(lines)


if __name__ == "__main__":
    main()
