"""Records by classes of subtrees: the steps of the document, and what must hold on any page."""

import pytest
from hypothesis import given, settings

from edrew_torch import extract_records
from edrew_torch.errors import BadConfig
from edrew_torch.metrics.records import mean_of_records, score_item_sets, score_values
from edrew_torch.metrics.statistics import Counts
from edrew_torch.parse import parse_tree
from edrew_torch.records.equivalence import (
    EquivalenceSettings,
    class_records,
    document_records,
    equivalence_lists,
    frequent_classes,
    outline_classes,
    subtree_classes,
)
from edrew_torch.records.sequence import page_sequence
from tests.markup import markup

PLAIN = EquivalenceSettings(plain=True)


def texts(html: str) -> list[list[str]]:
    page = page_sequence(parse_tree(html))
    return [[page.texts[place] for place in record] for record in document_records(page)]


def test_leaves_are_left_out_of_a_class():
    """Figure 4: trees that differ in their leaves only are equivalent; order and tags of the rest count."""
    page = page_sequence(
        parse_tree("<p><b>1</b><i>2</i></p><p><b>1<br></b>x<i>5</i></p><p><i>2</i><b>1</b></p><p><b>1</b></p>")
    )
    first, second, swapped, short = subtree_classes(page)[page.is_named("p")].tolist()
    assert first == second
    assert len({first, swapped, short}) == 3


def test_outlines_do_not_mind_options_and_repetitions():
    page = page_sequence(parse_tree("<p><b>1</b><i>2</i></p><p><i>2</i><b>1</b><b>3</b></p><p><b>1</b></p>"))
    first, second, short = outline_classes(page)[page.is_named("p")].tolist()
    assert first == second != short


def test_records_of_one_class():
    rows = "".join(f"<tr><td>{n}</td><td>name {n}</td></tr>" for n in range(4))
    assert texts(f"<table>{rows}</table>") == [[str(n), f"name {n}"] for n in range(4)]


def test_records_of_two_blocks_begin_where_the_first_class_comes_again():
    rows = "".join(f"<h3><a>t{n}</a><i>x{n}</i></h3><div><p>a{n}</p><b>b{n}</b></div>" for n in range(3))
    assert texts(f"<body>{rows}</body>") == [[f"t{n}", f"x{n}", f"a{n}", f"b{n}"] for n in range(3)]


def test_classes_inside_chosen_ones_are_dropped():
    rows = "".join(f"<li><div><a>t{n}</a><i>x{n}</i></div><b>b{n}</b></li>" for n in range(3))
    page = page_sequence(parse_tree(f"<ul>{rows}</ul>"))
    classes = subtree_classes(page)
    (chosen,) = frequent_classes(page, classes)
    assert set(page.tag[classes == chosen].tolist()) == {page.tree.names.index("li")}


def test_a_drop_of_frequency_ends_the_choice_and_ten_classes_are_kept():
    many = "".join(f"<a><b>{n}</b><i>x</i></a>" for n in range(40))
    page = page_sequence(parse_tree(f"<body>{many}<p><u>1</u><s>2</s></p></body>"))
    classes = subtree_classes(page)
    assert len(frequent_classes(page, classes)) == 1  # 1 of 40 is a drop of more than 90 %
    kinds = "".join(f"<t{n}><b>x</b><i>y</i></t{n}>" for n in range(12))
    page = page_sequence(parse_tree(f"<body>{kinds * 2}</body>"))
    classes = subtree_classes(page)
    assert len(frequent_classes(page, classes)) == 10
    assert len(class_records(page, classes, frequent_classes(page, classes))) == 2


def test_small_subtrees_are_no_records():
    assert texts("<ul>" + "<li>x</li>" * 9 + "</ul>") == []  # li has two nodes; ul has more, but comes once


def test_a_side_menu_is_taken_by_the_plain_method_and_not_by_the_extended_one():
    """The document's known weak point (cdnow, wines)."""
    menu = "".join(f"<li><a href=/m{n}>Menu {n}</a><i>›</i></li>" for n in range(9))
    rows = "".join(
        f"<div class=item><h3><a href=/i{n}>Kettle number {n}</a></h3><p>Boils {n} litres of water in no time</p>"
        f"<b>${n}.50</b></div>"
        for n in range(8)
    )
    html = f"<ul class=menu>{menu}</ul><div>{rows}</div>"
    (plain,) = extract_records(html, "equivalence", settings=PLAIN).regions
    assert any("Menu 3" in text for text in plain.texts())
    (extended,) = extract_records(html, "equivalence").content
    assert len(extended.rows) == 8
    assert not any("Menu" in text for text in extended.texts())


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(BadConfig, match=r"choice must be .*; min_confidence must be"):
        EquivalenceSettings(choice="best", min_confidence=-1)


@settings(max_examples=60, deadline=None)
@given(markup())
def test_any_markup_gives_records_inside_the_page(html):
    page = page_sequence(parse_tree(html))
    for chosen in (PLAIN, EquivalenceSettings(choice="frequency"), EquivalenceSettings()):
        for found in equivalence_lists(page, chosen):
            assert all(0 <= start < end <= len(page) for start, end in found.records)
            for record in found.texts or ():
                assert page.is_text[list(record)].all()


# --- the documents' measures ---


def test_the_document_of_2011_counts_nine_menu_entries_as_records():
    """Tables 1 to 3: 30 records of 4 values and 9 entries of a menu."""
    true = [[f"{n}a", f"{n}b", f"{n}c", f"{n}d"] for n in range(30)]
    predicted = [*true, *([f"menu {n}"] for n in range(9))]
    values = score_values(predicted, true)
    assert (values.correct, values.predicted, values.true) == (120, 129, 120)
    assert values.precision == pytest.approx(0.93, abs=0.005)
    assert mean_of_records(predicted, true) == pytest.approx((0.77, 0.77), abs=0.005)


def test_item_sets_of_the_document_of_2018():
    predicted = [["a", "b", "", "Apply", "a"], ["c", "x", "y", "z", "Apply"], ["q", "Apply"]]
    true = [["a", "b"], ["c", "d", "e"], ["f"]]
    records, items = score_item_sets(predicted, true)
    assert records == Counts(1, 3, 3)  # c is 2/7 of the second: below 35 %
    assert items == Counts(2, 7, 6)  # without "Apply", which all records have
