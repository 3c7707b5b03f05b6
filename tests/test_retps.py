import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.parse import parse_tree
from edrew_torch.profile import DEFAULT_KEYWORDS, PROFILES, Profile, find_profile
from edrew_torch.retps import (
    CURRENCY_SIGNS,
    FIBONACCI,
    RetpsBuilder,
    Vocabulary,
    content_of,
    fibonacci_class,
    format_row,
    retps_rows,
)

from .markup import markup


def printed(page: str, profile: str | Profile = "full") -> list[tuple[str, str]]:
    """(reTPS with blanks for <#SEP>, content) of each sample."""
    tree = parse_tree(page, profile)
    rows, vocabulary = retps_rows(tree, profile)
    tokens = vocabulary.tokens()
    return [
        (format_row(ids, tokens).replace("<#SEP>", " "), content_of(tree, node))
        for ids, node in zip(rows.ids, rows.nodes.tolist(), strict=True)
    ]


def page_with_positions(path: list[tuple[int, str]], content: str, count: int) -> str:
    """A page whose innermost element has this path; each start tag stands at the given position (hr fills up)."""
    page, position = "", 0
    for wanted, tag in path:
        page += "<hr>" * (wanted - position - 1) + tag
        position = wanted
    ends = "".join(f"</{tag[1:-1].split()[0]}>" for _, tag in reversed(path[2:]))
    return page + content + ends + "<hr>" * (count - position) + "</body></html>"


FIGURE_14 = [
    (1, "<html xmlns='x'>"),
    (4, "<body>"),
    (5, "<form id='f' name='f'>"),
    (6, "<div id=a>"),
    (7, "<div id=b>"),
    (39, "<div id=c>"),
    (61, "<div id=d class=e>"),
    (62, "<div id=g>"),
    (63, "<div id=h class=i>"),
    (71, "<div class=j>"),
    (72, '<div class="align_lft">'),
]


def test_worked_example_figure_14():
    page = page_with_positions(FIGURE_14, "MSRP: $61,550", count=300)
    expected = (
        "<#CNT> <#CLSS> div|21 <#CLSS> div|21 <#CLSS> <#ID> div|21 <#ID> div|13 <#CLSS> <#ID> div|13 "
        "<#ID> div|13 <#ID> div|2 <#ID> div|2 <#NAME>"
    )
    assert printed(page, "thesis") == [(expected, "MSRP: $61,550")]
    uncut = replace(PROFILES["thesis"], threshold=100)
    assert printed(page, uncut)[0][0] == f"{expected} <#PROP> <#ID> form|1 body|1 <#PROP> html|1"


def test_worked_example_as_printed():
    page = page_with_positions(FIGURE_14, "MSRP: $61,550", count=300)
    tree = parse_tree(page, "thesis")
    rows, vocabulary = retps_rows(tree, "thesis")
    assert format_row(rows.ids[0], vocabulary.tokens()).startswith("<#CNT><#SEP><#CLSS><#SEP>div|21<#SEP><#CLSS>")
    assert rows.ids.shape == (1, 20)


def test_figure_11():
    path = [
        (1, "<html>"),
        (2, "<body>"),
        (3, "<form id=a>"),
        (4, "<div id=b>"),
        (7, "<div id=c>"),
        (20, "<div id=d>"),
        (30, "<div id=e>"),
        (31, "<div id=f>"),
        (32, "<div id=g>"),
        (33, "<div>"),
        (34, "<div>"),
    ]
    expected = (
        "<#CNT> div|34 div|21 <#ID> div|21 <#ID> div|21 <#ID> div|21 <#ID> div|13 <#ID> div|5 <#ID> div|3 "
        "<#ID> form|3 body|2 html|1"
    )
    whole = replace(PROFILES["thesis"], threshold=40)
    assert printed(page_with_positions(path, "x", count=100), whole) == [(expected, "x")]


def test_fibonacci_classes_at_their_borders():
    position = np.arange(1, 301)
    classes = FIBONACCI[fibonacci_class(position)]
    expected = [max((f for f in FIBONACCI if f * 300 <= 100 * p), default=1) for p in position.tolist()]
    assert classes.tolist() == expected
    assert FIBONACCI[fibonacci_class(np.array([0, 0]))].tolist() == [1, 1]


@pytest.mark.parametrize("profile", ["full", "thesis"])
@pytest.mark.parametrize(
    ("element", "tokens"),
    [
        ("<div>x", "<#CNT> div|100"),
        ("<div id=a>x", "<#CNT> <#ID> div|100"),
        ('<div class="" style="color:red">x', "<#CNT> <#CLSS> div|100"),
        ('<div class="productPrice">x', "<#CNT> <#PRICE> <#CLSS> div|100"),
        ('<div class="price value">x', "<#CNT> <#PRICE> <#VAL> <#CLSS> div|100"),
        ('<div itemprop="datePublished">x', "<#CNT> <#DATE> <#PROP> div|100"),
        ('<div content="a" name="b">x', "<#CNT> <#CONT> <#NAME> <#PROP> div|100"),
        ('<div data-x="details" class="description">x', "<#CNT> <#DET> <#PROP> <#DESC> <#CLSS> div|100"),
        ('<div style="DISPLAY : None">x', "<#CNT> <#HIDE> div|100"),
        ('<div style="visibility:hidden" id=a>x', "<#CNT> <#HIDE> <#ID> div|100"),
        ("<div hidden>x", "<#CNT> <#HIDE> <#PROP> div|100"),
        ('<div type="hidden">x', "<#CNT> <#PROP> div|100"),
        ("<div>$5", "<#$> <#CNT> div|100"),
        ("<div> $ 5", "<#$> <#CNT> div|100"),
    ],
)
def test_tokens_of_an_element(profile, element, tokens):
    ((row, _),) = printed(f"<html><body>{element}</div></body></html>", profile)
    assert row.startswith(tokens + " body|")


def test_every_currency_sign_counts_in_the_full_profile_alone():
    assert printed("<div>€5</div>")[0][0].startswith("<#$>")
    assert not printed("<div>€5</div>", "thesis")[0][0].startswith("<#$>")
    plane = (chr(code) for code in range(0x10000))
    assert "".join(sign for sign in plane if unicodedata.category(sign) == "Sc") == CURRENCY_SIGNS


def test_wrappers_without_text_add_no_element_and_no_position():
    bare = printed("<html><body><p><b>x</b></p><div>y</div></body></html>")
    wrapped = printed("<html><body><span class=k><p><a href=z><b>x</b></a></p></span><div>y</div></body></html>")
    assert wrapped == bare
    assert bare[0][0] == "<#CNT> b|55 p|34 body|34 html|21"


def test_repeating_tags_do_not_advance_and_br_has_no_position():
    rows = printed("<html><body><ul><li>a</li><li>b</li></ul><div>c<br>d</div></body></html>", "thesis")
    assert [row for row, _ in rows] == [
        "<#CNT> li|55 ul|55 body|55 html|21",
        "<#CNT> li|55 ul|55 body|55 html|21",
        "<#CNT> div|100 body|55 html|21",
        "<#CNT> br div|100 body|55 html|21",
    ]


def test_text_after_an_end_tag_is_a_sample_in_the_full_profile():
    page = "<body><p>a <a href=x>b</a> c</p>d<script>no</script><style>no</style><!-- no --></body>"
    assert [content for _, content in printed(page)] == ["a", "b", "c", "d"]


def test_a_custom_element_keeps_its_name():
    assert printed("<my-card _ng-x=''>a</my-card>")[0][0].startswith("<#CNT> <#PROP> my-card|100 ")


def test_a_frozen_vocabulary_has_one_unknown_tag():
    builder = RetpsBuilder("full")
    builder.vocabulary.is_frozen = True
    tokens = builder.vocabulary.tokens()
    rows = builder.rows(parse_tree("<my-card>a</my-card><p>b"))
    assert format_row(rows.ids[0], tokens).startswith("<#CNT><#SEP><#UNK>|100")
    assert len(builder.vocabulary) == len(tokens)


def test_vocabularies_agree_on_html_tags_whatever_they_met_first():
    first, second = Vocabulary(DEFAULT_KEYWORDS), Vocabulary(DEFAULT_KEYWORDS)
    first.tag_ids(["zzz", "div"])
    assert first.tag_ids(["div", "p"]).tolist() == second.tag_ids(["div", "p"]).tolist()


def test_keywords_are_configuration():
    mine = replace(PROFILES["full"], keywords=(*DEFAULT_KEYWORDS, ("isbn", "<#ISBN>")))
    assert printed("<p class=isbn13>x", mine)[0][0].startswith("<#CNT> <#ISBN> <#CLSS> p|")


@given(markup())
def test_rows_are_the_elements_of_the_path_to_the_root(page):
    """The chained cells against the definition: walk to the root, list the elements, reverse, cut."""
    for name in PROFILES:
        whole = dict(
            zip(printed_nodes(page, name), printed(page, replace(PROFILES[name], threshold=1000)), strict=True)
        )
        cut = dict(zip(printed_nodes(page, name), printed(page, replace(PROFILES[name], threshold=7)), strict=True))
        tree = parse_tree(page, name)
        for node, (row, _) in whole.items():
            assert cut[node][0].split() == row.split()[:7]
            tags = [token.split("|")[0] for token in row.split() if not token.startswith("<#")]
            assert tags == path_names(tree, node, PROFILES[name])


def printed_nodes(page: str, profile: str) -> list[int]:
    rows, _ = retps_rows(parse_tree(page, profile), profile)
    return rows.nodes.tolist()


def path_names(tree, node: int, profile: Profile) -> list[str]:
    """Names from the node up, wrappers without text and skipped elements left out."""
    names = []
    while (node := int(tree.parent[node])) >= 0:
        name = tree.name(node)
        if not (name in (*profile.skip_tags, "script") or (name in profile.wrapper_tags and not tree.has_text[node])):
            names.append(name)
    return names


@given(markup())
def test_every_visible_text_is_in_some_sample_of_the_full_profile(page):
    tree = parse_tree(page)
    shown = "".join(content for _, content in printed(page)).replace(" ", "")
    hidden = ("script", "style", "noscript")
    visible = [tree.text(node) for node in tree.content.tolist() if tree.name(int(tree.parent[node])) not in hidden]
    assert shown == "".join("".join(visible).split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 0}, "threshold must be a whole number from 1"),
        ({"threshold": 2.5}, "threshold must be a whole number"),
        ({"threshold": "20"}, "threshold must be a whole number"),
        ({"parser": None}, "must be names"),
        ({"skip_tags": "script"}, "skip_tags must be a tuple of names"),
        ({"keywords": (("price", 5),)}, "keywords must be pairs"),
        ({"keywords": (("Price", "<#P>"),)}, "lower-case"),
        ({"keywords": (("x", "<#X>"),)}, "two letters"),
        ({"keywords": (("price", "P"),)}, "must look like <#NAME>"),
        ({"keywords": tuple((f"word{i}", "<#W>") for i in range(30))}, "at most 24"),
    ],
)
def test_a_wrong_profile_says_what_is_wrong(change, message):
    with pytest.raises(BadConfig, match=message):
        replace(PROFILES["full"], **change)


def test_an_unknown_profile_names_the_known_ones():
    with pytest.raises(UnknownName, match="did you mean 'thesis'"):
        find_profile("theses")


@pytest.mark.parametrize("profile", ["full", "thesis"])
def test_a_page_without_text_has_no_rows(profile):
    assert printed("<img>", profile) == printed("", profile) == []
