import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.tree import Tree, tag_path_sequence, tag_paths

from .conftest import read_pages
from .markup import markup

TABLE_1 = """<html><head><title>Page title</title></head><body><h1>Title of the text</h1><br />
<p>First paragraph</p><p>Second paragraph</p></body></html>"""


def check_xpaths(data: bytes, tree: Tree, nodes: list[int]) -> None:
    """Every node's XPath selects in lxml's own tree just the node: the element's name, or the very text."""
    root = etree.fromstring(data, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    for node in nodes:
        found = root.getroottree().xpath(tree.xpath(node), smart_strings=False)
        assert len(found) == 1, tree.xpath(node)
        assert (tree.name(node) if tree.tag[node] >= 0 else tree.text(node)) == (
            found[0].tag if tree.tag[node] >= 0 else found[0]
        ), tree.xpath(node)


@pytest.mark.parametrize("profile", ["full", "thesis"])
def test_tag_paths_of_table_1(profile):
    paths = tag_paths(parse_tree(TABLE_1, profile))
    assert paths == [
        "html",
        "html/head",
        "html/head/title",
        "html/body",
        "html/body/h1",
        "html/body/br",
        "html/body/p",
        "html/body/p",
    ]


def test_tag_path_sequence_of_figure_4():
    page = "<body><table><tr><td></td><td></td></tr><tr><td></td><td></td></tr></table></body>"
    assert tag_path_sequence(parse_tree(page, "thesis")).tolist() == [1, 2, 3, 4, 4, 3, 4, 4]


def test_text_nodes_attributes_children_and_depth():
    tree = parse_tree('<ul id=x><li>a<!-- c -->b<li class="k">&eacute; </ul>')
    assert [tree.name(node) for node in range(len(tree))] == [
        *("html", "body", "ul", "li", "#text", "#text", "li", "#text")
    ]
    assert [tree.text(node) for node in tree.content] == ["a", "b", "é "]
    assert tree.attributes(2) == {"id": "x"}
    assert tree.attributes(3) == tree.attributes(4) == {}
    assert tree.children(3).tolist() == [4, 5]
    assert tree.children(-1).tolist() == [0]
    assert tree.depth.tolist() == [0, 1, 2, 3, 4, 4, 3, 4]
    assert tree.xpath(5) == "/html/body/ul/li[1]/text()[2]"


@pytest.mark.parametrize(
    "page",
    [
        "<p>a</p></body></html> tail <b>x</b> more <p>y",
        "<o:p>x</o:p><o:p>y</o:p><dhi-x>z</dhi-x><a:b>w",
        "a<!--x-->b<?pi?>c<![CDATA[zz]]>d",
        " <!-- c --> <p> <b>x</b> </p>",
        "<table><tr><td>x</table>y<select><option>a<option>b</select>",
        "<script>if (a<b) '<p>'</script><style>p{}</style><noscript><p>no</noscript><textarea><b>x</textarea>",
        "<p>x\0y\x01&#0;&nbsp;&#150;",
        "<frameset><frame src=x></frameset><noframes>z",
        "<p>" + "<div>x" * 200,
    ],
)
def test_xpaths_hold_in_lxml(page):
    tree = parse_tree(page)
    check_xpaths(page.encode(), tree, list(range(len(tree))))


@given(markup())
def test_xpaths_of_random_markup_hold_in_lxml(page):
    tree = parse_tree(page)
    if len(tree):
        check_xpaths(page.encode(), tree, list(range(len(tree))))


@pytest.mark.realdata
@pytest.mark.parametrize("pack", ["swde/auto", "swde/book", "swde/job", "swde/university", "recipe/recipe"])
def test_xpaths_of_real_pages_hold_in_lxml(data_folder: Path, pack: str):
    checked = 0
    for name, data in read_pages(data_folder / f"{pack}.tar.xz", every=97):
        tree = parse_tree(Page.from_bytes(data, name))
        if tree.depth.max() < 250:
            check_xpaths(data, tree, tree.content[:: len(tree.content) // 40 + 1].tolist())
            checked += 1
    assert checked >= 7


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_parses(text):
    for profile in ("full", "thesis"):
        tree = parse_tree(text, profile)
        assert (tree.parent < np.arange(len(tree))).all()  # parents come first


@pytest.mark.parametrize("profile", ["full", "thesis"])
@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "x",
        "<span>" * 100_000 + "x",
        "<p>a <b>" * 50_000,
        "<" * 1_000_000,
        "<a " * 300_000,
        "</" * 300_000,
        '<a b="' * 200_000,
        "<!--" * 200_000,
        "<![CDATA[" * 100_000,
        "<script>" * 100_000,
        "&" * 1_000_000,
        "<a " + "b=1 " * 200_000 + ">x",
        "<a " + " ".join(f"b{i}='{i}'" for i in range(50_000)) + ">x",
    ],
    ids=lambda page: page[:9],
)
def test_hostile_pages_are_read(page, profile):
    """In seconds at most: what would be quadratic here would run for minutes."""
    started = time.process_time()
    tree = parse_tree(page, profile)
    assert time.process_time() - started < 15  # about 1 s here
    above = tree.parent >= 0
    assert (tree.depth[above] == tree.depth[tree.parent[above]] + 1).all()
    assert not tree.depth[~above].any()


def test_the_path_to_a_node_100_000_levels_down_is_known():
    tree = parse_tree("<p>a<b> </b>b</p>" + "<div>" * 100_000 + "x")
    (deep,) = np.flatnonzero(tree.depth == 100_002).tolist()
    assert tree.xpath(deep) == "(//text())[4]"
    assert tree.xpath(int(tree.parent[deep])) == "(//*)[100004]"  # html, body, p, b and all the div


def test_paths_count_nodes_where_naming_every_step_would_be_too_long():
    tree = parse_tree("<div>x" * 1200)
    level = {int(tree.depth[node]): tree.xpath(node) for node in range(len(tree) - 1, -1, -1) if tree.tag[node] >= 0}
    assert level[999].count("/") == 1000
    assert level[1000] == "(//*)[1001]"
    again = parse_tree("<div>x" * 1200)  # in whatever order they are asked for
    assert {int(again.depth[node]): again.xpath(node) for node in np.flatnonzero(again.tag >= 0).tolist()} == level
    assert sum(len(tree.xpath(node)) for node in tree.content.tolist()) < 4_000_000
