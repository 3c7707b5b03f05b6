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
