"""The article of a page: title, paragraphs, the marked nodes, and its HTML.

    Tree   ->   blocks.py   ->   nce.py   ->   classifier.py, if a model is wanted   ->   Article

`news.model=none` is plain nce. Read by pipeline.py and by experiments/.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.news.blocks import Blocks, Flags, Places, find_blocks
from edrew_torch.news.classifier import choose_blocks, judge_blocks, load_model
from edrew_torch.news.nce import Body, find_body
from edrew_torch.records.tree_ensemble import TreeEnsemble
from edrew_torch.repeats import MANY
from edrew_torch.result import Paragraph
from edrew_torch.tree import Tree

COPIED = 0.8  # of a block's runs of words, that make it a copy
MIN_COPY = 80  # characters: shorter lines are not looked at
MIN_PARTS = 3  # shorter blocks that a copy is put together from
MAX_JUDGED = 100_000  # blocks of a page: each takes 4 kB in the learned step; what has more is left to plain nce


@dataclass(frozen=True)
class NewsSettings:
    """How articles are found; on the command line `--set news.model=none` and the like."""

    model: str = "embedded"  # the learned step: "embedded", "none" (plain nce), or a file of train.py
    threshold: float = 0.6  # how likely a block must be, of the precision expected of the page; experiments/news/run.py
    many: float = MANY  # with --site: the share of the pages that must have a text for it to be left out

    def trees(self) -> TreeEnsemble | None:
        """The learned step, None without one; raises where the model is not there."""
        if self.model == "none":
            return None
        if self.model == "embedded":
            return load_model()
        if not Path(self.model).is_file():
            raise BadConfig(f"news.model={self.model}: give embedded, none, or a file that train.py has written.")
        return load_model(Path(self.model))


@dataclass(frozen=True, eq=False)
class Article:
    """What was found on a page: its blocks, and which of them are the article."""

    blocks: Blocks
    body: Body
    kept: Flags  # (B,)

    @property
    def title(self) -> str | None:
        """The headline that stands before the body, else what `<title>` says; None without either."""
        found = self.body.title_block
        return (self.blocks.texts[found] if found >= 0 else self.body.page_title) or None

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The text of the body, block by block, each with the XPath of its element, or of its first text node."""
        blocks = self.blocks
        return tuple(
            Paragraph(blocks.texts[block], blocks.xpath(block)) for block in np.flatnonzero(self.kept).tolist()
        )

    @property
    def text(self) -> str:
        """The body, one block a line."""
        return "\n".join(text for text, is_kept in zip(self.blocks.texts, self.kept.tolist(), strict=True) if is_kept)

    @property
    def nodes(self) -> Places:
        """The marked text nodes of the body, in document order; `blocks.tree.xpath(node)` tells where each is."""
        return self.blocks.text_nodes[np.repeat(self.kept, np.diff(self.blocks.first))]


def find_article(tree: Tree, settings: NewsSettings | None = None) -> Article:
    """Return the article of a page; one without text has no paragraphs.

    >>> from edrew_torch.parse import parse_tree
    >>> page = "<title>Tea</title><h1>Tea</h1><p>Tea is dear this year.<p>So is cake.<ul><li><a href=/>More</a></ul>"
    >>> article = find_article(parse_tree(page), NewsSettings(model="none"))
    >>> article.title, article.text
    ('Tea', 'Tea is dear this year.\\nSo is cake.')
    """
    settings = settings or NewsSettings()
    model = settings.trees()
    blocks = find_blocks(tree)
    body = find_body(blocks)
    kept = body.kept
    if model is not None and len(blocks) <= MAX_JUDGED:
        kept = choose_blocks(judge_blocks(model, blocks, body), blocks, settings.threshold)
    return Article(blocks, body, without_title(without_copies(blocks, kept), body))


def without_title(kept: Flags, body: Body) -> Flags:
    """The title is no paragraph."""
    kept = kept.copy()
    if body.title_block >= 0:
        kept[body.title_block] = False
    return kept


def without_copies(blocks: Blocks, kept: Flags) -> Flags:
    """What a page says a second time in one piece goes: a block nearly all of whose words stand in several others.

    Pages bring the whole article again for phones, for search engines, as the start of an endless list. A paragraph
    that comes twice may be meant so.
    """
    places = [place for place in np.flatnonzero(kept).tolist() if blocks.length[place] >= MIN_COPY]
    if len(places) <= MIN_PARTS:
        return kept
    runs = {place: word_runs(blocks.texts[place]) for place in places}
    holders: dict[int, list[int]] = {}
    for place, own in runs.items():
        for run in own:
            holders.setdefault(run, []).append(place)
    left = kept.copy()
    for place in places:
        shared = [others for run in runs[place] if len(others := holders[run]) > 1]
        if len(shared) >= COPIED * len(runs[place]):
            # two or three holders of each run will do to tell, so that this stays linear
            size = blocks.length[place] / 2  # a part is a piece of it, not the same line with another number
            parts = {other for others in shared for other in others[:3] if blocks.length[other] < size}
            left[place] = len(parts) < MIN_PARTS
    return left


def word_runs(text: str) -> set[int]:
    """The runs of four words of a text, as numbers; of a text of fewer words the one run that it is."""
    words = text.split()
    return {hash(tuple(words[start : start + 4])) for start in range(max(len(words) - 3, 1))}


def read_settings(pairs: Mapping[str, str]) -> NewsSettings:
    """Return the settings from `news.model=none` and the like, as the command line has them; checks the model.

    >>> read_settings({"news.model": "none", "news.many": "0.2"})
    NewsSettings(model='none', threshold=0.6, many=0.2)
    """
    known = {each.name: each for each in fields(NewsSettings)}
    values: dict[str, Any] = {}
    for key, text in pairs.items():
        owner, _, name = key.partition(".")
        if owner != "news" or name not in known:
            raise UnknownName.among("setting", key, [f"news.{each}" for each in known])
        try:
            values[name] = text if known[name].type is str else float(text)
        except ValueError:
            raise BadConfig(f"{key} must be a number, not {text!r}.") from None
    settings = NewsSettings(**values)
    if not 0 < settings.threshold < 1:
        raise BadConfig(f"news.threshold is a share, above 0 and below 1; given {settings.threshold:g}.")
    if not 0 < settings.many <= 1:
        raise BadConfig(f"news.many is a share of the pages, above 0 and up to 1; given {settings.many:g}.")
    settings.trees()
    return settings
