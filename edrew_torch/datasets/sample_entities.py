"""Invented entities: the values that a page of the embedded sample shows.

    BOOK, {"title": "The {noun} of {town}", ...}, rng   ->   Entity(values={"title": ("The Salt of
                                                             Port Ellery",), ...}, facts={...})

A text is written as a pattern. `{noun}` stands for one of the options of that word, `{3..9}` for a
number (printed the way its bounds are: `{1,200..9,900}` with comma, `{01..12}` with zero,
`{1.6..4.2}` with a decimal). `{city!}` draws a city and keeps it: every later `{city}` of the
entity repeats it.
` // ` in an attribute's form cuts it into several values, the parts of an address for example.

The data stands in sample_goods.py and sample_services.py, the pages in sample_layouts.py.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

Words = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Attribute:
    """One labelled attribute of a vertical; a site picks one of the labels and one of the forms."""

    name: str
    labels: str  # options
    forms: str  # options, each a pattern
    absent: float = 0.0  # share of the entities that have no value
    stand_in: str = ""  # what some sites print in the place of an absent value
    counts: tuple[int, ...] = (1,)  # how many values; one is drawn


@dataclass(frozen=True)
class Vertical:
    """What the entities of one vertical are made of. The first attribute is the entity's name.

    Options are written in one string, `one | two`; sentences one a line.
    """

    name: str
    noun: str
    plural: str
    attributes: tuple[Attribute, ...]
    words: Words
    facts: Words  # label -> patterns: what stands around the attributes and is not asked for
    headline: str  # options: facts that a site may show close to the heading
    facet: str  # the word whose options the side bar offers to browse by
    trail: str  # the attribute or kept word that the breadcrumb names
    card: str  # options: attributes that lists of similar entities show
    menu: str  # options
    prose: str  # sentences
    reviews: str  # sentences


@dataclass(frozen=True)
class Entity:
    """One invented car, book, ...; texts are plain Unicode, layouts encode them."""

    name: str
    values: dict[str, tuple[str, ...]]
    facts: dict[str, str]
    known: dict[str, str]  # what further text about this entity must repeat


def make_entity(vertical: Vertical, forms: Mapping[str, str], rng: random.Random) -> Entity:
    """Draw an entity whose attributes are written in the given forms (one pattern each)."""
    known: dict[str, str] = {}
    values: dict[str, tuple[str, ...]] = {}
    for attribute in vertical.attributes:
        if rng.random() < attribute.absent:
            values[attribute.name] = ()
            continue
        texts = [expand(forms[attribute.name], vertical.words, rng, known) for _ in range(rng.choice(attribute.counts))]
        parts = [part for text in texts for part in text.split(" // ")]
        values[attribute.name] = tuple(dict.fromkeys(parts))
        known[attribute.name] = parts[0]
    name = values[vertical.attributes[0].name][0]
    facts = {
        label: expand(rng.choice(patterns), vertical.words, rng, known) for label, patterns in vertical.facts.items()
    }
    return Entity(name=name, values=values, facts=facts, known={**known, "name": name})


def write_sentences(
    vertical: Vertical,
    entity: Entity,
    sentences: str,
    count: int,
    rng: random.Random,
) -> list[str]:
    """Return up to `count` different sentences about an entity."""
    patterns = sentences.strip().splitlines()
    chosen = rng.sample(patterns, min(count, len(patterns)))
    known = dict(entity.known)
    return [expand(pattern, vertical.words, rng, known) for pattern in chosen]


def expand(pattern: str, words: Words, rng: random.Random, known: dict[str, str]) -> str:
    """Fill the slots of a pattern; `known` wins over `words` and receives what `!` keeps.

    >>> expand("{town!}, near {town}", {"town": ("Arden",)}, random.Random(1), {})
    'Arden, near Arden'
    """
    pieces = _cut_pattern(pattern)
    if len(pieces) == 1:
        return pieces[0]
    filled = list(pieces)
    for at in range(1, len(pieces), 2):  # literal, slot, literal, slot, ..., literal
        filled[at] = _fill_slot(pieces[at], words, rng, known)
    return "".join(filled)


def _fill_slot(slot: str, words: Words, rng: random.Random, known: dict[str, str]) -> str:
    if ".." in slot:
        return _draw_number(slot, rng)
    symbol = slot.removesuffix("!")
    if symbol in known:
        return known[symbol]
    text = expand(rng.choice(words[symbol]), words, rng, known)
    if symbol != slot:
        known[symbol] = text
    return text


def _draw_number(slot: str, rng: random.Random) -> str:
    low, high = slot.split("..")
    if "." in low:
        return f"{rng.uniform(float(low), float(high)):.1f}"
    number = rng.randint(int(low.replace(",", "")), int(high.replace(",", "")))
    if "," in high:
        return f"{number:,}"
    return f"{number:0{len(low)}d}" if low.startswith("0") else str(number)


@cache
def _cut_pattern(pattern: str) -> tuple[str, ...]:
    return tuple(re.split(r"\{([^{}]+)\}", pattern))


@cache
def options(text: str) -> tuple[str, ...]:
    """Cut `one | two` into its options."""
    return tuple(option.strip() for option in text.split("|"))


def read_words(text: str) -> dict[str, tuple[str, ...]]:
    """Read lines `symbol = option | option`; a line without ` = ` goes on with the one before.

    >>> read_words("tint = red | blue\\n  | green")
    {'tint': ('red', 'blue', 'green')}
    """
    return dict(_read_entries(text))


def _read_entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    joined = re.sub(r"\n(?!\s*[^=\n|]+ = )\s*", " ", text.strip())
    for line in joined.splitlines():
        symbol, choices = line.strip().split(" = ", 1)
        yield symbol, options(choices)
