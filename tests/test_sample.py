"""The embedded sample: what it promises to the data sets, encoders and tests built on it."""

import hashlib
import html
import os
import subprocess
import sys
from itertools import combinations, groupby

import pytest
from lxml.html import document_fromstring

from edrew_torch.datasets.sample import SITES, VERTICALS, generate_sample, read_further, read_sample, write_sample
from edrew_torch.datasets.sample_layouts import collect_truth
from edrew_torch.datasets.sample_sites import FAMILIES, read_family

from .conftest import files_below

BOM = b"\xef\xbb\xbf"
TRUTH_OF_SWDE = {
    "auto": {"model", "price", "engine", "fuel_economy"},
    "book": {"title", "author", "isbn_13", "publisher", "publication_date"},
    "camera": {"model", "price", "manufacturer"},
    "job": {"title", "company", "location", "date_posted"},
    "movie": {"title", "director", "genre", "mpaa_rating"},
    "nbaplayer": {"name", "team", "height", "weight"},
    "restaurant": {"name", "address", "phone", "cuisine"},
    "university": {"name", "phone", "website", "type"},
}


def clean(text):
    return " ".join(html.unescape(text).split())


def parse(page):
    return document_fromstring(BOM + page.html.encode())


def text_nodes(root):
    texts = root.xpath("//text()[not(parent::script) and not(parent::style)]")
    return [" ".join(text.split()) for text in texts if text.strip()]


def tag_paths(root):
    paths = {}
    for element in root.iter("*"):  # parents come first
        paths[element] = f"{paths.get(element.getparent(), '')}/{element.tag}"
    return set(paths.values())


@pytest.fixture(scope="module")
def sample():
    return list(generate_sample())


@pytest.fixture(scope="module")
def texts(sample):
    """The text nodes of each page, in the order of `sample`."""
    return [text_nodes(parse(page)) for page in sample]


def test_it_has_the_verticals_and_attributes_of_swde(sample):
    assert {name: set(attributes) for name, attributes in VERTICALS.items()} == TRUTH_OF_SWDE
    assert len(sample) == 8 * 6 * 30
    assert all(tuple(page.truth) == VERTICALS[page.vertical] for page in sample)


def test_a_page_depends_on_seed_vertical_site_and_number_only(sample):
    wanted = {(page.site, page.page_id): page for page in sample}
    for page in generate_sample(verticals=["movie", "book"], pages=3):
        assert page == wanted[page.site, page.page_id]
    assert next(generate_sample(seed=2)) != next(generate_sample(seed=1))


def test_it_is_the_same_in_another_process():
    script = (
        "import hashlib; from edrew_torch.datasets.sample import generate_sample as g;"
        "print(hashlib.sha256(repr(list(g(1, ['book'], 2))).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script]
    there = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    here = hashlib.sha256(repr(list(generate_sample(1, ["book"], 2))).encode()).hexdigest()
    assert there.stdout.strip() == here


def test_every_truth_value_is_a_whole_text_node(sample, texts):
    for page, nodes in zip(sample, texts, strict=True):
        values = {clean(value) for found in page.truth.values() for value in found}
        assert values <= set(nodes), (page.site, page.page_id, values - set(nodes))
        assert "" not in values


def test_truth_values_are_source_text(sample):
    values = [value for page in sample for found in page.truth.values() for value in found]
    assert all(value == " ".join(value.split()) for value in values)
    raw = [value for value in values if value != html.unescape(value)]
    assert len(raw) > 0.05 * len(values)
    for entity in ("&amp;", "&nbsp;", "&eacute;", "&#39;"):
        assert any(entity in value for value in raw), entity


def test_every_attribute_is_found_and_sometimes_missing(sample):
    for vertical, attributes in VERTICALS.items():
        pages = [page for page in sample if page.vertical == vertical]
        for number, attribute in enumerate(attributes):
            absent = sum(not page.truth[attribute] for page in pages) / len(pages)
            assert absent < 0.2, (vertical, attribute)
            assert (absent > 0) == (number > 0), (vertical, attribute)  # the name is always there
    several = {attribute for page in sample for attribute, found in page.truth.items() if len(found) > 1}
    assert several >= {"author", "genre", "address", "phone", "cuisine", "fuel_economy"}


def test_some_nodes_hold_label_and_value(sample):
    values = [value for page in sample for value in page.truth.get("isbn_13", ())]
    labelled = [value for value in values if ":" in value]
    assert 0 < len(labelled) < len(values) / 2


def test_pages_have_the_size_of_pages(sample, texts):
    for page, nodes in zip(sample, texts, strict=True):
        assert 8_000 <= len(page.html.encode()) <= 60_000
        assert 60 <= len(nodes) <= 400
        assert page.html.startswith(f'<base href="http://www.{page.site}.example/')
        assert page.html.splitlines()[1].lower().startswith("<!doctype html")
        assert not any(mark in page.html for mark in "\x02\x1f\x03\ufeff")


def test_sites_of_a_vertical_share_few_tag_paths():
    overlaps = []
    for vertical in VERTICALS:
        paths = {}
        for page in generate_sample(verticals=[vertical], pages=8):
            paths.setdefault(page.site, set()).update(tag_paths(parse(page)))
        overlaps += [len(a & b) / len(a | b) for a, b in combinations(paths.values(), 2)]
    assert max(overlaps) < 0.5
    assert sum(overlaps) / len(overlaps) < 0.2


def test_sites_of_a_family_differ():
    firsts = [tag_paths(parse(page)) for page in generate_sample(pages=1)]
    for number in range(len(FAMILIES)):
        family = firsts[number :: len(FAMILIES)]
        assert all(one != two for one, two in combinations(family, 2))


def test_names_are_plain_and_every_family_has_every_part():
    names = [name for sites in SITES.values() for name in sites]
    assert len(set(names)) == 48
    assert all(name.isascii() and name.isalpha() and name.islower() for name in names)
    parts = [list(read_family(family)) for family in FAMILIES]
    assert all(sorted(found) == sorted(parts[0]) for found in parts)


def test_marks_widen_to_the_text_node():
    marked = "<p>A &amp; B: \x02x\x1fone\x03 (\x02y\x1ftwo\x03)<br>\x02x\x1fthree\x03</p>"
    page, truth = collect_truth(marked, ["x", "y", "z"])
    assert page == "<p>A &amp; B: one (two)<br>three</p>"
    both = "A &amp; B: one (two)"
    assert truth == {"x": (both, "three"), "y": (both,), "z": ()}


def test_the_layout_on_disk_is_that_of_swde(tmp_path):
    target = tmp_path / "root"
    write_sample(target, verticals=["job", "restaurant"], pages=12)
    assert list(tmp_path.iterdir()) == [target]
    files = files_below(target)
    pages = list(generate_sample(verticals=["job", "restaurant"], pages=12))
    assert len(files) == len(pages) + 6 * (4 + 4)

    for page in pages:
        name = f"{page.vertical}/{page.vertical}-{page.site}(12)/{page.page_id}.htm"
        assert files[name] == BOM + page.html.encode()

    nulls = 0
    for (vertical, site), group in groupby(pages, key=lambda page: (page.vertical, page.site)):
        truths = [(page.page_id, page.truth) for page in group]
        for attribute in VERTICALS[vertical]:
            content = files[f"groundtruth/{vertical}/{vertical}-{site}-{attribute}.txt"]
            assert content.startswith(BOM)
            assert content.endswith(b"\n")
            header, counts, *lines = [line.split("\t") for line in content[len(BOM) :].decode().splitlines()]
            found = [value for _, truth in truths for value in truth[attribute]]
            filled = sum(1 for _, truth in truths if truth[attribute])
            assert header == [vertical, site, attribute]
            assert [int(count) for count in counts] == [12, filled, len(found), len(set(found))]
            for (page_id, truth), line in zip(truths, lines, strict=True):
                values = truth[attribute]
                assert line == [page_id, str(len(values)), *(values or ("<NULL>",))]
                nulls += not values
    assert nulls > 0


def test_writing_twice_gives_the_same_bytes(tmp_path):
    write_sample(tmp_path, verticals=["camera"], pages=2)
    first = files_below(tmp_path)
    write_sample(tmp_path, verticals=["camera"], pages=2)
    assert files_below(tmp_path) == first


def test_further_sites_are_others_than_those_of_the_sample():
    further = list(read_further("book", pages=2))
    assert [len(site) for site in further] == [2] * len(FAMILIES)
    assert not {site[0].site for site in further} & set(SITES["book"])
    known = {page.data for site in read_sample(1, ["book"], pages=2) for page in site}
    assert not known & {page.data for site in further for page in site}
    assert all(set(page.truth) == set(VERTICALS["book"]) for site in further for page in site)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"verticals": ["cars"]}, "no vertical named 'cars'; did you mean 'camera'"),
        ({"pages": 0}, "pages is 0; a site has between 1 and 10000 pages"),
        ({"pages": 10_001}, "pages is 10001; a site has between 1 and 10000 pages"),
    ],
)
def test_wrong_arguments_are_named_at_once(arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        generate_sample(**arguments)
    with pytest.raises(ValueError, match=message):
        write_sample(tmp_path / "root", **arguments)
    assert not list(tmp_path.iterdir())
