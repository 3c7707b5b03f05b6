"""List pages with known records: the shared sets `records` (tbdw, zhao1 …) and `shops`, read from their packs.

    records.tar.xz, truth.json   ->   ListPage(set, site, name, data, truth)   ->   scores of the records of a method

A third of the sites of each set is for testing, fixed by a seed; the others are for tuning and training.
Spec: protocols, "Record scores". Reads metrics/records.py and records/; read by experiments/ and tests.
"""

import html
import json
import lzma
import random
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from edrew_torch.datasets.packs import pack_members, read_whole
from edrew_torch.datasets.sample_lists import make_list_page
from edrew_torch.errors import BadData
from edrew_torch.metrics.records import (
    grams,
    is_scored,
    score_record_counts,
    score_record_nodes,
    score_record_texts,
)
from edrew_torch.metrics.statistics import Counts
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.records.choice import RecordList
from edrew_torch.records.methods import Settings, main_list
from edrew_torch.records.sequence import PageSequence, page_sequence
from edrew_torch.tree import Tree

SETS = ("tbdw", "zhao1", "zhao2", "zhao3", "wien", "clustvx", "tpsf", "unstructured", "shops")
SPLIT_SEED = 1
FIRST_INVENTED = 5000  # no seed of a page that the embedded models were trained on
TAG = re.compile(r"<[^<>]{0,1000}>")
STEP = re.compile(r"([^\[\]/]+)(?:\[(\d+)\])?")

Score = TypeVar("Score")


@dataclass(frozen=True)
class ListPage:
    """A page and what is known of its records: their texts, their XPaths, only their number, or that there are none."""

    set: str
    site: str
    name: str
    data: bytes
    texts: tuple[str, ...] = ()
    xpaths: tuple[str, ...] = ()
    number: int = 0
    fields: tuple[tuple[str, ...], ...] = ()  # of each record, where the truth has them (wien)

    def score(self, page: PageSequence, records: Sequence[tuple[int, int]]) -> Counts:
        """The score of records that are ranges of the page's sequence."""
        return self.score_places(page, [text_places(page, *record) for record in records])

    def score_list(self, page: PageSequence, found: RecordList | None) -> Counts:
        """The score of a list that a method found."""
        if found is None:
            return self.score_places(page, [])
        return self.score_places(page, found.texts) if found.texts is not None else self.score(page, found.records)

    def score_places(self, page: PageSequence, records: Sequence[Collection[int]]) -> Counts:
        """The score of records that are places of texts."""
        if self.xpaths:
            return score_record_nodes(records, self.true_places(page))
        if self.texts:
            texts = [" ".join(page.texts[place] for place in sorted(record)) for record in records]
            return score_record_texts(texts, self.texts)
        return score_record_counts(len(records), self.number)

    def true_items(self, page: PageSequence) -> list[list[str]]:
        """The texts of each true record one by one, where they are known: text nodes (shops) or fields (wien)."""
        if self.xpaths:
            return [[page.texts[place] for place in sorted(record) if place >= 0] for record in self.true_places(page)]
        return [[" ".join(field.split()) for field in record if field.strip()] for record in self.fields]

    def true_places(self, page: PageSequence) -> list[Collection[int]]:
        """The text nodes of each true record, as places of the sequence."""
        found: list[Collection[int]] = []
        for number, xpath in enumerate(self.xpaths):
            node = find_element(page.tree, xpath)
            place = len(page) if node is None else int(np.searchsorted(page.node, node))
            is_there = place < len(page) and page.node[place] == node  # a hidden element is not in the sequence
            # one that is not to be found still counts as missed
            found.append(text_places(page, place, int(page.end[place])) if is_there else {-1 - number})
        return found

    def parts(self, page: PageSequence, start: int, end: int) -> frozenset[Hashable]:
        """What a part of the page is made of, as its truth counts it: text nodes, or pieces of text."""
        return frozenset(text_places(page, start, end)) if self.xpaths else grams(page.text(start, end))

    def true_parts(self, page: PageSequence) -> frozenset[Hashable]:
        """The same of all true records together."""
        records = self.true_places(page) if self.xpaths else map(grams, self.texts)
        return frozenset(part for record in records for part in record)

    def share_of_truth(self, page: PageSequence, start: int, end: int) -> float:
        """How much of a part of the page belongs to true records."""
        own = self.parts(page, start, end)
        return len(own & self.true_parts(page)) / max(len(own), 1)


def text_places(page: PageSequence, start: int, end: int) -> Collection[int]:
    """The text nodes between two places."""
    return frozenset((np.flatnonzero(page.is_text[start:end]) + start).tolist())


def read_list_pages(root: Path, sets: Collection[str] = SETS) -> Iterator[ListPage]:
    """Yield the scored pages of these sets in the order of their packs; `root` holds the folders records and shops."""
    if unknown := set(sets) - set(SETS):
        raise BadData(f"there is no set of list pages named {', '.join(sorted(unknown))}: they are {', '.join(SETS)}.")
    if set(sets) - {"shops"}:
        truth = json.loads(read_whole(root / "records" / "truth.json"))
        for name, data in pack_members(root / "records" / "records.tar.xz"):
            entry = truth[name.partition("/")[2]]
            if entry["set"] in sets and (is_scored(entry) or entry["set"] == "unstructured"):
                yield _records_page(name, data, entry)
    if "shops" in sets:
        truth = json.loads(lzma.decompress(read_whole(root / "shops" / "truth.json.xz")))
        for name, data in pack_members(root / "shops" / "shops.tar.xz"):
            xpaths = tuple(record["xpath"] for record in truth[name]["records"])
            yield ListPage("shops", name.split("/")[1], name, data, xpaths=xpaths, number=len(xpaths))


def invented_list_pages(number: int) -> Iterator[ListPage]:
    """Yield pages that need no data, each of a site of its own: the experiments' --quick reads them."""
    for seed in range(FIRST_INVENTED, FIRST_INVENTED + number):
        made = make_list_page(seed)
        texts = tuple(map(" ".join, made.records))
        name = f"{seed}-{made.form}"
        yield ListPage("invented", name, name, made.html.encode(), texts, number=len(texts), fields=made.records)


def _records_page(name: str, data: bytes, entry: dict[str, Any]) -> ListPage:
    texts: tuple[str, ...] = ()
    fields: tuple[tuple[str, ...], ...] = ()
    if entry.get("unit") == "tuple":  # fields are cut from the source: links and entities are in it
        fields = tuple(tuple(html.unescape(TAG.sub(" ", field)) for field in row) for row in entry["fields"])
        texts = tuple(map(" ".join, fields))
    elif entry.get("unit") == "record":
        texts = tuple(item["text"] for item in entry["items"])
    return ListPage(entry["set"], entry["site"], name, data, texts, number=entry["records"] or 0, fields=fields)


def sites_for_testing(pages: Collection[ListPage], seed: int = SPLIT_SEED) -> frozenset[tuple[str, str]]:
    """The sites (set, site) that are for testing: a third of each set; of `unstructured` all, none is trained on."""
    chosen: list[tuple[str, str]] = []
    for name in sorted({page.set for page in pages}):
        sites = sorted({page.site for page in pages if page.set == name})
        shuffled = random.Random(f"{seed}/{name}").sample(sites, len(sites))
        number = len(sites) if name == "unstructured" else max(1, round(len(sites) / 3))
        chosen += [(name, site) for site in shuffled[:number]]
    return frozenset(chosen)


def score_main_lists(
    pages: Iterable[ListPage],
    methods: Mapping[str, tuple[str, Settings | None]],
    score: Callable[[PageSequence, RecordList | None, list[list[str]]], Score],
) -> dict[tuple[str, str], list[Score]]:
    """Return what `score` makes of each method's main list and the true items of each page, by site and method.

    `methods` has under the name of each row a method and its settings; a set with few pages a site counts as one site.
    """
    scores: dict[tuple[str, str], list[Score]] = {}
    for given in pages:
        page = page_sequence(parse_tree(Page.from_bytes(given.data)))
        true = given.true_items(page)
        site = given.site if given.set == "shops" else f"{given.set}, all sites"
        for name, (method, settings) in methods.items():
            best = main_list(page, method, settings)
            scores.setdefault((site, name), []).append(score(page, best, true))
    return scores


def find_element(tree: Tree, xpath: str) -> int | None:
    """The element at a plain absolute XPath (`/html/body/div[2]`), or None.

    >>> from edrew_torch.parse import parse_tree
    >>> tree = parse_tree("<p>a<p>b")
    >>> tree.xpath(find_element(tree, "/html/body/p[2]"))
    '/html/body/p[2]'
    """
    node = -1
    for name, number in STEP.findall(xpath):
        named = [int(child) for child in tree.children(node) if tree.tag[child] >= 0 and tree.name(int(child)) == name]
        place = int(number or 1) - 1
        if place >= len(named):
            return None
        node = named[place]
    return node if node >= 0 else None
