"""Examples: texts that somebody has seen on pages -> the text nodes that hold them.

    {"price": ["$61,550"]}, pages   ->   per page {"price": (nodes)}; a page without any of the texts is unlabelled

An example is the whole text of one text node, white space aside. One that is on no page is an error that names what
comes near: another case, a part of a node, a text that runs over several nodes. Called by pipeline.py; reads page.py.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from edrew_torch.datasets.labels import collapse
from edrew_torch.errors import BadConfig, EdrewError
from edrew_torch.fields.page import FieldPage

MAX_NEAR_NODES = 2000  # of a page, that are compared with an example that is not found
MAX_FAULTS = 5  # examples that are not found, for which the nearest text is sought: a second each on a long page
MAX_SHOWN = 80  # characters of a near text

Texts = Mapping[str, Sequence[str]]  # attribute -> texts; none: known to be absent
Known = dict[str, tuple[int, ...]]  # attribute -> text nodes


class NoExample(EdrewError):
    """An example's text is no text node of any page."""


def find_everywhere(pages: Sequence[FieldPage], sources: Sequence[str], examples: Texts) -> list[Known]:
    """Find examples that were not said to be on any page in particular: a page is labelled where its texts are found.

    A text may be on other pages by accident ("R", "new"). Of the pages that hold it, those count on which most of the
    attributes are found.
    """
    check_lists([examples])
    found = [{name: _nodes(page, texts) for name, texts in examples.items()} for page in pages]
    faults = []
    for name, texts in examples.items():
        if not texts:
            faults.append(f"{name} has no text")
        for text in texts:
            if not any(_nodes(page, [text]) for page in pages):
                faults.append(_fault(name, text, pages, sources, len(faults) < MAX_FAULTS))
    if faults:
        raise NoExample("; ".join(faults) + ". An example is the whole text of one text node of a page.")
    number = [sum(map(bool, each.values())) for each in found]
    known: list[Known] = [{} for _ in pages]
    for name, texts in examples.items():
        for text in texts:
            nodes = [_nodes(page, [text]) for page in pages]
            most = max(count for count, here in zip(number, nodes, strict=True) if here)
            for each, count, here in zip(known, number, nodes, strict=True):
                if here and count == most:
                    each[name] = tuple(sorted({*each.get(name, ()), *here}))
    return known


def check_lists(examples: Sequence[Texts]) -> None:
    """Raise where an attribute has no name, or a text stands in place of a list: it would be read letter by letter."""
    for given in examples:
        for name, texts in given.items():
            if not name.strip():
                raise NoExample(f"an attribute has no name, only texts, {texts!r:.80}: name it.")
            if isinstance(texts, str):
                raise NoExample(f"the examples of {name} are a text, {texts!r}: give a list of texts, [{texts!r}].")


def find_on_pages(
    pages: Sequence[FieldPage], sources: Sequence[str], examples: Sequence[Texts]
) -> tuple[list[Known], list[str]]:
    """Find the examples of each page, and say which are not there; NoExample where none is."""
    if len(pages) != len(examples):
        raise BadConfig(f"{len(pages)} pages and examples for {len(examples)}: give one mapping for each page.")
    check_lists(examples)
    known: list[Known] = []
    missed: list[str] = []
    for page, source, given in zip(pages, sources, examples, strict=True):
        here: Known = {}
        for name, texts in given.items():
            nodes = _nodes(page, texts)
            missed += [
                f"{source}: {_fault(name, text, [page], [source], len(missed) < MAX_FAULTS)}"
                for text in texts
                if not _nodes(page, [text])
            ]
            if nodes or not texts:  # what is there, but not found, is not known
                here[name] = nodes
        known.append(here)
    if not any(any(here.values()) for here in known):
        raise NoExample("; ".join(missed) or "no page has an example: name an attribute and its text.")
    return known, missed


def _nodes(page: FieldPage, texts: Sequence[str]) -> tuple[int, ...]:
    wanted = {collapse(text) for text in texts} - {""}
    return tuple(node for node in page.visible.tolist() if page.text(node) in wanted) if wanted else ()


def _fault(name: str, text: str, pages: Sequence[FieldPage], sources: Sequence[str], is_seeking: bool) -> str:
    """What comes near an example that is not found, where that is to be sought."""
    wanted = collapse(text)
    told = f"{name}={text!r} is no text of any page" if len(pages) > 1 else f"{name}={text!r} is no text of the page"
    if not wanted:
        return f"{name}={text!r} is blank"
    if not is_seeking:
        return told
    folded, solid = wanted.casefold(), "".join(wanted.split()).casefold()
    near: str | None = None
    for page, source in zip(pages, sources, strict=True):
        texts = [page.text(node) for node in page.visible.tolist()[:MAX_NEAR_NODES]]
        for each in texts:
            if "".join(each.split()).casefold() == solid:
                return f"{told}; {source} has it as {each!r}: give it so"
        holding = [each for each in texts if folded in each.casefold()]
        if holding:
            return f"{told}; it is a part of {min(holding, key=len)[:MAX_SHOWN]!r} ({source}): give the whole text"
        if solid in "".join("".join(texts).split()).casefold():
            return f"{told}; it runs over several text nodes ({source}): give each of them"
        close = get_close_matches(wanted, [each[: 2 * MAX_SHOWN] for each in texts], n=1)
        near = near or (f"; nearest: {close[0][:MAX_SHOWN]!r} ({source})" if close else None)
    return told + (near or "")
