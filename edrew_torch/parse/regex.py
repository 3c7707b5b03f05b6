"""The thesis' parser: tags cut by one expression, and the element tree of its Algorithms 3 to 7.

    <div class="a">text <b>formatted</b> here</div>   ->   div [text formatted here], b

It loses what the thesis loses: text after an end tag other than a formatter's is dropped, entities stay as they are,
an end tag that does not fit is ignored, so unclosed elements nest. Thesis: sections 4.1 and 4.2, figures 7 and 8; where
the pseudo-code contradicts its own text, the text stands (README, "Reproduce the paper"). Read by parse/__init__.py.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from edrew_torch.profile import Profile
from edrew_torch.tree import TEXT, Tree

VOID_TAGS = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())

BLANKS = re.compile(r"[ \t\r\n\f\v]+")
NAME = re.compile(r"[0-9a-zA-Z\-_]+")
AFTER_END = re.compile(r"[\w ,.\-&?!]+")
SCRIPT_END = re.compile(r"</script[^>]{0,100}>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""([^\s=>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")


class CutTag(NamedTuple):
    """One match of the expression; the comments give the group names of figure 7."""

    name: str  # NAME, or END
    is_end: bool
    attributes: str = ""  # ATTRIBUTES
    closes_itself: bool = False  # AUTO_CLOSED
    text: str = ""  # CONTENT, the text right after the start tag; or CONTENT_END_TAG, right after the end tag


def sanitize(html: str) -> str:
    """Collapse runs of blanks, tabs and line breaks (Algorithm 2, line 1)."""
    return BLANKS.sub(" ", html)


def cut_tags(html: str) -> Iterator[CutTag]:
    r"""Yield the tags of `html` as the expression of figure 7 finds them, in linear time.

        (<([0-9a-zA-Z\-_]+ ?)((.*?)?)(\/)?>([^<]+)?)|(<\/([0-9a-zA-Z\-_]+)>([\w ,\.\-\&\?\!]+)|<\/([0-9a-zA-Z\-_]+)>)

    Its meaning is kept (a ">" inside a quoted value ends the tag, tags inside comments are tags), not its cost: the
    printed `.*?` reads to the end of the page again and again where a "<" is never closed.

    >>> [tag.text for tag in cut_tags('<div itemprop="price">$32,168</div> or more')]
    ['$32,168', ' or more']
    """
    at = html.find("<")
    while at >= 0:
        close = 0
        if (name := NAME.match(html, at + 1)) and (close := html.find(">", name.end())) >= 0:
            end = html.find("<", close)
            end = len(html) if end < 0 else end
            attributes = html[name.end() : close]
            closes_itself = attributes.endswith("/")
            yield CutTag(
                name[0].lower(),
                False,
                attributes.removesuffix("/").strip(),
                closes_itself,
                html[close + 1 : end],
            )
            at = end if name[0].lower() != "script" else _script_end(html, close)
        elif html.startswith("/", at + 1) and (name := NAME.match(html, at + 2)) and html.startswith(">", name.end()):
            after = AFTER_END.match(html, name.end() + 1)
            yield CutTag(name[0].lower(), True, text=after[0] if after else "")
            at = after.end() if after else name.end() + 1
        elif close < 0:  # no ">" in the rest of the page: no tag either
            return
        else:
            at += 1
        at = html.find("<", at)


def _script_end(html: str, start: int) -> int:
    """Where the script that begins before `start` ends: markup inside it is none."""
    end = SCRIPT_END.search(html, start)
    return end.end() if end else len(html)


def read_attributes(text: str) -> Mapping[str, str] | None:
    """Return the attributes of a start tag, names in lower case, the first of two alike; None for none.

    >>> read_attributes('_ngcontent-vmk-c53="" formcontrolname=keyword hidden')
    {'_ngcontent-vmk-c53': '', 'formcontrolname': 'keyword', 'hidden': ''}
    """
    attributes: dict[str, str] = {}
    for name, value in ATTRIBUTE.findall(text):
        attributes.setdefault(name.lower(), value[1:-1] if value[:1] in ('"', "'") else value)
    return attributes or None


class _Open(NamedTuple):
    """An element whose end tag has not come."""

    name: str
    node: int
    holder: int  # the text node of it or of its nearest ancestor that holds text; -1 for none


def parse_regex(html: str, profile: Profile) -> Tree:
    """Return the element tree of the thesis. The content of a node is its text node, right behind it in the arrays."""
    tags: list[int] = []
    parents: list[int] = []
    payload: list[Mapping[str, str] | str | None] = []
    names: dict[str, int] = {}
    holds_text: list[bool] = []
    joined: dict[int, list[str]] = {}  # text node -> its pieces

    skip, formatters = frozenset((*profile.skip_tags, "script")), frozenset(profile.formatter_tags)
    top = _Open("", -1, -1)
    stack = [top]
    for cut in cut_tags(sanitize(html)):
        if cut.name in skip:  # Algorithm 4
            continue
        if cut.is_end:  # Algorithm 7
            if cut.name != stack[-1].name or len(stack) == 1:
                continue  # a stray end tag
            stack.pop()
            if cut.name in formatters and stack[-1].holder >= 0:
                joined[stack[-1].holder].append(cut.text)
            continue
        # Algorithms 5 and 6: whether the tag is a wrapper, and whether it advances the position, follows from
        # `holds_text` (retps.py)
        node, parent = len(tags), stack[-1]
        has_text = bool(cut.text.strip())
        tags.append(names.setdefault(cut.name, len(names)))
        parents.append(parent.node)
        payload.append(read_attributes(cut.attributes))
        holds_text.append(has_text)
        holder = parent.holder
        if cut.name in formatters and holder >= 0:
            joined[holder].append(cut.text)
        elif has_text:
            holder = len(tags)
            joined[holder] = [cut.text]
            tags.append(TEXT)
            parents.append(node)
            payload.append(None)
            holds_text.append(False)
        if not (cut.closes_itself or cut.name in VOID_TAGS):
            stack.append(_Open(cut.name, node, holder))
    for text_node, pieces in joined.items():
        payload[text_node] = " ".join("".join(pieces).split())
    return Tree(
        np.array(tags, dtype=np.int32),
        np.array(parents, dtype=np.int32),
        tuple(names),
        payload,
        np.array(holds_text, dtype=np.bool_),
    )
