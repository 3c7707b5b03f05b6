"""Attributes: weights, judge, model files, the task, and `edrew extract`."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from typer.testing import CliRunner

import edrew_torch
from edrew_torch.attributes import training
from edrew_torch.attributes import weights as weights_module
from edrew_torch.attributes.context import SiteNodes, name_matches, ranks
from edrew_torch.attributes.model import GROUPS_USED, AttributeModel, Found, SparseWeights, Vertical, page_tokens
from edrew_torch.attributes.sites import find_runs, label_nodes
from edrew_torch.attributes.task import read_data, read_site, train_attributes
from edrew_torch.attributes.training import fit_model, judged
from edrew_torch.attributes.values import page_picks
from edrew_torch.attributes.weights import TokenWeights, fit_weights, kept_tokens, shared_tokens
from edrew_torch.cli import app
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.sample import generate_sample
from edrew_torch.enrich.bags import BITS, make_bags
from edrew_torch.enrich.describe import MAX_TEXTS, Describer
from edrew_torch.errors import BadConfig, BadData, MissingWeights, UnknownName
from edrew_torch.extraction import load_model
from edrew_torch.parse import parse_tree
from edrew_torch.sweep import sweep_report

PAGES = 8
NEW = """<title>{0} | Shop</title><h1>{0}</h1><table><tr><td>MSRP:</td><td>{1}</td></tr>
<tr><td>Engine:</td><td>V6</td></tr></table><p>All rights reserved"""


@pytest.fixture(scope="session")
def sites():
    return read_data("sample", verticals=["auto", "book"], pages=PAGES)[0]


@pytest.fixture(scope="session")
def model(sites):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(training.JUDGE, "max_iter", 30)
        return fit_model([(site.together, site.alone) for site in sites], [], seed=1)


@pytest.fixture(scope="session")
def model_file(model, tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "model.safetensors"
    model.save(file)
    return file


def described(html):
    return Describer().describe(parse_tree(html))


def test_a_value_of_several_nodes_is_found_as_a_run():
    texts = ["Tea", "2", "cups flour", "2 cups", "flour", "2 cups flour!"]
    assert find_runs(texts, {"ingredients": ["2 cups flour"]}) == [("ingredients", [1, 2, 3, 4])]


def test_labels_of_swde_are_whole_nodes_but_for_the_two_broken_truth_files():
    page = DataPage("movie", "amctv", "0000", b"", {"director": ("Wise",), "title": ("Star",)})
    assert label_nodes(["Star", "Robert Wise", "Wise"], page, ["director", "title"]).tolist() == [2, 1, 1]
    other = DataPage("movie", "imdb", "0000", b"", {"director": ("Wise",), "title": ("Star",)})
    assert label_nodes(["Star", "Robert Wise"], other, ["director", "title"]).tolist() == [2, 0]


def test_a_token_that_one_site_has_is_not_learnt():
    one, two = (make_bags(described(html)) for html in ("<p class=foo>Tea", "<p class=bar>Tea"))
    used = shared_tokens([one, two])
    assert 0 < len(kept_tokens(one, used).tokens) < len(one.tokens)
    assert len(kept_tokens(one, shared_tokens([one])).tokens) == len(one.tokens)  # one site must do


def test_weights_learn_what_separates_two_labels():
    pages = [described(f"<p><b>Price:</b> <i>{n}</i><p><b>Pages:</b> <i>{n + 7}</i>") for n in range(20, 40)]
    answer = np.array([0, 1, 0, 0])
    parts = [(make_bags(page), answer) for page in pages]
    weights = fit_weights(parts, 2, seed=1)
    parts = weights.contributions(make_bags(described("<p><b>Price:</b> <i>77</i><p><b>Pages:</b> <i>78</i>")))
    logits = parts.sum(axis=1) + weights.bias
    assert (logits[:, 1] - logits[:, 0]).argmax() == 1
    assert weights.contributions(make_bags(described(""))).shape[0] == 0


def test_what_only_invented_sites_say_is_learnt_from_them(monkeypatch):
    """Two real sites label the price `Price:`, two invented ones `Cost:`; on the page asked for `Cost:` is said."""
    monkeypatch.setitem(training.JUDGE, "max_iter", 5)
    monkeypatch.setattr(weights_module, "BATCH_SIZE", 8)

    def site(name, label):
        pages = [
            DataPage(
                "auto",
                name,
                f"{n:04}",
                f"<p><b>{label}</b> <i>${n},500</i><p><b>Doors</b> <i>{n}</i>".encode(),
                {"price": (f"${n},500",)},
            )
            for n in range(2, 14)
        ]
        return read_site(pages, ["price"])

    real = [(each.together, each.alone) for each in (site(name, "Price:") for name in ("one", "two", "three"))]
    invented = [site(name, "Cost:").alone for name in ("four", "five")]
    page = described(
        "<p><b>Cost:</b> <i>on request</i><p><b>Price:</b> <i>on request</i><p><b>Doors</b> <i>on request</i>"
    )
    bags = make_bags(page, None, GROUPS_USED)
    says = {}
    for name, further in (("without", []), ("with", invented)):
        weights = fit_model(real, [], 1, invented=further).verticals["auto"].weights.dense
        says[name] = weights.contributions(bags).sum(axis=1)[:, 1].tolist()
    cost, price, doors = (page.texts.index("on request") + step for step in (0, 2, 4))
    assert [page.texts[node] for node in (cost, price, doors)] == ["on request"] * 3
    assert says["without"][price] > says["without"][cost] + 0.5
    assert says["with"][cost] > says["with"][doors] + 0.5


def test_sums_made_in_chunks_are_the_same(monkeypatch):
    bags = make_bags(described("".join(f"<p class=a{n}>{n} tea" for n in range(10))))
    table = np.random.default_rng(1).normal(size=(1 << BITS, 3)).astype(np.float32)
    weights = TokenWeights(table, np.zeros(3, dtype=np.float32))
    whole = weights.contributions(bags)
    monkeypatch.setattr(weights_module, "CHUNK", 3)
    assert np.allclose(weights.contributions(bags), whole, atol=1e-5)
    assert np.abs(whole).sum() > 1


def test_the_name_of_an_attribute_is_looked_for_where_it_may_be_said():
    page = described("<p>Publication date: <b>2011</b><p class=publisher>Ace</p>")
    found = name_matches(page, ["publication_date", "publisher", "isbn_13"])
    ace, year = page.texts.index("Ace"), page.texts.index("2011")
    assert found[year, 0, 0] == 1.0
    assert found[ace, 1, 1] == 1.0
    assert not found[:, 2].any()


def test_ranks_are_counted_page_by_page():
    pages = [described("<p>a<p>b"), described("<p>c")]
    nodes = SiteNodes.of(pages, [np.zeros((len(page), 1), dtype=np.uint8) for page in pages])
    rank, best = ranks(nodes, np.array([1.0, 2.0, 0.0]))
    assert rank.tolist() == [1, 0, 0]
    assert best.tolist() == [2.0, 0.0]


def test_a_model_finds_values_on_pages_that_it_has_not_seen(model):
    page = described(NEW.format("2011 Nedra Orb", "$21,500"))
    (found,) = model.find([page], "auto")
    assert found.vertical.name == "auto"
    column = 1 + found.vertical.attributes.index("price")
    assert found.chances[:, column].argmax() == page.texts.index("$21,500")
    assert np.allclose(found.chances[:, 0], 1 - found.chances[:, 1:].max(axis=1))


@pytest.mark.parametrize("has_words", [True, False])
def test_the_verticals_are_told_apart_by_words_and_by_what_is_found(model, has_words):
    if not has_words:  # pages of another time: no word says anything
        blank = TokenWeights(np.zeros((1 << BITS, 3), dtype=np.float32), np.zeros(3, dtype=np.float32))
        model = replace(model, detector=SparseWeights.of(blank))
    pages = list(generate_sample(2, ("auto", "book"), 2))
    told = [model.find([described(page.html)])[0].vertical for page in pages]
    right = [found is not None and found.name == page.vertical for found, page in zip(told, pages, strict=True)]
    assert len(right) == 24
    assert sum(right) >= (0.9 if has_words else 0.8) * len(right)
    assert page_tokens(make_bags(described(""))).shape == (0,)


def test_pages_of_a_site_are_told_apart_together(model):
    cars = [page.html for page in generate_sample(2, ("auto",), 4)][:4]
    found = model.find([described(html) for html in [*cars, ""]])
    assert {each.vertical.name for each in found} == {"auto"}
    assert [len(each.chances) > 0 for each in found] == [True] * 4 + [False]


def test_a_page_without_attributes_is_about_something_else(model):
    blank = TokenWeights(np.zeros((1 << BITS, 3), dtype=np.float32), np.zeros(3, dtype=np.float32))
    unsure = replace(model, detector=SparseWeights.of(blank))
    assert (
        unsure.find([described("<h1>Tea</h1><p>Tea is dear this year, they say, and so is cake.")])[0].vertical is None
    )


def test_judged_pages_are_tables_of_chances(model, sites):
    site = sites[0].together
    tables = judged(model, site)
    assert [table.shape for table in tables] == [(len(page), len(site.attributes) + 1) for page in site.pages]
    assert all((table >= 0).all() and (table <= 1).all() for table in tables)


def test_a_saved_model_gives_the_same_answers(model, model_file):
    page = described(NEW.format("2011 Nedra Orb", "$21,500"))
    again = AttributeModel.load(model_file)
    assert (again.find([page], "auto")[0].chances == model.find([page], "auto")[0].chances).all()
    assert again.verticals["book"].several == model.verticals["book"].several


def test_files_that_are_no_model_are_refused(tmp_path):
    (tmp_path / "text").write_text("no model")
    save_file({"x": np.zeros(1)}, tmp_path / "other")
    for name, message in (
        ("text", "can be read"),
        ("other", "no attribute model of this version"),
        ("none", "no model"),
    ):
        with pytest.raises(BadData, match=message):
            load_model(tmp_path / name)


@pytest.mark.parametrize(
    ("array", "spoil", "fault"),
    [
        ("vertical/auto/rows", lambda rows: rows + (1 << BITS), "from 0 to 262143"),
        ("vertical/auto/rows", lambda rows: -rows, "from 0 to 262143"),
        ("vertical/auto/values", lambda values: values * np.float16("nan"), "no number"),
        ("vertical/auto/values", lambda values: values[:3].copy(), "do not fit"),
        ("detector/bias", lambda bias: bias[:1].copy(), "do not fit"),
        ("alone/left", lambda left: left + left.shape[1], "outside its tree"),
        ("alone/value", lambda value: value + np.inf, "no number"),
        ("alone/threshold", lambda threshold: threshold.astype(np.float32), "64-bit"),
        ("alone/depth", lambda depth: depth * 0 + 2**30, "cannot be 1073741824 deep"),  # in a circle, for hours
        ("alone/feature", lambda feature: feature[:, :0].copy(), "one size"),
        ("verticals", lambda about: "[" * 100_000, "RecursionError"),
        ("verticals", lambda about: about.replace('["auto", [', '["auto", ["one_more", '), "classes, not"),
    ],
)
def test_models_with_numbers_out_of_range_are_refused(array, spoil, fault, model_file, tmp_path):
    with safe_open(model_file, framework="numpy") as opened:
        about = opened.metadata()
        arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    holder = about if array == "verticals" else arrays
    holder[array] = spoil(holder[array])
    save_file(arrays, tmp_path / "spoilt", about)
    with pytest.raises(BadData, match=fault):
        AttributeModel.load(tmp_path / "spoilt")


def test_judges_that_ask_for_more_than_is_known_are_told(model):
    judge = replace(model.alone, feature=model.alone.feature + 1000)
    with pytest.raises(MissingWeights, match="of another version"):
        replace(model, alone=judge).find([described(NEW.format("2011 Nedra Orb", "$21,500"))], "auto")


def test_unknown_verticals_are_named(model):
    with pytest.raises(UnknownName, match="auto, book"):
        model.find([described("<p>x")], "cars")


def test_the_task_names_what_it_cannot_do(sites):
    with pytest.raises(BadConfig, match="swde-published or swde-strict"):
        train_attributes(sites, "d", "pages", 3, 1)
    with pytest.raises(BadConfig, match="3 seed sites or more"):
        train_attributes(sites, "d", "swde-strict", 1, 1)
    with pytest.raises(BadConfig, match="leave none to test"):
        train_attributes(sites, "d", "swde-strict", 6, 1)
    with pytest.raises(UnknownName, match="group of tokens"):
        read_data("sample", groups=["text", "colour"])


def test_the_task_scores_unseen_sites(sites, monkeypatch):
    monkeypatch.setitem(training.JUDGE, "max_iter", 20)
    autos = [site for site in sites if site.together.vertical == "auto"]
    outcome = train_attributes(autos, "sample", "swde-published", 4, 1)
    assert list(outcome.scores) == ["auto"]
    assert len(outcome.scores["auto"]) == 2
    assert outcome.metrics()["overall"]["f1"] > 0.6
    assert "swde-published(k=4)" in outcome.signature
    table = sweep_report([outcome.metrics() | {"overrides": {"seed": "1"}}], "s")  # without trivial models beside it
    assert table.columns == ("runs", "F1 all", "F1 auto")
    assert table.signature == outcome.signature


def write_pages(folder, count=4):
    files = []
    for page in list(generate_sample(2, ("auto",), count))[:count]:
        files.append(folder / f"{page.page_id}.html")
        files[-1].write_text(page.html)
    return files


def invoke(*arguments):
    return CliRunner().invoke(app, ["extract", *map(str, arguments)])


def test_extract_prints_a_line_of_json_for_each_source(model_file, tmp_path):
    files = write_pages(tmp_path)
    result = invoke(*files[:2], tmp_path / "missing.html", "--model", model_file)
    assert result.exit_code == 1
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert list(lines[0]) == ["source", "url", "title", "values"]
    assert list(lines[0]["values"][0]) == ["text", "attribute", "xpath", "confidence"]
    assert "error" in lines[2]


def test_xpaths_of_values_resolve_in_lxml(model_file, tmp_path):
    from lxml import html

    (file,) = write_pages(tmp_path, 1)
    (line,) = map(json.loads, invoke(file, "--model", model_file).stdout.splitlines())
    document = html.document_fromstring(file.read_bytes())
    assert line["values"]
    for value in line["values"]:
        (text,) = document.xpath(value["xpath"])
        assert " ".join(text.split()) == value["text"]


def test_pages_of_a_site_are_read_together(model_file, tmp_path):
    pages = list(generate_sample(2, ("auto",), 12))[:12]
    files = [tmp_path / f"{page.page_id}.html" for page in pages]
    for file, page in zip(files, pages, strict=True):
        file.write_text(page.html)
    options = ("--model", model_file, "--vertical", "auto", "--format", "csv")
    together, alone = invoke("--site", *files, *options), invoke(*files, *options)
    assert together.exit_code == 0
    assert together.stdout != alone.stdout
    found = {tuple(row[:3]) for row in csv.reader(together.stdout.splitlines())}
    true = {
        (str(file), name, text)
        for file, page in zip(files, pages, strict=True)
        for name, texts in page.truth.items()
        for text in texts
    }
    assert ("source", "attribute", "text") in found
    assert len(found & true) >= 0.9 * max(len(true), len(found) - 1)


def test_text_and_builder(model_file, tmp_path, monkeypatch):
    (file,) = write_pages(tmp_path, 1)
    options = ("--model", model_file, "--vertical", "auto", "--min-confidence", "0.2")
    shown = invoke(file, *options, "--format", "text").stdout
    assert "price" in shown
    (tmp_path / "mine.py").write_text("def names(values):\n    return sorted({value.attribute for value in values})\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    built = json.loads(invoke(file, *options, "--builder", "mine:names").stdout)
    assert "price" in built["result"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vertical", "cars"], "did you mean|Available"),
        (["--builder", "nowhere:f"], "not found"),
        (["--model", "nowhere"], "no model"),
        (["--min-confidence", "2"], "min-confidence"),
    ],
)
def test_wrong_arguments_are_told_before_any_page_is_read(arguments, message, tmp_path):
    import re

    (file,) = write_pages(tmp_path, 1)
    result = invoke(file, *arguments)
    assert result.exit_code == 2
    assert re.search(message, result.stderr)


def test_pages_without_values_are_empty_results(model_file):
    model = load_model(Path(model_file))
    for html in ("<html></html>", "<script>x</script>"):
        assert edrew_torch.extract(html, model).values == ()


def test_a_page_about_something_else_says_so(tmp_path):
    (tmp_path / "story.html").write_text(
        "<h1>Tea</h1>" + "<p>Tea is dear this year, they say, and so is cake.</p>" * 20
    )
    result = invoke(tmp_path / "story.html")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["values"] == []
    assert "about none of auto, book" in result.stderr


def test_a_page_of_endless_texts_is_read_as_far_as_memory_is_sure_to_do(model_file):
    model = load_model(Path(model_file))
    page = "<title>2011 Nedra Orb</title><p>MSRP:<p>$21,500" + "<p>x" * MAX_TEXTS + "<p>$9"
    result = edrew_torch.extract(page, model, "auto", min_confidence=0)
    assert any("only the first 100,000 texts" in each for each in result.warnings)
    assert "$21,500" in {each.text for each in result.values}
    assert "$9" not in {each.text for each in result.values}


def test_a_builder_gets_the_list_of_values(model_file):
    model = load_model(Path(model_file))
    texts = edrew_torch.extract(
        NEW.format("2011 Nedra Orb", "$21,500"), model, "auto", builder=lambda values: [v.text for v in values]
    )
    assert "$21,500" in texts


def test_one_page_where_several_are_asked_for_is_told(model_file):
    model = load_model(Path(model_file))
    for call in (edrew_torch.extract_site, edrew_torch.wrap_site):
        with pytest.raises(BadConfig, match=r"one str: give a list of them, \[page\]"):
            call("<p>Tea</p>", model)
    with pytest.raises(BadConfig, match="needs 2 pages of a site"):
        edrew_torch.wrap_site(["<p>Tea</p>"], model)


def test_what_goes_wrong_in_a_builder_is_told_of_its_page_alone(tmp_path, monkeypatch):
    (tmp_path / "odd.py").write_text(
        "def first(values):\n    return {values[0].attribute, 'b'}\n\ndef endless(values):\n    return float('nan')\n"
    )
    (tmp_path / "broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "a.html").write_text("<html></html>")
    (tmp_path / "b.html").write_text(NEW.format("2011 Nedra Orb", "$21,500"))
    result = invoke(tmp_path / "a.html", tmp_path / "b.html", "--vertical", "auto", "--builder", "odd:first")
    assert result.exit_code == 1
    failed, built = map(json.loads, result.stdout.splitlines())
    assert "IndexError" in failed["error"]
    assert built["result"] == sorted(built["result"])
    assert "ValueError" in invoke(tmp_path / "b.html", "--vertical", "auto", "--builder", "odd:endless").stderr
    broken = invoke(tmp_path / "b.html", "--builder", "broken:f")
    assert (broken.exit_code, "ZeroDivisionError" in broken.stderr) == (2, True)


def test_a_list_keeps_what_comes_twice_in_it():
    page = described("<h1>Jam</h1><ul><li>1<li>cup<li>sugar<li>1<li>cup<li>plums</ul><p>sugar</p><p>© 1</p>")
    chances = np.zeros((len(page), 2))
    chances[1:8, 1] = (0.9, 0.8, 0.9, 0.9, 0.8, 0.9, 0.6)  # the last is "sugar" behind the list
    found = Found(Vertical("recipe", ("ingredients",), frozenset({"ingredients"}), None), chances)
    told = [page.texts[node] for node, _, _ in page_picks(found, page)]
    assert told == ["1", "cup", "sugar", "1", "cup", "plums"]
    single = Found(Vertical("recipe", ("ingredients",), frozenset(), None), chances)
    assert [page.texts[node] for node, _, _ in page_picks(single, page)] == ["1"]


def test_groups_are_switches():
    (one, *_), _ = read_data("sample", verticals=["auto"], pages=2, groups=["text"])
    (two, *_), _ = read_data("sample", verticals=["auto"], pages=2, groups=GROUPS_USED)
    assert 0 < len(one.alone.bags[0].tokens) < len(two.alone.bags[0].tokens)


def test_a_wrapper_is_made_of_the_models_own_predictions(model_file, tmp_path):
    model = load_model(Path(model_file))
    pages = [page for page in generate_sample(1, ("auto",), 12) if page.site == "wheelpost"]
    wrapper = edrew_torch.wrap_site([page.html for page in pages[:8]], model, "auto")
    assert "price" in {field.name for field in wrapper.fields}
    edrew_torch.save_wrapper(wrapper, tmp_path / "site.json")
    again = edrew_torch.load_wrapper(tmp_path / "site.json")
    right = 0
    for page in pages[8:]:
        found = {value.attribute: value.text for value in edrew_torch.apply_wrapper(again, page.html).values}
        right += found.get("price") in page.truth["price"]
    assert right >= 3


def test_wrapping_without_examples_tells_when_nothing_is_sure(model_file):
    with pytest.raises(edrew_torch.EdrewError, match="give examples"):
        edrew_torch.wrap_site(["<p></p>", "<p></p>"], load_model(Path(model_file)), "auto")
