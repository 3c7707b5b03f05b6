import subprocess
import sys

import pytest

from edrew_torch.cli.arguments import ProfileName
from edrew_torch.profile import PROFILES

PAGE = '<html><body><div class="price">$5</div><p>Caf&eacute;\t\n au lait</p></body></html>'


def edrew(*arguments, stdin=None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "edrew_torch", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", timeout=120)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


def test_profiles_of_the_command_line_are_those_of_the_package():
    assert {name.value for name in ProfileName} == set(PROFILES)


def test_retps_prints_a_line_per_node(page):
    done = edrew("retps", page)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "<#$><#SEP><#CNT><#SEP><#PRICE><#SEP><#CLSS><#SEP>div|100<#SEP>body|55<#SEP>html|21\t$5",
        "<#CNT><#SEP>p|100<#SEP>body|55<#SEP>html|21\tCafé au lait",
    ]


def test_retps_takes_profile_threshold_and_standard_input():
    done = edrew("retps", "-", "--profile", "thesis", "--threshold", "2", stdin=PAGE)
    assert done.stdout.splitlines() == ["<#$><#SEP><#CNT>\t$5", "<#CNT><#SEP>p|100\tCaf&eacute; au lait"]


def test_tree_shows_elements_and_text(page):
    done = edrew("tree", page)
    assert done.stdout.splitlines() == [
        "html",
        "  body",
        "    div .price",
        '      "$5"',
        "    p",
        '      "Café au lait"',
    ]


def test_lines_of_a_tree_are_as_narrow_as_asked_for(page):
    page.write_text(f"<p>{'word ' * 99}" + "<div>" * 30 + "deep " * 99)
    lines = edrew("tree", page, "--width", "40").stdout.splitlines()
    assert len(lines[3]) == 40
    assert lines[3].endswith("…")
    assert len(lines[-1]) == 2 * 32 + 20  # as much behind any indentation


def test_a_tree_100_000_levels_deep_is_shown(tmp_path):
    deep = tmp_path / "deep.html"
    deep.write_text("<div>" * 100_000 + "x")
    done = edrew("tree", deep)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].endswith('(100002) "x"')


@pytest.fixture
def bad(tmp_path):
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "folder").mkdir()
    (folder / "empty.html").write_bytes(b"")
    (folder / "binary.html").write_bytes(b"\x7fELF" + bytes(range(256)) * 50)
    (folder / "large.html").write_bytes(b"<p>" + b"word " * 10 * 2**20)
    return folder


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty.html", "NotAPage: {} is empty"),
        ("binary.html", "NotAPage: {} is not HTML (first bytes: 7f 45 4c 46"),
        ("large.html", "PageTooLarge: {} is larger than 32 MiB"),
        ("missing.html", "NotAPage: {} does not exist"),
        ("folder", "NotAPage: {} is a folder without pages"),
    ],
)
def test_a_bad_source_is_reported_and_the_good_ones_are_printed(bad, page, name, message):
    done = edrew("retps", page, bad / name, page)
    assert done.returncode == 1
    assert done.stderr.startswith(message.format(bad / name))
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == 4


def test_a_folder_stands_for_its_pages_in_order(tmp_path):
    for name in ("b.html", "a.htm", "c.txt"):
        (tmp_path / name).write_text(f"<p>{name}")
    done = edrew("retps", tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.rsplit("\t")[-1] for line in done.stdout.splitlines()] == ["a.htm", "b.html"]


def test_unclosed_everything_is_still_a_page(tmp_path):
    page = tmp_path / "unclosed.html"
    page.write_text("<html><body><div><table><tr><td class='x>a<p>b<ul><li>c<!-- d" + "<p>word " * 3)
    for profile in PROFILES:
        assert edrew("retps", page, "--profile", profile).returncode == 0


def test_a_page_of_50_mb_is_read_when_the_limit_allows(bad):
    done = edrew("retps", bad / "large.html", "--max-mb", "60", "--threshold", "1")
    assert done.returncode == 0
    assert done.stdout.startswith("<#CNT>\tword word ")
    assert len(done.stdout) > 50 * 2**20


@pytest.mark.parametrize(
    "arguments",
    [
        ["retps"],
        ["retps", "x", "--profile", "fulll"],
        ["retps", "x", "--threshold", "0"],
        ["retps", "http://127.0.0.1:1", "--timeout", "inf"],
        ["nonsense"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments):
    done = edrew(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_names_the_commands_and_does_not_load_torch():
    done = edrew("--help")
    assert {"retps", "tree", "data"} <= set(done.stdout.split())
    loaded = "import sys, edrew_torch.cli; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout == "False\n"


def test_version():
    from edrew_torch import __version__

    assert edrew("--version").stdout == f"edrew {__version__}\n"


def test_data_sample_writes_the_layout(tmp_path):
    done = edrew("data", "sample", tmp_path / "s", "--pages", "2")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "s").glob("*/*(2)/*.htm"))) == 8 * 6 * 2
    file = tmp_path / "file"
    file.write_text("x")
    done = edrew("data", "sample", file)
    assert done.returncode == 1
    assert "cannot be read or written" in done.stderr


def test_data_check_shows_coverage_and_unique_pages(tmp_path, monkeypatch):
    monkeypatch.setenv("EDREW_CACHE", str(tmp_path / "cache"))
    assert edrew("data", "sample", tmp_path / "s", "--pages", "2").returncode == 0
    done = edrew("data", "check", tmp_path / "s", "--vertical", "auto", "--format", "csv")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "vertical,attribute,values,found,missing,ambiguous,share found"
    assert [line.split(",")[1] for line in lines[1:5]] == ["engine", "fuel_economy", "model", "price"]
    assert lines[5].startswith("all,")
    assert "auto,12,12" in done.stdout
    assert "auto" in edrew("data", "check", tmp_path / "s").stdout
    done = edrew("data", "check", tmp_path / "s", "--vertical", "autos")
    assert done.returncode == 1
    assert "did you mean 'auto'" in done.stderr
    assert edrew("data", "check", tmp_path / "none").returncode == 1


def test_data_annotate_and_collect_report_what_is_wrong(tmp_path):
    edrew("data", "sample", tmp_path / "s", "--pages", "2")
    table = tmp_path / "values.csv"
    table.write_text("page,model\n0000,No Such Car\n")
    done = edrew("data", "annotate", table, tmp_path / "s", "--vertical", "auto", "--site", "wheelpost")
    assert done.returncode == 0, done.stderr
    assert "0000 model: no node holds 'No Such Car'" in done.stderr
    done = edrew("data", "annotate", table, tmp_path / "s", "--vertical", "auto", "--site", "none")
    assert done.returncode == 1
    (tmp_path / "urls.txt").write_text("ftp://x\n")
    done = edrew("data", "collect", tmp_path / "urls.txt", "--vertical", "auto", "--site", "x", "--root", tmp_path)
    assert done.returncode == 1
    assert "line 1" in done.stderr
    assert "Traceback" not in done.stderr
    done = edrew("data", "download", "swed")
    assert done.returncode == 1
    assert "did you mean 'swde'" in done.stderr
