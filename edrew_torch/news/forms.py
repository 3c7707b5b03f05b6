"""An article as plain text or Markdown.

    Result(title, paragraphs)   ->   "# Tea\\n\\nTea is dear.\\n\\n- green\\n- black\\n"

What a paragraph is (heading, entry of a list, quotation) is told by the elements in its XPath. Reads result.py; read by
cli/.
"""

import re
from itertools import pairwise

from edrew_torch.result import Paragraph, Result

STEP = re.compile(r"/(h[1-6]|li|blockquote|pre)(?=[/\[]|$)")
SPECIAL = re.compile(r"([\\`*_<>\[\]])")
OPENING = re.compile(r"(?m)^(\s{0,3})(#{1,6}(?=\s)|[-+](?=\s)|={3,}|-{3,})")  # would begin a heading, a list or a rule
NUMBER = re.compile(r"(?m)^(\s{0,3}\d{1,9})([.)])(?=\s)")  # would begin a numbered list


def as_text(result: Result) -> str:
    """The title and the paragraphs, a blank line between them."""
    return "\n\n".join([*([result.title] if result.title else []), *(each.text for each in result.paragraphs)])


def as_markdown(result: Result) -> str:
    """The same as Markdown; nothing in the text of the page can be read as markup.

    >>> pieces = ("Why?", "/html/h2"), ("1. *So*", "/html/ul/li/p"), ("So", "/html/ul/li[2]")
    >>> print(as_markdown(Result("a.html", title="Tea", paragraphs=tuple(Paragraph(*each) for each in pieces))))
    # Tea
    <BLANKLINE>
    ## Why?
    <BLANKLINE>
    - 1\\. \\*So\\*
    - So
    """
    shown = [f"# {escaped(result.title)}"] if result.title else []
    kinds = ["title"] if result.title else []
    for paragraph in result.paragraphs:
        kind = kind_of(paragraph)
        text = escaped(paragraph.text)
        if kind.startswith("h"):
            text = f"{'#' * max(int(kind[1]), 2)} {' '.join(text.split())}"  # the only `#` is the title's
        elif kind == "li":
            text = "- " + text.replace("\n", "  \n  ")
        elif kind == "blockquote":
            text = "> " + text.replace("\n", "  \n> ")
        else:
            text = text.replace("\n", "  \n")
        shown.append(text)
        kinds.append(kind)
    gaps = ["\n" if pair == ("li", "li") else "\n\n" for pair in pairwise(kinds)]
    return "".join(text + gap for text, gap in zip(shown, [*gaps, ""], strict=True))


def kind_of(paragraph: Paragraph) -> str:
    """The nearest element around a paragraph that Markdown has a sign for; "p" if there is none."""
    kinds: list[str] = STEP.findall(paragraph.xpath)
    return kinds[-1] if kinds else "p"


def escaped(text: str) -> str:
    """Text whose signs are only signs."""
    text = SPECIAL.sub(r"\\\1", text)
    return NUMBER.sub(r"\1\\\2", OPENING.sub(r"\1\\\2", text))
