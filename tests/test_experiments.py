"""The pages under experiments/ are what their scripts render of the committed csv: nobody edits a figure by hand."""

import os
import re
import sys
from pathlib import Path

import pytest

from edrew_torch.measured import Measured

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "experiments"
sys.path.insert(0, str(EXPERIMENTS))
from pages import load_script, page_files, renderer  # noqa: E402

PAGES = page_files()


@pytest.fixture(autouse=True, scope="module")
def _nowhere():
    """Pages are rendered without the shared data, and scripts imported without it."""
    known = os.environ.get("EDREW_DATA")
    os.environ["EDREW_DATA"] = str(ROOT / "nowhere")
    load_script.cache_clear()
    yield
    load_script.cache_clear()
    os.environ.pop("EDREW_DATA")
    if known is not None:
        os.environ["EDREW_DATA"] = known


def named(page: Path) -> str:
    return str(page.relative_to(EXPERIMENTS))


def test_there_are_pages():
    assert len(PAGES) >= 12
    folders = {page.parent for page in PAGES}
    assert {file.parent for file in EXPERIMENTS.rglob("results.csv")} <= folders


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_page_is_what_its_script_renders(page, monkeypatch):
    read: list[Measured] = []
    rows = Measured.rows
    monkeypatch.setattr(Measured, "rows", lambda self: (read.append(self), rows(self))[1])
    assert page.read_text(encoding="utf-8") == renderer(page)()
    assert read, "the page is rendered from no csv"
    for measured in read:
        assert measured.file.exists()
        assert measured.sign().startswith("data:")  # measured.json knows on what data


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_page_names_its_command_and_its_data(page):
    text = page.read_text(encoding="utf-8")
    commands = re.findall(r"python (experiments/\S+?\.py)", text)
    assert commands
    assert all((ROOT / command).is_file() for command in commands)
    assert re.search(r"^`data:.+\|v:\d+\.\d+\.\d+", text, re.MULTILINE)


@pytest.mark.parametrize("script", sorted(EXPERIMENTS.rglob("run.py")), ids=named)
def test_script_says_how_to_run_it(script):
    text = script.read_text(encoding="utf-8")
    assert f"python {script.relative_to(ROOT)}" in text
    assert "--quick" in text


def test_overview_and_readme_are_rendered_from_the_csv():
    overview = load_script(EXPERIMENTS / "overview.py")
    assert (EXPERIMENTS / "README.md").read_text(encoding="utf-8") == overview.render()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for _, name, _ in overview.MARKED.findall(readme)] == ["in short", "results"]
    assert overview.with_block(readme) == readme


def test_every_verdict_is_one_of_few_and_names_a_script():
    overview = load_script(EXPERIMENTS / "overview.py")
    for line in overview.lines():
        assert tuple(line) == overview.COLUMNS
        assert line["verdict"].startswith(("reproduced", "differs", "cannot be run", "new", "goal", "not ")), line
        assert (ROOT / line["command"].split()[1]).is_file(), line
        assert line["minutes"].replace(".", "", 1).isdigit(), line


def test_a_figure_that_is_looked_up_must_be_there():
    overview = load_script(EXPERIMENTS / "overview.py")
    folder = EXPERIMENTS / "signal" / "records"
    assert overview.figure("=results;pages;what=k-means, all pages", folder) == "512"
    assert overview.figure("pages", folder) == "542"
    assert overview.figure("results;F;what=k-means, all pages", folder) == "78.7"
    with pytest.raises(LookupError, match="no line"):
        overview.figure("results;F;what=nothing", folder)
    with pytest.raises(KeyError, match="no column"):
        overview.figure("results;F;which=nothing", folder)


def test_reproduce_goes_on_after_a_failure_and_says_what_lacks(tmp_path, monkeypatch):
    reproduce = load_script(EXPERIMENTS / "reproduce.py")
    monkeypatch.setattr(reproduce, "LOGS", tmp_path / "logs")
    (tmp_path / "data" / "swde").mkdir(parents=True)
    (tmp_path / "good.py").write_text("import os, sys; print(sys.argv[1:], os.environ['EDREW_DATA'])")
    (tmp_path / "bad.py").write_text("raise SystemExit('no such thing')")

    def run(*arguments, is_quick=False):
        return reproduce.run_step(reproduce.Step(*arguments), tmp_path, tmp_path / "data", is_quick)

    bad = run("bad.py", ("swde",))
    assert (bad.state, "no such thing" in bad.note) == ("failed", True)
    assert run("good.py", ("swde",)).state == "done"
    assert run("good.py", ("recipe",)).state == "skipped"
    assert "needs recipe" in run("good.py", ("recipe",)).note
    assert run("good.py", ("recipe",), is_quick=True).state == "done"
    assert str(tmp_path / "data") in (tmp_path / "logs" / "good-quick.log").read_text()
    assert "['--quick']" in (tmp_path / "logs" / "good-quick.log").read_text()
    assert run("good.py", ("swde",), None, is_quick=True).state == "skipped"
    assert "is there" in run("good.py", ("swde",), (), (), ("README.md",)).note


def test_reproduce_runs_every_script_that_makes_a_page():
    reproduce = load_script(EXPERIMENTS / "reproduce.py")
    scripts = {step.script for step in reproduce.all_steps()}
    assert all((EXPERIMENTS / script).is_file() for script in scripts)
    for page in PAGES:
        commands = re.findall(r"python experiments/(\S+?\.py)", page.read_text(encoding="utf-8"))
        assert scripts & set(commands), page
