"""Expressions: a grammar as a tree of sequences, choices, repetitions and options, to walk along with a page.

    a a b c d c d e   and   a b c d   ->   a+b(cd)+e?

Jumps back become repetitions, jumps ahead options, the innermost first. Jumps that cross each other have no such form:
the document's program stopped there. Here it is a `GrammarFault`, which costs one list and no more; or, `tolerant`,
crossing jumps are widened until they nest, and the expression accepts a little more than the grammar.
Moura 2018, section 3.2.1, figures 13 to 16. Reads grammar.py; read by tree_match.py and extraction.py.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from edrew_torch.errors import EdrewError
from edrew_torch.records.grammar import Grammar

MAX_NESTING = 50  # of repetitions in each other on one level of a page; real pages have up to 5


class GrammarFault(EdrewError):
    """A grammar that has no expression."""


@dataclass(frozen=True)
class Symbol:
    """One node that fits `value`."""

    value: Hashable

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Conjunction:
    """One part after the other."""

    parts: tuple["Expression", ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


@dataclass(frozen=True)
class Disjunction:
    """The first part that fits."""

    parts: tuple["Expression", ...]

    def __str__(self) -> str:
        return f"({'|'.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Repeat:
    """At least once, as often as it fits."""

    part: "Expression"

    def __str__(self) -> str:
        return f"{_grouped(self.part)}+"


@dataclass(frozen=True)
class Optional:
    """Once or not at all."""

    part: "Expression"

    def __str__(self) -> str:
        return f"{_grouped(self.part)}?"


Expression = Symbol | Conjunction | Disjunction | Repeat | Optional


def _grouped(part: Expression) -> str:
    is_single = isinstance(part, Symbol) and len(str(part)) == 1
    return str(part) if is_single or isinstance(part, Disjunction) else f"({part})"


def to_expression(grammar: Grammar, tolerant: bool = False) -> Expression:
    """Return the expression of a grammar.

    >>> from edrew_torch.records.grammar import generate_grammar
    >>> str(to_expression(generate_grammar("aabcdcde", "abcd")))
    'a+b(cd)+e?'
    >>> str(to_expression(generate_grammar("abcdbe", "acbde"), tolerant=True))
    'a((b|c|e|d)+)?'
    """
    jumps = sorted({Jump(min(a, b), max(a, b), is_back=a > b) for a, b in grammar.jumps})
    mixed = _crossings(jumps) if tolerant else []
    if mixed:
        jumps = [jump for jump in jumps if not any(start <= jump.start and jump.end <= end for start, end in mixed)]
    behind = dict(mixed)
    open_jumps: list[Jump] = []
    parts: list[list[Expression]] = [[]]
    waiting = iter([*jumps, None])
    following = next(waiting)
    state = 0
    while state <= grammar.accepting:
        while open_jumps and open_jumps[-1].end == state:
            inside = _joined(parts.pop())
            parts[-1].append(Repeat(inside) if open_jumps.pop().is_back else Optional(inside))
        while following is not None and following.start == state:
            if open_jumps and following.end > open_jumps[-1].end:
                raise GrammarFault(f"{open_jumps[-1]} and {following} cross: no expression has both.")
            open_jumps.append(following)
            parts.append([])
            following = next(waiting)
        if len(open_jumps) > MAX_NESTING:
            raise GrammarFault(f"more than {MAX_NESTING} repetitions and options in each other.")
        end = behind.get(state, state + 1)
        if state < grammar.accepting:
            choice = _choice([symbol for symbols in grammar.symbols[state:end] for symbol in symbols])
            parts[-1].append(Optional(Repeat(choice)) if state in behind else choice)
        state = end
    return _joined(parts[0])


@dataclass(frozen=True)
class Jump:
    """What lies between two states may come again, or be missing."""

    start: int
    end: int
    is_back: bool

    def __lt__(self, other: "Jump") -> bool:  # the outer one first; an option around a repetition
        return (self.start, -self.end, self.is_back) < (other.start, -other.end, other.is_back)

    def __str__(self) -> str:
        return f"{'a repetition' if self.is_back else 'an option'} of states {self.start} to {self.end}"


def _joined(parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))


def _choice(symbols: list[Hashable]) -> Expression:
    return Symbol(symbols[0]) if len(symbols) == 1 else Disjunction(tuple(map(Symbol, symbols)))


def _crossings(jumps: list[Jump]) -> list[tuple[int, int]]:
    """The parts of the line where jumps cross: from the first to the last state of all that do.

    Inside, any symbol may follow any other.
    """
    found: list[tuple[int, int]] = []
    ranges = sorted({(jump.start, -jump.end) for jump in jumps})
    while True:
        crossed = None
        open_ranges: list[tuple[int, int]] = []
        for start, minus_end in ranges:
            while open_ranges and open_ranges[-1][1] <= start:
                open_ranges.pop()
            if open_ranges and open_ranges[-1][1] < -minus_end:
                crossed = (open_ranges[-1][0], -minus_end)
                break
            open_ranges.append((start, -minus_end))
        if crossed is None:
            return found
        low, high = crossed
        ranges = [(start, end) for start, end in ranges if not (low <= start and -end <= high)]
        ranges = sorted([*ranges, (low, -high)])
        found = [(start, end) for start, end in found if not (low <= start and end <= high)] + [(low, high)]


def repeats(expression: Expression) -> Iterator[Repeat]:
    """All repetitions in an expression, from left to right, the outer ones first."""
    stack: list[Expression] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Repeat):
            yield part
        if isinstance(part, Conjunction | Disjunction):
            stack.extend(reversed(part.parts))
        elif isinstance(part, Repeat | Optional):
            stack.append(part.part)


def symbols_of(expression: Expression) -> Iterator[Hashable]:
    """The values of all symbols in an expression, from left to right."""
    stack: list[Expression] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Symbol):
            yield part.value
        elif isinstance(part, Conjunction | Disjunction):
            stack.extend(reversed(part.parts))
        else:
            stack.append(part.part)
