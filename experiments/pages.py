"""Every results page under experiments/ and the function that renders it. Read by overview.py, reproduce.py and tests.

    page_files()                ->   [experiments/jober/results.md, …]
    renderer(results.md)        ->   the function that renders it
    load_script(jober/run.py)   ->   the module, whatever its neighbours are called

A page is rendered by `render()` of the script of its name, results.md by that of run.py; or by `PAGES[name]` of any
script of its folder.
"""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
Render = Callable[[], str]


def page_files() -> list[Path]:
    """All pages but the overview, without importing a script."""
    return sorted(page for page in HERE.rglob("*.md") if page.name != "README.md")


def renderer(page: Path) -> Render:
    """The function that renders a page."""
    for script in sorted(page.parent.glob("*.py")):
        source = script.read_text(encoding="utf-8")
        if "\nPAGES" in source and page.stem in (pages := load_script(script).PAGES):
            return pages[page.stem]
        if "\ndef render(" in source and page.stem == {"run": "results"}.get(script.stem, script.stem):
            return load_script(script).render
    raise LookupError(f"{page}: no script of its folder renders it by render() or PAGES.")


@cache
def load_script(file: Path) -> ModuleType:
    """Import a script as it would be run: its neighbours are found, and two called train.py are not taken for one."""
    neighbours = {each.stem for each in file.parent.glob("*.py")}
    hidden = {name: sys.modules.pop(name) for name in neighbours & set(sys.modules)}
    name = ".".join(("experiments", *file.relative_to(HERE).with_suffix("").parts))
    spec = importlib.util.spec_from_file_location(name, file)
    if not (spec and spec.loader):
        raise ImportError(f"{file} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
        for neighbour in neighbours & set(sys.modules):
            del sys.modules[neighbour]
        sys.modules.update(hidden)
    return module
