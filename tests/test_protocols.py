from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from edrew_torch.datasets.prepared import PreparedData, load_sample
from edrew_torch.datasets.protocols import PROTOCOLS, make_splits, site_order
from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.evaluation import evaluate, evaluate_attributes
from edrew_torch.metrics.nodes import NodeScore, count_by_page, lookup_predictions, score_nodes
from edrew_torch.profile import PROFILES

SHARES_PAGES = ("rows", "rows-balanced", "unique")  # by design: the protocols that explain the published figures


@pytest.fixture(scope="module")
def data() -> PreparedData:
    return load_sample(PROFILES["thesis"], verticals=("auto", "movie"), pages=10)


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_no_node_and_no_page_of_a_test_set_is_in_training(data, protocol):
    for split in make_splits(data, protocol, seed=1):
        parts = [set(part.tolist()) for part in (split.train, split.val, split.test)]
        assert all(parts)
        assert sum(map(len, parts)) == len(set.union(*parts))
        pages = [set(data.page[part].tolist()) for part in (split.train, split.val, split.test)]
        if protocol in SHARES_PAGES:
            assert pages[0] & pages[2]
        else:
            assert sum(map(len, pages)) == len(set.union(*pages))
            assert pages[2] == set(split.test_pages.tolist())


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_the_seed_alone_decides(data, protocol):
    first, again, other = (make_splits(data, protocol, seed)[0].val.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_shares_are_70_20_10(data):
    (split,) = make_splits(data, "rows", seed=1)
    shares = [len(part) / len(data.row) for part in (split.train, split.val, split.test)]
    assert shares == pytest.approx([0.7, 0.2, 0.1], abs=0.001)
    (split,) = make_splits(data, "pages", seed=1)
    pages = [len(set(data.page[part].tolist())) for part in (split.train, split.val, split.test)]
    assert pages == [84, 24, 12]


def test_balanced_rows_are_half_relevant_and_unique_rows_are_distinct(data):
    (split,) = make_splits(data, "rows-balanced", seed=1)
    nodes = np.concatenate([split.train, split.val, split.test])
    assert data.relevant[nodes].mean() == 0.5
    (split,) = make_splits(data, "unique", seed=1)
    nodes = np.concatenate([split.train, split.val, split.test])
    pairs = list(zip(data.row[nodes].tolist(), data.relevant[nodes].tolist(), strict=True))
    assert len(pairs) == len(set(pairs)) == len(set(zip(data.row.tolist(), data.relevant.tolist(), strict=True)))


def test_seed_sites_are_cyclic_and_every_site_is_tested(data):
    splits = make_splits(data, "sites", seed=1, num_seeds=4)
    assert len(splits) == 6
    order = site_order(data, "auto")
    for start, split in enumerate(splits):
        tested = {data.pages[page].site for page in split.test_pages.tolist() if data.pages[page].vertical == "auto"}
        assert tested == {order[(start + 4) % 6], order[(start + 5) % 6]}


def test_wrong_protocols_are_named(data):
    with pytest.raises(UnknownName, match="did you mean 'pages'"):
        make_splits(data, "page", seed=1)
    with pytest.raises(BadConfig, match="seed sites must be 1 to 5"):
        make_splits(data, "sites", seed=1, num_seeds=6)
    with pytest.raises(UnknownName, match="no model named 'x'"):
        evaluate(data, "x", "pages", seed=1)


def test_node_scores_agree_with_scikit_learn(data):
    (split,) = make_splits(data, "pages", seed=1)
    predicted = lookup_predictions(data, split.train)
    truth, answer = data.relevant[split.test], predicted[split.test]
    score = score_nodes(data, split.test, predicted)["all"]
    assert score.precision == pytest.approx(precision_score(truth, answer))
    assert score.recall == pytest.approx(recall_score(truth, answer))
    assert score.f1 == pytest.approx(f1_score(truth, answer))
    assert score.weighted_f1 == pytest.approx(f1_score(truth, answer, average="weighted"))
    assert score.value_f1 == score.f1  # no page is given, so none can have lost a value


def test_lost_values_lower_the_value_f1_alone():
    score = NodeScore(true_positives=6, false_positives=2, false_negatives=2, true_negatives=90, lost_values=4)
    assert (score.precision, score.recall, score.f1, score.value_f1) == (0.75, 0.75, 0.75, 12 / 20)
    assert score + NodeScore(lost_values=1) == NodeScore(6, 2, 2, 90, 5)


def test_lookup_gives_the_majority_of_the_exact_row(data):
    train = np.arange(len(data.row) // 2)
    predicted = lookup_predictions(data, train)
    for row in data.row[:200].tolist():
        labels = data.relevant[train][data.row[train] == row]
        assert (predicted[data.row == row] == (2 * labels.sum() > len(labels))).all()


def test_metrics_have_the_documented_shape(data):
    metrics = evaluate(data, "lookup", "pages", seed=1).metrics()
    assert set(metrics["verticals"]) == {"auto", "movie"}
    assert {"precision", "recall", "f1", "weighted_f1"} <= set(metrics["overall"])
    assert set(metrics["baselines"]) == {"lookup", "always_noise"}
    assert metrics["mean"]["f1"] == pytest.approx(np.mean([row["f1"] for row in metrics["verticals"].values()]))
    low, high = metrics["f1_interval"]
    assert low < metrics["overall"]["f1"] < high
    assert metrics["baselines"]["always_noise"]["f1"] == 0 < metrics["overall"]["f1"]
    strict = evaluate_attributes(data, "lookup", "swde-strict", seed=1).metrics()
    published = evaluate_attributes(data, "lookup", "swde-published", seed=1).metrics()
    assert set(strict["verticals"]) == {"auto", "movie"}
    assert 0 <= strict["overall"]["f1"] < published["overall"]["f1"] < 1


def test_every_start_of_a_vertical_counts_once_where_verticals_have_different_sizes(data):
    kept = [page.vertical == "auto" or page.site in site_order(data, "movie")[:3] for page in data.pages]
    fewer = data.with_pages(np.flatnonzero(kept))
    splits = make_splits(fewer, "sites", seed=1, num_seeds=2)
    tested = [{fewer.pages[page].vertical for page in split.test_pages.tolist()} for split in splits]
    assert tested == [{"auto", "movie"}] * 3 + [{"auto"}] * 3


def test_a_protocol_with_too_few_pages_says_so():
    tiny = load_sample(PROFILES["full"], verticals=("auto",), pages=2)
    with pytest.raises(BadConfig, match="part of protocol pages is empty"):
        make_splits(tiny, "pages", seed=1)


def test_attribute_protocols_are_not_scored_by_nodes(data):
    with pytest.raises(BadConfig, match="scores attributes, not nodes"):
        evaluate(data, "lookup", "swde-strict", seed=1)


def test_counts_by_page_add_up_to_the_score(data):
    (split,) = make_splits(data, "pages", seed=1)
    predicted = lookup_predictions(data, split.train)
    counts = count_by_page(data, split.test, predicted)
    score = score_nodes(data, split.test, predicted)["all"]
    assert counts.shape == (len(split.test_pages), 3)
    assert counts.sum(0).tolist() == [score.true_positives, score.false_positives, score.false_negatives]


def test_canonical_labels_keep_one_node_of_each_value(data):
    canonical = data.with_canonical_labels()
    assert not (canonical.relevant & ~data.relevant).any()
    num_values = sum(found for _, found, _ in data.coverage.values())
    assert data.relevant.sum() > canonical.relevant.sum()
    assert canonical.relevant.sum() <= num_values  # a node may hold the values of two attributes
    assert canonical.relevant.sum() > 0.9 * num_values


@pytest.mark.realdata
@pytest.mark.slow
def test_the_trivial_figures_of_real_swde(data_folder: Path, tmp_path: Path):
    """A tenth of the shared pages: what the protocols make of one and the same lookup."""
    from edrew_torch.datasets.prepared import load_swde
    from edrew_torch.datasets.swde import Subset

    subset = Subset(verticals=("auto", "movie"), max_pages=32)
    swde = load_swde(data_folder / "swde", PROFILES["thesis"], subset, tmp_path, processes=1)
    scores = {name: evaluate(swde, "lookup", name, seed=1) for name in ("rows", "rows-balanced", "pages", "sites")}
    rows = scores["rows"]
    assert rows.scores["all"].weighted_f1 > 0.98
    assert rows.baselines["always_noise"]["all"].weighted_f1 > 0.95
    assert scores["rows-balanced"].scores["all"].f1 > 0.9
    assert 0.5 < scores["pages"].scores["all"].f1 < 0.8
    assert scores["sites"].scores["all"].f1 < 0.1
