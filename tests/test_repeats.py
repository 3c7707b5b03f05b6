"""Repeated text: counted over documents, mergeable, the same in every process, dropped from any result."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edrew_torch.errors import BadConfig, BadData
from edrew_torch.repeats import RepeatCounter, count_results, table_size, texts_of, without_repeats
from edrew_torch.result import Cell, Paragraph, Region, Result, Value

documents = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=12)


def counted(pages: list[list[str]], p: int = 101) -> RepeatCounter:
    counter = RepeatCounter(p)
    for texts in pages:
        counter.count(texts)
    return counter


@given(documents, st.integers(0, 12))
def test_two_halves_merged_are_the_whole(pages, cut):
    merged = counted(pages[:cut])
    merged.merge(counted(pages[cut:]))
    whole = counted(pages)
    assert (merged.counts == whole.counts).all()
    assert merged.num_documents == whole.num_documents == len(pages)


@given(documents, st.randoms())
def test_the_order_of_documents_and_texts_does_not_matter(pages, random):
    mixed = [random.sample(texts, len(texts)) for texts in random.sample(pages, len(pages))]
    assert (counted(pages).counts == counted(mixed).counts).all()


@given(documents)
def test_documents_are_counted_not_occurrences_and_never_too_few(pages):
    counter = counted(pages, 7)  # so small that texts meet
    true = [sum(letter in texts for texts in pages) for letter in "abcdefgh"]
    assert (counter.num_documents_with(list("abcdefgh")) >= true).all()
    assert (counted(pages, 10_007).num_documents_with(list("abcdefgh")) == true).all()


def test_white_space_does_not_count():
    counter = counted([["All  rights\n reserved"], [" All rights reserved "]])
    assert counter.is_repeated("All rights reserved")


def test_the_same_places_in_every_process():
    code = "from edrew_torch.repeats import *; c = RepeatCounter(99); c.count(['tea', '茶']); print(c.counts.nonzero())"
    answers = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


def test_many_is_a_share_of_the_documents_and_at_least_two():
    counter = counted([["a", "b"], ["a", "b"], ["a"], ["c"], []])
    assert [counter.is_repeated(text, 0.5) for text in "abc"] == [True, False, False]
    assert [counter.is_repeated(text, 0.01) for text in "abc"] == [True, True, False]
    assert not counted([["a"]]).is_repeated("a")
    for wrong in (0, 1.5):
        with pytest.raises(BadConfig, match="share of the documents"):
            counter.bound(wrong)


def test_counters_of_different_size_do_not_merge():
    with pytest.raises(BadConfig, match="same p"):
        RepeatCounter(101).merge(RepeatCounter(103))
    with pytest.raises(BadConfig, match="at least 1"):
        RepeatCounter(0)


def test_saved_and_loaded(tmp_path):
    counter = counted([["a"], ["a", "b"]])
    counter.save(tmp_path / "half.safetensors")
    again = RepeatCounter.load(tmp_path / "half.safetensors")
    assert (again.counts == counter.counts).all()
    assert again.num_documents == 2
    (tmp_path / "other").write_text("no counter")
    with pytest.raises(BadData, match="no counter"):
        RepeatCounter.load(tmp_path / "other")


def test_few_texts_meet_at_the_default_size():
    texts = [f"text {number}" for number in range(5000)]
    counter = RepeatCounter.for_texts(len(texts))
    for start in range(0, len(texts), 50):
        counter.count(texts[start : start + 50])
    assert counter.are_repeated(texts, 0.001).mean() < 0.02
    single = RepeatCounter.for_texts(len(texts), num_tables=1)  # as documented
    for start in range(0, len(texts), 50):
        single.count(texts[start : start + 50])
    assert 0.1 < single.are_repeated(texts, 0.001).mean() < 0.3


def test_table_sizes_are_primes_and_bounded():
    assert table_size(0) == 1009
    assert table_size(10**12) == 67_108_859
    assert all(table_size(10_000) % divisor for divisor in range(2, 300))


def paragraphs(*texts: str) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(text, f"/html/p[{number}]") for number, text in enumerate(texts, 1))


def test_paragraphs_values_and_records_alike():
    def result(number: int) -> Result:
        own = f"own {number}"
        rows = tuple((Cell(text, "/a"), None) for text in (own, "the same"))
        return Result(
            f"{number}.html",
            regions=(Region(True, 1.0, "signal", rows), Region(True, 1.0, "signal", rows[1:])),
            values=tuple(Value(text, None, "/a", 1.0, "edrew") for text in (own, "the same")),
            paragraphs=paragraphs(own, "the same"),
        )

    for number, left in enumerate(without_repeats([result(number) for number in range(3)])):
        assert texts_of(left) == [f"own {number}"] * 3
        assert len(left.regions) == 1  # the one without any record of its own is gone


def test_a_stream_is_counted_first_and_marked_then():
    pages = [Result(str(number), paragraphs=paragraphs(f"own {number}", "same")) for number in range(4)]
    counter = RepeatCounter.for_texts(8)
    count_results(iter(pages), counter)
    assert [texts_of(each) for each in without_repeats(pages[:1], counter=counter)] == [["own 0"]]


def test_nothing_to_count():
    assert without_repeats([]) == []
    assert without_repeats([Result("a")]) == [Result("a")]
    assert len(RepeatCounter(11).num_documents_with([])) == 0
