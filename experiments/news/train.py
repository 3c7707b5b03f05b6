"""Train the learned step of `edrew article` on the shared articles.

    python experiments/news/train.py                     # writes edrew_torch/models/news/
    python experiments/news/train.py --cross-validate    # judges every page by models that saw no page of its site

Gradient boosting over blocks, the mean of two. Cross-validation is by folds of sites, told by the name of their host,
over all three sets: nytimes.com of one set is in the fold of nytimes-1 of another; three times, with other folds. Its
judgements go to outputs/news/judged.npz, which run.py scores.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from labels import block_labels
from numpy.typing import NDArray
from rich.console import Console
from sklearn.ensemble import HistGradientBoostingClassifier

from edrew_torch.datasets.articles import ArticlePage, read_articles
from edrew_torch.datasets.packs import shared_data
from edrew_torch.news.blocks import Blocks, Flags, find_blocks
from edrew_torch.news.classifier import MODEL
from edrew_torch.news.features import block_features
from edrew_torch.news.nce import find_body
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.tree_ensemble import TreeEnsemble

ROOT = Path(__file__).parents[2]
DATA = shared_data()
JUDGED = ROOT / "outputs" / "news" / "judged.npz"
NUM_FOLDS, SEEDS = 5, (1, 2, 3)
NUM_MODELS = 2  # that the mean is taken of
NEAR, KEPT_FAR = 20, 3  # blocks further from the body of nce: one of three is trained on, for all three
# how much a page of each set weighs: readability's truth is one tool's taste, trafilatura's knows few blocks of a page
WEIGHTS = {"benchmark": 1.0, "readability": 0.5, "trafilatura": 0.5}
BOOSTING = {
    "max_iter": 100, "learning_rate": 0.12, "max_leaf_nodes": 15, "min_samples_leaf": 20, "max_features": 0.2,
    "max_bins": 63, "l2_regularization": 1.0, "early_stopping": False,
}  # fmt: skip
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A page with the features of its blocks, and the truth."""

    page: ArticlePage
    blocks: Blocks
    features: Floats
    labels: Floats
    weights: Floats
    is_near: Flags  # to the body that nce found, or article


def main() -> None:
    """Train or cross-validate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cross-validate", action="store_true")
    is_validating = parser.parse_args().cross_validate
    examples = gather()
    if is_validating:
        judged: dict[str, Floats] = {}
        for seed in SEEDS:
            found = cross_validate(examples, seed)
            judged |= {f"{seed}/{key_of(each.page)}": logits for each, logits in zip(examples, found, strict=True)}
        JUDGED.parent.mkdir(parents=True, exist_ok=True)
        np.savez(JUDGED, **judged)
        Console().print(f"wrote {JUDGED}", soft_wrap=True)
    else:
        fit(examples, SEEDS[0]).save(MODEL)
        Console().print(f"wrote {MODEL}", soft_wrap=True)


def gather() -> list[Example]:
    """All pages of the three sets that have text."""
    examples = []
    for page in read_articles(DATA):
        blocks = find_blocks(parse_tree(Page.from_bytes(page.data)))
        if len(blocks):
            labels, weights = block_labels(page, blocks)
            body, number = find_body(blocks), np.arange(len(blocks))
            is_near = (number >= body.start - NEAR) & (number < body.end + NEAR) | (labels > 0)
            # where only segments are known there are few blocks anyway
            is_near |= page.text is None
            features = block_features(blocks, body)
            examples.append(Example(page, blocks, features, labels, weights * WEIGHTS[page.set], is_near))
    return examples


def key_of(page: ArticlePage) -> str:
    """The name of a page over all sets."""
    return f"{page.set}/{page.name}"


def folds_of(pages: Sequence[ArticlePage], seed: int) -> NDArray[np.int64]:
    """The fold of each page; the pages of one owner are in one fold."""
    owners = sorted({page.owner for page in pages})
    order = np.random.default_rng(seed).permutation(len(owners))
    fold_of = {owners[place]: position % NUM_FOLDS for position, place in enumerate(order.tolist())}
    return np.array([fold_of[page.owner] for page in pages])


def fit(examples: Sequence[Example], seed: int) -> TreeEnsemble:
    """The mean of trees fitted to the blocks of pages; a block that is article in part counts as both."""
    features = np.concatenate([each.features for each in examples])
    labels = np.concatenate([each.labels for each in examples])
    weights = np.concatenate([each.weights for each in examples])
    is_near = np.concatenate([each.is_near for each in examples])
    rng = np.random.default_rng(seed)
    models = []
    for number in range(NUM_MODELS):
        is_left_out = ~is_near & (rng.integers(KEPT_FAR, size=len(weights)) > 0)
        used = np.where(is_near, weights, KEPT_FAR * weights) * ~is_left_out
        models.append(fit_one(features, labels, used, NUM_MODELS * seed + number))
    return TreeEnsemble.mean(models)


def fit_one(features: Floats, labels: Floats, weights: Floats, seed: int) -> TreeEnsemble:
    """Trees of one run."""
    parts = weights * labels, weights * (1 - labels)
    used = [np.flatnonzero(part > 0) for part in parts]
    targets = np.repeat([True, False], list(map(len, used)))
    shares = np.concatenate([part[places] for part, places in zip(parts, used, strict=True)])
    model = HistGradientBoostingClassifier(**BOOSTING, random_state=seed)
    model.fit(features[np.concatenate(used)], targets, sample_weight=shares / shares.mean())
    return TreeEnsemble.from_boosting(model)


def cross_validate(examples: list[Example], seed: int) -> list[Floats]:
    """The logits of every page by a model that was trained on the other folds."""
    judged: list[Floats] = [np.zeros(0)] * len(examples)
    folds = folds_of([each.page for each in examples], seed)
    for fold in range(NUM_FOLDS):
        model = fit([each for each, own in zip(examples, folds, strict=True) if own != fold], seed)
        for place in np.flatnonzero(folds == fold).tolist():
            judged[place] = model.predict(examples[place].features)
        Console().print(f"seed {seed}, fold {fold + 1} of {NUM_FOLDS}")
    return judged


if __name__ == "__main__":
    main()
