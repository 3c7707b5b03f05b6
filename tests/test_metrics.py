import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from edrew_torch.errors import BadData, UnknownName
from edrew_torch.metrics.attributes import (
    SitePage,
    SitePages,
    is_gold,
    mean_f1,
    published_text,
    score_published,
    score_strict,
)
from edrew_torch.metrics.records import (
    grams,
    is_scored,
    match_nodes,
    match_sets,
    match_texts,
    score_items,
    score_record_counts,
    score_record_nodes,
    score_record_texts,
)
from edrew_torch.metrics.statistics import (
    Counts,
    MeanScore,
    bootstrap_interval,
    mean_and_spread,
    mean_score,
    micro,
    paired_test,
)
from edrew_torch.metrics.words import find_words, score_articles, score_shingles, score_sites, score_words

# --- attributes -----------------------------------------------------------------------------------------------------

NAME, PRICE, BUY = "/h1/text()", "/b/text()", "/a/text()"


def site_of(prices, attributes=("name", "price"), truth=None, **names):
    """A site with a name, a price and a link that never varies on every page."""
    pages = [
        SitePage(
            (NAME, PRICE, BUY),
            (f"Tea {number}", price, "Buy"),
            truth[number] if truth else {"name": {f"Tea {number}"}, "price": {price}},
        )
        for number, price in enumerate(prices)
    ]
    return SitePages(names.get("vertical", "shop"), names.get("site", "a"), attributes, tuple(pages))


def certain(*columns):
    """Probabilities of a page whose nodes belong to `columns` beyond doubt."""
    return np.eye(3)[list(columns)]


VARIED = [f"${number}" for number in range(7)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  two\n\tlines ", "two lines"),
        ("a\0b", "ab"),
        ("Glen\xa0Davis", "Glen Davis"),
        ("5 € ", "5"),
        ("東京", ""),
    ],
)
def test_published_text_drops_what_is_not_ascii_then_collapses_blanks(text, shown):
    assert published_text(text) == shown


@pytest.mark.parametrize(
    ("names", "text", "value", "expected"),
    [
        (("movie", "allmovie", "mpaa_rating"), "PG 13", "PG", True),
        (("movie", "allmovie", "mpaa_rating"), "PG for", "PG", False),
        (("movie", "allmovie", "mpaa_rating"), "(PG)", "PG", False),
        (("movie", "amctv", "director"), "Director: Ang Lee", "Ang Lee", True),
        (("movie", "amctv", "director"), "Ang Lee (director)", "Ang Lee", False),
        (("movie", "amctv", "title"), "The Ang Lee", "Ang Lee", False),
        (("movie", "imdb", "director"), "Director: Ang Lee", "Ang Lee", False),
        (("movie", "imdb", "director"), "Ang Lee", "Ang Lee", True),
    ],
)
def test_gold_nodes_equal_the_value_but_for_two_exceptions(names, text, value, expected):
    assert is_gold(*names, text, value) is expected


def test_a_perfect_prediction_scores_1_under_both_protocols():
    site = site_of(VARIED)
    answers = [certain(1, 2, 0)] * 7
    assert score_published(site, answers) == {"name": Counts(7, 7, 7), "price": Counts(7, 7, 7)}
    assert score_strict(site, answers) == score_published(site, answers)


def test_candidates_vary_and_gold_xpaths_are_a_leak():
    site = site_of(["$1", "$2", "$3", "$4", "$5", "$5", "$5"])  # 5 distinct prices: not more than 5
    assert site.variable_xpaths == {NAME}
    assert site.gold_xpaths == {NAME, PRICE}
    answers = [certain(1, 2, 2)] * 7  # "Buy" is called a price everywhere, but is no candidate
    assert score_published(site, answers)["price"] == Counts(7, 7, 7)
    assert score_strict(site, answers)["price"] == Counts(0, 0, 7)


def test_of_many_variable_xpaths_the_300_that_vary_most_are_candidates():
    xpaths = [f"/p[{number}]" for number in range(302)]
    pages = [
        # /p[0] has 6 texts over the 8 pages, /p[1] has 7, all others 8
        SitePage(xpaths, [f"{min(page, 5)}", f"{min(page, 6)}", *[f"{page}"] * 300], {})
        for page in range(8)
    ]
    assert SitePages("v", "s", ("a",), tuple(pages)).variable_xpaths == set(xpaths[2:])


def test_the_most_probable_node_stands_in_only_where_the_site_has_the_attribute():
    unsure = np.array([[0.9, 0.1, 0.0], [0.5, 0.1, 0.4], [1.0, 0.0, 0.0]])  # nothing is predicted by the largest column
    site = site_of(VARIED)
    assert score_published(site, [unsure] * 7) == {"name": Counts(7, 7, 7), "price": Counts(7, 7, 7)}
    assert score_strict(site, [unsure] * 7) == {"name": Counts(0, 0, 7), "price": Counts(0, 0, 7)}
    assert score_strict(site, [unsure] * 7, {"price": 0.4})["price"] == Counts(7, 7, 7)
    assert score_strict(site, [unsure] * 7, {"price": 0.41})["price"] == Counts(0, 0, 7)
    nameless = site_of(VARIED, truth=[{"price": {price}} for price in VARIED])
    assert score_published(nameless, [unsure] * 7) == {"price": Counts(7, 7, 7)}  # "name": neither true nor predicted


def test_the_vote_fills_pages_without_a_prediction_and_leaves_the_others():
    site = site_of(VARIED)
    answers = [certain(1, 2, 0)] * 4 + [certain(1, 0, 0)] * 2 + [certain(2, 0, 0)]
    # 4 pages right, 2 filled from the price's XPath; on the last the name is called a price, and stays
    assert score_strict(site, answers)["price"] == Counts(6, 7, 7)
    assert score_strict(site, answers)["name"] == Counts(7, 7, 7)


def test_a_prediction_with_a_wrong_text_beside_the_right_one_is_a_hit_only_as_published():
    site = site_of(VARIED)
    answers = [certain(2, 2, 0)] * 7
    assert score_published(site, answers)["price"] == Counts(7, 7, 7)
    assert score_strict(site, answers)["price"] == Counts(0, 7, 7)


def test_truth_is_compared_with_entities_decoded_and_a_value_in_no_node_is_missed():
    truth = [{"price": {f"&#36;{number}"}, "name": {"東京"}} for number in range(7)]
    scores = score_strict(site_of(VARIED, truth=truth), [certain(0, 2, 0)] * 7)
    assert scores == {"price": Counts(7, 7, 7), "name": Counts(0, 0, 7)}


def test_the_leaks_raise_the_score_of_a_model_that_is_not_sure():
    # a price is on every page, but only 5 differ, and the model prefers "none" by a hair on the last three
    site = site_of(["$1", "$2", "$3", "$4", "$5", "$5", "$5"])
    unsure = np.array([[0.0, 1.0, 0.0], [0.51, 0.0, 0.49], [1.0, 0.0, 0.0]])
    answers = [certain(1, 2, 0)] * 4 + [unsure] * 3
    assert mean_f1(score_published(site, answers)) == 1
    assert mean_f1(score_strict(site, answers)) == 0.5  # the names, and no price


def test_the_most_probable_node_comes_before_the_vote_so_that_it_may_also_harm():
    site = site_of(VARIED)
    misled = np.array([[0.6, 0.0, 0.4], [0.9, 0.0, 0.1], [1.0, 0.0, 0.0]])  # the name looks more like a price
    answers = [certain(1, 2, 0)] * 6 + [misled]
    assert score_published(site, answers)["price"] == Counts(6, 7, 7)
    assert score_strict(site, answers)["price"] == Counts(7, 7, 7)  # the vote knows better


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_attribute_scores_of_any_prediction_lie_between_0_and_1(seed):
    random = np.random.default_rng(seed)
    site = site_of([f"${number}" for number in random.integers(9, size=9)])
    answers = [random.dirichlet(np.ones(3), size=3) for _ in range(9)]
    for scores in (score_published(site, answers), score_strict(site, answers)):
        for score in scores.values():
            assert 0 <= score.correct <= min(score.predicted, score.true) <= 9
            assert 0 <= score.f1 <= 1


def test_mean_f1_is_taken_level_by_level():
    half, one, zero = Counts(1, 2, 2), Counts(3, 3, 3), Counts(0, 1, 0)
    start_1 = {"a": {"name": one, "price": half}, "b": {"name": zero}}  # 0.75, 0 -> 0.375
    start_2 = {"c": {"name": half}}  # 0.5
    assert mean_f1({"shop": [start_1, start_2], "book": [{"d": {"title": one}}]}) == pytest.approx((0.4375 + 1) / 2)
    with pytest.raises(BadData, match="nothing to average"):
        mean_f1({"shop": []})


def test_attribute_scores_name_what_does_not_fit():
    site = site_of(VARIED)
    with pytest.raises(BadData, match=r"7 pages and 2 attributes; given a table of shape \(3, 2\) where \(3, 3\)"):
        score_published(site, [np.zeros((3, 2))] * 7)
    with pytest.raises(BadData, match="given 6 tables"):
        score_strict(site, [np.zeros((3, 3))] * 6)
    with pytest.raises(UnknownName, match="did you mean 'price'"):
        score_strict(site, [np.zeros((3, 3))] * 7, {"prise": 0.5})
    with pytest.raises(UnknownName, match="no attribute named 'colour'"):
        site_of(["$1"], truth=[{"colour": {"red"}}])
    with pytest.raises(BadData, match="page 0 of a has 1 XPaths and 2 texts"):
        SitePages("v", "a", (), (SitePage(["/p"], ["x", "y"], {}),))


# --- records --------------------------------------------------------------------------------------------------------


def test_records_match_one_to_one_best_first():
    true = [{"a", "b", "c", "d"}, {"e", "f"}]
    predicted = [{"a", "b"}, {"a", "b", "c"}, {"e", "x", "y"}]
    # F: 4/6 and 6/7 with the first true record, the better one gets it; 2/5 with the second is too little
    assert match_nodes(predicted, true) == [(1, 0)]
    assert score_record_nodes(predicted, true) == Counts(1, 3, 2)


def test_a_record_matches_at_the_threshold_itself():
    assert match_nodes([{"a", "b"}], [{"a", "c"}]) == [(0, 0)]  # F = 2/4
    assert match_nodes([{"a", "b"}], [{"a", "c", "d"}]) == []  # F = 2/5
    # 5 grams each, 3 of them shared: F = 0.6
    assert match_texts(["abcdefghi"], ["abcdefgXY"]) == [(0, 0)]
    assert match_texts(["abcdefghi"], ["abcdefXYZ"]) == []


def test_grams_ignore_white_space_and_repetition():
    assert grams("a b\nc\td\xa0e f") == {"abcde", "bcdef"}
    assert grams("xxxxxxxxx") == {"xxxxx"}
    assert grams("ab") == {"ab"}
    assert grams(" \n") == frozenset()
    assert match_texts(["", "東京"], ["", "東 京"]) == [(1, 1)]  # a record without text matches none
    assert score_record_texts([], ["x"]) == Counts(0, 0, 1)
    assert score_record_texts(["x"], []) == Counts(0, 1, 0)


def test_equal_records_are_matched_as_often_as_they_occur():
    assert match_texts(["same text"] * 3, ["same text"] * 2) == [(0, 0), (1, 1)]


@given(st.lists(st.frozensets(st.integers(0, 9), max_size=6), max_size=8), st.data())
def test_matching_is_one_to_one_above_the_threshold_and_agrees_with_trying_all_pairs(true, data):
    predicted = data.draw(st.lists(st.frozensets(st.integers(0, 9), max_size=6), max_size=8))
    pairs = match_sets(predicted, true, 0.5)
    quality = {
        (i, j): 2 * len(one & other) / (len(one) + len(other))
        for i, one in enumerate(predicted)
        for j, other in enumerate(true)
        if one & other
    }
    left, expected = {pair for pair in quality if quality[pair] >= 0.5}, []
    while left:
        best = min(left, key=lambda pair: (-quality[pair], pair))
        expected.append(best)
        left = {pair for pair in left if pair[0] != best[0] and pair[1] != best[1]}
    assert pairs == expected
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@given(st.lists(st.text(min_size=1).filter(str.strip)))
def test_true_records_score_1_in_any_order(texts):
    score = score_record_texts(texts[::-1], texts)
    assert score == Counts(len(texts), len(texts), len(texts))


def test_a_thousand_records_of_one_template_are_matched_in_seconds():
    common = "".join(f"field {number} of the template " for number in range(12))
    true = [f"{common}{number:08d}" for number in range(1000)]
    start = time.process_time()
    assert sorted(match_texts(true[::-1], true)) == [(number, 999 - number) for number in range(1000)]
    assert time.process_time() - start < 8  # all pairs by Python sets take a minute; about 1 s here


def test_pages_of_titles_compare_counts_only():
    assert score_record_counts(12, 10) == Counts(10, 12, 10)
    assert score_record_counts(7, 10) == Counts(7, 7, 10)


def test_doubtful_pages_are_left_out():
    assert is_scored({"records": 3, "sources_agree": True, "located": True})
    assert is_scored({"records": 3})
    assert not is_scored({"records": 3, "sources_agree": False, "located": True})
    assert not is_scored({"records": 3, "sources_agree": True, "located": False})
    assert not is_scored({"records": None})


def test_items_are_counted_inside_matched_records_only():
    predicted = [["tea", "$1", "$1"], ["unmatched"]]
    true = [["other"], ["tea", "$1", "new"]]
    assert score_items(predicted, true, [(0, 1)]) == Counts(2, 3, 3)
    assert score_items(predicted, true, []) == Counts(0, 0, 0)


def test_micro_and_mean_over_pages_differ_as_they_should():
    pages = [Counts(1, 1, 1), Counts(0, 10, 9), Counts(0, 0, 1), Counts(0, 0, 0)]
    assert micro(pages) == Counts(1, 11, 11)
    assert mean_score(pages) == MeanScore(1 / 2, 1 / 3, 1 / 3)  # what a page has no score of is left out of its mean
    assert mean_score([]) == MeanScore(0.0, 0.0, 0.0)


# --- words ----------------------------------------------------------------------------------------------------------


def test_words_count_with_multiplicity():
    assert score_words("the tea, the cake", "the tea the the") == Counts(3, 4, 4)
    assert score_words("Tea", "tea") == Counts(0, 1, 1)
    assert score_words("", "tea") == Counts(0, 0, 1)


def test_shingles_are_runs_of_four_words():
    assert score_shingles("a b c d e", "x b c d e") == Counts(1, 2, 2)
    assert score_shingles("a b c d", "a b c d") == Counts(1, 1, 1)
    assert score_shingles("a b c", "a b c") == Counts(1, 1, 1)  # a shorter text is one shingle
    assert score_shingles("a b c", "a b c d") == Counts(0, 1, 1)
    assert score_shingles("a a a a a a", "a a a a a") == Counts(2, 3, 2)
    assert score_shingles("", "") == Counts(0, 0, 0)


def test_chinese_text_has_words():
    assert find_words("東京は、日本。の首都 2020年") == ["東京は", "日本", "の首都", "2020年"]
    assert score_words("東京は、日本", "東京は。") == Counts(1, 2, 1)


def test_articles_are_scored_as_by_the_benchmark():
    pages = [
        ("a b c d e", "a b c d"),  # P 1/2, R 1
        ("a, b c d", "a b c d!"),  # equal words
        ("", "a b c d"),  # no answer: no precision, recall 0
        ("", ""),
    ]
    score = score_articles(pages)
    assert score.shingles.precision == pytest.approx((1 / 2 + 1) / 2)
    assert score.shingles.recall == pytest.approx(2 / 3)
    assert score.shingles.f1 == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert score.shingles.f1_of_means == pytest.approx(2 * 0.75 * (2 / 3) / (0.75 + 2 / 3))
    assert score.words.precision == pytest.approx((4 / 5 + 1) / 2)
    assert score.exact == 2 / 4
    assert score_articles([]).exact == 0


def test_sites_sum_their_pages():
    pages = [("a.com", "x y", "x"), ("b.com", "z", "z"), ("a.com", "x", "x x x")]
    assert score_sites(pages) == {"a.com": Counts(2, 3, 4), "b.com": Counts(1, 1, 1)}
    assert mean_score(score_sites(pages).values()).recall == 0.75


@given(st.text(alphabet="ab 東,"), st.text(alphabet="ab 東,"))
def test_word_scores_lie_between_0_and_1_and_swap_when_the_texts_do(one, other):
    for score in (score_words, score_shingles):
        counts, swapped = score(one, other), score(other, one)
        assert 0 <= counts.f1 <= 1
        assert (counts.precision, counts.recall) == (swapped.recall, swapped.precision)
        assert score(one, one).f1 == (1 if find_words(one) else 0)
    assert score_words(one, other).correct == (Counter(find_words(one)) & Counter(find_words(other))).total()


# --- statistics -----------------------------------------------------------------------------------------------------


def pages_of(seed, chance, num_pages=60, num_nodes=20):
    """Labels of pages whose nodes are predicted right with `chance`, and (tp, fp, fn) of each page."""
    truth = np.random.default_rng(1).random((num_pages, num_nodes)) < 0.3
    answer = truth ^ (np.random.default_rng(seed).random(truth.shape) > chance)
    counts = np.stack([(truth & answer).sum(1), (~truth & answer).sum(1), (truth & ~answer).sum(1)], axis=1)
    return truth, answer, counts


def test_micro_f1_of_counts_is_scikit_learns():
    truth, answer, counts = pages_of(2, 0.8)
    expected = f1_score(truth.ravel(), answer.ravel())
    pages = [Counts(int(tp), int(tp + fp), int(tp + fn)) for tp, fp, fn in counts]
    assert micro(pages).f1 == pytest.approx(expected)
    assert [page.errors for page in pages] == [tuple(row) for row in counts.tolist()]
    low, high = bootstrap_interval(counts[:1], rounds=10)  # one page: every sample is that page
    assert low == high == pytest.approx(f1_score(truth[0], answer[0]))


def test_mean_and_spread_are_the_samples():
    values = [0.5, 0.75, 0.9]
    mean, spread = mean_and_spread(values)
    assert mean == pytest.approx(np.mean(values))
    assert spread == pytest.approx(np.std(values, ddof=1))
    assert mean_and_spread([0.3]) == (0.3, 0.0)
    with pytest.raises(BadData, match="no values"):
        mean_and_spread([])


def test_the_interval_holds_the_score_and_narrows_with_pages_and_level():
    truth, answer, counts = pages_of(2, 0.8)
    low, high = bootstrap_interval(counts)
    assert low < f1_score(truth.ravel(), answer.ravel()) < high
    assert bootstrap_interval(counts) == (low, high)  # the seed is fixed
    narrow_low, narrow_high = bootstrap_interval(counts, level=0.5)
    assert low < narrow_low < narrow_high < high
    few_low, few_high = bootstrap_interval(counts[:10])
    assert few_high - few_low > high - low
    assert bootstrap_interval([[3, 0, 0]] * 4) == (1.0, 1.0)
    assert bootstrap_interval([[0, 0, 0]]) == (0.0, 0.0)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(5)
    # pages with tp, fp and fn of mean 6, 2 and 2: F1 of the population is 12 / 16
    intervals = [bootstrap_interval(random.poisson([6, 2, 2], (40, 3)), 0.9, rounds=200) for _ in range(200)]
    assert 0.82 < np.mean([low <= 0.75 <= high for low, high in intervals]) < 0.96


def test_chunks_change_nothing_but_memory(monkeypatch):
    first, second = pages_of(2, 0.8)[2], pages_of(3, 0.84)[2]
    interval, p = bootstrap_interval(first), paired_test(first, second)
    monkeypatch.setattr("edrew_torch.metrics.statistics.CHUNK", 7000)
    assert bootstrap_interval(first) == interval
    assert paired_test(first, second) == pytest.approx(p, abs=0.02)


def test_the_paired_test_tells_a_difference_from_chance():
    worse, same, better = (pages_of(seed, chance)[2] for seed, chance in ((2, 0.8), (3, 0.8), (4, 0.95)))
    assert paired_test(worse, worse) == 1.0
    assert paired_test(worse, same) > 0.05
    assert paired_test(worse, better) == 1 / 10_001  # no round comes near: the least p there is
    assert paired_test(better, worse) == paired_test(worse, better)


def test_the_p_value_of_a_case_worked_by_hand():
    # 3 pages, all for the first run: of the 8 ways to swap, 2 (none, all) give so large a difference
    first, second = [[1, 0, 0]] * 3, [[0, 1, 1]] * 3
    assert paired_test(first, second) == pytest.approx(2 / 8, abs=0.02)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([], r"shape \(pages, 3\).*given \(0,\)"),
        (np.zeros((0, 3)), r"given \(0, 3\)"),
        ([1, 2, 3], r"given \(3,\)"),
        ([[1, 2]], r"given \(1, 2\)"),
        ([[1, 2, 3], [1, -1, 0]], "row 1 is not"),
        ([[float("nan"), 0, 0]], "row 0 is not"),
        ([["a", "b", "c"]], "table of numbers"),
    ],
)
def test_counts_that_do_not_fit_are_named(counts, message):
    with pytest.raises(BadData, match=message):
        bootstrap_interval(counts)
    with pytest.raises(BadData, match=message):
        paired_test([[1, 0, 0]], counts)


def test_runs_on_different_pages_are_not_compared():
    with pytest.raises(BadData, match="the runs have 1 and 2 pages"):
        paired_test([[1, 0, 0]], [[1, 0, 0]] * 2)
    with pytest.raises(BadData, match="between 0 and 1"):
        bootstrap_interval([[1, 0, 0]], level=95)
    with pytest.raises(BadData, match="at least 1, not 0"):
        paired_test([[1, 0, 0]], [[1, 0, 0]], rounds=0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_f1_is_the_harmonic_mean(correct, wrong, missed):
    counts = Counts(correct, correct + wrong, correct + missed)
    expected = 2 * counts.precision * counts.recall / (counts.precision + counts.recall) if correct else 0
    assert counts.f1 == pytest.approx(expected)
    assert counts.errors == (correct, wrong, missed)
