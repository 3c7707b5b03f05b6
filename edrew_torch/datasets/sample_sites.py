"""Sites of the embedded sample: a layout family made particular.

    JOB, "hirewell", DIVS   ->   Site(labels={"company": "Employer", ...}, ...)

A site is a layout family (sample_classic.py, sample_modern.py) with its own choices: which
alternative of each part, class names, label wording, which attributes stand under the heading and
which among the rows of the data sheet, order of the blocks. They depend on the site's name alone:
another seed brings other entities, not other layouts. Read by sample_layouts.py.
"""

import random
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html.entities import codepoint2name

from edrew_torch.datasets.sample_classic import DEFINITIONS, DIVS, TABLES
from edrew_torch.datasets.sample_entities import Vertical, options
from edrew_torch.datasets.sample_modern import COMPONENTS, MICRODATA, UTILITY

FAMILIES = (TABLES, DIVS, DEFINITIONS, COMPONENTS, MICRODATA, UTILITY)

TITLES = ("{name}", "{name} - {owner}", "{owner}: {name}", "{name} | {plural} | {owner}")
ADDRESSES = ("{noun}/{id}.html", "view.asp?id={id}", "{plural}/{id}/", "{noun}-{id}.htm")
SPEC_TITLES = ("Details", "At a glance", "Specifications", "Key data", "Facts & figures")
MORE_TITLES = ("More details", "Additional information", "The small print", "Also on record")
PROSE_TITLES = ("Overview", "About", "Description", "In short", "Our take")
SIMILAR_TITLES = ("You may also like", "Similar {plural}", "People also viewed", "More {plural}")
REVIEW_TITLES = ("What others say", "Comments", "Member reviews", "Your opinions")


@dataclass(frozen=True, eq=False)  # a site is itself: compared and hashed by identity
class Site:
    """One site's layout: everything its pages have in common."""

    vertical: Vertical
    name: str
    parts: dict[str, str]  # part -> template
    class_names: Mapping[str, str]
    escapes: dict[int, str]  # how characters are written in the source, for str.translate
    labels: dict[str, str]  # attribute -> wording
    forms: dict[str, str]  # attribute -> pattern
    hero: tuple[str, ...]  # attributes and facts under the heading
    specs: tuple[str, ...]  # attributes and facts in the data sheet
    links: frozenset[str]  # attributes and facts whose values are links
    tagged: frozenset[str]  # attributes and facts that microdata names
    separator: str  # between several values that are not links
    padding: str  # before a value
    blocks: tuple[str, ...]  # of the main column, in order
    side: tuple[str, ...]
    depth: int  # wrappers round each block of the main column
    ad_rate: float
    num_sheets: int  # data sheets that the rows are dealt to
    keeps_order: bool  # of the rows, from page to page
    shows_stand_ins: bool
    texts: dict[str, str]  # titles of blocks, pattern of <title>, of addresses


class ClassNames(dict[str, str]):
    """Class names and ids of a site, made up as the templates ask for them."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.scheme = rng.choice(("{}", "{prefix}-{}", "{prefix}_{}", "{prefix}{capital}", "{coded}"))
        self.prefix = rng.choice(("pd", "cms", "bx", "ctl00", "mod", "s2"))

    def __missing__(self, key: str) -> str:
        code = f"{self.prefix}{zlib.crc32(key.encode()) % 900:03d}"
        name = self.scheme.format(key, prefix=self.prefix, capital=key.capitalize(), coded=code)
        self[key] = name
        return name


def make_site(vertical: Vertical, name: str, family: str) -> Site:
    """Draw the choices of one site. They depend on the names only, never on a seed."""
    rng = random.Random(f"{vertical.name}/{name}")
    attributes = [attribute.name for attribute in vertical.attributes[1:]]
    headline = list(options(vertical.headline))
    rng.shuffle(attributes)
    rng.shuffle(headline)
    # At least one attribute in either place: a line of its own, and a row among rows.
    num_hero = rng.randint((len(attributes) + 1) // 2, len(attributes) - 1)
    hero = attributes[:num_hero] + headline[: rng.randint(1, 2)]
    facts = [label for label in vertical.facts if label not in hero]
    specs = attributes[num_hero:] + rng.sample(facts, rng.randint(11, len(facts)))
    rng.shuffle(hero)
    rng.shuffle(specs)
    blocks = ["prose", "specs", "reviews"]
    rng.shuffle(blocks)
    blocks.insert(rng.choice((0, 0, 0, 1)), "hero")
    side = ["similar", "browse", "popular"]
    rng.shuffle(side)
    if rng.random() < 0.5:
        side.remove("browse")
    if rng.random() < 0.4:
        side.remove("similar")
        blocks.insert(rng.randint(1, 3), "similar")
    titles = {
        "specs": SPEC_TITLES,
        "more": MORE_TITLES,
        "prose": PROSE_TITLES,
        "similar": SIMILAR_TITLES,
        "reviews": REVIEW_TITLES,
        "title": TITLES,
        "address": ADDRESSES,
    }
    return Site(
        vertical=vertical,
        name=name,
        parts={part: rng.choice(choices) for part, choices in read_family(family).items()},
        class_names=ClassNames(rng),
        escapes=_draw_escapes(rng),
        labels={a.name: rng.choice(options(a.labels)) for a in vertical.attributes},
        forms={a.name: rng.choice(options(a.forms)) for a in vertical.attributes},
        hero=tuple(hero),
        specs=tuple(specs),
        links=frozenset(rng.sample(hero + specs, 5)),
        tagged=frozenset(attributes + headline + rng.sample(facts, 5)),
        separator=rng.choice(("<br />", "<br>\n", ", ")),
        padding=rng.choice(("", "", "", "&nbsp;")),
        blocks=("heading", *blocks),
        side=tuple(side),
        depth=rng.randint(0, 2),
        ad_rate=rng.uniform(0.2, 0.7),
        num_sheets=rng.choice((1, 1, 2)),
        keeps_order=rng.random() < 0.5,
        shows_stand_ins=rng.random() < 0.6,
        texts={key: rng.choice(choices) for key, choices in titles.items()},
    )


def _draw_escapes(rng: random.Random) -> dict[int, str]:
    """Sites differ in which characters they write as entities, and how."""
    table = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
    if rng.random() < 0.5:
        table[ord("'")] = rng.choice(("&#39;", "&#x27;", "&#039;"))
    if rng.random() < 0.5:
        table[ord('"')] = "&quot;"
    style = rng.choice(("utf-8", "named", "numeric"))
    if style != "utf-8":
        for code, entity in codepoint2name.items():
            if code > 127:
                table[code] = f"&{entity};" if style == "named" else f"&#{code};"
    return table


@cache
def read_family(text: str) -> dict[str, tuple[str, ...]]:
    """Read `== part` and `--` into part -> alternatives."""
    pieces = re.split(r"^== (\w+)\n", text.lstrip(), flags=re.MULTILINE)
    return {
        part: tuple(body.rstrip("\n").split("\n--\n")) for part, body in zip(pieces[1::2], pieces[2::2], strict=True)
    }


@cache
def cut_list(template: str) -> tuple[str, str, str, str]:
    """Cut `before [[ item || between ]] after` at its marks."""
    before, rest = template.split("[[", 1)
    repeated, after = rest.split("]]", 1)
    item, _, between = repeated.partition("||")
    return before, item, between, after
