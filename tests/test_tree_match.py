"""Tree matching, grammars, expressions, extraction: the examples of the document, and what must hold on any page."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edrew_torch import extract_records
from edrew_torch.datasets.lists import read_list_pages
from edrew_torch.errors import BadConfig
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.expressions import GrammarFault, repeats, to_expression
from edrew_torch.records.extraction import Extractor, FoundList, PagePlaces, find_data_lists, main_list
from edrew_torch.records.grammar import generate_grammar
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.shapes import Shapes
from edrew_torch.records.tree_lists import WrapperSettings, matched_lists, wrapper_lists
from edrew_torch.records.tree_match import (
    Level,
    Match,
    TreeMatcher,
    best_sum,
    detect_lists,
    shared_lists,
    simple_match,
    update_weights,
)
from tests.markup import markup


def tree(shapes: Shapes, nested: tuple) -> int:
    label, *children = nested
    return shapes.add(label, tuple(tree(shapes, child) for child in children))


# --- simple tree matching (figure 6) ---


def test_simple_matching_counts_pairs_in_order_and_stops_where_labels_differ():
    shapes = Shapes()
    one = tree(shapes, ("p", ("a", ("x",)), ("b",), ("c",)))
    other = tree(shapes, ("p", ("b",), ("a", ("x",), ("y",)), ("c",)))
    assert simple_match(shapes, one, other) == 4  # p, a, x, c: b stands before a in one and behind it in the other
    assert simple_match(shapes, one, one) == 5
    assert simple_match(shapes, one, tree(shapes, ("q", ("a",)))) == 0


@st.composite
def trees(draw, depth=3):
    label = draw(st.sampled_from("abc"))
    children = draw(st.lists(trees(depth=depth - 1), max_size=3)) if depth else []
    return (label, *children)


def plain_match(one: tuple, other: tuple) -> int:
    """Figure 6 word by word."""
    if one[0] != other[0]:
        return 0
    m = np.zeros((len(one), len(other)), dtype=int)
    for i in range(1, len(one)):
        for j in range(1, len(other)):
            m[i, j] = max(m[i, j - 1], m[i - 1, j], m[i - 1, j - 1] + plain_match(one[i], other[j]))
    return int(m[-1, -1]) + 1


@given(trees(), trees())
def test_simple_matching_agrees_with_the_figure(one, other):
    shapes = Shapes()
    assert simple_match(shapes, tree(shapes, one), tree(shapes, other)) == plain_match(one, other)


@given(trees(), trees())
def test_generalized_matching_is_symmetric_and_never_above_either_tree(one, other):
    shapes = Shapes()
    a, b = tree(shapes, one), tree(shapes, other)
    there, back = TreeMatcher(shapes).match(a, b), TreeMatcher(shapes).match(b, a)
    assert (there.score, there.nodes_a, there.nodes_b) == (back.score, back.nodes_b, back.nodes_a)
    assert 0 <= there.score <= max(there.nodes_a, there.nodes_b) + 1e-9
    assert there.nodes_a <= shapes.size[a]
    assert there.nodes_b <= shapes.size[b]


# --- strings and grammars (figures 8 to 11) ---


def test_alike_children_share_a_symbol():
    """Figure 8: S1 and S2 become abccd and abbcc."""
    shapes = Shapes()
    a, b, c, d = (tree(shapes, (label, ("x",), ("y",))) for label in "abcd")
    ours, theirs = (a, b, c, c, d), (a, b, b, c, c)
    matcher = TreeMatcher(shapes)
    level = detect_lists(ours, theirs, {(i, j): matcher.match(i, j) for i in ours for j in theirs})
    assert "".join("abcde"[symbol] for symbol in level.string_a) == "abccd"
    assert "".join("abcde"[symbol] for symbol in level.string_b) == "abbcc"


def test_unlike_children_have_symbols_of_their_own():
    shapes = Shapes()
    small = tree(shapes, ("a", ("x",)))
    large = tree(shapes, ("a", ("y",), ("z",), ("w",), ("v",)))
    matcher = TreeMatcher(shapes)
    level = detect_lists((small,), (large,), {(small, large): matcher.match(small, large)})
    assert level.string_a != level.string_b  # 1 of 5 nodes is below τ1


def test_grammars_of_the_worked_strings():
    assert str(to_expression(generate_grammar("abccd"))) == "abc+d"
    assert str(to_expression(generate_grammar("abbcc"))) == "ab+c+"
    assert str(to_expression(generate_grammar("abccd", "abbcc"))) == "ab+c+d?"
    assert str(to_expression(generate_grammar("aabcdcde", "abcd"))) == "a+b(cd)+e?"
    assert str(to_expression(generate_grammar("abd", "acd"))) == "a(b|c)d"
    assert str(to_expression(generate_grammar("abcd", "ad"))) == "a(bc)?d"
    assert str(to_expression(generate_grammar("abaab"))) == "(a+b)+"


def test_repeated_parts_of_an_expression():
    """Section 3.1.4: of a+b(cd)+e? the repetitions are a+ and (cd)+."""
    found = repeats(to_expression(generate_grammar("aabcdcde", "abcd")))
    assert list(map(str, found)) == ["a+", "(cd)+"]


def test_crossing_jumps_are_a_fault_or_widened():
    grammar = generate_grammar("abcabcdbcd")
    with pytest.raises(GrammarFault, match="cross"):
        to_expression(grammar)
    assert "|" in str(to_expression(grammar, tolerant=True))


@given(st.lists(st.text("abcde", min_size=1, max_size=9), min_size=1, max_size=3))
def test_a_grammar_accepts_the_strings_it_was_made_from(strings):
    grammar = generate_grammar(*strings)
    assert all(grammar.accepts(string) for string in strings)


@given(st.lists(st.text("abcde", min_size=1, max_size=9), min_size=1, max_size=3))
def test_every_grammar_has_a_tolerant_expression_with_each_symbol_once(strings):
    expression = to_expression(generate_grammar(*strings), tolerant=True)
    letters = [each for each in str(expression) if each.isalpha()]
    assert sorted(letters) == sorted(set("".join(strings)))


# --- lists weigh as much as one of their items (figure 12) ---


def test_a_list_weighs_as_much_as_one_average_item():
    ours, theirs = (0, 1, 1, 2), (0, 1, 1, 1)
    matches = {(0, 0): Match(3.0, 3.0, 3.0), (1, 1): Match(4.0, 5.0, 6.0)}
    level = Level([0, 1, 1, 2], [0, 1, 1, 1], {0: [(0, 0)], 1: [(1, 1)]}, {0: 0, 1: 1, 2: 2})
    assert shared_lists(level) == [1]
    weights, nodes_a, nodes_b = update_weights(ours, theirs, level, [1], matches, sizes=(9, 9, 2))
    assert weights == [[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]  # the mean score in the first cell, zeros left out
    assert nodes_a == 1 + 5.5 + 3 + 2  # the root, one average item, and the two others
    assert nodes_b == 1 + 5.5 + 3
    assert best_sum(weights) == 7


def test_the_length_of_a_list_does_not_weigh_on_the_levels_above():
    shapes = Shapes()
    item = ("li", ("a", ("#text",)), ("b", ("#text",)))
    short, long = (tree(shapes, ("div", ("h1", ("#text",)), ("ul", *[item] * number))) for number in (2, 40))
    assert simple_match(shapes, short, long) / shapes.size[long] < 0.1
    assert TreeMatcher(shapes).match(short, long).norm == 1


# --- extraction (figures 17 to 22) and the main list ---


def lists_of(html: str) -> list[FoundList]:
    return matched_lists(page_sequence(parse_tree(html)))


def texts_of(html: str, found: FoundList) -> list[list[str]]:
    page = page_sequence(parse_tree(html))
    return [[page.texts[place] for place in item] for item in found.texts]


TEAS = "".join(
    f"<li><a>Tea {n}</a><p>hill {n}</p>{'<i>new</i>' if n % 3 == 0 else ''}<b>${n}</b></li>" for n in range(6)
)


def test_the_main_list_has_its_first_item_and_its_options():
    html = f"<div><h1>Teas</h1><ul>{TEAS}</ul></div>"
    best = main_list(lists_of(html))
    assert texts_of(html, best)[:2] == [["Tea 0", "hill 0", "new", "$0"], ["Tea 1", "hill 1", "$1"]]
    assert len(best.records) == 6
    assert best.are_tuples


def test_the_main_list_is_the_longest_of_those_with_enough_and_even_data():
    def found(*sizes: int, are_tuples: bool = True) -> FoundList:
        return FoundList(tuple((n, n + 1) for n in range(len(sizes))), tuple((0,) * size for size in sizes), are_tuples)

    short, long = found(3, 4), found(3, 3, 3)
    assert main_list([short, long, found(2, 2, 2, 2), found(9, 9, 9, 9, are_tuples=False)]) is long
    assert main_list([short, found(1, 1, 12, 12)]) is short  # uneven: deviation above 3.5
    assert main_list([found(5)]) is None


def test_a_fault_in_one_grammar_costs_no_other_list():
    """The document's program stopped at the first such grammar and lost a whole site."""
    broken = "".join(f"<{tag}>x</{tag}>" for tag in "b i u b i u s i u s".split())
    html = f"<body>{broken}<ul>{TEAS}</ul></body>"
    page = page_sequence(parse_tree(html))
    shapes = Shapes()
    places = PagePlaces.of(shapes, page)
    matcher = TreeMatcher(shapes)
    matcher.match(places.root, places.root)
    found = find_data_lists(Extractor(matcher), (places.root, places.root), places)
    assert matcher.faults
    assert "cross" in matcher.faults[0]
    assert len(main_list(found).records) == 6
    result = extract_records(html, "wrapper", settings=WrapperSettings(plain=True))
    assert any("cross" in warning for warning in result.warnings)
    assert len(result.content[0].rows) == 6


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(BadConfig, match="choice must be one of model, longest"):
        WrapperSettings(choice="best")


# --- any page, any size ---


@settings(max_examples=60, deadline=None)
@given(markup())
def test_any_markup_gives_lists_inside_the_page(html):
    page = page_sequence(parse_tree(html))
    for chosen in (WrapperSettings(plain=True), WrapperSettings(choice="longest"), WrapperSettings()):
        for found in wrapper_lists(page, chosen):
            assert all(0 <= start < end <= len(page) for start, end in found.records)
            assert list(found.records) == sorted(found.records)


def test_a_page_of_thousands_of_nodes_is_matched_with_few_comparisons():
    """5,000 nodes are 25 million pairs; equal subtrees are compared once."""
    rows = "".join(
        f"<tr><td>{n}</td>{'<td><i>x</i></td>' * (n % 3)}<td><a>y</a></td>{'<td></td>' * (n % 4)}</tr>"
        for n in range(700)
    )
    page = page_sequence(parse_tree(f"<table>{rows}</table>"))
    shapes = Shapes()
    root, _ = shapes.add_page(page)
    matcher = TreeMatcher(shapes)
    matcher.match(root, root)
    assert len(page) > 5000
    assert len(matcher._matches) < 1000


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 5000 + "x",
        "<ul>" + "<li>a" * 5000,
        "".join(f"<p>{'<b>x</b>' * (n % 40)}{'<i>y</i>' * (n % 37)}</p>" for n in range(400)),
        "<div>" + "".join(f"<t{n}>x</t{n}>" for n in range(3000)) + "</div>",
        "<div>" + "".join(f"<{'abi'[n * n % 3]}>x</{'abi'[n * n % 3]}>" for n in range(3000)) + "</div>",
    ],
    ids=["deep", "long", "varied", "names", "irregular"],
)
def test_hostile_pages_come_to_an_end(html):
    page = page_sequence(parse_tree(html))
    began = time.process_time()
    for chosen in (WrapperSettings(plain=True), WrapperSettings()):
        for found in wrapper_lists(page, chosen):
            assert all(0 <= start < end <= len(page) for start, end in found.records)
    assert time.process_time() - began < 30  # about 1 s here


def test_too_many_distinct_subtrees_are_told_and_equal_ones_are_still_matched():
    shapes = Shapes()
    rows = tuple(tree(shapes, ("p", *[("b",)] * n)) for n in range(60))
    root = shapes.add("div", rows)
    matcher = TreeMatcher(shapes, max_work=100)
    assert matcher.match(root, root).norm > 0.9
    assert "too many different subtrees" in matcher.faults[0]
    assert matcher.match(rows[5], rows[5]).norm == 1


SINGLES = "".join(f"<p{n}>a</p{n}>" for n in range(400))
LADDER = "".join(f"<div>{'<p>a</p>' * n}</div>" for n in range(1, 100))


@pytest.mark.parametrize("method", ["wrapper", "auto"])
@pytest.mark.parametrize("html", [SINGLES + "<li><a>x</a><b>y</b></li>" * 50, LADDER], ids=["far list", "ladder"])
def test_pages_with_more_pairs_than_are_compared_are_read_too(html, method):
    assert max(len(region.rows) for region in extract_records(html, method, keep_noise=True).regions) >= 50


@pytest.mark.realdata
def test_plain_matching_finds_lists_of_real_pages(data_folder):
    pages = [page for page in read_list_pages(data_folder, ("zhao1",)) if page.texts][:12]
    found = 0
    for given_page in pages:
        page = page_sequence(parse_tree(Page.from_bytes(given_page.data)))
        best = next((each for each in wrapper_lists(page, WrapperSettings(plain=True)) if each.content), None)
        found += given_page.score_list(page, best).f1 > 0.8
    assert found >= 2
