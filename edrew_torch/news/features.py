"""What can be told of a block without understanding it: one row of numbers for each block, in linear time.

    Blocks, the body that nce found   ->   (B, F): its text, its elements, its place, its neighbours, its likes

The model knows columns by their order: whoever changes them trains it anew (experiments/news/train.py). Reads blocks.py
and nce.py; read by classifier.py and train.py.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from edrew_torch.news.blocks import INLINE_TAGS, Blocks, Flags, Kinds, Places
from edrew_torch.news.nce import Body
from edrew_torch.tree import Tree, running_sum

Floats = NDArray[np.float64]

# Words in `class`, `id`, `role`, `itemprop` that tell what an element is for. A row is one bit.
MARKS = (
    "articlebody|article-body|article_body|story-body|storybody|post-body|entry-content|post-content|article-content",
    "article|story",
    "body|text",
    "content|main",
    "post|entry|blog",
    "comment|disqus|discuss|reply",
    "footer|foot|bottom|copyright|legal",
    "header|masthead|top-bar|topbar",
    "sidebar|aside|rail|side-bar|column-right",
    "share|social|facebook|twitter|follow",
    "related|recommend|more-|also-|-more|readmore|read-more|popular|trending|most-|latest",
    "promo|sponsor|advert|outbrain|taboola|banner|dfp|commercial|partner",
    "nav|menu|breadcrumb|crumb",
    "widget|module|teaser|card|tile",
    "caption|credit|photo|image|img|figure|gallery|slideshow|media|video",
    "author|byline|bio|writer|contributor",
    "meta|date|time|publish|posted|stamp",
    "tag|categor|topic|keyword|label",
    "newsletter|subscribe|signup|sign-up|register|login|paywall",
    "title|headline|heading|hed",
    "summary|excerpt|lead|intro|dek|standfirst|subtitle|subhead|description|abstract",
    "cookie|consent|gdpr|popup|modal|overlay|notice|disclaimer|alert",
    "hidden|display:none|sr-only|screen-reader|visually",
    "list|item",
    "quote|pullquote|blockquote",
    "search|form",
    "correction|note|footnote|reference",
)
# whole words only: "ad" stands in "head", "read"…
WHOLE_MARKS = {"ad": 11, "ads": 11, "adv": 11, "contentinfo": 6, "complementary": 8, "navigation": 12}
MARKED_BY = ("class", "id", "role", "itemprop", "data-testid", "data-component")
MAX_MARK = 300  # characters read of them: some pages keep whole style sheets in a class

OWNERS = ("p", "li", "td", "div", "section", "article", "blockquote", "figcaption", "pre", "dd", "h1", "h2", "h3")
AROUND = (
    "article", "main", "aside", "nav", "footer", "header", "form", "figure", "table", "ul", "ol", "blockquote",
    "section", "h1", "h2", "h3", "h4", "em", "strong", "time", "address", "dl", "body",
)  # fmt: skip
# Signs of things around an article, in some languages of the shared pages; a row is one feature.
TELLTALES = (
    "©|(c) 20|copyright|all rights reserved|alle rechte",
    "cookie|newsletter|subscri|sign up|log in|register|abonn|anmelden",
    "read more|related|more:|see also|also read|lesen sie|mehr zum|lire aussi|watch:|recommended|click here|continue",
    "photo|image|getty|reuters|credit|courtesy|foto|bild:|picture|illustration|file)",
    "comment|kommentar|reply|antwort|posted by",
    "advert|anzeige|sponsor|publicidad",
    "share|follow|facebook|twitter|tweet|instagram|e-mail|email|teilen",
    "http|www.|@",
)
OPENINGS = ("by ", "von ", "par ", "por ", "written by")
DATE = re.compile(r"(?:19|20)\d\d|\d:\d\d")
TELLTALE_LENGTH = 300  # characters read: what comes later says something of the world, not of the page
END_SIGNS = frozenset(".!?…。！？»”\"'’):;।؟")
BULLETS = frozenset("•·-–—*|»›>▪■●")
STEPS = (1, 2, 3)  # neighbours looked at on each side
LEVELS = 4  # ancestors looked at
MAX_COPIES = 2  # of a whole article: for screens and for phones
NONE = -1.0


def block_features(blocks: Blocks, body: Body) -> Floats:
    """Return the rows of a page's blocks; no blocks, no rows."""
    if not len(blocks):
        return np.zeros((0, 0))
    tree = blocks.tree
    kind = Kinds(tree)
    text = text_features(blocks)
    columns = [
        text,
        element_features(blocks, kind),
        mark_features(blocks),
        place_features(blocks, body),
        subtree_features(blocks, body),
        title_features(blocks, body),
        like_features(blocks, body),
        sibling_features(blocks, body),
        neighbour_features(np.column_stack([text[:, [0, 2, 4, 8]], body.is_prose])),
    ]
    return np.column_stack(columns)


def text_features(blocks: Blocks) -> Floats:
    """(B, …) Length, links, kinds of characters, how it begins and ends, telltale words."""
    joined = "\n".join(blocks.texts)
    codes = np.frombuffer(joined.encode("utf-32-le", "replace"), dtype=np.uint32)
    starts = np.concatenate([[0], np.cumsum(blocks.length + 1)[:-1]])

    def count(is_it: Flags) -> Places:
        counts: Places = np.add.reduceat(is_it.astype(np.int64), starts)
        return counts

    length = np.maximum(blocks.length, 1)
    small = np.minimum(codes, 0x600)
    num_words = count((codes == 32) | (codes == 10)) + 0.5 * count((codes >= 0x2E80) & (codes < 0xFF00))
    num_ends = count(END_CODE[small] | np.isin(codes, (0x3002, 0xFF01, 0xFF1F)))
    num_commas = count((codes == 44) | (codes == 0x3001) | (codes == 0xFF0C) | (codes == 0x60C))
    last = [text[-1] in END_SIGNS for text in blocks.texts]
    first = [2.0 if text[0] in BULLETS else float(text[0].isupper()) for text in blocks.texts]
    heads = [text[:TELLTALE_LENGTH].lower() for text in blocks.texts]
    told = find_words(heads, TELLTALES)
    dated = [[text.startswith(OPENINGS), bool(DATE.search(text))] for text in heads]
    num_nodes = np.diff(blocks.first)
    columns = [
        np.log1p(blocks.length),
        np.log1p(num_words),
        blocks.link_length / length,
        np.log1p(num_nodes),
        num_ends / length,
        np.log1p(num_ends),
        num_commas / length,
        count((codes >= 48) & (codes < 58)) / length,
        count(UPPER_CODE[small]) / length,
        length / np.maximum(num_words, 1),
        np.array(last),
        np.array(first),
        count(codes == 10),
        count(codes == 63) / length,
        blocks.link_length,
        told,
        np.array(dated),
    ]
    return np.column_stack(columns).astype(np.float64)


def find_words(texts: Sequence[str], rows: Sequence[str]) -> Flags:
    """(texts, rows): does a text hold any of the words of a row, which are parted by `|`?

    >>> find_words(["a tea", "cake"], ["tea|coffee", "cake"]).tolist()
    [[True, False], [False, True]]
    """
    found = np.zeros((len(texts), len(rows)), dtype=np.bool_)
    joined = "\n".join(texts)  # one search for all texts
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
    for number, row in enumerate(rows):
        places: list[int] = []
        for word in row.split("|"):
            place = joined.find(word)
            while place >= 0:
                places.append(place)
                place = joined.find(word, place + len(word))
        found[np.searchsorted(starts, places, side="right") - 1, number] = True
    return found


UPPER_CODE = np.array([chr(code).isupper() for code in range(0x601)])
END_CODE = np.array([chr(code) in ".!?…।؟" for code in range(0x601)])


def element_features(blocks: Blocks, kind: Kinds) -> Floats:
    """(B, …) Which element the block stands in, and which are around it."""
    nodes = blocks.text_nodes[blocks.first[:-1]]
    own = [kind.named(name)[blocks.owner] for name in OWNERS]
    around = [kind.covered(name)[nodes] for name in AROUND]
    return np.column_stack([*own, *around]).astype(np.float64)


def mark_features(blocks: Blocks) -> Floats:
    """(B, 2 · marks) Is the mark on the block's element or the one above it; on any above?"""
    near, far = element_marks(blocks.tree)
    bits = np.arange(len(MARKS))
    owner = blocks.owner
    above = np.maximum(blocks.tree.parent[owner], 0)
    close = near[owner] | near[above]
    return np.column_stack([(close[:, None] >> bits) & 1, (far[owner][:, None] >> bits) & 1]).astype(np.float64)


def element_marks(tree: Tree) -> tuple[Places, Places]:
    """(N,), (N,) The marks of each node as bits; and those of all nodes from the root to it, `body` left out."""
    known = {"": 0}
    said = [0] * len(tree)  # which of the known texts an element has; the first is of those that have none
    outer = {number for number, name in enumerate(tree.names) if name in ("html", "body")}
    payload = tree.payload
    for node, tag in enumerate(tree.tag.tolist()):
        if tag >= 0 and tag not in outer and (attributes := payload[node]):
            said[node] = known.setdefault(marking(attributes), len(known))  # type: ignore[arg-type]
    texts = list(known)
    bits = find_words(texts, MARKS) @ (1 << np.arange(len(MARKS)))
    for number, text in enumerate(texts):
        for word in WHOLE_MARKS.keys() & set(text.replace("-", " ").replace("_", " ").split()):
            bits[number] |= 1 << WHOLE_MARKS[word]
    near: Places = bits[said]
    far = [0] * (len(tree) + 1)
    for node, (marks, parent) in enumerate(zip(near.tolist(), tree.parent.tolist(), strict=True)):
        far[node] = far[parent] | marks  # the last entry, at -1, is above the roots
    return near, np.array(far[:-1], dtype=np.int64)


def marking(attributes: Mapping[str, str]) -> str:
    """What an element's attributes say it is for, in small letters."""
    said = [attributes[name][:MAX_MARK] for name in MARKED_BY if name in attributes]
    if "style" in attributes and "display:none" in attributes["style"].replace(" ", ""):
        said.append("hidden")
    if "hidden" in attributes:
        said.append("hidden")
    return " ".join(said).lower()


def place_features(blocks: Blocks, body: Body) -> Floats:
    """(B, …) Where in the page and where in the body of nce."""
    number = np.arange(len(blocks))
    before = running_sum(blocks.length)
    total = max(int(before[-1]), 1)
    size = max(body.end - body.start, 1)
    prose = np.flatnonzero(body.is_prose)
    last_prose = np.append(prose, -1000)[np.searchsorted(prose, number, side="right") - 1]
    next_prose = np.append(prose, len(blocks) + 1000)[np.searchsorted(prose, number, side="left")]
    prose_before = running_sum(np.where(body.is_prose, blocks.length, 0))
    columns = [
        number / len(blocks),
        np.full(len(blocks), np.log1p(len(blocks))),
        before[:-1] / total,
        np.full(len(blocks), np.log1p(total)),
        body.kept,
        (number >= body.start) & (number < body.end),
        (number - body.start) / size,
        np.clip(number - body.start, -50, 50),
        np.clip(number - body.end, -50, 50),
        np.minimum(number - last_prose, 50),
        np.minimum(next_prose - number, 50),
        prose_before[:-1] / max(int(prose_before[-1]), 1),
        np.full(len(blocks), np.log1p(prose_before[-1])),
        np.full(len(blocks), len(prose)),
    ]
    return np.column_stack(columns).astype(np.float64)


def subtree_features(blocks: Blocks, body: Body) -> Floats:
    """(B, …) Of the elements above the block, level by level: size, links, prose, share of the page's prose."""
    tree = blocks.tree
    begin, end = blocks.of_subtree
    length, links = running_sum(blocks.length), running_sum(blocks.link_length)
    prose = running_sum(np.where(body.is_prose, blocks.length, 0))
    counts = running_sum(body.is_prose)
    page_prose = max(int(prose[-1]), 1)
    # prose whose element stands right below this one: the column of an article has most of it
    column = np.zeros(len(tree) + 1)
    np.add.at(column, tree.parent[blocks.owner], np.where(body.is_prose, blocks.length, 0))
    depth = tree.depth
    here = blocks.owner
    columns: list[NDArray[np.generic]] = [
        depth[here],
        depth[here] - depth[body.node],
        (here >= body.node) & (here < tree.end[body.node]),
    ]
    for _ in range(LEVELS):
        first, behind = begin[here], end[here]
        size = length[behind] - length[first]
        own = prose[behind] - prose[first]
        columns += [
            np.log1p(size),
            (links[behind] - links[first]) / np.maximum(size, 1),
            own / np.maximum(size, 1),
            own / page_prose,
            np.log1p(behind - first),
            np.log1p(counts[behind] - counts[first]),
            column[here] / page_prose,
            (np.arange(len(blocks)) - first) / np.maximum(behind - first, 1),
        ]
        here = np.maximum(tree.parent[here], 0)
    return np.column_stack(columns).astype(np.float64)


def title_features(blocks: Blocks, body: Body) -> Floats:
    """(B, …) How much of the block is in `<title>`, and how far the title of the article lies."""
    words = set(body.page_title.lower().split())
    shared, share = [], []
    for text, length in zip(blocks.texts, blocks.length.tolist(), strict=True):
        own = set(text.lower().split()) if words and length < 4 * len(body.page_title) + 40 else set()
        common = len(words & own)
        shared.append(common / max(len(words), 1))
        share.append(common / max(len(own), 1))
    number = np.arange(len(blocks))
    before = running_sum(blocks.length)
    title = body.headline
    is_known = title >= 0
    columns = [
        np.array(shared),
        np.array(share),
        np.clip(number - title, -50, 50) if is_known else np.full(len(blocks), 99.0),
        (number == title).astype(float),
        np.sign(number - title) * np.log1p(np.abs(before[:-1] - before[max(title, 0)]))
        if is_known
        else np.full(len(blocks), 99.0),
    ]
    return np.column_stack(columns).astype(np.float64)


def like_features(blocks: Blocks, body: Body) -> Floats:
    """(B, …) Of the blocks at the same tag path with the same classes: how many, how long, how linked; and repeats."""
    codes = path_codes(blocks.tree)[blocks.owner]
    columns: list[NDArray[np.generic]] = []
    for keys in (codes, path_codes(blocks.tree, levels=2)[blocks.owner]):
        _, group = np.unique(keys, return_inverse=True)
        count = np.bincount(group)
        length = np.bincount(group, blocks.length)
        links = np.bincount(group, blocks.link_length)
        prose = np.bincount(group, body.is_prose)
        kept = np.bincount(group, np.where(body.kept, blocks.length, 0))
        per_group = [
            np.log1p(count),
            np.log1p(length / count),
            links / np.maximum(length, 1),
            prose / count,
            kept / np.maximum(length, 1),
            length / max(int(blocks.length.sum()), 1),
        ]
        columns += [values[group] for values in per_group]
    seen: dict[str, int] = {}
    for text in blocks.texts:
        seen[text] = seen.get(text, 0) + 1
    # a page all of whose prose comes several times tells nothing by that; of a page that comes twice one copy will do
    least = min((seen[blocks.texts[place]] for place in np.flatnonzero(body.is_prose).tolist()), default=1)
    earlier: set[str] = set()
    repeats = []
    for text in blocks.texts:
        repeats.append((min(max(seen[text] // least, 1), 5), text in earlier and least <= MAX_COPIES))
        earlier.add(text)
    columns.append(np.array(repeats, dtype=np.float64))
    return np.column_stack(columns).astype(np.float64)


def sibling_features(blocks: Blocks, body: Body) -> Floats:
    """(B, …) Of the elements above the block: how many beside them look the same and hold prose, as comments do."""
    tree = blocks.tree
    begin, end = blocks.of_subtree
    counts = running_sum(body.is_prose)
    # a paragraph is no container: its likes beside it are the article
    is_plain = Kinds(tree).named("p", "br", *INLINE_TAGS, "h1", "h2", "h3", "h4", "h5", "h6", "li", "html", "body")
    holds = (tree.tag >= 0) & ~is_plain & (counts[end] > counts[begin])
    places = np.flatnonzero(holds)
    look = looks(tree)
    likes = np.zeros(len(tree))
    if len(places):
        _, group, count = np.unique(
            (tree.parent[places].astype(np.int64) + 1) * (int(look.max()) + 1) + look[places],
            return_inverse=True,
            return_counts=True,
        )
        likes[places] = count[group] - 1
    most = likes.tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0 and most[parent] > most[node]:
            most[node] = most[parent]
    columns = [np.log1p(np.array(most)[blocks.owner])]
    here = blocks.owner
    for _ in range(LEVELS + 2):
        columns.append(np.log1p(likes[here]))
        here = np.maximum(tree.parent[here], 0)
    return np.column_stack(columns).astype(np.float64)


def looks(tree: Tree) -> Places:
    """(N,) A number for each element's name and classes; 0 for texts."""
    known: dict[tuple[object, ...], int] = {}
    own = [0] * len(tree)
    payload = tree.payload
    for node, tag in enumerate(tree.tag.tolist()):
        if tag >= 0:
            attributes = payload[node]
            look = attributes.get("class", "") if attributes else ""  # type: ignore[union-attr]
            own[node] = known.setdefault((tag, look), len(known) + 1)
    return np.array(own, dtype=np.int64)


def path_codes(tree: Tree, levels: int | None = None) -> Places:
    """(N,) A number for each element's tag path with its classes; of the last levels only, if given."""
    code = looks(tree)
    if levels:
        total, here, size = code.copy(), np.maximum(tree.parent, 0), int(code.max()) + 1
        for _ in range(levels - 1):
            total = total * size + code[here]
            here = np.maximum(tree.parent[here], 0)
        return total
    own = code.tolist()
    paths: dict[tuple[int, int], int] = {}
    code_of = [0] * (len(tree) + 1)
    for node, parent in enumerate(tree.parent.tolist()):
        if own[node]:
            code_of[node] = paths.setdefault((code_of[parent], own[node]), len(paths) + 1)
    return np.array(code_of[:-1], dtype=np.int64)


def neighbour_features(values: Floats) -> Floats:
    """(B, F) -> (B, 2 · steps · F + …): the values of the blocks before and behind, and sums over wider windows."""
    columns = [shifted(values, step) for each in STEPS for step in (each, -each)]
    for width in (4, 10):
        columns += [window_mean(values, -width, 0), window_mean(values, 1, width + 1)]
    return np.column_stack(columns)


def shifted(values: Floats, step: int) -> Floats:
    """(B, F) -> (B, F): of the block so many places before (behind, if negative); `NONE` beyond the page."""
    found = np.full_like(values, NONE)
    if abs(step) < len(values):
        if step > 0:
            found[step:] = values[:-step]
        else:
            found[:step] = values[-step:]
    return found


def window_mean(values: Floats, begin: int, end: int) -> Floats:
    """(B, F) -> (B, F): the mean over the blocks from `begin` to before `end`, relative to each; 0 where none is."""
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    number = np.arange(len(values))
    first, behind = (np.clip(number + bound, 0, len(values)) for bound in (begin, end))
    means: Floats = (sums[behind] - sums[first]) / np.maximum(behind - first, 1)[:, None]
    return means
