"""Tree matching: how many nodes of two trees correspond, top down and in order; lists count once, however long.

    li(a b)   li(a b b)    simple: 3 of 3 and 4 nodes      generalized: b is a list, 3 of 3 and 3

`simple_match` is Yang's simple tree matching (1991; Moura 2018, figure 6). `TreeMatcher` is G-STM (Jindal and Liu
2010; figures 7, 9 and 12): at every level it detects which children are alike, reads both levels as strings of symbols,
finds lists in them by a grammar, and lets each list weigh as much as one of its items.

Trees are shapes (shapes.py): a pair of shapes is matched once, wherever it occurs, and pairs are taken from the leaves
up, so that nothing recurses. Read by extraction.py, tree_lists.py and template.py.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from edrew_torch.records.expressions import Expression, GrammarFault, repeats, symbols_of, to_expression
from edrew_torch.records.grammar import generate_grammar
from edrew_torch.records.shapes import Shapes

MIN_ALIKE = 0.5  # τ1: of the larger of two subtrees, the share that must correspond
MIN_OF_BEST = 0.7  # τ2: of the best that either has with any other
# Children compared in all levels: it bounds the time on any page, to some seconds; a page of 5,000 nodes needs 50,000.
MAX_WORK = 200_000
MAX_CELLS = 100_000  # of the table of two levels, likewise

Pair = tuple[int, int]
NOTHING: Mapping[Pair, object] = {}
String = list[int]


@dataclass(frozen=True)
class Match:
    """How well two trees correspond: pairs of nodes, and the nodes of each with every list as one average item."""

    score: float
    nodes_a: float
    nodes_b: float

    @property
    def norm(self) -> float:
        """The share of the larger tree that corresponds. Equation 3.1."""
        return self.score / max(self.nodes_a, self.nodes_b)

    def swapped(self) -> "Match":
        """The same, seen from the other side."""
        return self if self.nodes_a == self.nodes_b else Match(self.score, self.nodes_b, self.nodes_a)


ONE = Match(1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Level:
    """The children of two matched nodes as strings of symbols; those that are alike share one."""

    string_a: String
    string_b: String
    alike: dict[int, list[Pair]]  # of each symbol: the pairs of shapes that it stands for, in order
    example: dict[int, int]  # of each symbol: the first shape that has it


def simple_match(shapes: Shapes, a: int, b: int) -> int:
    """Return the largest number of pairs of nodes, roots with roots. Figure 6.

    >>> shapes = Shapes()
    >>> b, c, d, e = (shapes.add(label) for label in "bcde")
    >>> simple_match(shapes, shapes.add("a", (b, c, d)), shapes.add("a", (c, b, d, e)))
    3
    """
    found: dict[Pair, int] = {}
    for one, other in pairs_below(shapes, a, b):
        ours, theirs = shapes.children[one], shapes.children[other]
        weights = [[found.get(ordered(c, d), 0) for d in theirs] for c in ours]
        found[one, other] = int(best_sum(weights)) + 1
    return found.get(ordered(a, b), 0)


def ordered(a: int, b: int) -> Pair:
    """The pair as it is kept: matching does not care which tree comes first."""
    return (a, b) if a <= b else (b, a)


def pairs_below(
    shapes: Shapes, a: int, b: int, known: Mapping[Pair, object] = NOTHING, most: int | None = None
) -> list[Pair]:
    """Return the pairs of shapes with equal labels under these two and that of themselves, leaves first.

    At most so many of shapes that differ; pairs of a shape with itself are always among them.
    """
    seen: set[Pair] = set()
    num_different = 0
    stack = [ordered(a, b)] if shapes.label[a] == shapes.label[b] else []
    kinds: dict[int, dict[str, list[int]]] = {}
    while stack:
        pair = stack.pop()
        if pair in seen or pair in known:
            continue
        if pair[0] != pair[1]:
            num_different += 1
            if most is not None and num_different > most:
                continue
        seen.add(pair)
        for shape in pair:
            if shape not in kinds:
                kinds[shape] = kinds_of(shapes, shapes.children[shape])
        ours, theirs = kinds[pair[0]], kinds[pair[1]]
        stack.extend(ordered(c, d) for c, d in _comparable(ours, theirs))
    return sorted(seen)  # a child's number is smaller than its parent's, so both of a pair below are


def _comparable(ours: Mapping[str, list[int]], theirs: Mapping[str, list[int]]) -> Iterator[Pair]:
    """The pairs of children of equal label; where they are too many, of each child with itself."""
    for label, mine in ours.items():
        others = theirs.get(label, [])
        if len(mine) * len(others) > MAX_CELLS:
            yield from ((c, c) for c in set(mine).intersection(others))
        else:
            yield from ((c, d) for c in mine for d in others)


def kinds_of(shapes: Shapes, children: Sequence[int]) -> dict[str, list[int]]:
    """The distinct children by label."""
    kinds: dict[str, list[int]] = {}
    for child in dict.fromkeys(children):
        kinds.setdefault(shapes.label[child], []).append(child)
    return kinds


def best_sum(weights: Sequence[Sequence[float]]) -> float:
    """Return the largest sum of weights of pairs that do not cross: m[k, n] of figure 7.

    >>> best_sum([[1, 0], [0, 2], [0, 3]])
    4
    """
    if not weights:
        return 0
    above: list[float] = [0] * (len(weights[0]) + 1)
    for row in weights:
        if any(row):
            here: list[float] = [0]
            left: float = 0
            for j, weight in enumerate(row):
                best = above[j] + weight
                if above[j + 1] > best:
                    best = above[j + 1]
                if left > best:
                    best = left
                here.append(best)
                left = best
            above = here
    return above[-1]


@dataclass(eq=False)
class TreeMatcher:
    """G-STM over shapes; remembers every pair it has matched."""

    shapes: Shapes
    tolerant: bool = False  # crossing jumps of a grammar are widened (expressions.py)
    max_work: int = MAX_WORK
    faults: list[str] = field(default_factory=list)  # grammars without an expression: each costs its own list only
    _matches: dict[Pair, Match] = field(default_factory=dict)
    _expressions: dict[Pair, Expression | None] = field(default_factory=dict)

    def match(self, a: int, b: int) -> Match:
        """Match two shapes. Figure 7."""
        shapes = self.shapes
        if shapes.label[a] != shapes.label[b]:
            return Match(0.0, float(shapes.size[a]), float(shapes.size[b]))
        pair = ordered(a, b)
        if pair not in self._matches:
            work = 0
            for one, other in pairs_below(shapes, a, b, self._matches, self.max_work):
                if one != other:
                    work += len(shapes.children[one]) + len(shapes.children[other])
                    if work > self.max_work:
                        continue  # not compared: not alike
                self._matches[one, other] = self._match_pair(one, other)
            if work > self.max_work:
                self.faults.append("the page has too many different subtrees to compare all: some lists may be missed.")
        found = self._matches.get(pair, Match(0.0, float(shapes.size[pair[0]]), float(shapes.size[pair[1]])))
        return found if pair == (a, b) else found.swapped()

    def _match_pair(self, a: int, b: int) -> Match:
        ours, theirs = self.shapes.children[a], self.shapes.children[b]
        if not ours and not theirs:
            return ONE
        if not ours or not theirs:
            return Match(1.0, float(self.shapes.size[a]), float(self.shapes.size[b]))
        matches = self._level_matches(ours, theirs)
        level = detect_lists(ours, theirs, matches)
        lists = shared_lists(level, self.tolerant)
        weights, nodes_a, nodes_b = update_weights(ours, theirs, level, lists, matches, self.shapes.size)
        return Match(1 + best_sum(weights), nodes_a, nodes_b)

    def level(self, a: int, b: int) -> Level:
        """The children of two matched shapes as strings of symbols."""
        ours, theirs = self.shapes.children[a], self.shapes.children[b]
        return detect_lists(ours, theirs, self._level_matches(ours, theirs))

    def _level_matches(self, ours: Sequence[int], theirs: Sequence[int]) -> dict[Pair, Match]:
        """The matches of all children that have equal labels; others have none."""
        kinds_a, kinds_b = (kinds_of(self.shapes, children) for children in (ours, theirs))
        known = self._matches
        found = {}
        for c, d in _comparable(kinds_a, kinds_b):
            match = known.get((c, d) if c <= d else (d, c))
            if match is not None:  # some were not compared, where there was too much to compare
                found[c, d] = match if c <= d else match.swapped()
        return found

    def symbols(self, siblings: Sequence[int]) -> String:
        """The symbols of some shapes that were matched with each other, as if they were the children of one node."""
        return detect_lists(siblings, siblings, self._level_matches(siblings, siblings)).string_a

    def expression(self, a: int, b: int) -> Expression | None:
        """The expression that reads the children of either shape; None for leaves, and where there is none.

        Its symbols are numbers of the level; `level(a, b).alike` says what they stand for.
        """
        pair = ordered(a, b)
        if pair not in self._expressions:
            self.match(*pair)
            level = self.level(*pair)
            try:
                grammar = generate_grammar(level.string_a, level.string_b)
                self._expressions[pair] = to_expression(grammar, self.tolerant) if grammar.symbols else None
            except GrammarFault as fault:
                self._expressions[pair] = None
                self.faults.append(f"{self.shapes.label[a]} of {len(self.shapes.children[a])} children: {fault}")
        return self._expressions[pair]


def detect_lists(ours: Sequence[int], theirs: Sequence[int], matches: dict[Pair, Match]) -> Level:
    """Return two levels as strings in which alike children share a symbol and others have their own. Figure 9.

    Alike are two children whose match is above τ1, and at least τ2 of the best that either has; and who is alike to
    the same child.
    """
    norms = {pair: match.norm for pair, match in matches.items() if match.score}
    best_a: dict[int, float] = {}
    best_b: dict[int, float] = {}
    for (c, d), norm in norms.items():
        if norm > best_a.get(c, 0.0):
            best_a[c] = norm
        if norm > best_b.get(d, 0.0):
            best_b[d] = norm
    leader: dict[tuple[int, bool], tuple[int, bool]] = {}

    def lead(who: tuple[int, bool]) -> tuple[int, bool]:
        while (above := leader.setdefault(who, who)) != who:
            leader[who] = leader[above]
            who = above
        return who

    alike: list[Pair] = []
    for (c, d), norm in norms.items():  # in the order of the children
        if norm > MIN_ALIKE and norm >= MIN_OF_BEST * best_a[c] and norm >= MIN_OF_BEST * best_b[d]:
            alike.append((c, d))
            leader[lead((d, True))] = lead((c, False))
    number: dict[Hashable, int] = {}
    example: dict[int, int] = {}
    strings: list[String] = []
    for is_theirs, children in ((False, ours), (True, theirs)):
        string = []
        for place, child in enumerate(children):
            key: Hashable = lead((child, is_theirs)) if (child, is_theirs) in leader else ("own", is_theirs, place)
            string.append(number.setdefault(key, len(number)))
            example.setdefault(string[-1], child)
        strings.append(string)
    meaning: dict[int, list[Pair]] = {}
    for c, d in sorted(alike):
        meaning.setdefault(number[lead((c, False))], []).append((c, d))
    # differs from the paper, where a child without a counterpart has no grammar and so no data: it has its own
    for symbol, child in example.items():
        meaning.setdefault(symbol, [(child, child)])
    return Level(strings[0], strings[1], meaning, example)


def shared_lists(level: Level, tolerant: bool = False) -> list[int]:
    """Return the repeated symbols, if both strings repeat the same parts; else none (partial correspondence)."""
    if len(set(level.string_a)) == len(level.string_a) or len(set(level.string_b)) == len(level.string_b):
        return []  # one of them repeats nothing
    try:
        first = list(repeats(to_expression(generate_grammar(level.string_a), tolerant)))
        if level.string_a != level.string_b:
            second = list(repeats(to_expression(generate_grammar(level.string_b), tolerant)))
            if first != second:
                return []
    except GrammarFault:
        return []
    return list(dict.fromkeys(int(symbol) for part in first for symbol in symbols_of(part)))  # type: ignore[call-overload]


def update_weights(
    ours: Sequence[int],
    theirs: Sequence[int],
    level: Level,
    lists: Iterable[int],
    matches: dict[Pair, Match],
    sizes: Sequence[int],
) -> tuple[list[list[float]], float, float]:
    """Return the weights of pairs of children, each list as one average item, and the nodes so counted. Figure 12.

    Of a list the first cell has the mean score and all others 0; rows and columns of nothing but 0 are left out, so
    that long lists cost no more than short ones.
    """
    places_a, places_b = _places(level.string_a), _places(level.string_b)
    listed = [symbol for symbol in lists if symbol in places_a and symbol in places_b]
    rows = _kept(level.string_a, listed)
    columns = _kept(level.string_b, listed)
    if len(rows) * len(columns) > MAX_CELLS:  # nobody writes such levels; the diagonal is a match, if not the best
        rows = columns = list(range(min(len(rows), len(columns), MAX_CELLS // len(rows) or 1)))
    is_listed = set(listed)

    def weight(i: int, j: int) -> float:
        of_list = level.string_a[i] in is_listed or level.string_b[j] in is_listed
        found = None if of_list else matches.get((ours[i], theirs[j]))
        return found.score if found else 0.0

    weights = [[weight(i, j) for j in columns] for i in rows]
    nodes_a = nodes_b = 1.0
    for symbol in listed:
        times_a = Counter(ours[i] for i in places_a[symbol])
        times_b = Counter(theirs[j] for j in places_b[symbol])
        score = nodes = 0.0
        for c, n in times_a.items():
            for d, m in times_b.items():
                # alike by way of others, and not compared itself, where there was too much to compare
                match = matches.get((c, d), Match(0.0, float(sizes[c]), float(sizes[d])))
                score += n * m * match.score
                nodes += n * m * (match.nodes_a + match.nodes_b) / 2
        number = times_a.total() * times_b.total()
        if places_a[symbol][0] in rows and places_b[symbol][0] in columns:  # not behind the end of such a diagonal
            weights[rows.index(places_a[symbol][0])][columns.index(places_b[symbol][0])] = score / number
        nodes_a += nodes / number
        nodes_b += nodes / number
    # differs from the paper, whose figures disagree: another child counts its nodes against the one that it fits best
    best_a: dict[int, Match] = {}
    best_b: dict[int, Match] = {}
    for (c, d), match in matches.items():
        if c not in best_a or match.norm > best_a[c].norm:
            best_a[c] = match
        if d not in best_b or match.norm > best_b[d].norm:
            best_b[d] = match
    for c, symbol in zip(ours, level.string_a, strict=True):
        if symbol not in is_listed:
            nodes_a += best_a[c].nodes_a if c in best_a else sizes[c]
    for d, symbol in zip(theirs, level.string_b, strict=True):
        if symbol not in is_listed:
            nodes_b += best_b[d].nodes_b if d in best_b else sizes[d]
    return weights, nodes_a, nodes_b


def _places(string: String) -> dict[int, list[int]]:
    """Where each symbol stands."""
    places: dict[int, list[int]] = {}
    for place, symbol in enumerate(string):
        places.setdefault(symbol, []).append(place)
    return places


def _kept(string: String, listed: Iterable[int]) -> list[int]:
    """The places that count: of each list the first only."""
    met: set[int] = set()
    kept = []
    is_listed = set(listed)
    for place, symbol in enumerate(string):
        if symbol not in is_listed or symbol not in met:
            kept.append(place)
            met.add(symbol)
    return kept
