"""Fields of detail pages: learnt from examples, kept in a wrapper's file, applied to other pages."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsel import Selector
from typer.testing import CliRunner

from edrew_torch import apply_wrapper, wrap_examples, wrap_pages
from edrew_torch.cli import app
from edrew_torch.datasets.labels import find_values
from edrew_torch.datasets.sample import write_sample
from edrew_torch.datasets.swde import Subset, read_swde
from edrew_torch.errors import BadConfig, BadData
from edrew_torch.fields.examples import NoExample
from edrew_torch.fields.field import Field, FieldRule
from edrew_torch.fields.learn import NoFields, covers, learn_fields, learn_from_pages
from edrew_torch.fields.page import FieldPage
from edrew_torch.fields.rule import TEXT_STEP, Condition, Rule, Step
from edrew_torch.fields.shape import learn_shape
from edrew_torch.fields.truth_file import read_page_truth
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.wrapper import Wrapper
from edrew_torch.records.wrapper_file import BadWrapper, wrapper_from_json, wrapper_to_json
from tests.test_cli import edrew


def car(name, price, engine=None, colours=("red", "blue"), advert=False, css="price"):
    """A page of a shop: a heading, a table with labels, an optional row, a list with one label."""
    rows = [("Price:", f"<b class='{css}'>{price}</b>"), ("Doors", "4")]
    if engine:
        rows.insert(1, ("Engine", engine))
    if advert:
        rows.insert(0, ("Offer:", "<b>today only</b>"))
    table = "".join(f"<tr><td>{label}<td>{value}" for label, value in rows)
    links = ", ".join(f"<a href=/{colour}>{colour}</a>" for colour in colours)
    return (
        f"<title>{name} | Cars</title><body><ul><li>Home<li>Cars<li>{name}</ul><div id=car><h1>{name}</h1>"
        f"<table>{table}</table><p><i>Colours:</i> {links}</p></div><p>© us</p>"
    )


COMET, NOVA, ROVER = (
    car("2010 Comet", "$61,550", "V6"),
    car("2011 Nova", "$18,200", None, ("green", "black", "grey"), advert=True),
    car("Rover", "$7,005", "V8", ("white",)),
)
EXAMPLES = {"price": ["$61,550"], "model": ["2010 Comet"], "engine": ["V6"], "colour": ["red", "blue"]}


def found(wrapper, html):
    table: dict[str, list[str]] = {}
    for value in apply_wrapper(wrapper, html).values:
        table.setdefault(value.attribute, []).append(value.text)
    return table


def nodes_of(tree, *texts):
    return [node for node in tree.content.tolist() if tree.text(node).strip() in texts]


# --- learning ---


@pytest.mark.parametrize("form", ["<tr><td>{}<td>{}", "<tr><th>{}</th><td>{}", "<div><dt>{}</dt><dd>{}</dd></div>"])
def test_a_missing_row_is_not_read_from_the_next_one(form):
    def page(name, **rows):
        table = "".join(form.format(label.title(), value) for label, value in rows.items())
        return f"<h1>{name}</h1><{'dl' if '<dt>' in form else 'table'}>{table}"

    full = page("Comet", price="$5,100", engine="1.2L", colour="red", doors="4")
    wrapper = wrap_examples([full], {"engine": ["1.2L"], "price": ["$5,100"]})
    assert found(wrapper, page("Nova", price="$7,300", engine="2.0L", colour="blue", doors="2")) == {
        "price": ["$7,300"],
        "engine": ["2.0L"],
    }
    without = page("Vela", price="$9,900", colour="green", doors="3")
    assert found(wrapper, without) == {"price": ["$9,900"]}
    # another word for it, and a label that no labelled page has, still lead to the value
    assert found(wrapper, page("Orb", price="$8,000", motor="3.0L", colour="grey", doors="2"))["engine"] == ["3.0L"]
    for text in (full, without):  # kept in a file, and in parsel
        again = wrapper_from_json(wrapper_to_json(wrapper))
        assert found(again, text) == found(wrapper, text)
        for each in again.fields:
            assert Selector(text).xpath(each.xpath()).getall() == found(wrapper, text).get(each.name, [])


def test_one_page_is_enough_for_the_others():
    wrapper = wrap_examples([COMET], EXAMPLES)
    assert found(wrapper, ROVER) == {"price": ["$7,005"], "model": ["Rover"], "engine": ["V8"], "colour": ["white"]}
    other = found(wrapper, NOVA)
    assert other["price"] == ["$18,200"]  # the advert has shifted its row
    assert other["colour"] == ["green", "black", "grey"]


def test_values_carry_xpath_confidence_and_title():
    result = apply_wrapper(wrap_examples([COMET], EXAMPLES), ROVER)
    root = Selector(text=ROVER)
    assert result.title == "Rover | Cars"
    assert result.match == 1
    assert result.warnings == ()
    for value in result.values:
        assert root.xpath(value.xpath).getall() == [value.text]
        assert 0.5 < value.confidence <= 1
        assert value.method == "wrapper"
    content = json.loads(result.as_json())
    assert "regions" not in content
    assert content["values"][0].keys() == {"text", "attribute", "xpath", "confidence"}


def test_the_label_before_the_value_leads_to_it():
    rows = ["<tr><th>{}<td>{}".format(*pair) for pair in (("Maker:", "Arvel"), ("Seats:", "5"), ("Fuel:", "Petrol"))]
    first, turned = (f"<table>{''.join(each)}</table>" for each in (rows, rows[::-1]))
    wrapper = wrap_examples([first], {"seats": ["5"], "fuel": ["Petrol"]})
    assert found(wrapper, turned) == {"seats": ["5"], "fuel": ["Petrol"]}
    assert "'Fuel:'" in wrapper.fields[1].xpath()


def test_a_label_in_the_text_itself_leads_to_it():
    page = "<ul><li>{}<li>{}<li>{}</ul>"
    one, two = (
        page.format("Pages: 9", "Publisher: Knopf", "Year: 1"),
        page.format("Publisher: Ace", "Year: 2", "Pages: 8"),
    )
    assert found(wrap_examples([one], {"publisher": ["Publisher: Knopf"]}), two) == {"publisher": ["Publisher: Ace"]}


def test_a_field_may_be_missing():
    pages = [COMET, NOVA, ROVER]
    known = [EXAMPLES, {"engine": [], "price": ["$18,200"]}, {"engine": ["V8"]}]
    wrapper = wrap_examples(pages, known)
    engine = next(each for each in wrapper.fields if each.name == "engine")
    assert engine.is_optional
    assert engine.share == pytest.approx(2 / 3, abs=0.001)
    result = apply_wrapper(wrapper, car("Kite", "$5,000"))
    assert "engine" not in {value.attribute for value in result.values}
    assert result.warnings == ()


def test_values_on_different_paths_are_found_by_several_parts():
    page = "<h2>{}</h2><p class=street>{}</p><div><span id=town>{}</span><em>{}</em></div>"
    examples = {"address": ["1 Oak St", "Rye", "NY"], "name": ["Al's"]}
    wrapper = wrap_examples([page.format("Al's", "1 Oak St", "Rye", "NY")], examples)
    assert found(wrapper, page.format("Bo's", "9 Elm Rd", "Utica", "VT")) == {
        "address": ["9 Elm Rd", "Utica", "VT"],
        "name": ["Bo's"],
    }


def test_pages_without_examples_help_to_choose():
    page = "<div class=a><p>{0}</p></div><div><p class=x{0}>{1}</p><p>{2}</p></div>"
    pages = [page.format(*texts) for texts in (("Aa", "one", "u"), ("Bb", "two", "v"), ("Cc", "three", "w"))]
    wrapper = wrap_examples(pages, {"word": ["one"]})
    assert wrapper.made_from == ("<str>",) * 3
    assert [found(wrapper, each)["word"] for each in pages] == [["one"], ["two"], ["three"]]
    # a rule that answers on the example's page alone is no part of it
    assert all("xAa" not in each.rule.xpath() for part in wrapper.fields[0].parts for each in part)


def test_wrong_labels_are_outvoted_where_they_are_tolerated():
    trees = [parse_tree(car(f"Car{n}", f"${n},000", "V6")) for n in range(1, 9)]
    examples = [{"price": nodes_of(tree, f"${n},000")} for n, tree in enumerate(trees, start=1)]
    examples[3] = {"price": nodes_of(trees[3], "4")}  # the number of doors
    examples[5] = {"price": []}
    learnt = learn_fields(trees, examples, tolerance=0.3)
    (price,) = learnt.fields
    assert [price.find(FieldPage(tree)).keys() for tree in trees] == [
        dict.fromkeys(nodes_of(tree, f"${n},000")).keys() for n, tree in enumerate(trees, start=1)
    ]
    assert "'Price:'" in price.xpath()
    assert not any("'Price:'" in field.xpath() for field in learn_fields(trees, examples).fields)


def test_what_cannot_be_told_apart_is_left_out_with_a_warning():
    wrapper = wrap_examples(["<i>a</i><b>x</b>"] * 2, [{"ok": ["a"], "odd": ["x"]}, {"ok": ["a"], "odd": []}])
    assert [each.name for each in wrapper.fields] == ["ok"]
    assert wrapper.warnings == ("field odd: no rule selects its example and nothing else; it is left out.",)
    with pytest.raises(NoFields, match="no rule selects"):
        wrap_examples(["<p>a</p>", "<p>b</p>"], [{"x": ["a"]}, {"x": []}])


def test_examples_that_are_not_there_name_what_comes_near():
    for text, message in (
        ("$61, 550", r"has it as '\$61,550': give it so"),
        ("2010 COMET", "has it as '2010 Comet'"),
        ("61,550", r"it is a part of '\$61,550'"),
        ("Colours: red, blue", "it runs over several text nodes"),
        ("2010 Comets", "it is no text|nearest: '2010 Comet'"),
        ("Zeppelin LZ 129", "is no text of the page"),
        (" ", "is blank"),
    ):
        with pytest.raises(NoExample, match=message):
            wrap_examples([COMET], {"x": [text]})
    with pytest.raises(NoExample, match="has no text"):
        wrap_examples([COMET], {"x": []})
    with pytest.raises(NoExample):
        wrap_examples([COMET], [{"x": ["Zeppelin"]}])
    wrapper = wrap_examples([COMET, ROVER], [EXAMPLES, {"price": ["$7,006"], "engine": ["V8"]}])
    assert "price='$7,006' is no text" in wrapper.warnings[0]
    with pytest.raises(BadConfig, match="tolerance"):
        wrap_examples([COMET], EXAMPLES, tolerance=1.5)
    with pytest.raises(BadConfig, match="one mapping for each"):
        wrap_examples([COMET], [{}, {}])
    with pytest.raises(BadConfig, match="no examples"):
        wrap_examples([COMET], {})
    with pytest.raises(BadConfig, match="the pages are one str"):
        wrap_examples(COMET, EXAMPLES)
    with pytest.raises(NoExample, match="an attribute has no name"):
        wrap_examples([COMET], {" ": ["$61,550"]})
    with pytest.raises(NoExample, match=r"give a list of texts, \['\$61,550'\]"):
        wrap_examples([COMET], {"price": "$61,550"})


def test_deep_pages_cost_no_more_than_others():
    page = "<div class=a>" * 2000 + "<b>Price:</b> <i>{}</i><u>{}</u>"
    wrapper = wrap_examples([page.format("$5", "x")], {"price": ["$5"]})
    assert found(wrapper, page.format("$7", "y")) == {"price": ["$7"]}
    assert all(len(each.rule.steps) <= 60 for part in wrapper.fields[0].parts for each in part)


# --- drift ---


def test_a_redesign_is_a_warning():
    wrapper = wrap_examples([COMET, ROVER], EXAMPLES)
    gone = apply_wrapper(wrapper, "<article><section>Comet</section></article>")
    assert gone.values == ()
    assert gone.match == 0
    assert any("field price: none of its rules finds anything" in each for each in gone.warnings)
    changed = apply_wrapper(wrapper, car("Comet", "call us", "V6"))
    assert any("price" in each and "'call us' has no digits" in each for each in changed.warnings)
    assert 0 < changed.match < 1
    long = apply_wrapper(wrapper, car("Comet", "$5 " + "and more " * 20, "V6"))
    assert any("characters, the longest example" in each for each in long.warnings)


def test_shapes_claim_no_more_than_their_examples():
    assert learn_shape(["2010 Comet"]).fits("Comet")
    assert not learn_shape(["2010 Comet", "2011 Nova", "2012 Kite"]).fits("Comet")
    assert not learn_shape(["R"]).fits("12")
    assert learn_shape(["5 mpg"]).fits("7")


# --- rules ---


def test_rules_select_what_their_xpath_and_css_select():
    html = (
        "<div id=a class='x y'><p>Fuel:\xa0</p><p>\xa0</p><p> Petrol <b>95</b> or 98</p></div>"
        "<div class=x><o:p>odd</o:p><p itemprop='q&quot;r'>it's</p><p>\"b\" 'c'</p></div>"
    )
    page, root = FieldPage(parse_tree(html)), Selector(text=html)
    conditions = [
        Condition("class", "x"),
        Condition("attribute", "a", "id"),
        Condition("position", number=2),
        Condition("after", "Fuel:"),
        Condition("begins", "Fuel:"),
        Condition("begins", "odd"),
        Condition("after", "or 98"),
    ]
    rules = [Rule((Step("div", (condition,)), Step("p"), Step(TEXT_STEP))) for condition in conditions]
    on_text = [
        Condition("position", number=2),
        Condition("after", "Fuel:"),
        Condition("after", "Petrol", number=2),
        Condition("after", "it's"),
        Condition("starts", "or"),
        Condition("starts", '"b" \'c'),
    ]
    rules += [Rule((Step("p"), Step(TEXT_STEP, (condition,)))) for condition in on_text]
    rules += [
        Rule((Step("o:p"), Step(TEXT_STEP))),
        Rule((Step("p", (Condition("attribute", 'q"r', "itemprop"),)), Step(TEXT_STEP))),
        Rule((Step("html"), Step("body"), Step("div"), Step("p"), Step(TEXT_STEP)), from_root=True),
        Rule((Step("html"), Step("div"), Step(TEXT_STEP)), from_root=True),
        Rule((Step("table"), Step("p"), Step(TEXT_STEP))),
    ]
    some = 0
    for rule in rules:
        selected = [page.text(node) for node in rule.select(page).tolist()]
        assert [" ".join(text.split()) for text in root.xpath(rule.xpath()).getall()] == selected, rule.xpath()
        css, reason = rule.css()
        assert (css is None) == bool(reason)
        if css:
            assert [text for each in root.css(css).getall() if (text := " ".join(each.split()))] == selected, css
        some += bool(selected)
    assert some >= 12


def test_a_wide_rule_covers_a_narrow_one():
    text = Step(TEXT_STEP)
    wide = Rule((Step("p"), text))
    narrow = Rule((Step("div"), Step("p", (Condition("class", "x"),)), text))
    assert covers(wide, narrow)
    assert covers(wide, wide)
    assert not covers(narrow, wide)
    assert not covers(Rule(wide.steps, from_root=True), narrow)


def test_fallbacks_and_parts_are_one_xpath():
    def rule(tag):
        return FieldRule(Rule((Step(tag), Step(TEXT_STEP))), 0.9)

    field = Field("x", ((rule("b"), rule("i"), rule("u")), (rule("em"),)), learn_shape(["x"]))
    assert field.xpath().count("//u") == 1
    for html in (
        "<b>1</b><i>2</i><em>3</em>",
        "<p><i>2</i><em>3</em><i>4</i>",
        "<u>5</u>",
        "<b>1</b><u>5</u>",
        "<em>3</em>",
        "<p>6",
    ):
        page = FieldPage(parse_tree(html))
        assert Selector(text=html).xpath(field.xpath()).getall() == [page.text(node) for node in field.find(page)]


# --- files ---


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The pages of some invented sites, with their truth."""
    root = tmp_path_factory.mktemp("sample")
    write_sample(root, pages=6)
    return root, list(read_swde(root, Subset(verticals=("auto", "movie"))))


def labelled(pages):
    """Pages as rules see them, with the nodes of their true values."""
    seen, examples = [], []
    for given_page in pages:
        page = FieldPage(parse_tree(Page.from_bytes(given_page.data)), remembers=True)
        places = page.visible.tolist()
        nodes = {name: [] for name in given_page.truth}
        for value in find_values([page.text(node) for node in places], given_page.truth):
            nodes[value.attribute] += [places[place] for place in value.nodes]
        seen.append(page)
        examples.append(nodes)
    return seen, examples


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_saved_and_loaded_a_wrapper_gives_the_same_values_and_parsel_too(sample, data):
    pages = data.draw(st.sampled_from(sample[1]))
    number = data.draw(st.integers(1, 3))
    seen, examples = labelled(pages[:number])
    wrapper = Wrapper((), ("a",), fields=learn_from_pages(seen, examples).fields)
    text = wrapper_to_json(wrapper)
    again = wrapper_from_json(text)
    assert wrapper_to_json(again) == text
    assert again.fields == wrapper.fields
    for page in pages[number:]:
        result = apply_wrapper(wrapper, page.data)
        assert apply_wrapper(again, page.data) == result
        root = Selector(text=Page.from_bytes(page.data).html)
        for each in wrapper.fields:
            mine = [value.text for value in result.values if value.attribute == each.name]
            assert [" ".join(got.split()) for got in root.xpath(each.xpath()).getall()] == mine


def test_three_pages_of_an_invented_site_give_nearly_all_values_of_the_others(sample):
    right = []
    for pages in sample[1][::2]:
        seen, examples = labelled(pages)
        fields = learn_from_pages(seen[:3], examples[:3]).fields
        for page, nodes in zip(seen[3:], examples[3:], strict=True):
            for each in fields:
                truth = {page.text(node) for node in nodes[each.name]}
                right.append({page.text(node) for node in each.find(page)} == truth)
    assert np.mean(right) > 0.93


def test_the_file_is_readable_and_lists_keep_their_place():
    wrapper = wrap_examples([COMET, ROVER], EXAMPLES)
    content = json.loads(wrapper_to_json(wrapper))
    assert content["version"] == 2
    assert "lists" not in content
    price = content["fields"][0]
    assert price["name"] == "price"
    assert price["shape"] == {"digits": True, "letters": False, "longest": 7}
    rules = [rule for part in price["parts"] for rule in part]
    assert all((rule["css"] is None) == ("no_css" in rule) for rule in rules)
    assert any(rule["css"] for rule in rules)
    lists = wrap_pages(
        ["<ul>" + "".join(f"<li><a href=/{n}>Tea no. {n}</a> <b>${n}.50</b>" for n in range(8)) + "</ul>"]
    )
    both = Wrapper(lists.lists, fields=wrapper.fields)
    result = apply_wrapper(wrapper_from_json(wrapper_to_json(both)), ROVER)
    assert result.sought == ("values", "regions")
    assert len(result.values) == 4
    old = json.loads(wrapper_to_json(lists)) | {"version": 1}
    assert wrapper_to_json(wrapper_from_json(json.dumps(old))) == wrapper_to_json(lists)


def spoil(*path, value=None):
    """A change of the first rule of a file, at a place below it."""

    def change(content):
        place = content["fields"][0]
        for each in path[:-1]:
            place = place[each]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value

    return change


RULE = ("parts", 0, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(fields=[]), "has neither lists nor fields"),
        (lambda c: c.update(fields=["x"]), r"fields\[0\] must be an object"),
        (spoil("name"), r"fields\[0\].name must be a text, not null"),
        (spoil("share", value=2), "share must be from 0 to 1"),
        (spoil("parts", value=[]), "parts must have rules"),
        (spoil("parts", value=[[]]), "parts must have rules"),
        (spoil("parts", 0, 0, value="x"), r"parts\[0\]\[0\] must be an object"),
        (spoil("shape", "longest"), "shape.longest must be a number"),
        (spoil(*RULE, "steps", value=[]), "steps must be 2 to"),
        (spoil(*RULE, "steps", -1, "tag", value="b"), r"must end in text\(\)"),
        (spoil(*RULE, "from_root"), "from_root must be true or false"),
        (spoil(*RULE, "confidence", value="x"), "confidence must be a number"),
        (spoil(*RULE, "steps", 0, "conditions", value=[{"kind": "x"}]), "kind must be one of class"),
        (spoil(*RULE, "steps", -1, "conditions", value=[{"kind": "class", "value": "x"}]), "cannot be class of text"),
        (spoil(*RULE, "steps", 0, "conditions", value=[{"kind": "class", "value": ""}]), "value is empty"),
        (spoil(*RULE, "steps", 0, "conditions", value=[{"kind": "position", "number": 0}]), "must be 1 or more"),
        (
            spoil(*RULE, "steps", 0, "conditions", value=[{"kind": "attribute", "value": "x", "name": "]"}]),
            "name of an",
        ),
    ],
)
def test_a_file_that_is_no_wrapper_is_refused_with_what_is_wrong(change, message):
    content = json.loads(wrapper_to_json(wrap_examples([COMET], EXAMPLES)))
    change(content)
    with pytest.raises(BadWrapper, match=message):
        wrapper_from_json(json.dumps(content))


# --- ground truth and the command line ---


def test_truth_is_read_from_tables_lines_and_roots(tmp_path, sample):
    sources = ["in/a.html", "in/b.html"]
    wide, long, lines = tmp_path / "w.csv", tmp_path / "l.csv", tmp_path / "t.jsonl"
    wide.write_text("page,price,colour\na.html,$5,red | blue\nb,,\nother.html,$9,\n")
    long.write_text("page,attribute,value\na,price,$5\na,colour,red\na,colour,blue\n")
    lines.write_text(
        '{"page": "in/a.html", "price": "$5", "colour": ["red", "blue"]}\n\n{"page": "b", "price": null}\n'
    )
    full = {"price": ["$5"], "colour": ["red", "blue"]}
    assert read_page_truth(wide, sources) == [full, {"price": [], "colour": []}]
    assert read_page_truth(long, sources) == [full, {}]
    assert read_page_truth(lines, sources) == [full, {"price": []}]
    root, sites = sample
    page = sites[0][0]
    (file,) = (root / page.vertical).glob(f"{page.vertical}-{page.site}(*)/{page.page_id}.htm")
    (known,) = read_page_truth(root, [str(file)])
    assert known.keys() == page.truth.keys()
    for text, message in (
        ("page\n", "no value for any"),
        ("price\n$5\n", "give a header"),
        ("page,price\na\n", "1 cells, but the header has 2"),
        ('page,price\na,"x\n', "no CSV"),
    ):
        wide.write_text(text)
        with pytest.raises(BadData, match=message):
            read_page_truth(wide, sources)
    for text, message in (("{", "not JSON"), ("[]", "give an object"), ('{"page": "a", "x": 1}', "must be a text")):
        lines.write_text(text)
        with pytest.raises(BadData, match=message):
            read_page_truth(lines, sources)
    long.write_text("page,price\na.html,$5\n")
    with pytest.raises(BadData, match="name it in full"):
        read_page_truth(long, ["x/a.html", "y/a.html"])
    with pytest.raises(BadData, match="lies in no site"):
        read_page_truth(root, sources)
    with pytest.raises(BadData, match="cannot be read"):
        read_page_truth(tmp_path / "none.csv", sources)


def test_the_command_line_wraps_by_example_and_applies(tmp_path):
    for name, text in (("a.html", COMET), ("b.html", NOVA), ("c.html", ROVER), ("d.html", "<p>Gone")):
        (tmp_path / name).write_text(text)
    file = tmp_path / "site.json"
    a, b, c, d = (tmp_path / f"{name}.html" for name in "abcd")
    done = edrew("wrap", a, b, "--example", "price=$61,550", "--example", "model=2010 Comet", "-o", file)
    assert done.returncode == 0, done.stderr
    assert "field price at //" in done.stderr
    done = edrew("apply", file, c, d)
    assert done.returncode == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert [(each["attribute"], each["text"]) for each in first["values"]] == [("price", "$7,005"), ("model", "Rover")]
    assert first["title"] == "Rover | Cars"
    assert second["values"] == []
    assert "none of its rules finds anything" in done.stderr
    lines = CliRunner().invoke(app, ["apply", str(file), str(b), str(c), "--format", "csv"]).stdout.splitlines()
    assert lines[0] == "source,attribute,text,xpath,confidence"
    assert len(lines) == 5
    assert "Rover" in CliRunner().invoke(app, ["apply", str(file), str(c), "--format", "table"]).stdout
    (tmp_path / "t.csv").write_text('page,price,engine\na.html,"$61,550",V6\nb.html,"$18,200",\n')
    assert (
        not CliRunner()
        .invoke(app, ["wrap", str(a), str(b), "--truth", str(tmp_path / "t.csv"), "-o", str(file)])
        .exit_code
    )
    done = CliRunner().invoke(app, ["apply", str(file), str(c)])
    assert [each["text"] for each in json.loads(done.stdout)["values"]] == ["$7,005", "V8"]


def test_the_command_line_says_what_is_wrong_with_examples(tmp_path):
    (tmp_path / "a.html").write_text(COMET)
    a, out = str(tmp_path / "a.html"), str(tmp_path / "x.json")
    for arguments, code, message in (
        (("--example", "price"), 2, "give NAME=TEXT"),
        (("--example", "price=$1", "--all"), 2, "leave them out"),
        (("--example", "price=$1", "--truth", a), 2, "give one of them"),
        (("--tolerance", "0.1"), 2, "--tolerance is for --example"),
        (("--example", "price=61,550"), 1, "it is a part of '$61,550'"),
        (("--truth", str(tmp_path / "none.csv")), 1, "cannot be read"),
    ):
        done = CliRunner().invoke(app, ["wrap", a, *arguments, "-o", out])
        assert (done.exit_code, message in done.stderr) == (code, True), done.stderr
    assert not (tmp_path / "x.json").exists()


@pytest.mark.realdata
def test_three_labelled_pages_of_real_sites_read_the_others(data_folder):
    for pages in read_swde(data_folder / "swde", Subset(("university",), ("collegeboard",), 14)):
        seen, examples = labelled(pages)
        fields = learn_from_pages(seen[:3], examples[:3]).fields
        assert fields
        right = []
        for given_page, page, nodes in zip(pages[3:], seen[3:], examples[3:], strict=True):
            root = Selector(text=Page.from_bytes(given_page.data).html)
            for each in fields:
                texts = [page.text(node) for node in each.find(page)]
                assert [" ".join(text.split()) for text in root.xpath(each.xpath()).getall()] == texts
                right.append(set(texts) <= {page.text(node) for node in nodes[each.name]})
        assert np.mean(right) > 0.9
