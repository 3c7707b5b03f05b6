"""Describe: a tree -> for each text node what there is to see of it, in groups that are switches.

    <tr><td>MSRP:<td class=price>$61,550   ->   text: $61,550, $9,9 …   label: msrp …   names: price …   layout: …

Two tables describe a node. `roles` says which piece (pieces.py) plays which role: its own text, the text before it, the
heading above it, the element that holds it… `marks` are small numbers: in the title? a link? how deep?
bags.py makes bags of tokens of both. Nothing here knows the site; site.py adds what its other pages tell.
Reads tree.py, pieces.py, evidence.py; read by bags.py, site.py, extraction.py and attributes/.
"""

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain
from urllib.parse import SplitResult, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from edrew_torch.enrich.evidence import embedded_data, hidden_by_style, squeeze
from edrew_torch.enrich.pieces import (
    MAX_KNOWN,
    NAMING,
    WORD,
    attribute_tokens,
    context_tokens,
    hashes,
    own_tokens,
    said_tokens,
)
from edrew_torch.tree import Tree, page_title, path_numbers

# A role is what a piece is to the node; a mark is one small number. Each belongs to a group, which is a switch.
ROLES = {
    "own": "text",
    "before": "label",
    "before2": "label",
    "after": "label",
    "row": "label",
    "column": "label",
    "heading": "label",
    "said": "label",
    "element": "names",
    "element2": "names",
    "element3": "names",
    "element4": "names",
    "higher": "names",
    "path": "path",
    "exact": "exact",
    "slot": "exact",
    "data": "markup",
    "property": "markup",
}
MARKS = {
    "title": "overlap",
    "title_share": "overlap",
    "headline": "overlap",
    "address": "overlap",
    "link": "links",
    "hidden": "hidden",
    "position": "layout",
    "behind_headline": "layout",
    "depth": "layout",
    "times": "layout",
    "siblings": "layout",
    "part": "layout",
    "label_form": "layout",
}

HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 dt th legend caption".split())
LABELS = frozenset("b strong th dt label em h1 h2 h3 h4 h5 h6".split())
PARTS = {"header": 1, "footer": 2, "nav": 3, "aside": 4, "form": 5, "main": 6, "article": 7}
SILENT = frozenset("script style noscript link meta base input area template".split())
NEAR = ("element", "element2", "element3", "element4")  # the elements above a text that are looked at one by one
NUM_HIGHER = 6  # and those above them, whose names count together
PATH_LENGTH = 4
MANY = 255  # the largest mark
MAX_TEXTS = 100_000  # of a page: each takes some 10 kB on the way to a value, and a byte or two of markup makes one
MAX_TITLE = 1000  # characters that texts are looked for in
ADDRESS_WORD = re.compile(r"[^\W_]+")


class Book:
    """The pieces met so far, each under a key. Piece 0 is empty."""

    def __init__(self) -> None:
        self.number_of: dict[Hashable, int] = {}
        self.tokens: list[list[int]] = [[]]

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, key: Hashable, tokens: list[int]) -> int:
        """Keep a piece under a new key."""
        number = self.number_of[key] = len(self.tokens)
        self.tokens.append(tokens)
        return number


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """The text nodes of a page as a model may see them."""

    nodes: NDArray[np.int64]  # (N,) in the tree, in document order
    texts: tuple[str, ...]  # (N,) white space collapsed
    roles: NDArray[np.int32]  # (N, roles) numbers of pieces in `book`
    marks: NDArray[np.uint8]  # (N, marks)
    path: NDArray[np.uint64]  # (N,) the same number for the same XPath, on all pages
    slot: NDArray[np.uint64]  # (N,) the same for the same tag path behind the same text
    book: Book
    title: str

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"Description({len(self)} text nodes)"

    def pieces(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(N, roles) numbers of the page's own pieces; how many tokens each piece has; all their tokens in a row."""
        used, local = np.unique(self.roles, return_inverse=True)
        lists = [self.book.tokens[number] for number in used.tolist()]
        sizes = np.array([len(each) for each in lists], dtype=np.int64)
        tokens = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(sizes.sum()))
        return local.reshape(self.roles.shape), sizes, tokens


class Describer:
    """Trees to descriptions. All pages that one describer sees share their pieces."""

    def __init__(self) -> None:
        self.book = Book()

    def describe(self, tree: Tree, url: str | None = None) -> Description:
        """Return what there is to see of every text node with content."""
        if len(self.book) > MAX_KNOWN:
            self.book = Book()  # older descriptions keep theirs
        return _PageReader(tree, url, self.book).read()


class _PageReader:
    """One page on its way to a description: what each element passes down, then what each text sees around it."""

    def __init__(self, tree: Tree, url: str | None, book: Book) -> None:
        self.tree = tree
        self.book = book
        self.url = url
        is_silent = [name in SILENT for name in tree.names]
        tag, parent = tree.tag.tolist(), tree.parent.tolist()
        self.tag: list[int] = tag
        self.parent: list[int] = parent
        self.nodes = [node for node in tree.content.tolist() if not is_silent[tag[parent[node]]]][:MAX_TEXTS]
        self.texts = [" ".join(tree.text(node).split()) for node in self.nodes]
        self.roles = {name: [0] * len(self.nodes) for name in ROLES}
        self.marks = {name: [0] * len(self.nodes) for name in MARKS}

    def read(self) -> Description:
        """All of it."""
        self._elements()
        self._surroundings()
        self._tables()
        self._said()
        title = self._overlaps()
        self._evidence()
        path, slot = self._places()
        return Description(
            np.array(self.nodes, dtype=np.int64),
            tuple(self.texts),
            np.array(list(self.roles.values()), dtype=np.int32).T.reshape(-1, len(ROLES)),
            np.minimum(np.array(list(self.marks.values())), MANY).astype(np.uint8).T.reshape(-1, len(MARKS)),
            path,
            slot,
            self.book,
            title,
        )

    def _elements(self) -> None:
        """What elements pass down to the texts in them: their names, a link, a part of the page, being hidden."""
        tree, names, book = self.tree, self.tree.names, self.book
        hidden_classes, hidden_ids = hidden_by_style(tree)
        size = len(tree) + 1  # the last entry, at index -1, is above the roots
        piece, props, link, part, hidden = [0] * size, [0] * size, [-1] * size, [0] * size, [0] * size
        heading = [False] * size
        number_of = book.number_of
        # what a tag says without any attributes
        plain_piece = [number_of.get(name) or book.add(name, hashes(attribute_tokens(name, {}))) for name in names]
        part_of = [PARTS.get(name, 0) for name in names]
        is_heading = [name in HEADINGS for name in names]
        ends_heading = [name in ("td", "div", "dd") for name in names]
        for node, (tag, up, given) in enumerate(zip(self.tag, self.parent, tree.payload, strict=True)):
            if tag < 0:
                continue
            props[node], hidden[node], link[node] = props[up], hidden[up], link[up]
            part[node] = part_of[tag] or part[up]
            heading[node] = is_heading[tag] or (heading[up] and not ends_heading[tag])
            if not given or isinstance(given, str):
                piece[node] = plain_piece[tag]
                continue
            name = names[tag]
            key: Hashable = (name, *map(given.get, NAMING))
            piece[node] = number_of.get(key) or book.add(key, hashes(attribute_tokens(name, given)))
            if value := given.get("itemprop") or given.get("property"):
                key = ("property", value[:100])
                tokens = (f"prop {each}" for each in value.lower().split()[:4])
                props[node] = number_of.get(key) or book.add(key, hashes(tokens))
            if not hidden[node] and (style := given.get("style")):
                plain = "".join(style.split()).lower()
                hidden[node] = int("display:none" in plain or "visibility:hidden" in plain)
            if "hidden" in given or given.get("id") in hidden_ids:
                hidden[node] = 2
            if hidden_classes and not hidden_classes.isdisjoint((given.get("class") or "").split()):
                hidden[node] = 2
            if name == "a" and "href" in given:
                link[node] = node
        self.heading, self.piece = heading, piece
        kind_of_link = {-1: 0}
        host = urlsplit_or_none(self.url)
        first = names.index("base") if "base" in names else -1
        if first >= 0 and host is None:
            base = next((tree.attributes(n).get("href") for n in np.flatnonzero(tree.tag == first).tolist()), None)
            self.url = base or self.url
            host = urlsplit_or_none(self.url)
        higher: dict[int, int] = {}
        paths: dict[int, int] = {}
        siblings = Counter(self.parent[node] for node in self.nodes)
        for place, node in enumerate(self.nodes):
            up = self.parent[node]
            above = up
            for role in NEAR:
                if above < 0:
                    break
                self.roles[role][place] = piece[above]
                above = self.parent[above]
            if above >= 0:
                if above not in higher:
                    higher[above] = self._higher(above)
                self.roles["higher"][place] = higher[above]
            if up not in paths:
                paths[up] = self._path(up)
            self.roles["path"][place] = paths[up]
            self.roles["property"][place] = props[up]
            if link[up] not in kind_of_link:
                kind_of_link[link[up]] = link_kind(tree.attributes(link[up]).get("href") or "", host)
            self.marks["link"][place] = kind_of_link[link[up]]
            self.marks["hidden"][place] = hidden[up]
            self.marks["part"][place] = part[up]
            self.marks["siblings"][place] = min(siblings[up], 6)

    def _path(self, above: int) -> int:
        """The last tags on the way to this element, as a piece."""
        tags: list[str] = []
        while above >= 0 and len(tags) < PATH_LENGTH:
            tags.append(self.tree.names[self.tag[above]])
            above = self.parent[above]
        key = ("path", *reversed(tags))
        return self.book.number_of.get(key) or self.book.add(key, hashes(path_tokens(key[1:])))

    def _higher(self, above: int) -> int:
        """The names of the elements from this one up, together as one piece."""
        numbers = []
        for _ in range(NUM_HIGHER):
            if above < 0:
                break
            numbers.append(self.piece[above])
            above = self.parent[above]
        key = ("higher", *numbers)
        tokens = {token for number in numbers for token in self.book.tokens[number]}
        return self.book.number_of.get(key) or self.book.add(key, sorted(tokens))

    def _surroundings(self) -> None:
        """Own text, texts around it, where it stands."""
        book, number_of = self.book, self.book.number_of
        context = [
            number_of.get(("beside", t)) or book.add(("beside", t), hashes(context_tokens(t))) for t in self.texts
        ]
        own = [number_of.get(("own", t)) or book.add(("own", t), hashes(own_tokens(t))) for t in self.texts]
        roles, marks, count = self.roles, self.marks, len(self.nodes)
        roles["own"] = own
        roles["before"] = [0, *context[:-1]][:count]
        roles["before2"] = [0, 0, *context[:-2]][:count]
        roles["after"] = [*context[1:], 0][:count]
        times = Counter(self.texts)
        depth = self.tree.depth[self.nodes].tolist() if count else []
        first_text: dict[int, int] = {-1: -1}  # element -> the first text in it
        row_of: dict[int, int] = {}
        last_heading = -1
        names = self.tree.names
        for place, node in enumerate(self.nodes):
            up = above = self.parent[node]
            while above not in first_text:  # each element is new once: linear in the page
                first_text[above] = place
                above = self.parent[above]
            row_of[place] = first_text[above]
            if row_of[place] >= 0:
                roles["row"][place] = context[row_of[place]]
            if last_heading >= 0:
                roles["heading"][place] = context[last_heading]
            if self.heading[up]:
                last_heading = place
            before = self.texts[place - 1] if place else ""
            form = 1 if before.endswith(":") else 0
            if place:
                form += 2 * (names[self.tag[self.parent[self.nodes[place - 1]]]] in LABELS)
            marks["label_form"][place] = (
                form + 4 * self.texts[place].endswith(":") + 8 * self.texts[place].startswith(":")
            )
            marks["times"][place] = min(times[self.texts[place]], 5)
            marks["depth"][place] = min(depth[place] // 3, 12)
            marks["position"][place] = 10 * place // count

    def _tables(self) -> None:
        """For a text in a cell, the text at the head of its column."""
        names, parent, tag = self.tree.names, self.parent, self.tag
        is_cell = [name in ("td", "th") for name in names]
        number_of = self.book.number_of
        head: dict[tuple[int, int], int] = {}  # (table or body, place of the cell) -> the first text met there
        for place, node in enumerate(self.nodes):
            cell = parent[node]
            for _ in range(4):
                if cell < 0 or is_cell[tag[cell]]:
                    break
                cell = parent[cell]
            if cell >= 0 and is_cell[tag[cell]] and (row := parent[cell]) >= 0:
                key = (parent[row], self.tree.ordinal(cell))
                if key in head:
                    self.roles["column"][place] = number_of["beside", self.texts[head[key]]]
                else:
                    head[key] = place

    def _said(self) -> None:
        """What is said of a text, wherever it is said: before it, at the head of its row or column, or in itself."""
        book, number_of = self.book, self.book.number_of
        before, row, column, own = (self.roles[name] for name in ("before", "row", "column", "own"))
        label_of: dict[int, str] = {number_of["beside", text]: text for text in dict.fromkeys(self.texts)}
        for place, text in enumerate(self.texts):
            key = ("said", before[place], row[place], column[place], own[place])
            number = number_of.get(key)
            if not number:
                labels = [label_of.get(each, "") for each in dict.fromkeys(key[1:4])]
                number = book.add(key, hashes(said_tokens(text, labels)))
            self.roles["said"][place] = number

    def _overlaps(self) -> str:
        """How texts compare with the title, the headline and the address. Returns the title."""
        title = page_title(self.tree)
        headings = [p for p, n in enumerate(self.nodes) if self._is_in(n, "h1")]
        headline = self.texts[headings[0]] if headings else ""
        title_low, headline_low = title.lower()[:MAX_TITLE], headline.lower()[:MAX_TITLE]
        title_words = set(WORD.findall(title_low))
        parts = urlsplit_or_none(self.url)
        address = unquote(f"{parts.path} {parts.query}".lower()) if parts else ""
        address_words = set(ADDRESS_WORD.findall(address))
        seen: dict[str, tuple[int, int, int, int]] = {}
        behind = headings[0] if headings else 0
        marks = self.marks
        for place, text in enumerate(self.texts):
            if text not in seen:
                low = text.lower()[:200]
                words = [word for word in WORD.findall(low) if word.isalnum()]
                share = sum(word in title_words for word in words) / len(words) if words else 0.0
                there = sum(word in address_words for word in words) / len(words) if words else 0.0
                seen[text] = compare(low, title_low), int(4 * share), compare(low, headline_low), int(4 * there)
            marks["title"][place], marks["title_share"][place], marks["headline"][place], marks["address"][place] = (
                seen[text]
            )
            distance = place - behind
            marks["behind_headline"][place] = (
                0
                if not headings
                else 10 + distance.bit_length()
                if distance >= 0
                else 1 + min((-distance).bit_length(), 8)
            )
        return title

    def _is_in(self, node: int, name: str) -> bool:
        """Is the text in such an element, up to three levels above it?"""
        for _ in range(3):
            node = self.parent[node]
            if node < 0:
                return False
            if self.tree.names[self.tag[node]] == name:
                return True
        return False

    def _evidence(self) -> None:
        """The names under which JSON-LD and <meta> have the same value."""
        data = embedded_data(self.tree)
        if not data:
            return
        book, number_of = self.book, self.book.number_of
        for place, text in enumerate(self.texts):
            names = data.get(squeeze(text[:500]))
            if names:
                key = ("data", names)
                self.roles["data"][place] = number_of.get(key) or book.add(key, hashes(f"data {n}" for n in names))

    def _places(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The path of each text as a number, and its tag path together with the text before it."""
        path = path_numbers(self.tree)[self.nodes] if self.nodes else np.zeros(0, dtype=np.uint64)
        slot = path_numbers(self.tree, places=False)[self.nodes] if self.nodes else path
        tokens = self.book.tokens
        before = np.array([sum(tokens[number]) for number in self.roles["before"]], dtype=np.uint64)
        slot = (slot ^ before) * np.uint64(0x9E3779B97F4A7C15)
        for role, numbers in (("exact", path), ("slot", slot)):
            get, add = self.book.number_of.get, self.book.add
            self.roles[role] = [get((role, each)) or add((role, each), [each >> 32]) for each in numbers.tolist()]
        return path, slot


def path_tokens(path: tuple[str, ...]) -> list[str]:
    """The last tags of a path, one by one and together."""
    return [f"path {'/'.join(path[start:])}" for start in range(len(path))]


def compare(text: str, other: str) -> int:
    """How a text stands to another: 0 apart, 1 equal, 2 its beginning, 3 a part of it, 4 holds it."""
    if not text or not other:
        return 0
    if text == other:
        return 1
    if len(text) < len(other):
        return 2 if other.startswith(text) else 3 if len(text) > 2 and text in other else 0
    return 4 if other in text else 0


def urlsplit_or_none(url: str | None) -> SplitResult | None:
    """The parts of an address; None for none, or for what is no address."""
    try:
        return urlsplit(url) if url else None
    except ValueError:
        return None


def link_kind(href: str, host: SplitResult | None) -> int:
    """1 the same host, 2 another, 3 a place on the page or a script, 4 mail or telephone."""
    low = href.strip().lower()
    if low.startswith(("#", "javascript:")) or not low:
        return 3
    if low.startswith(("mailto:", "tel:")):
        return 4
    if "//" in low[:10]:
        parts = urlsplit_or_none(low)
        other = parts.netloc.removeprefix("www.") if parts else ""
        return 1 if host and other == host.netloc.removeprefix("www.") else 2
    return 1
