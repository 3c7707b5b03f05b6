"""Shapes: what the text of a field looks like, as far as a change of it is worth a warning.

    "$61,550", "$18,200"   ->   always digits, 7 characters; "Call us" does not fit

Few examples say little: only what all of them share counts, and a length only where it is far off.
Read by field.py and learn.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MANY = 3  # examples, from which on what all share is no accident
FEW_LETTERS = 3  # of a text with digits that is a number with a unit: "$5", "5 mpg"
FAR = (5, 40)  # times the longest example, and so many characters more: another kind of text


@dataclass(frozen=True)
class Shape:
    """Has every text digits, has every text letters, and how long is the longest."""

    digits: bool
    letters: bool
    longest: int

    def fits(self, text: str) -> bool:
        """Could the text be one of them?"""
        return not self._fault(text)

    def fault(self, texts: Sequence[str]) -> str:
        """What is wrong with the texts of a page: nothing as long as one of them fits."""
        faults = [self._fault(text) for text in texts]
        return "" if not all(faults) else f"{texts[0][:60]!r} {faults[0]}"

    def _fault(self, text: str) -> str:
        if self.digits and not any(map(str.isdigit, text)):
            return "has no digits, as all examples have"
        if self.letters and not any(map(str.isalpha, text)):
            return "has no letters, as all examples have"
        if len(text) > FAR[0] * self.longest + FAR[1]:
            return f"has {len(text)} characters, the longest example {self.longest}"
        return ""


def learn_shape(texts: Sequence[str]) -> Shape:
    """Return the shape of some examples.

    >>> learn_shape(["$61,550"])
    Shape(digits=True, letters=False, longest=7)
    """
    digits = [any(map(str.isdigit, text)) for text in texts]
    letters = [sum(map(str.isalpha, text)) for text in texts]
    are_numbers = all(has and number <= FEW_LETTERS for has, number in zip(digits, letters, strict=True))
    is_sure = len(set(texts)) >= MANY
    return Shape(
        digits=all(digits) and (is_sure or are_numbers),
        letters=all(letters) and (is_sure or not any(digits)),
        longest=max(map(len, texts)),
    )
