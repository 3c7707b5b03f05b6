"""The README's examples run as written."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

from edrew_torch import __version__

README = Path(__file__).parents[1] / "README.md"


def test_python_examples():
    done = doctest.testfile(str(README), module_relative=False)
    assert done.attempted >= 20
    assert done.failed == 0


def test_console_examples(tmp_path):
    """Every `$ edrew …` line prints what stands below it; the page is the one of the first example."""
    text = README.read_text(encoding="utf-8")
    page = re.search(r"```html\n(.*?)```", text, re.DOTALL)[1]
    (tmp_path / "page.html").write_text(page)
    examples = re.findall(r"^\$ edrew (.*)\n((?:(?!\$|```).*\n)*)", text, re.MULTILINE)
    assert len(examples) >= 6
    for arguments, expected in examples:
        command = [sys.executable, "-m", "edrew_torch", *shlex.split(arguments)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
        assert done.stdout.expandtabs(4) == expected.expandtabs(4), arguments


def test_links_to_files_hold():
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target


def test_one_version_everywhere():
    root = README.parent
    version = re.search(r'^version = "(.+)"$', (root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert version == __version__
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1] == version
