"""Pieces: a text, or the attributes of an element, as a bag of hashed tokens.

    "$61,550"   ->   the text, its words, the pieces of its first word, its shape "$9,9", its length   ->   int64 hashes

The same text stands on many pages of a site and beside many nodes, so a piece is made once and kept. What a piece is to
a node (its own text, the label before it…) is mixed into the hashes later, by arrays. Read by describe.py.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby, pairwise
from zlib import crc32

MAX_TEXT = 400  # characters of a text that are looked at: a paragraph tells no more by its end
MAX_LABEL = 30  # characters: what is longer says more than what a value is
MAX_KNOWN = 200_000  # pieces kept
WORD = re.compile(r"\w+|[^\w\s]")
NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
NAMING = ("class", "id", "name", "rel", "role")  # the attributes whose words name an element


def shape_of(text: str) -> str:
    """The kinds of the characters of a text, runs as one: what `$61,550` and `$7,200` share.

    >>> shape_of("$61,550"), shape_of("2010 Hyundai iX"), shape_of("(555) 123-4567")
    ('$9,9', '9 Xx xX', '(9) 9-9')
    """
    kinds = text.translate(KINDS) if text.isascii() else "".join(map(_kind, text))
    return "".join(kind for kind, _ in groupby(kinds))


KINDS = {code: "9" if chr(code).isdigit() else "x" if chr(code).islower() else "X" for code in range(128)}
KINDS = {code: kind for code, kind in KINDS.items() if chr(code).isalnum()}


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "9"
    if letter.isalpha():
        return "X" if letter.isupper() else "x"
    return letter


def bucket(number: int) -> int:
    """The size of a number, by powers of two: 0, 1, 2-3, 4-7…"""
    return min(int(number).bit_length(), 15)


def own_tokens(text: str) -> list[str]:
    """What is seen of a node's own text; the order says nothing."""
    head = text[:MAX_TEXT]
    low = head.lower()
    words = WORD.findall(low)
    tokens = [f"w {word}" for word in dict.fromkeys(words[:12])]
    tokens += [f"b {one} {two}" for one, two in pairwise(words[:6])]
    if words:
        tokens += [f"1 {words[0]}", f"-1 {words[-1]}" if len(text) <= MAX_TEXT else "-1", f"p {words[0][:3]}"]
        # long words by their ends: surnames, places, "…ing", "…pg"
        tokens += [f"s {word[-3:]}" for word in dict.fromkeys(words[:6]) if len(word) > 3]
    shape = shape_of(head)
    tokens += [f"S {shape[:24]}", f"S1 {shape.split(' ', 1)[0][:12]}", f"S-1 {shape.rsplit(' ', 1)[-1][-12:]}"]
    digits = "".join("9" if letter.isdigit() else letter for letter in low[:24]) if len(text) <= 24 else ""
    if "9" in digits:
        tokens.append(f"D {digits}")  # how many digits: an ISBN, a year, a phone number
    if len(text) <= 40:
        tokens.append(f"t {low}")
    tokens += [f"c {sign}" for sign in dict.fromkeys(head) if sign in SIGNS]
    num_words = len(words)
    tokens += [f"nw {num_words if num_words < 5 else 4 + bucket(num_words)}", f"nc {bucket(len(text))}"]
    before, colon, after = head.partition(":")
    if colon and after and len(before) <= 30:
        tokens += [f"l {' '.join(WORD.findall(before.lower()))}", "l"]  # a label inside the text: "Publisher: Ace"
    return tokens


SIGNS = frozenset("$€£¥%@/#&()+-–:;,.!?\"'|*©®™°")


def context_tokens(text: str) -> list[str]:
    """What is seen of a text beside a node: the label before it, the heading above it."""
    low = text[:MAX_TEXT].lower()
    words = WORD.findall(low)
    names = [word for word in words if word.isalnum()]
    tokens = [f"w {word}" for word in dict.fromkeys(names[:6])]
    if len(text) <= 40:
        tokens.append(f"t {' '.join(names)}")
    tokens += [f"nw {bucket(len(words))}", f"S {shape_of(text[:40])[:10]}"]
    if words:
        tokens += [f"1 {words[0]}", f"-1 {words[-1]}"]
    return tokens


def said_tokens(text: str, labels: Iterable[str]) -> list[str]:
    """The words of the labels of a text, one inside it included, alone and together with the shape of the text."""
    before, colon, after = text[:MAX_TEXT].partition(":")
    inside = colon and after and len(before) <= MAX_LABEL
    words: dict[str, None] = {}
    for label in (*labels, before if inside else ""):
        if len(label) <= MAX_LABEL:
            words |= dict.fromkeys(word for word in WORD.findall(label.lower())[:4] if word.isalnum())
    value = after.strip() if inside else text
    shape = shape_of(value[:MAX_TEXT]).split(" ", 1)[0][:8]
    size = min(len(value.split()), 4)
    return [token for word in words for token in (f"said {word}", f"said {word} {shape}", f"said {word} {size}")]


def attribute_tokens(tag: str, attributes: Mapping[str, str]) -> list[str]:
    """What is seen of an element: its tag, and the words in its names (class, id…)."""
    tokens = [f"tag {tag}"]
    for name in NAMING:
        if value := attributes.get(name):
            value = value[:MAX_TEXT]
            tokens += [f"name= {each.lower()}" for each in value.split()[:8]]
            tokens += [f"name {part.lower()}" for part in dict.fromkeys(NAME_PART.findall(value)[:16])]
    return list(dict.fromkeys(tokens))


def hashes(tokens: Iterable[str]) -> list[int]:
    """A number of 32 bits for each token, the same in every process."""
    return [crc32(token.encode("utf-8", "replace")) for token in tokens]
