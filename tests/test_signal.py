import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from typer.testing import CliRunner

from edrew_torch import extract_records
from edrew_torch.cli import app
from edrew_torch.cli.arguments import Method
from edrew_torch.datasets.lists import ListPage, find_element, read_list_pages, sites_for_testing
from edrew_torch.datasets.sample_lists import FORMS, make_article_page, make_list_page
from edrew_torch.errors import BadConfig, BadData, MissingWeights, UnknownName
from edrew_torch.metrics.records import score_record_texts
from edrew_torch.metrics.statistics import micro
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.plots import plot_signal
from edrew_torch.records import align as alignment
from edrew_torch.records import quality
from edrew_torch.records.align import align, distance, find_center
from edrew_torch.records.candidates import find_candidates
from edrew_torch.records.features import (
    center_feature,
    horizontal_feature,
    record_feature,
    region_features,
    size_feature,
)
from edrew_torch.records.methods import METHODS, read_settings
from edrew_torch.records.methods import find_regions as record_regions
from edrew_torch.records.quality import QUALITY_MODEL, candidate_features
from edrew_torch.records.regions import contour, find_regions, fit_line, flat_parts, merge_parts
from edrew_torch.records.sequence import HIDDEN_TAGS, page_sequence
from edrew_torch.records.signal import (
    SignalSettings,
    plain_regions,
    signal_lists,
)
from edrew_torch.records.spectrum import FullPsd, LazyPsd, find_cycle, measure_gaps
from edrew_torch.records.tables import join_address, make_cell
from edrew_torch.records.tree_ensemble import TreeEnsemble
from tests.markup import markup
from tests.test_cli import edrew

PLAIN = SignalSettings(plain=True)

# --- the worked figures of the thesis ---

POSITIONS = "1 32 65 95 129 159 193 220 254 283 313 344 375 402 431 461 488 518 552 588"


def test_gaps_of_the_worked_example():
    gaps = measure_gaps(np.array([int(place) for place in POSITIONS.split()]))
    assert len(POSITIONS.split()) == 20
    assert gaps.mean == pytest.approx(30.895, abs=5e-4)
    assert gaps.deviation == pytest.approx(2.6435, abs=5e-5)
    assert 100 * gaps.cv == pytest.approx(8.5564, abs=0.01)
    assert 100 * measure_gaps(np.array([1, 3, 5, 8])).cv == pytest.approx(24.744, abs=0.01)


def test_features_of_the_worked_example():
    found = {
        "size": size_feature(618, 1336),
        "center": center_feature(667 + 117, 667),
        "horizontal": horizontal_feature(1336 - 554, 1336),
        "record": record_feature(20, 31),
        "vertical": 263 / 391,
        "range": (283 - 254) / 391,
    }
    expected = {"size": 46.25, "center": 82.46, "horizontal": 41.47, "record": 64.51, "vertical": 67.26, "range": 7.42}
    assert {name: 100 * value for name, value in found.items()} == pytest.approx(expected, abs=0.011)
    # and the same by way of a whole sequence: a region of 618 codes from 254 to 283 in one of 1336 codes up to 391
    tps = np.ones(1336, dtype=np.int64)
    tps[475:1093] = 254 + np.arange(618) % 30
    tps[-1] = 391
    features = region_features(tps, 475, 1093, 20)
    assert 100 * features.size == pytest.approx(46.25, abs=0.011)
    assert 100 * features.range == pytest.approx(7.42, abs=0.011)
    assert features.record == pytest.approx(20 / 30.9)
    assert features.product == pytest.approx(np.prod(features.vector()))


# --- sequence and regions ---


def test_codes_are_equal_where_path_and_style_are():
    page = page_sequence(
        parse_tree('<div><p class="a">x</p><p class="b">y</p><p class="a">z</p></div><p class="a">w</p>')
    )
    code = {
        page.texts[place + 1]: int(page.code[place]) for place in range(len(page)) if page.texts[place + 1 : place + 2]
    }
    assert code["x"] == code["z"] != code["y"]
    assert code["w"] not in (code["x"], code["y"])  # another path
    assert page.code[page.node == 0][0] == 1
    assert sorted(set(page.code.tolist())) == list(range(1, int(page.code.max()) + 1))


@given(markup())
def test_ends_depths_and_codes_follow_the_tree(text):
    page = page_sequence(parse_tree(text))
    for place in range(len(page)):
        up = int(page.parent[place])
        assert page.tree.parent[page.node[place]] == (page.node[up] if up >= 0 else -1)
        assert up < 0 or (up < place < page.end[place] <= page.end[up] and page.depth[place] == page.depth[up] + 1)
    assert all(page.tree.name(node) not in HIDDEN_TAGS for node in page.node.tolist())


def test_hidden_elements_are_no_part_of_the_sequence():
    page = page_sequence(parse_tree("<head><title>t</title></head><script>s</script><style>c</style><p>seen"))
    assert page.text(0, len(page)) == "seen"


def test_regions_of_a_cyclic_sequence():
    tps = np.array([1, 2, *[3, 4, 5] * 4, 6, 7, 8, *[9, 10] * 5])
    assert (contour(tps) == np.maximum.accumulate(tps)).all()
    assert flat_parts(tps) == [(4, 14), (18, 27)]  # a code that is new raises the contour: it starts the flat part
    assert merge_parts(tps, [(4, 14), (18, 27)]) == [(4, 14), (18, 27)]
    assert merge_parts(np.array([1, 2, 2, 3, 3, 2, 2]), [(1, 3), (3, 7)]) == [(1, 7)]
    assert find_regions(tps, 0.3) == [(4, 14), (18, 27)]
    assert find_regions(np.array([9, 9, 1, 1, 1]), 0.3) == []  # it falls
    assert fit_line(np.array([2])).slope == 0


@given(st.lists(st.integers(1, 30), min_size=2, max_size=60))
def test_a_line_is_that_of_least_squares(values):
    line = fit_line(np.array(values))
    slope, intercept = np.polyfit(np.arange(len(values)), values, 1)
    assert (line.slope, line.intercept) == pytest.approx((slope, intercept), abs=1e-6)


# --- spectrum ---


@given(st.lists(st.integers(1, 50), min_size=4, max_size=80))
def test_single_coefficients_are_those_of_the_whole_spectrum(values):
    region = np.array(values)
    full, lazy = FullPsd(region), LazyPsd(region)
    for frequency in range(1, len(values) // 2 + 1):
        assert lazy.power(frequency) == pytest.approx(full.power[frequency], abs=1e-4)
    assert lazy.mean == pytest.approx(full.power.mean(), abs=1e-4)  # Parseval


@pytest.mark.parametrize("psd", ["full", "lazy"])
def test_a_cycle_is_found_by_its_first_even_code(psd):
    region = np.array([5, 6, 7, 7, 8] * 12)
    cycle = find_cycle(region, psd, max_cv=0.4, min_peak=3.0)
    assert cycle is not None
    assert (cycle.code, cycle.starts.tolist()) == (5, list(range(0, 60, 5)))
    assert find_cycle(np.array([1, 2, 3, 4, 5, 6]), psd, 0.4, 3.0) is None
    assert find_cycle(np.full(20, 4), psd, 0.4, 3.0) is None  # no signal: all of one code
    assert find_cycle(np.array([1]), psd, 0.4, 3.0) is None


# --- alignment ---


def test_records_align_in_columns_and_optional_parts_share_one():
    rows = align([(1, 2, 3), (1, 9, 3), (1, 2, 3), (1, 9, 2, 3), (3,)])
    assert len({len(row) for row in rows}) == 1
    sequences = [(1, 2, 3), (1, 9, 3), (1, 2, 3), (1, 9, 2, 3), (3,)]
    for column in zip(*rows, strict=True):  # a column holds one kind of cell
        assert len({codes[index] for codes, index in zip(sequences, column, strict=True) if index is not None}) == 1
    assert align([]) == []
    assert align([(), (1,)]) == [[None], [0]]


@given(st.lists(st.lists(st.integers(1, 4), max_size=8).map(tuple), min_size=1, max_size=6))
def test_alignment_keeps_every_element_in_order(sequences):
    rows = align(sequences)
    assert len({len(row) for row in rows}) == 1
    for codes, row in zip(sequences, rows, strict=True):
        assert [index for index in row if index is not None] == list(range(len(codes)))


@given(st.lists(st.integers(1, 3), max_size=7).map(tuple), st.lists(st.integers(1, 3), max_size=7).map(tuple))
def test_distance_is_the_edit_distance(one, other):
    def naive(a: tuple[int, ...], b: tuple[int, ...], cost: int) -> int:
        if not a or not b:
            return len(a) + len(b)
        swap = naive(a[1:], b[1:], cost) + (cost if a[0] != b[0] else 0)
        return min(swap, naive(a[1:], b, cost) + 1, naive(a, b[1:], cost) + 1)

    for cost in (1, 2):
        assert distance(one, other, cost) == naive(one, other, cost)


def test_the_center_is_nearest_to_all(monkeypatch):
    sequences = [(1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4, 5)]
    assert find_center(sequences, Counter(sequences)) == (1, 2, 3, 4)
    monkeypatch.setattr(alignment, "MAX_CELLS", 3)  # too long to compare: linear, every element still in its place
    rows = align([(1, 2, 3, 1), (1, 3, 1), (2, 2, 3)])
    assert [[index for index in row if index is not None] for row in rows] == [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2]]


def test_records_with_nothing_in_common_are_packed_and_not_spread_over_a_column_each():
    rows = align([(1, 1000 + n) for n in range(400)])
    assert rows == [[0, 1]] * 400
    assert align([(1, 2), (1, 3), (1,)]) == [[0, 1, None], [0, None, 1], [0, None, None]]


# --- the extractor ---


def records_f1(form: str, seeds: range) -> float:
    scores = []
    for seed in seeds:
        made = make_list_page(seed, form)
        page = page_sequence(parse_tree(made.html))
        best = next((each.records for each in signal_lists(page) if each.content), ())
        texts = [" ".join(record) for record in made.records]
        scores.append(score_record_texts([page.text(*record) for record in best], texts))
    return micro(scores).f1


@pytest.mark.parametrize("form", sorted(FORMS))
def test_records_of_every_form_of_list_are_found(form):
    """On invented pages that no model was trained on (training has the seeds 0 to 999)."""
    assert records_f1(form, range(1000, 1012)) > 0.7


def test_invented_pages_are_repeatable_and_their_records_are_in_them():
    one, again = (make_list_page(5) for _ in range(2))
    assert one == again != make_list_page(6)
    text = page_sequence(parse_tree(one.html)).text(0, 10**9)
    assert all(field in text for record in one.records for field in record)


def test_cells_hold_text_link_image_and_an_xpath_that_lxml_finds():
    items = "".join(
        f'<li><a href="item?n={n}"><img src="/i/{n}.png">Tea  no. {n}</a>'
        f"<p>Fine leaves from the {n}th hill</p><b>${n}.50</b></li>"
        for n in range(1, 9)
    )
    text = f'<html><head><base href="http://shop.example/list/"></head><body><ul>{items}</ul></body></html>'
    result = extract_records(text)
    (region,) = result.content
    assert [len(row) for row in region.rows] == [4] * 8
    image, name, about, price = region.rows[2]
    assert (image.text, image.src, image.href) == (
        "",
        "http://shop.example/i/3.png",
        "http://shop.example/list/item?n=3",
    )
    assert (name.text, name.href, name.src) == ("Tea no. 3", "http://shop.example/list/item?n=3", None)
    assert (about.text, price.text, price.href) == ("Fine leaves from the 3th hill", "$3.50", None)
    root = lxml_html.document_fromstring(text)
    for row in region.rows:
        for cell in row:
            (found,) = root.xpath(cell.xpath)
            assert " ".join(found.split()) == cell.text if cell.src is None else found.tag == "img"


def test_optional_fields_leave_a_gap_in_their_column():
    sale = (1, 2, 5)
    items = "".join(
        f"<li><h3>Kettle number {n}</h3>{'<i>on sale</i>' if n in sale else ''}<p>Boils {n} litres of it</p><b>${n}</b>"
        for n in range(8)
    )
    (region,) = extract_records(f"<ul>{items}</ul>").content
    assert [[cell is None for cell in row] for row in region.rows] == [
        [False, n not in sale, False, False] for n in range(8)
    ]


def test_pages_without_records_are_no_error():
    for text in ("<p>One paragraph.", "<html></html>", "<script>x</script>", "<p></p>", "<ul><li>only one</ul>"):
        assert extract_records(text).regions == ()
        assert extract_records(text, "signal", settings=PLAIN).regions == ()


def test_articles_are_no_lists():
    called = [bool(extract_records(make_article_page(seed)).content) for seed in range(1000, 1040)]
    assert sum(called) <= 4


def test_noise_is_kept_on_demand():
    made = make_list_page(1000, "cards")
    wanted, everything = (extract_records(made.html, keep_noise=keep) for keep in (False, True))
    assert all(region.content for region in wanted.regions)
    assert {region.content for region in everything.regions} == {True, False}
    assert wanted.content == everything.content


def test_two_lists_of_a_page_are_two_regions():
    first, second = (make_list_page(seed, "cards") for seed in (1000, 1004))
    middle = [made.html[made.html.index("<body>") + 6 : made.html.index("</body>")] for made in (first, second)]
    regions = extract_records(
        f"<body><div>{middle[0]}</div><section>{middle[1]}</section></body>", keep_noise=True
    ).regions
    found = {len(region.rows) for region in regions}
    assert {len(first.records), len(second.records)} <= found


@pytest.mark.parametrize("chosen", [SignalSettings(), PLAIN, SignalSettings(plain=True, content="kmeans", psd="full")])
@settings(max_examples=340, deadline=None)
@given(text=markup())
def test_no_markup_raises(chosen, text):
    for region in record_regions(parse_tree(text), "signal", chosen, keep_noise=True):
        assert len(region.rows) >= 2 or chosen.plain
        assert len({len(row) for row in region.rows}) == 1
        assert 0 <= region.confidence <= 1


def test_deep_and_large_pages_work():
    deep = "<div>" * 20_000 + "<ul><li>a<li>b<li>c</ul>"
    assert extract_records(deep, keep_noise=True).regions == ()  # nobody writes lists so deep
    rows = "".join(f"<tr><td><a href=/{n}>Name {n}</a><td>Town of {n}<td>{n}.00</tr>" for n in range(4000))
    (region,) = extract_records(f"<h1>List</h1><table>{rows}</table>").content
    assert len(region.rows) == 4000


@pytest.mark.parametrize(
    "text",
    [
        "<div>x" * 5000,  # each level another path
        "<ul>" + "".join(f"<li><b>Title {n}</b><x-{n}>id {n}</x-{n}></li>" for n in range(3000)) + "</ul>",
        "<div>" + "".join(f"<p class=c{n}>text {n}</p>" for n in range(3000)) * 2 + "</div>",
        "<div>" + "".join(f"<{'pbiu'[n * n % 4]}>w{n}" for n in range(5000)),
    ],
)
def test_tables_do_not_grow_with_the_square_of_the_page(text):
    for region in extract_records(text, keep_noise=True).regions:
        cells = sum(cell is not None for row in region.rows for cell in row)
        assert sum(map(len, region.rows)) <= 20 * cells + 10_000


def test_a_link_without_an_address_inside_a_link_has_that_of_the_outer_one():
    page = page_sequence(parse_tree("<a href=' /o '><div><a>inner</a></div>tail</a>"))
    cells = {text: make_cell(page, page.texts.index(text), None) for text in ("inner", "tail")}
    assert {text: cell.href for text, cell in cells.items()} == {"inner": "/o", "tail": "/o"}


def test_plain_finds_even_records_and_both_spectra_agree_on_them():
    items = "".join(f"<li><h3>Kettle {n}</h3><p>Boils {n} litres</p><b>${n}</b></li>" for n in range(20))
    page = page_sequence(parse_tree(f"<h1>Kettles</h1><ul>{items}</ul><p>That is all.</p>"))
    for psd in ("full", "lazy"):
        (region,) = plain_regions(page, SignalSettings(plain=True, psd=psd))
        assert abs(len(region.records) - 20) <= 1  # the first record is new and raises the contour


def test_settings_are_checked_and_read_from_text():
    assert read_settings("signal", {"signal.plain": "true", "signal.min_z": "5"}) == SignalSettings(
        plain=True, min_z=5.0
    )
    with pytest.raises(UnknownName, match=r"did you mean 'signal.plain'"):
        read_settings("signal", {"signal.plian": "true"})
    with pytest.raises(BadConfig, match="true or false, not 'maybe'"):
        read_settings("signal", {"signal.plain": "maybe"})
    with pytest.raises(BadConfig, match="a number, not 'x'"):
        read_settings("signal", {"signal.max_cv": "x"})
    with pytest.raises(BadConfig, match=r"psd must be .*; content must be .*; max_cv must be"):
        SignalSettings(psd="half", content="none", max_cv=-1)
    with pytest.raises(UnknownName, match="no method named 'singal'; did you mean 'signal'"):
        extract_records("<p>x", method="singal")


def test_addresses_are_joined_as_far_as_they_can_be():
    assert join_address("http://a.example/x/", "y") == "http://a.example/x/y"
    assert join_address(None, "y") == "y"
    assert join_address("http://a.example/", "http://[broken") == "http://[broken"
    assert join_address("http://a.example/", None) is None


# --- the model ---


def test_tree_ensembles_predict_as_scikit_learn_does(tmp_path):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    generator = np.random.default_rng(1)
    features = generator.normal(size=(300, 5))
    target = features[:, 0] * features[:, 1] + generator.normal(size=300) / 10
    models = [HistGradientBoostingRegressor(max_iter=n, random_state=n).fit(features, target) for n in (10, 20)]
    ensembles = [TreeEnsemble.from_boosting(model) for model in models]
    for model, ensemble in zip(models, ensembles, strict=True):
        np.testing.assert_allclose(ensemble.predict(features), model.predict(features))
    both = TreeEnsemble.mean(ensembles)
    np.testing.assert_allclose(both.predict(features), np.mean([m.predict(features) for m in models], axis=0))
    classifier = HistGradientBoostingClassifier(max_iter=10, random_state=1).fit(features, target > 0)
    ensemble = TreeEnsemble.from_boosting(classifier)
    np.testing.assert_allclose(ensemble.predict(features), classifier.decision_function(features))
    ensemble.save(tmp_path / "deep" / "m.safetensors")
    loaded = TreeEnsemble.load(tmp_path / "deep" / "m.safetensors")
    assert (loaded.predict(features) == ensemble.predict(features)).all()
    (tmp_path / "no.safetensors").write_text("nothing")
    with pytest.raises(MissingWeights, match="holds no tree ensemble"):
        TreeEnsemble.load(tmp_path / "no.safetensors")


def test_the_embedded_model_reads_as_many_features_as_there_are():
    page = page_sequence(parse_tree(make_list_page(3).html))
    features = candidate_features(page, find_candidates(page))
    assert np.isfinite(features).all()
    assert TreeEnsemble.load(QUALITY_MODEL).feature.max() < features.shape[1]
    assert sum(file.stat().st_size for file in QUALITY_MODEL.parent.iterdir()) < 3_000_000


def test_features_of_large_pages_are_those_of_small_ones(monkeypatch):
    page = page_sequence(parse_tree(make_list_page(3).html))
    candidates = find_candidates(page)
    whole = candidate_features(page, candidates)
    monkeypatch.setattr(quality, "MANY_NODES", 10)
    np.testing.assert_allclose(candidate_features(page, candidates), whole)


# --- command line and plot ---


def test_records_prints_a_line_for_every_source(tmp_path):
    (tmp_path / "a.html").write_text(make_list_page(1000, "cards").html)
    (tmp_path / "b.html").write_text("<p>no list here")
    (tmp_path / "c.html").write_bytes(b"\x7fELF\0\0\0\0")
    done = edrew("records", tmp_path)
    assert done.returncode == 1
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert first["source"].endswith("a.html")
    (region,) = [region for region in first["regions"] if region["content"]]
    assert set(region) == {"content", "confidence", "method", "rows"}
    assert {"text", "xpath", "href"} <= set(next(cell for cell in region["rows"][0] if cell))
    assert second["regions"] == []
    assert "NotAPage" in third["error"]
    assert "NotAPage" in done.stderr


def test_records_prints_tables_and_csv_and_never_imports_torch(tmp_path, monkeypatch):
    file = tmp_path / "a.html"
    made = make_list_page(1000, "cards")
    file.write_text(made.html)
    table = edrew("records", file, "--format", "table", "--all")
    assert "records, content, confidence" in table.stdout
    assert "records, noise, confidence" in table.stdout
    assert "│" in table.stdout
    monkeypatch.setenv("COLUMNS", "20")  # too narrow for a table: a line for each text
    lines = edrew("records", file, "--format", "table").stdout.splitlines()
    assert [line for line in lines if line.startswith("record ")] == [
        f"record {number}" for number in range(1, len(made.records) + 1)
    ]
    assert all(f"  {text}" in lines for text in made.records[0])
    assert len(edrew("records", file, "--format", "csv").stdout.splitlines()) >= len(made.records)
    assert edrew("records", file, "--method", "signal", "--set", "signal.plain=true").returncode == 0
    wrong = edrew("records", file, "--method", "signal", "--set", "signal.plian=true")
    assert (wrong.returncode, "did you mean" in wrong.stderr) == (2, True)
    code = "import edrew_torch, sys; edrew_torch.extract_records(sys.argv[1]); assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code, str(file)], check=False).returncode == 0


def test_methods_of_the_command_line_are_those_of_the_package():
    assert {method.value for method in Method} == set(METHODS)


def test_a_page_is_drawn_as_a_signal(tmp_path):
    tree = parse_tree(make_list_page(1000, "cards").html)
    for name, first in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        plot_signal(tree, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(first)
    plot_signal(parse_tree("<p>x"), tmp_path / "empty.png")
    with pytest.raises(BadConfig, match=r"ends in \.png or \.svg"):
        plot_signal(tree, tmp_path / "a.docx")
    (tmp_path / "p.html").write_text(make_list_page(1000, "cards").html)
    done = edrew("records", tmp_path / "p.html", "--plot", tmp_path / "p.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "p.png").stat().st_size > 10_000
    (tmp_path / "q.html").write_text("<p>x")
    for source, target, message in (
        (tmp_path, "p.png", "draws one page, not 2"),
        (tmp_path / "p.html", "p.xyz", "ends in .png"),
        (tmp_path / "p.html", "no/p.png", "there is no folder"),
    ):
        wrong = CliRunner().invoke(app, ["records", str(source), "--plot", str(tmp_path / target)])
        assert (wrong.exit_code, wrong.stdout, message in wrong.stderr) == (2, "", True), wrong.stderr


# --- real pages ---


def test_sites_are_split_by_set_and_seed():
    pages = [ListPage("tbdw", f"s{n}", f"p{n}", b"") for n in range(9)] + [ListPage("unstructured", "u", "u", b"")]
    chosen = sites_for_testing(pages)
    assert len([site for site in chosen if site[0] == "tbdw"]) == 3
    assert ("unstructured", "u") in chosen
    assert chosen == sites_for_testing(pages) != sites_for_testing(pages, seed=2)


def test_absent_list_pages_are_told(tmp_path):
    with pytest.raises(BadData, match=r"truth\.json cannot be read .* Give the folder that holds records/"):
        next(iter(read_list_pages(tmp_path)))
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "truth.json").write_text("{}")
    (tmp_path / "records" / "records.tar.xz").write_bytes(b"no archive")
    with pytest.raises(BadData, match=r"records\.tar\.xz cannot be read"):
        next(iter(read_list_pages(tmp_path)))
    with pytest.raises(BadData, match="no set of list pages named nowhere"):
        next(iter(read_list_pages(tmp_path, ("nowhere",))))
    assert find_element(parse_tree("<p>a"), "/html/body/p[2]") is None


def test_a_true_record_that_is_hidden_or_absent_counts_as_missed():
    hidden = "<div><noscript><p>h</p></noscript><p>seen</p></div>", "<div><p>seen</p><noscript>h</noscript></div>"
    for text in hidden:
        page = page_sequence(parse_tree(text))
        given_page = ListPage("shops", "s", "n", b"", xpaths=("/html/body/div/noscript", "/html/body/div/p", "/html/x"))
        missed, found, absent = given_page.true_places(page)
        assert (missed, absent) == ({-1}, {-3})
        assert page.texts[next(iter(found))] == "seen"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("head", ["<tr><th>Pos<th>Name<th>Time", "<thead><tr><td>Pos<td>Name<td>Time</thead>"])
def test_the_head_of_a_table_is_no_record(method, head):
    rows = [(f"{n}", f"Runner no. {n}", f"2:{n + 20}") for n in range(1, 9)]
    body = "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows)
    (region,) = extract_records(f"<h1>Results</h1><table>{head}{body}</table>", method).regions
    assert [tuple(cell.text for cell in row) for row in region.rows] == rows
    labelled = "".join(f"<tr><th>{name}<th>{time}" for _, name, time in rows)  # all alike: these are the records
    (region,) = extract_records(f"<h1>Results</h1><table>{labelled}</table>", method).regions
    assert len(region.rows) == 8


@pytest.mark.realdata
def test_real_records_are_found_on_sites_held_out(data_folder: Path):
    """A floor under experiments/records: the sites of tbdw that no model was trained on."""
    pages = list(read_list_pages(data_folder, ("tbdw",)))
    held_out = sites_for_testing(pages)
    scores = []
    for given_page in pages:
        if (given_page.set, given_page.site) in held_out:
            page = page_sequence(parse_tree(Page.from_bytes(given_page.data)))
            best = next((each.records for each in signal_lists(page) if each.content), ())
            scores.append(given_page.score(page, best))
    assert len(scores) > 8
    assert micro(scores).f1 > 0.85
