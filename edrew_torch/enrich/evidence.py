"""Evidence that a page carries about itself: JSON-LD, <meta>, microdata's hidden `content`, and what its <style> hides.

    <script type="application/ld+json">{"name": "Tea", "offers": {"price": "3.50"}}</script>
    ->   {"tea": ("name",), "350": ("offers price",)}   values without white space and signs, and the names they have

Evidence, never the answer: a text of the page that equals such a value is told the name, and the model decides.
Read by describe.py.
"""

import json
from typing import Any

from edrew_torch.tree import Tree

MAX_VALUES = 20_000  # of a page
MAX_BYTES = 2_000_000  # of a script or style that is read
NAMES_OF_A_VALUE = 4
MAX_NAME = 60  # characters: each name is kept with each value


def squeeze(text: str) -> str:
    """Letters and digits alone, in lower case: how two spellings of a value are compared.

    >>> squeeze("$61,550.00"), squeeze("PT20M")
    ('61550', 'pt20m')
    """
    low = text.lower()
    if low[-3:] in (".00", ",00"):
        low = low[:-3]
    return "".join(filter(str.isalnum, low))


def embedded_data(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return the values that JSON-LD, <meta> and `content` attributes hold, squeezed, each with its names."""
    found: dict[str, dict[str, None]] = {}

    def add(name: str, value: str) -> None:
        if (key := squeeze(value[:500])) and len(found) < MAX_VALUES:
            names = found.setdefault(key, {})
            if len(names) < NAMES_OF_A_VALUE:
                names[name.lower()] = None

    names = tree.names
    script = names.index("script") if "script" in names else len(names)
    for node in tree.content[tree.tag[tree.parent[tree.content]] == script].tolist():
        kind = tree.attributes(int(tree.parent[node])).get("type", "").lower()
        if "ld+json" in kind and len(tree.text(node)) <= MAX_BYTES:
            for name, value in _leaves(tree.text(node)):
                add(name, value)
    for node, payload in enumerate(tree.payload):
        if isinstance(payload, str) or not payload or "content" not in payload:
            continue
        meta = payload.get("itemprop") or payload.get("property") or payload.get("name")
        if meta and tree.tag[node] >= 0:
            add(f"meta {meta[:MAX_NAME]}", payload["content"] or "")
    return {key: tuple(each) for key, each in found.items()}


def _leaves(text: str) -> list[tuple[str, str]]:
    """The texts and numbers of a JSON document, each with the last two names on the way to it."""
    try:
        document = json.loads(text.strip().removesuffix(";"), strict=False)
    except (ValueError, RecursionError):  # pages write all sorts of things there
        return []
    found: list[tuple[str, str]] = []
    stack: list[tuple[str, str, Any]] = [("", "", document)]
    while stack and len(found) < MAX_VALUES:
        above, name, value = stack.pop()
        if isinstance(value, dict):
            stack += [(name, key[:MAX_NAME], item) for key, item in value.items()]
        elif isinstance(value, list):
            stack += [(above, name, item) for item in value]
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and not name.startswith("@"):
            plain = int(value) if isinstance(value, float) and value.is_integer() else value
            found.append((f"{above} {name}".strip(), str(plain)))
    return found


def hidden_by_style(tree: Tree) -> tuple[frozenset[str], frozenset[str]]:
    """Return the classes and the ids that the page's own <style> blocks hide by a plain rule: `.x {display: none}`."""
    hidden: set[str] = set()
    if "style" in tree.names:
        number = tree.names.index("style")
        for node in tree.content[tree.tag[tree.parent[tree.content]] == number].tolist():
            for rule in tree.text(node)[:MAX_BYTES].split("}"):
                selectors, _, body = rule.rpartition("{")
                plain = "".join(body.split()).lower()
                if "display:none" in plain or "visibility:hidden" in plain:
                    hidden.update(each.strip() for each in selectors.rpartition("{")[2].split(","))
    return (
        frozenset(each[1:] for each in hidden if each[:1] == "."),
        frozenset(each[1:] for each in hidden if each[:1] == "#"),
    )
