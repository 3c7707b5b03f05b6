import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edrew_torch.errors import BadData
from edrew_torch.records.content_models import COLUMNS, CONTENT_MODELS, FEATURES, read_svmlight
from edrew_torch.records.kmeans import find_clusters, upper_cluster

# --- k-means --------------------------------------------------------------------------------------------------------


def cost(values, clusters):
    """Sum of squared distances to the mean of each cluster."""
    groups = [np.array(values)[clusters == cluster] for cluster in set(clusters.tolist())]
    return sum(((group - group.mean()) ** 2).sum() for group in groups)


def least_cost(values, k):
    """The same of the best of all ways to cut the sorted values into k runs."""
    ordered = sorted(values)
    return min(
        cost(ordered, np.searchsorted(cuts, np.arange(len(ordered)), side="right"))
        for cuts in combinations(range(1, len(ordered)), k - 1)
    )


@given(st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=9), st.integers(1, 5))
def test_no_other_clustering_is_better(values, k):
    clusters = find_clusters(values, k)
    num_clusters = min(k, len(set(values)))
    assert sorted(set(clusters.tolist())) == list(range(num_clusters))
    assert cost(values, clusters) == pytest.approx(least_cost(values, num_clusters), abs=1e-6)


@given(st.lists(st.floats(0, 1), max_size=30), st.randoms())
def test_the_order_of_values_is_of_no_account(values, random):
    shuffled = random.sample(values, len(values))
    of_value = dict(zip(values, find_clusters(values, 3), strict=True))
    assert find_clusters(shuffled, 3).tolist() == [of_value[value] for value in shuffled]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_upper_cluster_lies_above_the_rest(values):
    is_upper = upper_cluster(values)
    upper = [value for value, is_in in zip(values, is_upper, strict=True) if is_in]
    lower = [value for value, is_in in zip(values, is_upper, strict=True) if not is_in]
    assert upper
    assert not lower or max(lower) < min(upper)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([0.0], [True]),
        ([0.7, 0.7, 0.7], [True, True, True]),
        ([0.1, 0.2], [False, True]),
        ([5, 0, 0, 0], [True, False, False, False]),
        ([0.0, 0.1, 0.2], [False, True, True]),  # a tie: the lower cut, whatever rounding says
        ([1e9, 1e9 + 1, 1e9 + 10], [False, False, True]),  # far from 0: the squares must not cancel
    ],
)
def test_upper_clusters_of_short_and_equal_values(values, expected):
    is_upper = upper_cluster(values)
    assert is_upper.dtype == bool
    assert is_upper.tolist() == expected


def test_many_values_in_two_clusters_take_no_table():
    values = np.random.default_rng(1).random(200_000)
    assert abs(upper_cluster(values).mean() - 0.5) < 0.01  # O(n²) would not end


@pytest.mark.parametrize(
    ("values", "k", "message"),
    [
        ([0.1, float("nan")], 2, "value 1 is not"),
        ([[0.1]], 2, r"shape \(1, 1\)"),
        (["a"], 2, "list of numbers"),
        ([0.1], 0, "at least 1, not 0"),
    ],
)
def test_values_that_cannot_be_clustered_are_named(values, k, message):
    with pytest.raises(BadData, match=message):
        find_clusters(values, k)


# --- models ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def regions():
    """Features of made-up regions, content the larger and more central ones, and the labels."""
    random = np.random.default_rng(1)
    is_content = np.arange(160) % 2 == 0
    features = random.random((160, len(FEATURES)))
    features[:, :2] = (features[:, :2] + is_content[:, None]) / 2
    return features, is_content


@pytest.mark.parametrize("name", CONTENT_MODELS)
def test_contract_every_model_gives_probabilities_and_repeats_itself(name, regions):
    features, is_content = regions
    train, test = slice(0, 120), slice(120, None)
    first, again = (CONTENT_MODELS[name](3).fit(features[train], is_content[train]) for _ in range(2))
    chances = first.predict_proba(features[test])
    assert chances.shape == (40, 2)
    assert chances.min() >= 0
    assert chances.sum(axis=1) == pytest.approx(1)
    assert first.classes_.tolist() == [False, True]
    assert (again.predict_proba(features[test]) == chances).all()
    assert (first.predict(features[test]) == is_content[test]).mean() > 0.8


@pytest.mark.parametrize("name", ["ext", "gb"])
def test_seeds_differ(name, regions):
    features, is_content = regions
    one, other = (CONTENT_MODELS[name](seed).fit(features, is_content).predict_proba(features) for seed in (1, 2))
    assert (one != other).any()


def test_models_do_not_see_the_columns_they_leave_out(regions):
    features, is_content = regions
    for name, left_out in (("lr", ("center", "vertical")), ("svm", ("center",))):
        model = CONTENT_MODELS[name](1).fit(features, is_content)
        changed = features.copy()
        changed[:, [FEATURES.index(feature) for feature in left_out]] = 0
        assert (model.predict_proba(changed) == model.predict_proba(features)).all()


def test_the_table_of_models_imports_no_scikit_learn():
    code = "import sys, edrew_torch.records.content_models; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- the file -------------------------------------------------------------------------------------------------------


def test_rows_are_read_by_number(tmp_path):
    path = tmp_path / "regions.svmlight"
    path.write_text("# made up\n1 1:0.5 2:.25 7:1e-1\n\n-1 3:1 # a comment\n+1\n")
    features, is_content = read_svmlight(path)
    assert features.tolist() == [[0.5, 0.25, 0, 0, 0, 0, 0.1], [0, 0, 1, 0, 0, 0, 0], [0] * 7]
    assert is_content.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 1:0.5", "line 2: the label is '2'"),
        ("1 1:0.5 x:0.5", "line 2: 'x:0.5' is not number:value"),
        ("1 1:0.5 2", "line 2: '2' is not number:value"),
        ("1 1:0.5 8:1", "line 2: '8:1' has number 8; numbers must ascend from 1 to 7"),
        ("1 0:0.5", "number 0"),
        ("1 2:0.5 2:0.5", "'2:0.5' has number 2"),
        ("1 1:nan", "'1:nan' is not finite"),
    ],
)
def test_a_malformed_line_is_named(line, message, tmp_path):
    path = tmp_path / "regions.svmlight"
    path.write_text(f"1 1:0.5\n{line}\n")
    with pytest.raises(BadData, match=message):
        read_svmlight(path)


def test_a_file_without_rows_is_no_data(tmp_path):
    (tmp_path / "empty").write_text("# nothing\n")
    with pytest.raises(BadData, match="has no rows"):
        read_svmlight(tmp_path / "empty")
    with pytest.raises(BadData, match="cannot be read"):
        read_svmlight(tmp_path / "absent")


@pytest.mark.realdata
def test_the_authors_regions_have_the_published_means(data_folder):
    features, is_content = read_svmlight(data_folder / "records" / "region-features.svmlight")
    assert features.shape == (533, 7)
    assert is_content.sum() == 254
    published = {  # table 9: all regions, content, noise
        "size": (0.27, 0.44, 0.12),
        "center": (0.57, 0.74, 0.41),
        "range": (0.11, 0.19, 0.05),
        "record": (0.40, 0.46, 0.34),
        "vertical": (0.59, 0.63, 0.56),
        "horizontal": (0.55, 0.57, 0.53),
    }
    for name, expected in published.items():
        column = features[:, COLUMNS.index(name)]
        means = [column.mean(), column[is_content].mean(), column[~is_content].mean()]
        assert [round(float(mean), 2) for mean in means] == list(expected), name
