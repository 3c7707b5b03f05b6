"""The compiled loops against their Python twins: same input, same answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edrew_torch.datasets.sample_lists import make_list_page
from edrew_torch.parse import parse_tree
from edrew_torch.parse.lxml_events import PythonTreeBuilder, build_tree
from edrew_torch.records.candidates import find_candidates
from edrew_torch.records.quality import QUALITY_MODEL, candidate_features
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.tree_ensemble import TreeEnsemble, compiled_tree_sums, python_tree_sums
from edrew_torch.retps import HIDING_STYLES, python_attribute_marks, python_read_chains

from .markup import markup

compiled = pytest.importorskip("edrew_torch._compiled", reason="not compiled: no C compiler at install")

WORDS = ("value", "description", "name", "date", "content", "detail", "price")
TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "price",
            "UPDATE",
            "preço",
            "display: NONE",
            "d isplay:none",
            "visibility :hidden",
            "n",
            "na",
            "nam\0e",
            "ſname",
        ]
    ),
    st.text(max_size=20),
    st.lists(st.sampled_from(["pri", "ce", "na", "me", "Da", "te", " ", "display:", "none", "É"]), max_size=6).map(
        "".join
    ),
)
NAMES = st.one_of(st.sampled_from(["id", "class", "style", "hidden", "name", "data-price", "classes"]), TEXTS)
PAYLOAD = st.lists(st.one_of(st.none(), TEXTS, st.dictionaries(NAMES, TEXTS, max_size=5)), max_size=8)


@given(markup())
def test_builders_agree(page):
    first, second = build_tree(page, compiled.TreeBuilder()), build_tree(page, PythonTreeBuilder())
    assert first.tag.tolist() == second.tag.tolist()
    assert first.parent.tolist() == second.parent.tolist()
    assert first.names == second.names
    assert first.payload == second.payload


@given(PAYLOAD)
def test_attribute_marks_agree(payload):
    first = compiled.attribute_marks(payload, WORDS, HIDING_STYLES)
    assert first == python_attribute_marks(payload, WORDS, HIDING_STYLES)


@given(st.data())
def test_chains_agree(data):
    size = data.draw(st.integers(1, 30))
    cells = st.integers(0, size - 1)
    tokens = np.arange(10, 10 + size, dtype=np.int32)
    following = np.array(data.draw(st.lists(cells, min_size=size, max_size=size)), dtype=np.int64)
    start = np.array(data.draw(st.lists(cells, max_size=9)), dtype=np.int64)
    first, second = (np.zeros((len(start), 5), dtype=np.int32) for _ in range(2))
    compiled.read_chains(tokens, following, start, first)
    python_read_chains(tokens, following, start, second)
    assert first.tolist() == second.tolist()


def test_wrong_arguments_are_refused_not_followed():
    tokens, out = np.zeros(2, dtype=np.int32), np.zeros((1, 3), dtype=np.int32)
    for following, start in (([0, 5], [1]), ([0, -1], [1]), ([0, 0], [2]), ([0], [0])):
        with pytest.raises(IndexError):
            compiled.read_chains(tokens, np.array(following), np.array(start), out)
    with pytest.raises(TypeError):
        compiled.attribute_marks([{"a": 1}], WORDS, HIDING_STYLES)
    with pytest.raises(ValueError, match="two characters"):
        compiled.attribute_marks([], ("x",), HIDING_STYLES)


def test_a_builder_starts_anew_after_each_page_and_after_a_reset():
    builder = compiled.TreeBuilder()
    assert len(build_tree("<p>a", builder)) == len(build_tree("<p>a", builder)) == 4
    builder.start("p", {})
    builder.data("x")
    builder.reset()
    assert builder.close()[2] == []


def test_trees_are_summed_alike():
    page = page_sequence(parse_tree(make_list_page(3).html))
    features = candidate_features(page, find_candidates(page))
    trees = TreeEnsemble.load(QUALITY_MODEL)
    np.testing.assert_allclose(compiled_tree_sums(trees, features), python_tree_sums(trees, features), atol=1e-12)
    with pytest.raises(IndexError, match="not there"):
        compiled_tree_sums(trees, features[:, :3].copy())
    none = np.zeros(0, dtype=np.int32)
    with pytest.raises(IndexError, match="not there"):  # trees without a node
        compiled.tree_sums(features, none, np.zeros(0), none, none, np.zeros(0), 5, 0, np.zeros(len(features)))
