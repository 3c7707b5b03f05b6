"""The HTML of an article's body: its own elements, safe to show anywhere.

    Article   ->   "<h2>Tea</h2><p>Tea is <a href=…>dear</a>.</p>"

Only text that is marked, only elements of text (`KEPT_TAGS`), no attribute but the address of a link, and of that only
what cannot run anything. Reads extract.py.
"""

from html import escape
from urllib.parse import urljoin

import numpy as np

from edrew_torch.news.extract import Article
from edrew_torch.tree import BLANK, running_sum

KEPT_TAGS = frozenset(
    """p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption thead tbody tfoot tr td th figure figcaption
    a abbr b cite code del dfn em i ins kbd mark q s samp small strong sub sup u var""".split()
)
SAFE_SCHEMES = ("http", "https", "mailto")


def body_html(article: Article, base: str | None = None) -> str:
    """Return the body as HTML; links are made absolute where the page's address is known.

    >>> from edrew_torch.news.extract import NewsSettings, find_article
    >>> from edrew_torch.parse import parse_tree
    >>> page = "<div><p onclick=x()>Tea is <a href='javascript:x()'>dear</a> &amp; <b>good</b>.<script>x()</script>"
    >>> body_html(find_article(parse_tree(page), NewsSettings(model="none")))
    '<p>Tea is <a>dear</a> &amp; <b>good</b>.</p>'
    """
    tree = article.blocks.tree
    marked = article.nodes
    if not len(marked):
        return ""
    is_marked = np.zeros(len(tree), dtype=np.bool_)
    is_marked[marked] = True
    sums = running_sum(is_marked)
    holds = (sums[tree.end] > sums[:-1]).tolist()
    owners = set(article.blocks.owner[article.kept].tolist())
    pieces: list[str] = []
    open_tags: list[tuple[int, str]] = []  # where each ends, and its name
    ends = tree.end.tolist()
    for node in range(int(marked[-1]) + 1):
        while open_tags and open_tags[-1][0] <= node:
            pieces.append(f"</{open_tags.pop()[1]}>")
        if tree.tag[node] < 0:
            if is_marked[node]:
                pieces.append(escape(tree.text(node), quote=False))
            elif tree.tag[node] == BLANK and pieces and not pieces[-1].isspace():
                pieces.append(" ")
            continue
        name = tree.name(node)
        if name == "br" and pieces:
            pieces.append("<br>")
        elif holds[node]:
            # an element that is not kept but holds a paragraph of its own becomes one
            shown = name if name in KEPT_TAGS else "div" if node in owners else ""
            if shown:
                pieces.append(f"<{shown}{link_of(tree.attributes(node).get('href'), base) if shown == 'a' else ''}>")
                open_tags.append((ends[node], shown))
    pieces.extend(f"</{name}>" for _, name in reversed(open_tags))
    return "".join(pieces).strip()


def link_of(address: str | None, base: str | None) -> str:
    """The attribute of a link, with its space; nothing where it could run something or says nothing."""
    # browsers drop control characters and white space from an address before they read its scheme
    clean = "".join(character for character in address or "" if character > " " and character != "\x7f")
    head = clean.split("/")[0].split("?")[0].split("#")[0]
    if not clean or (":" in head and head.split(":")[0].lower() not in SAFE_SCHEMES):
        return ""
    try:
        clean = urljoin(base, clean) if base else clean
    except ValueError:  # an address that is none
        return ""
    return f' href="{escape(clean)}"'
