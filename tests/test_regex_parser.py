import pytest

from edrew_torch.parse import parse_tree
from edrew_torch.parse.regex import CutTag, cut_tags, read_attributes
from edrew_torch.retps import RetpsBuilder, content_of


def contents(page: str) -> list[str]:
    tree = parse_tree(page, "thesis")
    return [content_of(tree, node) for node in RetpsBuilder("thesis").rows(tree).nodes.tolist()]


def test_figure_7_cuts_the_start_tag_and_its_content():
    page = '<div itemprop="price" class="sum-msrp" style="width: 95%;">$32,168</div>'
    start, end = cut_tags(page)
    assert start == CutTag(
        "div", False, 'itemprop="price" class="sum-msrp" style="width: 95%;"', closes_itself=False, text="$32,168"
    )
    assert end == CutTag("div", True)


def test_figure_8_keeps_a_custom_element_and_its_attributes():
    page = (
        '<dhi-new-typeahead-input class="ng-tns-c52-8 ng-untouched ng-pristine ng-valid" '
        '_ngcontent-vmk-c53="" formcontrolname="keyword" data-cy="search-term-input">event'
    )
    (tag,) = cut_tags(page)
    assert (tag.name, tag.text) == ("dhi-new-typeahead-input", "event")
    assert read_attributes(tag.attributes) == {
        "class": "ng-tns-c52-8 ng-untouched ng-pristine ng-valid",
        "_ngcontent-vmk-c53": "",
        "formcontrolname": "keyword",
        "data-cy": "search-term-input",
    }


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>text <b>formatted</b> here</p>", ["text formatted here"]),
        ("<p>a <b>b <i>c</i> d</b> e</p>", ["a b c d e"]),
        ("<p>a <b>b</b> <i>c</i></p>", ["a b c"]),
        ("<p><b>bold</b> lost</p>", ["bold"]),  # no ancestor holds text: an ordinary tag
        ("<p>a <b>b</b>: cut at the colon</p>", ["a b"]),  # the expression's own list of characters
        ("<div><a>link</a> lost</div> lost", ["link"]),
        ("<p>one<br>two<br/>three</p>", ["one", "two", "three"]),
        ("<p>x</p><script>if (i<n) '<p>y</p>' </script><p>z</p>", ["x", "z"]),
        ("<script>never closed <p>y</p>", []),
        ("<style>p{}</style><noscript>no<p>kept</p></noscript><input>lost", ["kept"]),
        ("<p>x</div></p>y</p><p>z</p>", ["x", "z"]),  # a stray end tag closes nothing
        ("<P CLASS=a>Upper</P>", ["Upper"]),
        ("<p>&nbsp;&amp;</p>", ["&nbsp;&amp;"]),  # entities stay
        ("<p title='a>b'>c</p>", ["b'>c"]),  # as the printed expression: ">" ends the tag
        ("<p> \n </p>", []),
        ("< p>no</ p><", []),
    ],
)
def test_tree_rules_of_the_thesis(page, expected):
    assert contents(page) == expected


def test_unclosed_elements_nest_because_only_the_innermost_can_close():
    tree = parse_tree("<ul><li>a<li>b</ul>", "thesis")
    assert tree.depth[tree.content].tolist() == [2, 3]
