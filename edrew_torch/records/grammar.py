"""Grammars: an automaton that accepts strings of symbols, with lists as repetitions and gaps as options.

    a b c c d          a ──▶ b ──▶ c ──▶ d          ε back   = what lies between may come again
    a b b c c   ->         ↺b    ↺c    ↷d   ->      ε ahead  = what lies between may be missing

States stand in a line: reading a symbol leads from one to the next, so that a symbol has one place in the grammar, and
everything else is a jump along the line. Jindal and Liu 2010; Moura 2018, section 3.1.3, figure 11. Made by
tree_match.py, turned into expressions by expressions.py.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(eq=False)
class Grammar:
    """Symbols between the states 0, 1, 2 … of a line, and ε-jumps along it. State 0 starts, the last one accepts."""

    symbols: list[list[Hashable]] = field(default_factory=list)  # [q] those that lead from state q to q + 1
    jumps: dict[tuple[int, int], None] = field(default_factory=dict)  # ε from one state to another, in order of sight
    _place: dict[Hashable, int] = field(default_factory=dict)  # of each symbol: the state it leads from

    @property
    def accepting(self) -> int:
        """The last state."""
        return len(self.symbols)

    def induce(self, string: Sequence[Hashable]) -> int:
        """Widen the grammar until it reads `string`; return the state where that ends. Figure 11."""
        state = 0
        for symbol in string:
            place = self._place.get(symbol)
            if place is None:
                place = self._place[symbol] = state
                if state == len(self.symbols):
                    self.symbols.append([])
                self.symbols[state].append(symbol)
            elif place != state:
                self.jumps[state, place] = None
            state = place + 1
        return state

    def accepts(self, string: Iterable[Hashable]) -> bool:
        """Is this a string of the grammar?"""
        ahead: dict[int, list[int]] = {}
        for start, end in self.jumps:
            ahead.setdefault(start, []).append(end)
        states = _closure({0}, ahead)
        for symbol in string:
            place = self._place.get(symbol)
            if place not in states:
                return False
            states = _closure({place + 1}, ahead)
        return self.accepting in states


def _closure(states: set[int], ahead: dict[int, list[int]]) -> set[int]:
    """All states that ε-jumps lead to from these."""
    stack = list(states)
    while stack:
        for state in ahead.get(stack.pop(), ()):
            if state not in states:
                states.add(state)
                stack.append(state)
    return states


def generate_grammar(*strings: Sequence[Hashable]) -> Grammar:
    """Return the grammar of these strings, the longest read first.

    >>> grammar = generate_grammar("abccd", "abbcc")
    >>> grammar.symbols, list(grammar.jumps)
    ([['a'], ['b'], ['c'], ['d']], [(3, 2), (2, 1), (3, 4)])
    >>> grammar.accepts("abbbcd"), grammar.accepts("acd")
    (True, False)
    """
    grammar = Grammar()
    ends = [grammar.induce(string) for string in sorted(strings, key=len, reverse=True)]
    # differs from the paper, which does not say how a string that ends before the last state is accepted
    for end in ends:
        if end != grammar.accepting:
            grammar.jumps[end, grammar.accepting] = None
    return grammar
