import json
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from edrew_torch.datasets import prepared
from edrew_torch.datasets.labels import canonical_nodes, find_values, label_nodes, normalize
from edrew_torch.datasets.nswde import read_pairs
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.prepared import count_unique_pages, load_sample, load_swde, unique_pages
from edrew_torch.datasets.sample import write_sample
from edrew_torch.datasets.swde import Subset, checksum, parse_truth, read_swde, read_truth
from edrew_torch.errors import BadData, UnknownName
from edrew_torch.parse import parse_tree
from edrew_torch.profile import PROFILES
from edrew_torch.tree import path_numbers

FULL = PROFILES["full"]


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("swde")
    write_sample(folder, verticals=["auto", "job"], pages=4)
    return folder


@pytest.fixture(scope="module")
def packs(root, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("packs")
    for path in root.iterdir():
        with tarfile.open(folder / f"{path.name}.tar.xz", "w:xz") as pack:
            pack.add(path, path.name)
    return folder


def read_all(root: Path, **subset) -> list[DataPage]:
    return [page for site in read_swde(root, Subset(**subset)) for page in site]


def test_folder_packs_and_zip_give_the_same_pages(root, packs, tmp_path):
    with zipfile.ZipFile(tmp_path / "swde.zip", "w") as pack:
        for path in root.rglob("*"):
            pack.write(path, Path("SWDE") / path.relative_to(root))
    pages = read_all(root)
    assert len(pages) == 2 * 6 * 4
    key = [(page.vertical, page.site, page.page_id) for page in pages]
    assert key == sorted(key)
    assert {page.data[:3] for page in pages} == {b"\xef\xbb\xbf"}
    assert all(set(page.truth) == {"model", "price", "engine", "fuel_economy"} for page in pages[:24])
    assert pages == sorted(read_all(packs), key=lambda page: (page.vertical, page.site, page.page_id))
    assert pages == read_all(tmp_path / "swde.zip")


def test_subsets(root, packs):
    for source in (root, packs):
        pages = read_all(source, verticals=("job",), sites=("joblark", "shiftly"), max_pages=2)
        assert {(page.site, page.page_id) for page in pages} == {
            (site, number) for site in ("joblark", "shiftly") for number in ("0000", "0001")
        }
    with pytest.raises(UnknownName, match="no vertical named 'jobs'; did you mean 'job'"):
        read_all(root, verticals=("jobs",))
    with pytest.raises(UnknownName, match="no site named 'nowhere'"):
        read_all(root, sites=("nowhere",))


def test_missing_pages_and_truth_files_are_no_error(root, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    next(copy.glob("auto/*/0002.htm")).unlink()
    shutil.rmtree(copy / "groundtruth" / "job")
    pages = read_all(copy)
    assert len(pages) == 47
    assert {len(page.truth) for page in pages if page.vertical == "job"} == {0}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("auto\tx\tprice\n1\t1\t1\t1\n0000\t1\t$5\n", "line 1: expected 'auto<TAB>x<TAB>model'"),
        ("auto\tx\tmodel\n1\t1\t1\t1\n0000\t2\tA\n", "line 3: says 2 values and has 1"),
        ("auto\tx\tmodel\n1\t1\t1\t1\n0000\t1\tA\n0001 A\n", "line 4: expected page, number of values"),
        ("auto\tx\tmodel\n1\t1\t1\t1\n0000\tone\tA\n", "line 3"),
        (f"auto\tx\tmodel\n1\t1\t1\t1\n0000\t{'9' * 6000}\tA\n", "line 3"),
    ],
)
def test_a_wrong_line_names_file_and_line(lines, message):
    with pytest.raises(BadData, match=f"auto-x-model.txt, {message}"):
        parse_truth(lines.encode(), "auto-x-model.txt", ("auto", "x", "model"))


def test_truth_files_with_mark_null_several_values_and_other_line_ends():
    data = "\ufeffauto\tx\tmodel\r\n3\t2\t3\t3\r\n0000\t2\tA &amp; B\tC\r\n0001\t0\t<NULL>\r\n0002\t1\tD\r\n".encode()
    values = parse_truth(data, "f", ("auto", "x", "model"))
    assert values == {"0000": ("A &amp; B", "C"), "0001": (), "0002": ("D",)}


def test_what_is_no_root_says_so(tmp_path):
    with pytest.raises(BadData, match="does not exist"):
        read_all(tmp_path / "none")
    with pytest.raises(BadData, match="holds no page of an SWDE root"):
        read_all(tmp_path)
    with pytest.raises(BadData, match="holds no page of autoo, cars"):
        list(read_swde(tmp_path, Subset(("autoo",), ("cars",))))
    (tmp_path / "auto.zip").write_bytes(b"no archive")
    with pytest.raises(BadData, match=r"auto.zip cannot be read"):
        read_all(tmp_path)
    with zipfile.ZipFile(tmp_path / "auto.zip", "w") as pack:
        pack.writestr("auto/auto-x(1)/0000.htm", "<p>x")
    data = bytearray((tmp_path / "auto.zip").read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1  # "encrypted"
    (tmp_path / "auto.zip").write_bytes(data)
    with pytest.raises(BadData, match=r"auto.zip cannot be read: .*encrypted"):
        read_all(tmp_path)


def test_a_folder_with_one_whole_archive_and_a_root_one_level_up_keep_their_truth(root, tmp_path):
    (tmp_path / "zipped").mkdir()
    with zipfile.ZipFile(tmp_path / "zipped" / "swde.zip", "w") as pack:
        for path in root.rglob("*"):
            pack.write(path, path.relative_to(root))
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "swde").symlink_to(root)
    pages = read_all(root)
    assert read_all(tmp_path / "zipped") == read_all(tmp_path / "up") == pages
    assert checksum(tmp_path / "up") != checksum(tmp_path / "zipped")


def test_linked_folders_count_in_the_checksum(root, tmp_path):
    write_sample(tmp_path / "other", seed=2, verticals=["auto"], pages=4)
    for name, target in (("one", root), ("two", tmp_path / "other")):
        (tmp_path / name).mkdir()
        for part in ("auto", "groundtruth"):
            (tmp_path / name / part).symlink_to(target / part)
    assert checksum(tmp_path / "one") != checksum(tmp_path / "two")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData, match="holds no page"):
        checksum(tmp_path / "empty")


def test_a_site_in_two_places_is_refused(root, tmp_path):
    import shutil

    shutil.copytree(root, tmp_path, dirs_exist_ok=True)
    with tarfile.open(tmp_path / "auto.tar.xz", "w:xz") as pack:
        pack.add(root / "auto", "auto")
    with pytest.raises(BadData, match="stand in two places"):
        read_all(tmp_path)


def test_a_damaged_archive_is_told(packs, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("auto/auto-x(1)/0000.htm", "<p>word</p>" * 1000)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[60:70] = b"\xff" * 10
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(BadData, match="cannot be read"):
        read_all(tmp_path / "a.zip")


def test_an_empty_page_counts_its_values_as_missed_and_loses_no_other():
    pages = [DataPage("auto", "x", f"000{i}", data, {"model": ("A",)}) for i, data in enumerate((b"", b"<p>A</p>"))]
    data = prepared.prepare([pages], FULL, "", processes=1)
    assert [page.num_missed for page in data.pages] == [1, 0]
    assert data.text(0) == "A"


def test_entities_are_decoded_once():
    page = DataPage("auto", "x", "0000", b"<p>A &amp;amp; B</p><p>&nbsp;</p>", {"model": ("A &amp;amp; B", "&nbsp;")})
    for profile in PROFILES.values():
        data = prepared.prepare([[page]], profile, "", processes=1)
        assert data.coverage == {"auto/model": (1, 1, 0)}, profile.name
        assert data.text(int(np.flatnonzero(data.relevant)[0])) == "A &amp; B"


def test_nswde_pairs_sites_of_the_same_name(root, tmp_path):
    write_sample(tmp_path, seed=2, verticals=["job"], pages=2)
    pairs = list(read_pairs(root, tmp_path))
    assert [(old[0].site, len(old), len(new)) for old, new in pairs] == [
        (site, 4, 2) for site in sorted(new[0].site for _, new in pairs)
    ]
    assert len(pairs) == 6
    assert pairs[0][0][0].data != pairs[0][1][0].data


def test_every_node_with_the_value_is_found_and_the_recurring_path_is_canonical():
    texts = ["Home", "Arvel Comet", "Arvel&nbsp;Comet", "$5"]
    found = find_values([normalize(text) for text in texts], {"model": ("Arvel Comet",), "price": ("$6",)})
    assert [(value.attribute, value.nodes) for value in found] == [("model", (1, 2)), ("price", ())]
    other = find_values(["Menu", "x", "Bolta"], {"model": ("Bolta",)})
    paths = [10, 11, 12, 13]
    assert canonical_nodes([(found, paths), (other, paths[:3])]) == [{2}, {2}]
    labels, missed = label_nodes(texts, {"model": ("Arvel Comet",), "price": ("$6",)})
    assert (labels, missed) == ([False, True, True, False], [("price", "$6")])


def test_path_numbers_are_one_to_one_with_xpaths():
    tree = parse_tree("<div><p>a<b>x</b>c</p><p>d<i>e</i></p></div><div>f</div>" * 3)
    assert len(set(path_numbers(tree).tolist())) == len(tree)
    of_xpath = {tree.xpath(node): number for node, number in enumerate(path_numbers(tree).tolist())}
    again = parse_tree("<div>q<p>z<b>y</b></p><p>w</p>")
    for node, number in enumerate(path_numbers(again).tolist()):
        # only an ordinal that getpath leaves out for an only child sets the two spellings apart
        assert of_xpath.get(again.xpath(node), number) == number


def test_prepared_data_is_the_same_from_folder_packs_and_cache(root, packs, tmp_path):
    first = load_swde(root, FULL, cache=tmp_path / "a", processes=1)
    second = load_swde(packs, FULL, cache=tmp_path / "b", processes=2)
    again = load_swde(packs, FULL, cache=tmp_path / "b", processes=1)
    assert first.pages == second.pages == again.pages
    for name in prepared.ARRAYS:
        assert np.array_equal(getattr(first, name), getattr(again, name)), name
    assert isinstance(again.row, np.memmap)
    assert again.vocabulary.tokens() == second.vocabulary.tokens()
    assert again.coverage == second.coverage
    assert again.truth == second.truth
    assert [{name: list(values) for name, values in page.items()} for page in first.truth] == list(again.truth)
    node = int(np.flatnonzero(again.relevant)[0])
    attribute = again.attributes[again.attribute[node]].split("/")[1]
    values = again.truth[again.page[node]][attribute]
    assert label_nodes([again.text(node)], {attribute: values})[0] == [True]


def test_data_is_prepared_alike_without_joblib(root, packs, tmp_path, monkeypatch):
    """A plain `pip install .` has no joblib, and `edrew data check` works there too."""
    there = load_swde(packs, FULL, cache=tmp_path / "a", processes=2)
    monkeypatch.setitem(sys.modules, "joblib", None)
    here = load_swde(packs, FULL, cache=tmp_path / "b", processes=2)
    for name in prepared.ARRAYS:
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
    assert there.pages == here.pages


def test_the_cache_depends_on_data_profile_and_subset(root, tmp_path):
    for profile, subset in (("full", Subset()), ("thesis", Subset()), ("full", Subset(verticals=("job",)))):
        load_swde(root, PROFILES[profile], subset, tmp_path, processes=1)
    assert len(list(tmp_path.glob("*/meta.json"))) == 3
    before = checksum(root)
    truth = next(root.glob("groundtruth/job/*title.txt"))
    text = truth.read_bytes()
    try:
        truth.write_bytes(text + b"0004\t0\t<NULL>\n")
        assert checksum(root) != before
    finally:
        truth.write_bytes(text)
    assert checksum(root) == before


def test_an_interrupted_run_leaves_no_broken_cache(root, tmp_path, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(json, "dumps", stop)
    with pytest.raises(KeyboardInterrupt):
        load_swde(root, FULL, cache=tmp_path, processes=1)
    monkeypatch.undo()
    assert not list(tmp_path.iterdir())
    assert len(load_swde(root, FULL, cache=tmp_path, processes=1).pages) == 48


def test_unique_pages_are_distinct_by_their_set_of_rows(root, tmp_path):
    data = load_swde(root, PROFILES["thesis"], cache=tmp_path, processes=1)
    sets = [frozenset(data.row[data.page == number].tolist()) for number in range(len(data.pages))]
    keys = [(page.vertical, rows) for page, rows in zip(data.pages, sets, strict=True)]
    assert [keys.index(key) for key in dict.fromkeys(keys)] == unique_pages(data).tolist()
    assert {name: pages for name, (pages, _) in count_unique_pages(data).items()} == {"auto": 24, "job": 24}


def test_the_sample_on_the_fly_is_the_sample_on_disk(root, tmp_path):
    on_disk = load_swde(root, FULL, cache=tmp_path, processes=1)
    made = load_sample(FULL, verticals=("auto", "job"), pages=4)
    assert sorted(made.pages) == sorted(on_disk.pages)
    assert made.coverage == on_disk.coverage


@pytest.mark.realdata
def test_real_truth_files_are_read(data_folder):
    assert len(read_truth(data_folder / "swde", ("job",))) > 10_000
    sites = list(read_swde(data_folder / "recipe", Subset(max_pages=1)))
    assert len(sites) == 475
    assert {name for site in sites for name in site[0].truth} == {
        *("title", "author", "ingredients", "instructions", "total_time", "yields")
    }
