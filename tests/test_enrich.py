"""Enriched nodes: what is seen of a text node, and what the pages of a site tell."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edrew_torch.enrich.bags import BITS, GROUPS, Bags, make_bags
from edrew_torch.enrich.describe import MARKS, ROLES, Describer, Description, compare, link_kind, urlsplit_or_none
from edrew_torch.enrich.evidence import embedded_data, hidden_by_style, squeeze
from edrew_torch.enrich.pieces import hashes, shape_of
from edrew_torch.parse import parse_tree
from edrew_torch.site import MARKS as SITE_MARKS
from edrew_torch.site import is_fixed, site_marks

CAR = """<title>2011 Arvel Comet | Cars</title><h1>2011 Arvel Comet</h1>
<table><tr><td>MSRP:</td><td class=price>$32,168</td></tr><tr><td>Engine</td><td>V6</td></tr></table>
<p style="display: none">ghost</p><p class=off>gone</p><style>.off { display:none }</style>
<a href="https://other.example/x">away</a><a href="mailto:a@b.c">mail</a>"""


def described(html: str, url: str | None = None) -> Description:
    return Describer().describe(parse_tree(html), url)


def mark(page: Description, text: str, name: str) -> int:
    return int(page.marks[page.texts.index(text), list(MARKS).index(name)])


def tokens_of(page: Description, text: str, role: str) -> set[int]:
    return set(page.book.tokens[page.roles[page.texts.index(text), list(ROLES).index(role)]])


def test_tokens_come_in_the_same_order_in_another_process():
    """Training leaves tokens out at random, by their places: the same seed means the same model only so."""
    script = (
        "from edrew_torch.enrich.bags import make_bags; from edrew_torch.enrich.describe import Describer;"
        "from edrew_torch.parse import parse_tree;"
        "print(make_bags(Describer().describe(parse_tree('<p class=a>(1) $2.50, #7: +3% & more!'))).tokens.tolist())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_a_value_sees_the_label_before_it_and_the_names_above_it():
    page = described(CAR)
    assert set(hashes(["w msrp"])) <= tokens_of(page, "$32,168", "before")
    assert set(hashes(["name price", "tag td"])) <= tokens_of(page, "$32,168", "element")
    assert set(hashes(["said msrp", "said msrp $9,9"])) <= tokens_of(page, "$32,168", "said")
    assert not set(hashes(["said msrp"])) & tokens_of(page, "V6", "said")


def test_a_label_inside_the_text_says_the_same_as_one_before_it():
    inside, before = described("<p>Weight: 278</p>"), described("<p><b>Weight:</b> 278</p>")
    shared = set(hashes(["said weight", "said weight 9"]))
    assert shared <= tokens_of(inside, "Weight: 278", "said")
    assert shared <= tokens_of(before, "278", "said")


def test_the_head_of_a_column_is_said_of_its_cells():
    page = described("<table><tr><th>Name<th>Price<tr><td>Tea<td>$3<tr><td>Cake<td>$4</table>")
    assert set(hashes(["w price"])) <= tokens_of(page, "$4", "column")
    assert set(hashes(["w name"])) <= tokens_of(page, "Cake", "column")


def test_overlaps_links_and_hidden_marks():
    page = described(CAR, "https://cars.example/2011-arvel-comet")
    headline = page.texts.index("2011 Arvel Comet")
    assert page.marks[headline, list(MARKS).index("title")] == 2  # the title's beginning
    assert mark(page, "2011 Arvel Comet", "headline") == 1
    assert mark(page, "2011 Arvel Comet", "address") == 4
    assert mark(page, "away", "link") == 2
    assert mark(page, "mail", "link") == 4
    assert mark(page, "ghost", "hidden") == 1
    assert mark(page, "gone", "hidden") == 2
    assert mark(page, "V6", "hidden") == 0


@pytest.mark.parametrize(
    ("href", "kind"),
    [
        ("/a", 1),
        ("https://www.a.example/b", 1),
        ("//b.example", 2),
        ("#top", 3),
        ("javascript:x()", 3),
        ("tel:1", 4),
        ("http://[", 2),
    ],
)
def test_kinds_of_links(href, kind):
    assert link_kind(href, urlsplit_or_none("https://a.example/")) == kind


@pytest.mark.parametrize(("text", "shape"), [("$61,550", "$9,9"), ("Ünïted 5", "Xx 9"), ("", ""), ("東京 5円", "x 9x")])
def test_shapes(text, shape):
    assert shape_of(text) == shape


def test_compare_tells_equal_beginning_part_and_whole():
    assert [compare(a, "tea and cake") for a in ("tea and cake", "tea", "cake", "tea and cake!", "x", "")] == [
        1,
        2,
        3,
        4,
        0,
        0,
    ]


def test_json_ld_meta_and_microdata_are_evidence():
    page = """<script type="application/ld+json">
    {"@type": "Car", "name": "Arvel", "offers": {"price": 32168.00}}</script>
    <meta property="og:title" content="Arvel!"><div itemprop=offers><span itemprop=price>$32,168</span></div>
    <script type="application/ld+json">{broken</script><script type="application/ld+json">[[[["deep"]]]]</script>"""
    data = embedded_data(parse_tree(page))
    assert data["arvel"] == ("name", "meta og:title")
    assert data[squeeze("$32,168.00")] == ("offers price",)
    seen = described(page)
    assert set(hashes(["prop price"])) <= tokens_of(seen, "$32,168", "property")
    assert "car" not in data  # what a thing is called in schema.org is no text of the page


def test_hostile_json_ld_costs_neither_stack_nor_page():
    deep = "[" * 100_000 + "]" * 100_000
    assert embedded_data(parse_tree(f'<script type="application/ld+json">{deep}</script><p>x')) == {}


def test_hidden_by_style_reads_plain_rules_inside_media_too():
    tree = parse_tree(
        "<style>.a,.b{display : none} #c{visibility:hidden} @media x{.d{display:none}} .e{color:red}</style>"
    )
    assert hidden_by_style(tree) == (frozenset("abd"), frozenset("c"))


def test_bags_hold_each_group_and_a_switch_leaves_it_out():
    page = described(CAR)
    whole = make_bags(page)
    lengths = np.diff(whole.ends, axis=1, prepend=whole.starts()[:, None])
    place = page.texts.index("$32,168")
    by_group = dict(zip(GROUPS, lengths[place].tolist(), strict=True))
    assert by_group["text"] > 5
    assert by_group["label"] > 5
    assert by_group["site"] == 0
    assert by_group["overlap"] == 4
    without = make_bags(page, groups=[group for group in GROUPS if group != "label"])
    assert len(without.tokens) == len(whole.tokens) - lengths[:, GROUPS.index("label")].sum()
    assert whole.tokens.max() < 1 << BITS
    assert whole.without(["label"]).tokens.tolist() == without.tokens.tolist()
    assert (whole.without(["label"]).ends == without.ends).all()


def test_bags_of_some_nodes_are_those_of_the_whole():
    whole = make_bags(described(CAR))
    some = np.array([3, 0])
    part = whole.of(some)
    for place, node in enumerate(some.tolist()):
        mine = part.tokens[part.starts()[place] : part.ends[place, -1]]
        theirs = whole.tokens[whole.starts()[node] : whole.ends[node, -1]]
        assert mine.tolist() == theirs.tolist()
    joined = Bags.joined([part, whole])
    assert joined.of(np.arange(2)).tokens.tolist() == part.tokens.tolist()


@given(
    st.lists(
        st.sampled_from(["<p>a</p>", "<b>x:</b>y", "<td>1<td>2", "<a href=/>k</a>", "<div>", "</div>", "z"]),
        max_size=12,
    )
)
def test_any_page_gives_a_row_of_each_table_for_each_text(parts):
    page = described("".join(parts))
    assert page.roles.shape == (len(page), len(ROLES))
    assert page.marks.shape == (len(page), len(MARKS))
    bags = make_bags(page)
    assert len(bags) == len(page)
    assert (np.diff(bags.ends, axis=1) >= 0).all()


def test_descriptions_do_not_depend_on_the_pages_seen_before():
    describer = Describer()
    describer.describe(parse_tree("<p>other: <b>things</b>"), None)
    one, two = make_bags(describer.describe(parse_tree(CAR), None)), make_bags(described(CAR))
    assert one.tokens.tolist() == two.tokens.tolist()


def test_a_deep_page_takes_linear_time():
    began = time.process_time()
    page = described("<div>" * 20_000 + "deep" + "<p>" * 1000 + "x")
    assert time.process_time() - began < 10
    assert page.texts == ("deep", "x")
    assert mark(page, "x", "depth") == 12  # the largest


SITE = [
    "<h1>{}</h1><p><b>Price:</b> <i>{}</i></p><p>Terms</p>".format(*pair)
    for pair in zip("Tea Cake Pie Jam Soup Rice Corn Milk".split(), range(3, 11), strict=True)
]


def test_labels_are_fixed_over_a_site_and_values_vary():
    describer = Describer()
    pages = [describer.describe(parse_tree(html)) for html in SITE]
    first = dict(zip(pages[0].texts, is_fixed(pages)[0].tolist(), strict=True))
    assert first == {"Tea": False, "Price:": True, "3": False, "Terms": True}
    marks = site_marks(pages)[0]
    column = list(SITE_MARKS).index("text_pages")
    assert marks[pages[0].texts.index("Price:"), column] == 10
    assert marks[pages[0].texts.index("3"), column] < 7
    assert marks[pages[0].texts.index("3"), list(SITE_MARKS).index("before_pages")] == 10


def test_what_is_fixed_is_not_told_of_a_few_pages():
    describer = Describer()
    pages = [describer.describe(parse_tree(html)) for html in SITE[:7]]
    assert not any(each.any() for each in is_fixed(pages))


def test_a_page_alone_has_no_site_marks():
    assert not site_marks([described(CAR)])[0].any()
    assert not is_fixed([described(CAR)])[0].any()


def test_pages_without_text_do_no_harm_to_a_site():
    describer = Describer()
    pages = [describer.describe(parse_tree(html)) for html in (SITE[0], "", SITE[1], "<p></p>")]
    marks = site_marks(pages)
    assert [each.shape for each in marks] == [(len(page), len(SITE_MARKS)) for page in pages]
    assert [len(page) for page in pages] == [4, 0, 4, 0]
    column = list(SITE_MARKS).index("text_pages")
    of_text = dict(zip(pages[0].texts, marks[0][:, column].tolist(), strict=True))
    assert of_text["Terms"] == of_text["Price:"] == 7  # on half of the pages
    assert of_text["Tea"] == 5  # on a quarter
