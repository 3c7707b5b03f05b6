"""Wrappers: learnt from some pages, kept in a file, applied to others."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from edrew_torch import apply_wrapper, load_wrapper, save_wrapper, wrap_pages
from edrew_torch.datasets.lists import read_list_pages
from edrew_torch.datasets.sample_lists import FORMS, make_list_page
from edrew_torch.errors import BadConfig
from edrew_torch.metrics.statistics import micro
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.auto import auto_lists
from edrew_torch.records.selector import Condition, Selector, Step, learn_selector
from edrew_torch.records.sequence import page_sequence
from edrew_torch.records.template import make_template
from edrew_torch.records.wrapper import NoWrapper, find_records, make_wrapper
from edrew_torch.records.wrapper_file import BadWrapper, wrapper_from_json, wrapper_to_json
from edrew_torch.xpath import quoted
from tests.test_cli import edrew

NAMES = "Amber Basalt Cobalt Dune Ember Fjord Grove Harbor Indigo Jasper".split()


def shop_page(names: list[str], advert: bool = False) -> str:
    rows = []
    for number, name in enumerate(names):
        sale = "<em class=sale>on sale</em>" if number % 3 == 1 else ""
        tags = "".join(f"<span class=tag>{name} {n}</span>" for n in range(number % 4))
        stripe = "odd" if number % 2 else "even"
        rows.append(
            f'<li class="item {stripe}"><a href="/i/{name}"><img src="/{name}.png" alt="{name}">'
            f"</a><h3><a href=/i/{name}>{name} kettle</a></h3>{sale}<p>Boils {len(name)} litres of water</p>{tags}"
            f"<b>Price:</b> <span class=price>${len(name)}.50</span></li>"
        )
    if advert:
        rows.insert(1, "<li class=advert><p>Buy now</p></li>")
    menu = "".join(f"<li><a href=/m{n}>Menu {n}</a></li>" for n in range(6))
    return f"<body><ul class=menu>{menu}</ul><h1>Kettles</h1><ul id=results>{''.join(rows)}</ul><p>© us</p></body>"


FIRST, SECOND = shop_page(NAMES), shop_page(NAMES[2:8])


def table_of(wrapper, html):
    (region,) = apply_wrapper(wrapper, html).regions
    return [dict(zip(region.columns, (cell and cell.text for cell in row), strict=True)) for row in region.rows]


def test_a_wrapper_of_one_page_reads_another():
    rows = table_of(wrap_pages([FIRST]), shop_page(["Kelp", "Loam", "Moss"], advert=True))
    assert [row["title"] for row in rows] == ["Kelp kettle", "Loam kettle", "Moss kettle"]
    assert [row["price"] for row in rows] == ["$4.50", "$4.50", "$4.50"]
    assert [row["sale"] for row in rows] == [None, "on sale", None]
    assert rows[0]["image_src"] == "/Kelp.png"
    assert rows[0]["image_alt"] == "Kelp"
    assert rows[0]["title_href"] == "/i/Kelp"
    assert (rows[2]["tag"], rows[2]["tag 2"]) == ("Moss 0", "Moss 1")


def test_two_pages_give_up_what_is_only_on_one():
    one = FIRST.replace('class="item ', 'class="item page-one ')
    wrapper = wrap_pages([one, SECOND])
    assert "page" not in wrapper.lists[0].selector.xpath()
    assert len(table_of(wrapper, shop_page(["Kelp", "Loam", "Moss"]))) == 3


def test_every_cell_and_every_xpath_holds_in_lxml():
    wrapper = wrap_pages([FIRST, SECOND])
    html = shop_page(["Kelp", "Loam", "Moss", "Nacre"])
    root = lxml_html.document_fromstring(html)
    result = apply_wrapper(wrapper, html)
    (region,) = result.regions
    for row in region.rows:
        for cell in filter(None, row):
            (value,) = root.xpath(cell.xpath)
            assert " ".join(value.split()) == cell.text
    (each,) = wrapper.lists
    records = root.xpath(each.selector.xpath())
    assert len(records) == 4
    titles = next(column.xpath for column in each.columns if column.name == "title")
    names = "Kelp Loam Moss Nacre".split()
    assert [record.xpath(titles) for record in records] == [[f"{name} kettle"] for name in names]


def test_the_file_is_readable_and_says_the_same():
    wrapper = wrap_pages([FIRST, SECOND])
    content = json.loads(wrapper_to_json(wrapper))
    assert (content["format"], content["version"]) == ("edrew-wrapper", 2)
    (main,) = content["lists"]
    assert main["xpath"].endswith("' item ')]")
    assert main["grammar"].startswith("li(")
    assert "sale)?" in main["grammar"]
    assert "span(tag)+?" in main["grammar"]
    names = [column["name"] for column in main["columns"]]
    assert len(set(names)) == len(names)
    assert {column["name"]: column["fixed"] for column in main["columns"] if "fixed" in column} == {
        "sale": "on sale",
        "label": "Price:",
    }


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(FORMS)), st.integers(3000, 3400))
def test_saved_and_loaded_a_wrapper_gives_the_same_result(form, seed):
    made = make_list_page(seed, form)
    try:
        wrapper = wrap_pages([made.html], keep_all=True)
    except NoWrapper:
        return
    again = wrapper_from_json(wrapper_to_json(wrapper))
    assert wrapper_to_json(again) == wrapper_to_json(wrapper)
    for html in (made.html, make_list_page(seed + 1, form).html, "<p>x"):
        assert apply_wrapper(again, html) == apply_wrapper(wrapper, html)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_wrapper_finds_on_its_own_page_what_it_was_made_from(form):
    scores = []
    for seed in range(1020, 1026):
        made = make_list_page(seed, form)
        tree = parse_tree(made.html)
        try:
            wrapper = make_wrapper([tree])
        except NoWrapper:
            continue
        page = page_sequence(tree)
        found = find_records(wrapper.lists[0], page).records
        starts = {start for start, _ in found}
        best = next(each for each in auto_lists(page) if each.content)
        wanted = {start for start, _ in best.records}
        scores.append(2 * len(starts & wanted) / (len(starts) + len(wanted)))
    assert sum(scores) / len(scores) > 0.9


def test_a_redesign_is_a_warning_and_not_an_empty_table():
    wrapper = wrap_pages([FIRST, SECOND])
    gone = apply_wrapper(wrapper, "<body><div><article>Kelp</article><article>Loam</article></div></body>")
    assert gone.regions == ()
    assert gone.match == 0
    assert "path ends after" in gone.warnings[0]
    assert "make a new wrapper" in gone.warnings[0]
    fits = apply_wrapper(wrapper, SECOND)
    assert fits.match > 0.9
    assert not fits.warnings
    changed = SECOND
    for old, new in (
        ("<h3>", "<h5><div>"),
        ("</h3>", "</div></h5>"),
        ("<p>Boils", "<section>Boils"),
        ("water</p>", "water</section>"),
        ("<b>Price:</b>", "<i><u>Price</u></i>"),
        ("<span class=price>", "<strong>"),
    ):
        changed = changed.replace(old, new)
    assert apply_wrapper(wrapper, changed).match < fits.match - 0.2


def test_pages_without_a_list_are_told():
    with pytest.raises(NoWrapper, match="none of the pages has a list"):
        wrap_pages(["<p>One paragraph.", "<p>Another one."])
    with pytest.raises(BadConfig, match=r"the pages are one str: give a list of them"):
        wrap_pages(FIRST)
    wrapper = wrap_pages([FIRST, "<p>One paragraph."])
    assert "no list of records found" in wrapper.warnings[0]
    assert len(table_of(wrapper, SECOND)) == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="other"), 'is no wrapper: "format" is not'),
        (lambda c: c.update(version=99), "has version 99, this program reads 1 and 2"),
        (lambda c: c.update(lists=[]), "has neither lists nor fields"),
        (lambda c: c["lists"][0].pop("path"), r"lists\[0\].path must be an object, not null"),
        (lambda c: c["lists"][0]["path"]["steps"][0].pop("tag"), r"steps\[0\].tag must be a text"),
        (lambda c: c["lists"][0]["span"].update(kind="all"), "must be node or siblings, not 'all'"),
        (lambda c: c["lists"][0].update(template="x"), "template must be a list"),
        (lambda c: c["lists"][0].update(min_fit="x"), "min_fit must be a number"),
        (lambda c: c["lists"][0]["template"][0].update(optional="yes"), "optional must be true or false"),
        (lambda c: c["lists"][0]["template"][0].update(attributes={"onclick": "x"}), "must name columns for href"),
    ],
)
def test_a_file_that_is_no_wrapper_is_refused_with_what_is_wrong(change, message):
    content = json.loads(wrapper_to_json(wrap_pages([FIRST])))
    change(content)
    with pytest.raises(BadWrapper, match=message):
        wrapper_from_json(json.dumps(content))


def test_a_page_whose_name_is_no_utf_8_is_named_in_the_file(tmp_path):
    save_wrapper(wrap_pages([Page.from_text(FIRST, "caf\udce9.html")]), tmp_path / "w.json")
    assert load_wrapper(tmp_path / "w.json").made_from == ("caf?.html",)


def test_other_files_are_refused(tmp_path):
    for text in ("", "{", "[]", '"x"', "[" * 100_000):
        with pytest.raises(BadWrapper, match=r"not JSON|no wrapper"):
            wrapper_from_json(text)
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadWrapper, match="not text"):
        load_wrapper(tmp_path / "x.json")
    with pytest.raises(BadWrapper, match="cannot be read"):
        load_wrapper(tmp_path / "missing.json")


def test_the_command_line_wraps_and_applies(tmp_path):
    for name, text in (("a.html", FIRST), ("b.html", SECOND), ("c.html", "<p>Gone")):
        (tmp_path / name).write_text(text)
    file = tmp_path / "site.json"
    done = edrew("wrap", tmp_path / "a.html", tmp_path / "missing.html", tmp_path / "b.html", "-o", file)
    assert done.returncode == 1  # one page is missing; the wrapper is made all the same
    assert "title" in done.stderr
    assert load_wrapper(file).made_from == (str(tmp_path / "a.html"), str(tmp_path / "b.html"))
    done = edrew("apply", file, tmp_path / "b.html", tmp_path / "c.html")
    assert done.returncode == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["match"] > 0.9
    assert "title" in first["regions"][0]["columns"]
    assert second["regions"] == []
    assert "no records" in second["warnings"][0]
    assert "no records" in done.stderr
    done = edrew("apply", file, tmp_path / "b.html", "--format", "csv")
    assert "title" in done.stdout.splitlines()[0]
    assert "Cobalt kettle" in done.stdout.splitlines()[1]
    assert edrew("apply", tmp_path / "a.html", tmp_path / "b.html").returncode == 2
    assert edrew("wrap", tmp_path / "a.html", "-o", tmp_path / "none" / "x.json").returncode == 2
    assert edrew("wrap", tmp_path / "c.html", "-o", tmp_path / "x.json").returncode == 1


def test_a_wrapper_is_saved_and_loaded(tmp_path):
    save_wrapper(wrap_pages([FIRST]), tmp_path / "w.json")
    assert len(table_of(load_wrapper(tmp_path / "w.json"), SECOND)) == 6


# --- selectors and templates ---


def test_a_selector_has_as_few_conditions_as_it_needs():
    page = page_sequence(parse_tree("<div><p>a</p><p>b</p></div><div id=x><p>c</p><p><i>d</i></p><p>e</p></div>"))
    places = {page.texts[place]: int(page.parent[place]) for place in range(len(page)) if page.texts[place]}
    everything = learn_selector([page], [[places[each] for each in "abc"] + [page.parent[places["d"]], places["e"]]])
    assert everything.xpath() == "/html/body/div/p"
    assert learn_selector([page], [[places["c"], places["e"]]]).xpath() == "/html/body/div[@id='x']/p[not(i)]"
    assert learn_selector([page], [[places["a"], places["b"]]]).xpath() == "/html/body/div[1]/p"


@given(st.text(st.characters(codec="ascii", exclude_categories=("C",)), max_size=12))
def test_any_value_can_stand_in_a_condition(value):
    root = lxml_html.document_fromstring("<p>x</p>")
    assert root.xpath(f"string({quoted(value)})") == value


def test_selectors_say_the_same_as_their_xpath():
    html = FIRST.replace("</body>", "<p>a</p><o:p>b</o:p><o:p><u>c</u></o:p></body>")
    page, root = page_sequence(parse_tree(html)), lxml_html.document_fromstring(html)
    for selector in (
        Selector((Step("html"), Step("body"), Step("ul", (Condition("attribute", "results", "id"),)), Step("li"))),
        Selector((Step("li", (Condition("class", "odd"),)), Step("h3")), from_root=False),
        Selector((Step("ul", (Condition("position", "1"),)), Step("li", (Condition("lacks", "h3"),))), from_root=False),
        Selector((Step("li", (Condition("has", "h3/a"),)),), from_root=False),
        Selector((Step("o:p"),), from_root=False),  # no name that an XPath can hold, and its place among its likes
        Selector((Step("o:p", (Condition("position", "2"),)), Step("u")), from_root=False),
    ):
        found = [root.xpath(page.tree.xpath(int(page.node[place])))[0] for place in selector.select(page)]
        assert found == root.xpath(selector.xpath())
        assert found


def test_records_are_merged_into_one_template():
    html = "<ul><li><a>x</a><p>y</p></li><li><a>z</a></li><li><i>n</i><a>w</a><p>v</p></li></ul>"
    page = page_sequence(parse_tree(html))
    items = [place for place in range(len(page)) if page.is_named("li")[place]]
    template = make_template([(page, (place, int(page.end[place]))) for place in items])
    assert template.children[0].grammar() == "li(i(text)? a(text) p(text)?)"


@pytest.mark.realdata
def test_a_wrapper_of_two_pages_reads_the_others_of_a_shop(data_folder):
    pages = [page for page in read_list_pages(data_folder, ("shops",)) if page.site == "target"][:8]
    trees = [parse_tree(Page.from_bytes(page.data)) for page in pages]
    wrapper = make_wrapper(trees[:2])
    scores = []
    for page, tree in zip(pages[2:], trees[2:], strict=True):
        sequence = page_sequence(tree)
        scores.append(page.score(sequence, find_records(wrapper.lists[0], sequence).records))
    assert micro(scores).f1 > 0.95
