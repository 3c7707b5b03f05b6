"""reTPS: for each text node of a tree, its tag path enriched with special tokens and reversed, as a row of integers.

    <body><div class="price">$5</div></body>   ->   <#$> <#CNT> <#PRICE> <#CLSS> div|55 body|… html|…

An element gives its tag with its position class, then its tokens in the order id, class, properties, hidden; the
content tokens belong to the text node alone. Leaf first, the path is cut to `threshold` elements.
Thesis: sections 4.3 to 4.5, Algorithms 8 to 13, figures 9, 11 and 14. Reads tree.py; read by encoders/ and datasets/.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from edrew_torch.profile import Profile, find_profile
from edrew_torch.tree import Ints, Tree

SEPARATOR = "<#SEP>"
PAD = "<#PAD>"
UNKNOWN = "<#UNK>"  # in place of a tag that a frozen vocabulary has not seen
ID, CLASS, PROPERTY, HIDDEN = "<#ID>", "<#CLSS>", "<#PROP>", "<#HIDE>"
CONTENT, CURRENCY = "<#CNT>", "<#$>"
HIDING_STYLES = ("display:none", "visibility:hidden")
ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}

CURRENCY_SIGNS = (
    "$¢£¤¥֏؋߾߿৲৳৻૱௹฿៛₠₡₢₣₤₥₦₧₨₩₪₫€₭₮₯₰₱₲₳₴₵₶₷₸₹₺₻₼₽₾₿⃀꠸﷼﹩＄￠￡￥￦"  # Unicode's category Sc, in its first plane
)

FIBONACCI = np.array([1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 100])  # Algorithm 12

# Ids of these are the same in every vocabulary, so that models and data made apart fit together.
HTML_TAGS = tuple(
    """a abbr acronym address applet article aside audio b basefont bdi bdo big blink blockquote body button
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
    fieldset figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i
    iframe img ins isindex kbd label layer legend li main map mark marquee menu menuitem meter nav nobr noframes
    object ol optgroup option output p param path picture plaintext pre progress q rect rp rt ruby s samp script
    search section select slot small source span strike strong sub summary sup svg symbol table tbody td
    template textarea tfoot th thead time title tr track tt u ul use var video wbr xmp""".split()
)


class Vocabulary:
    """Elements of reTPS as integers: PAD is 0, then the special tokens, then one id per tag and position class.

    It grows with the names it meets, until it is frozen; from then on a new name is UNKNOWN, with its position class.
    """

    def __init__(self, keywords: Sequence[tuple[str, str]], tags: Iterable[str] = HTML_TAGS) -> None:
        tokens = [
            PAD,
            ID,
            CLASS,
            PROPERTY,
            HIDDEN,
            CONTENT,
            CURRENCY,
            "br",
            *(token for _, token in keywords),
        ]
        self.specials = tuple(dict.fromkeys(tokens))  # two keywords may share a token
        self.is_frozen = False
        self._special_ids = {token: i for i, token in enumerate(self.specials)}
        self._tags: dict[str, int] = {UNKNOWN: 0}
        for tag in tags:
            self._tags.setdefault(tag, len(self._tags))

    def __len__(self) -> int:
        return len(self.specials) + len(self._tags) * len(FIBONACCI)

    @property
    def tags(self) -> tuple[str, ...]:
        """Tag names in the order of their ids, UNKNOWN first."""
        return tuple(self._tags)

    def special_id(self, token: str) -> int:
        """The id of a special token."""
        return self._special_ids[token]

    def tag_ids(self, names: Sequence[str]) -> Ints:
        """Return the id of each name in position class 1; the next ten ids are its further classes."""
        if not self.is_frozen:
            for name in names:
                self._tags.setdefault(name, len(self._tags))
        numbers = np.array([self._tags.get(name, 0) for name in names], dtype=np.int32)
        return numbers * len(FIBONACCI) + len(self.specials)

    def tokens(self) -> list[str]:
        """The printed form of every id, in order: `<#CNT>`, `br`, `div|21`."""
        classes = [f"|{number}" for number in FIBONACCI]
        return [*self.specials, *(tag + position for tag in self._tags for position in classes)]


@dataclass(frozen=True, eq=False)
class Rows:
    """The samples of one page: row `i` describes the text node `nodes[i]`."""

    ids: Ints  # (N, threshold), PAD behind the last element
    nodes: NDArray[np.intp]  # (N,) indices into the tree, in document order

    def __len__(self) -> int:
        return len(self.nodes)


def python_attribute_marks(
    payload: Sequence[Mapping[str, str] | str | None],
    words: tuple[str, ...],
    hiding: tuple[str, ...],
) -> bytes:
    """Return what the attributes of each node say, a bit for each special token, as int64 bytes.

    From the lowest bit: id; class, the words in it; properties, the words in them; hidden. Only ASCII case is folded.
    `_compiled.c` holds this loop compiled.
    """
    property_mark = 4 << len(words)
    hidden_mark = property_mark << (len(words) + 1)

    @cache  # pages repeat themselves
    def words_in(text: str) -> int:
        folded = text.translate(ASCII_LOWER)
        return sum(1 << bit for bit, word in enumerate(words) if word in folded)

    column = []
    for item in payload:
        marks = 0
        for name, value in item.items() if isinstance(item, Mapping) else ():
            if name == "class":
                marks |= 2 * (1 | words_in(value) << 1)
            elif name == "id":
                marks |= 1
            elif name == "style":
                plain = "".join(value.split()).translate(ASCII_LOWER)
                marks |= hidden_mark * any(word in plain for word in hiding)
            else:
                marks |= property_mark * (1 | (words_in(name) | words_in(value)) << 1)
                marks |= hidden_mark * (name == "hidden")
        column.append(marks)
    return np.array(column, dtype=np.int64).tobytes()


def python_read_chains(tokens: Ints, following: NDArray[np.int64], start: NDArray[np.int64], out: Ints) -> None:
    """Fill row `i` of `out` with the tokens met from cell `start[i]` on. `_compiled.c` holds this loop compiled."""
    for column in out.T:
        column[:] = tokens[start]
        start = following[start]


try:
    from edrew_torch._compiled import attribute_marks, read_chains
except ImportError:  # not compiled: the same answers, slower
    attribute_marks, read_chains = python_attribute_marks, python_read_chains


class SpecialTokens:
    """The special tokens of elements, read from their attributes."""

    def __init__(self, profile: Profile, vocabulary: Vocabulary) -> None:
        self._words = tuple(word for word, _ in profile.keywords)
        keyword_tokens = [token for _, token in profile.keywords]
        order = [
            ID,
            CLASS,
            *keyword_tokens,
            PROPERTY,
            *keyword_tokens,
            HIDDEN,
        ]  # the order of the marks' bits
        self._token_ids = [vocabulary.special_id(token) for token in order]
        self._known = np.zeros(0, dtype=np.int64)  # marks seen, sorted: there are few, pages repeat themselves
        self._table: tuple[Ints, NDArray[np.intp], NDArray[np.intp]]  # their tokens, where they begin, how many
        self._learn(np.zeros(1, dtype=np.int64))

    def read(self, tree: Tree, elements: NDArray[np.intp]) -> tuple[NDArray[np.intp], Ints]:
        """Return how many tokens each element has, and all tokens in a row, the last of each element first."""
        marks = np.frombuffer(attribute_marks(tree.payload, self._words, HIDING_STYLES), np.int64)[elements]
        place = np.searchsorted(self._known, marks)
        if not np.array_equal(self._known.take(place, mode="clip"), marks):
            self._learn(marks)
            place = np.searchsorted(self._known, marks)
        tokens, starts, lengths = self._table
        count = lengths[place]
        before = np.cumsum(count) - count
        return count, tokens[np.repeat(starts[place] - before, count) + np.arange(count.sum())]

    def _learn(self, marks: NDArray[np.int64]) -> None:
        """Add marks to the table of their tokens."""
        self._known = np.union1d(self._known, marks)
        lists = [
            [token for bit, token in enumerate(self._token_ids) if known >> bit & 1][::-1]
            for known in self._known.tolist()
        ]
        lengths = np.array([len(tokens) for tokens in lists])
        self._table = (
            np.array([token for tokens in lists for token in tokens], dtype=np.int32),
            np.cumsum(lengths) - lengths,
            lengths,
        )


# What an element is to the paths, by its name: the lists of the profile.
SKIPPED, WRAPPER, ORDINARY, REPEATING, BREAK = range(5)


class RetpsBuilder:
    """Trees to rows, under one profile and one vocabulary."""

    def __init__(self, profile: str | Profile = "full", vocabulary: Vocabulary | None = None) -> None:
        self.profile = find_profile(profile)
        self.vocabulary = vocabulary or Vocabulary(self.profile.keywords)
        self._special_tokens = SpecialTokens(self.profile, self.vocabulary)
        # a name in several lists is what the last of these lines says
        kinds = dict.fromkeys(self.profile.repeating_tags, REPEATING) | {"br": BREAK}
        kinds |= dict.fromkeys(self.profile.wrapper_tags, WRAPPER)
        kinds |= dict.fromkeys((*self.profile.skip_tags, "script"), SKIPPED)
        self._kinds = kinds
        self._money_signs = frozenset(CURRENCY_SIGNS if self.profile.any_currency else "$")

    def rows(self, tree: Tree) -> Rows:
        """Return the reTPS of every text node with content, those of skipped elements left out."""
        elements = np.flatnonzero(tree.tag >= 0)
        tag = tree.tag[elements]
        kind = np.array([self._kinds.get(name, ORDINARY) for name in tree.names], dtype=np.int8)[tag]
        # these add no element to the paths below them and do not advance the position
        is_skipped = kind == SKIPPED
        is_passed = is_skipped | ((kind == WRAPPER) & ~tree.has_text[elements])
        position = np.cumsum(~(is_passed | (kind >= REPEATING)))
        tag_token = self.vocabulary.tag_ids(tree.names)[tag] + fibonacci_class(position)
        tag_token[kind == BREAK] = self.vocabulary.special_id("br")  # it carries no position

        is_silent = np.zeros(len(tree), dtype=np.bool_)  # elements whose own text is no content
        is_silent[elements[is_skipped]] = True
        nodes = tree.content[~is_silent[tree.parent[tree.content]]]
        chains = self._chain_elements(tree, elements, tag_token, is_passed)
        return Rows(self._read_rows(tree, nodes, *chains), nodes)

    def _chain_elements(
        self, tree: Tree, elements: NDArray[np.intp], tag_token: Ints, is_passed: NDArray[np.bool_]
    ) -> tuple[Ints, NDArray[np.int64], NDArray[np.int64]]:
        """Return the page's elements as chained cells: token, following cell, and where each node's chain begins.

        A row is its own elements followed by its parent's row, so every element is written once: the cells of its
        tokens, last first, then its tag, followed by the first cell of its parent. Cell 0 is PAD and follows itself.
        """
        kept, passed = elements[~is_passed], elements[is_passed]
        num_tokens, special_tokens = self._special_tokens.read(tree, kept)
        tag_cell = np.cumsum(num_tokens + 1)
        num_cells = int(tag_cell[-1]) + 1 if len(tag_cell) else 1

        # an element that is passed over begins where what stands above it begins
        above = np.arange(len(tree) + 1)  # the last entry, also at index -1, stands above the roots
        above[passed] = tree.parent[passed]
        above[above < 0] = len(tree)
        is_open = np.zeros(len(tree) + 1, dtype=np.bool_)
        is_open[passed] = True
        while is_open[above].any():  # each pass doubles the step: wrappers nest too
            above = above[above]
        first_cell = np.zeros(len(tree) + 1, dtype=np.int64)
        first_cell[kept] = tag_cell - num_tokens
        first_cell = first_cell[above]

        token = np.zeros(num_cells, dtype=np.int32)
        is_special = np.ones(num_cells, dtype=np.bool_)
        is_special[0] = is_special[tag_cell] = False
        token[is_special] = special_tokens
        token[tag_cell] = tag_token[~is_passed]
        following = np.arange(1, num_cells + 1)
        following[0] = 0
        following[tag_cell] = first_cell[tree.parent[kept]]
        return token, following, first_cell

    def _read_rows(
        self,
        tree: Tree,
        nodes: NDArray[np.intp],
        token: Ints,
        following: NDArray[np.int64],
        first_cell: NDArray[np.int64],
    ) -> Ints:
        """Return the rows of `nodes`: a cell for the content and one for money, chained to those of the elements."""
        payload, signs = tree.payload, self._money_signs
        is_money = np.array([payload[node].lstrip()[:1] in signs for node in nodes.tolist()], dtype=np.bool_)
        content_cell = np.arange(len(token), len(token) + len(nodes))
        money_cell = np.arange(len(token) + len(nodes), len(token) + len(nodes) + int(is_money.sum()))
        start = content_cell.copy()
        start[is_money] = money_cell
        specials = [self.vocabulary.special_id(CONTENT)] * len(nodes) + [self.vocabulary.special_id(CURRENCY)] * len(
            money_cell
        )
        rows = np.empty((len(nodes), self.profile.threshold), dtype=np.int32)
        read_chains(
            np.concatenate([token, np.array(specials, dtype=np.int32)]),
            np.concatenate([following, first_cell[tree.parent[nodes]], content_cell[is_money]]),
            start,
            rows,
        )
        return rows


def fibonacci_class(position: NDArray[np.intp]) -> Ints:
    """Return the index in FIBONACCI of each position, the last of which is `countTags` (Algorithm 12).

    The class is the largest number not above 100 · position / countTags; 1 below 1, and on a page that counts none.
    """
    count = max(int(position[-1]), 1) if len(position) else 1
    share = 100 * position / count  # exact where it is a whole number, so no class is missed by rounding
    return np.maximum(np.searchsorted(FIBONACCI, share, side="right") - 1, 0).astype(np.int32)


def retps_rows(tree: Tree, profile: str | Profile = "full") -> tuple[Rows, Vocabulary]:
    """Return the rows of one tree and the vocabulary that reads them. For many trees keep one RetpsBuilder."""
    builder = RetpsBuilder(profile)
    return builder.rows(tree), builder.vocabulary


def format_row(row: Ints, tokens: Sequence[str]) -> str:
    """Return the printed form: elements joined by `<#SEP>`; `tokens` is `vocabulary.tokens()`."""
    return SEPARATOR.join(tokens[token_id] for token_id in row.tolist() if token_id)


def content_of(tree: Tree, node: int) -> str:
    """Return the text of a node as it is compared and shown: white space collapsed, no-break spaces included."""
    return " ".join(tree.text(node).split())
