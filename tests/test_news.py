"""Articles: blocks, nce, the learned step, HTML, forms, the command line; pages of every odd kind."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from typer.testing import CliRunner

from edrew_torch import NewsSettings, extract_article
from edrew_torch.cli import app
from edrew_torch.datasets.articles import ArticlePage, segment_scores
from edrew_torch.errors import BadConfig, MissingWeights, NotAPage, UnknownName
from edrew_torch.news import extract as extract_module
from edrew_torch.news.blocks import find_blocks
from edrew_torch.news.classifier import choose_blocks
from edrew_torch.news.extract import MAX_JUDGED, find_article, read_settings, without_copies
from edrew_torch.news.features import block_features
from edrew_torch.news.forms import as_markdown, as_text
from edrew_torch.news.html import body_html
from edrew_torch.news.nce import find_body
from edrew_torch.parse import parse_tree
from edrew_torch.tree import running_sum

from .markup import markup

PLAIN = NewsSettings(model="none")
BOTH = [pytest.param(PLAIN, id="nce"), pytest.param(NewsSettings(), id="learned")]
STORY = "The council decided on Monday to keep the old bridge, after years in which nobody knew what to do with it."
MORE = "It will be repaired in spring, said the mayor, and a path for bicycles will lead over it from next summer on."
PAGE = f"""<!doctype html><title>The old bridge stays | Daily Tea</title>
<body><ul class=menu><li><a href=/>Home</a><li><a href=/w>World</a><li><a href=/s>Sports</a></ul>
<div class=main><h1>The old bridge stays</h1><span>Share this</span>
<p>{STORY}</p><h2>When?</h2><p>{MORE} <a href="/more">More</a> on that.</p><p>{STORY[::-1]}</p>
<div class=related><a href=/1>Ten bridges that you must see</a> <a href=/2>The bridge of last year</a></div></div>
<div class=footer>© 2026 Daily Tea <a href=/terms>Terms of use</a></div>"""


def test_blocks_are_what_a_reader_sees_as_paragraphs():
    tree = parse_tree(
        "<div>One<b> two</b><br>three<br><br>four<p>five<span>six</span></p>seven<script>no()</script></div>"
    )
    blocks = find_blocks(tree)
    assert blocks.texts == ("One two\nthree", "four", "fivesix", "seven")
    assert blocks.in_paragraph.tolist() == [False, False, True, False]
    assert [tree.name(owner) for owner in blocks.owner.tolist()] == ["div", "div", "p", "div"]


def test_golden_page_by_nce():
    result = extract_article(PAGE, PLAIN)
    assert result.title == "The old bridge stays"
    assert result.text.split("\n\n") == [STORY, "When?", f"{MORE} More on that.", STORY[::-1]]
    assert result.paragraphs[0].xpath == "/html/body/div[1]/p[1]"


def test_the_learned_step_is_a_switch():
    learned = extract_article(PAGE)
    assert STORY in learned.text
    assert "Terms of use" not in learned.text
    assert learned.title == "The old bridge stays"


@pytest.mark.parametrize("settings", BOTH)
def test_xpaths_resolve_in_lxml(settings):
    root = lxml_html.document_fromstring(PAGE)
    article = find_article(parse_tree(PAGE), settings)
    assert article.paragraphs
    for paragraph in article.paragraphs:
        (found,) = root.xpath(paragraph.xpath)
        shown = found if isinstance(found, str) else "".join(found.itertext())  # a text node, or an element
        assert " ".join(shown.split()) == paragraph.text
    for node in article.nodes.tolist():
        (found,) = root.xpath(article.blocks.tree.xpath(node))
        assert str(found) == article.blocks.tree.text(node)


ODD = {
    "no text": "<html><body></body></html>",
    "only scripts": "<title></title><script>var a = 'text text text';</script><style>p{}</style><noscript>x</noscript>",
    "only links": "<ul><li><a href=/>One</a><li><a href=/2>Two</a></ul>",
    "only a title": "<title>Tea</title>",
    "a link in capitals": "<A HREF=/>ONE</A>",
}


@pytest.mark.parametrize("settings", BOTH)
@pytest.mark.parametrize("name", ODD)
def test_pages_without_an_article_are_empty_results(name, settings):
    result = extract_article(ODD[name], settings)
    assert result.paragraphs == ()
    assert result.text == ""
    assert json.loads(result.as_json())["paragraphs"] == []


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{STORY}",
        f"<div>{STORY}</div>",
        f"<body>{STORY}",
        f"<title>x</title><table><tr><td>{STORY}</td></tr></table>",
        "<p>Kurz.</p>",
        "<div><p>ראש הממשלה אמר היום כי הממשלה תדון בהצעה החדשה בשבוע הבא, לאחר שנים של דיונים</p></div>",
        "<div dir=rtl><p>قال رئيس الوزراء اليوم إن الحكومة ستناقش الاقتراح الجديد الأسبوع المقبل.</div>",
        "<div>市議会は月曜日、古い橋を残すことを決めた。何年もの間、どうすればよいか誰にもわからなかった。</div>",
    ],
)
def test_a_page_of_one_paragraph(html):
    expected = find_blocks(parse_tree(html)).texts[-1]
    assert extract_article(html, PLAIN).text == expected


def test_text_in_a_div_parted_by_line_breaks():
    page = f"<a href=/>Home</a><div id=x>{STORY}<br><br>{MORE}<br>{MORE}</div><div><a href=/>Next</a></div>"
    result = extract_article(page, PLAIN)
    assert [each.text for each in result.paragraphs] == [STORY, f"{MORE}\n{MORE}"]
    assert [each.xpath for each in result.paragraphs] == ["/html/body/div[1]/text()[1]", "/html/body/div[1]/text()[2]"]


def test_teasers_before_the_headline_are_not_the_article():
    ticker = "".join(f"<li>{STORY} {number}</li>" for number in range(3))
    article = f"<div><p>{MORE}<p>{MORE * 3}</div>"
    page = f"<title>A dog came home - Tea</title><ul>{ticker}</ul><h1>A dog came home</h1>{article}"
    assert extract_article(page, PLAIN).text == f"{MORE}\n\n{MORE * 3}"


def test_a_lead_set_apart_belongs_to_the_article():
    story = f"<div><p>{MORE * 3}<p>{STORY * 2}<p>{MORE * 2}</div>"
    page = f"<title>A dog came home - Tea</title><h1>A dog came home</h1><div><p>{STORY}</div><i>By Ann</i>{story}"
    assert extract_article(page, PLAIN).text.startswith(f"{STORY}\n\n")


def test_a_box_behind_the_last_large_column_is_no_end_of_it():
    story = "".join(f"<p>{MORE * 3} {number}" for number in range(5))
    page = f"<title>A dog came home</title><h1>A dog came home</h1><div>{story}<div><p>Ann writes on dogs.</div></div>"
    assert extract_article(page, PLAIN).text.endswith(f"{MORE * 3} 4")


@pytest.mark.parametrize("settings", BOTH)
def test_a_page_that_says_everything_over_and_over_keeps_it(settings):
    lines = [f"{STORY} {number // 2}" for number in range(40)]
    for texts in (lines, [STORY] * 200):
        page = "<div>" + "".join(f"<p>{text}</p>" for text in texts) + "</div>"
        assert len(extract_article(page, settings).paragraphs) > 0.9 * len(texts)


def test_a_doubtful_page_keeps_doubtful_blocks():
    blocks = find_blocks(parse_tree(f"<p>{STORY}<p>{MORE}<p>{STORY}"))
    assert choose_blocks(np.array([9.0, -0.4, -9.0]), blocks, 0.5).tolist() == [True, False, False]
    assert choose_blocks(np.array([0.1, -0.4, -9.0]), blocks, 0.5).tolist() == [True, True, False]
    assert not choose_blocks(np.array([-1.0, -0.4, -9.0]), blocks, 0.5).any()


def test_a_second_copy_in_one_piece_goes():
    parts = [
        STORY,
        MORE,
        "And this is another one, of which there is enough to say that it is a paragraph, too.",
        STORY[:90] * 2,
    ]
    blocks = find_blocks(parse_tree("".join(f"<p>{part}" for part in parts) + f"<div>{' '.join(parts)}</div>"))
    assert without_copies(blocks, np.ones(5, dtype=bool)).tolist() == [True, True, True, True, False]
    twice = find_blocks(parse_tree(f"<p>{STORY}<p>{STORY}"))
    assert without_copies(twice, np.ones(2, dtype=bool)).all()


@pytest.mark.parametrize("settings", BOTH)
def test_twenty_megabytes_of_text_in_seconds(settings):
    text = f"{STORY} " * (20_000_000 // len(STORY))
    began = time.process_time()
    result = extract_article(f"<title>x</title><p>{text}", settings)
    assert len(result.text) > 19_000_000
    many = "".join(f"<p>{STORY} {number}</p>" for number in range(20_000))
    assert len(extract_article(f"<div>{many}</div>", settings).paragraphs) > 19_000
    assert time.process_time() - began < 25


def test_a_page_of_endless_blocks_is_left_to_plain_nce(monkeypatch):
    asked = []
    monkeypatch.setattr(extract_module, "judge_blocks", lambda *given: asked.append(given))
    assert extract_article(f"<p>{STORY}" + "<li>x" * MAX_JUDGED).paragraphs[0].text == STORY
    assert not asked  # 4 kB for each block would be gigabytes


@pytest.mark.parametrize("settings", BOTH)
def test_deep_nesting_and_unclosed_tags(settings):
    deep = "<div>" * 100_000 + f"<p>{STORY}<p>{MORE}"
    assert [each.text for each in extract_article(deep, settings).paragraphs if each.text != STORY] == [MORE]
    broken = f"<title>x<p>{STORY}</title><p><b><i>{STORY}<p>{MORE}<td></a></div>"
    assert MORE in extract_article(broken, settings).text
    article = find_article(parse_tree(deep), settings)
    assert body_html(article).count("<p>") == 2


@pytest.mark.parametrize("settings", BOTH)
def test_paragraphs_in_each_other_cost_no_more_than_their_text(settings):
    began = time.process_time()
    result = extract_article("".join(f"<div>{STORY} {number}" for number in range(20_000)), settings)
    assert sum(len(each.xpath) for each in result.paragraphs) < 10_000_000  # named step by step, a gigabyte
    assert time.process_time() - began < 25


@settings(max_examples=60, deadline=None)
@given(markup())
def test_any_markup_gives_an_article_in_page_order(html):
    tree = parse_tree(html)
    for chosen in (PLAIN, NewsSettings()):
        article = find_article(tree, chosen)
        assert (np.diff(article.nodes) > 0).all()
        words = " ".join(tree.text(node) for node in article.nodes.tolist()).split()
        assert "".join(article.text.split()) == "".join(words)
        lxml_html.fragments_fromstring(body_html(article))


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_running_sums(values):
    assert running_sum(np.array(values, dtype=np.int64)).tolist() == [
        sum(values[:end]) for end in range(len(values) + 1)
    ]


def test_features_have_one_shape_and_are_finite():
    shapes = set()
    for html in (PAGE, "<p>a", f"<div>{STORY}", ODD["only links"], "<p>東京"):
        blocks = find_blocks(parse_tree(html))
        features = block_features(blocks, find_body(blocks))
        assert np.isfinite(features).all()
        assert len(features) == len(blocks)
        shapes.add(features.shape[1])
    assert len(shapes) == 1


def test_html_of_the_body_is_safe():
    page = f"""<div onload=x()><p style="x">{STORY} <a href="java\tscript:x()" onclick=x()>a</a>
    <a href=/b?c=1&d>b</a> 1 &lt; 2 <img src=x onerror=x()><script>x()</script></p>{MORE}<br>{MORE}</div>"""
    shown = body_html(find_article(parse_tree(page), PLAIN), "https://example.org/x/")
    assert "<a>a</a>" in shown
    assert '<a href="https://example.org/b?c=1&amp;d">b</a> 1 &lt; 2' in shown
    assert not any(word in shown for word in ("script", "onclick", "onerror", "style", "img"))
    assert shown.startswith("<div><p>")
    assert shown.endswith("</div>")


def test_forms():
    result = extract_article(PAGE, PLAIN)
    assert as_text(result).startswith(f"The old bridge stays\n\n{STORY}\n\n")
    assert as_markdown(result).startswith(f"# The old bridge stays\n\n{STORY}\n\n## When?\n\n")
    escaped = as_markdown(extract_article(f"<p># not a heading, *not bold*, {STORY}", PLAIN))
    assert escaped.startswith(r"\# not a heading, \*not bold\*")


def test_settings_are_checked():
    assert read_settings({}) == NewsSettings()
    for key in ("news.modle", "model", "signal.plain"):
        with pytest.raises(UnknownName, match=r"news\.model"):
            read_settings({key: "none"})
    for pairs in (
        {"news.model": "/no/such/file"},
        {"news.many": "2"},
        {"news.threshold": "high"},
        {"news.threshold": "-1"},
    ):
        with pytest.raises(BadConfig):
            read_settings(pairs)
    with pytest.raises(NotAPage):
        extract_article(b"")


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "model").write_text("none")
    with pytest.raises(MissingWeights):
        extract_article(PAGE, NewsSettings(model=str(tmp_path / "model")))


def run(*arguments):
    return CliRunner().invoke(app, ["article", *map(str, arguments)])


def test_command_line(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(PAGE.replace("decided", f"decided {name}"))
    page = tmp_path / "a.html"
    answer = run(page, "--set", "news.model=none", "--format", "json")
    (line,) = answer.stdout.splitlines()
    content = json.loads(line)
    assert list(content) == ["source", "title", "text", "paragraphs"]
    assert content["paragraphs"][0]["xpath"] == "/html/body/div[1]/p[1]"
    assert run(page, "--set", "news.model=none").stdout.startswith("The old bridge stays\n\nThe council")
    assert run(page, "--format", "markdown").stdout.startswith("# The old bridge stays\n\n")
    site = run("--site", tmp_path, tmp_path / "none.html", "--format", "json", "--set", "news.model=none")
    assert site.exit_code == 1
    first, second, failed = map(json.loads, site.stdout.splitlines())
    assert [each["text"] for each in first["paragraphs"]] == [STORY.replace("decided", "decided a")]
    assert len(second["paragraphs"]) == 1
    assert "NotAPage" in failed["error"]
    assert run(page, "--set", "news.modle=x").exit_code == 2
    (tmp_path / "empty.html").write_text("<html><body></body></html>")
    assert run(tmp_path / "empty.html").stdout == ""


def test_segments_are_counted_whatever_their_white_space():
    page = ArticlePage("trafilatura", "s", "n", b"", present=("Tea is dear", "Cake"), absent=("Log in", "Cookies"))
    assert segment_scores("Tea\nis  dear. Cookies", page) == (1, 1)
    assert segment_scores("", page) == (0, 0)
