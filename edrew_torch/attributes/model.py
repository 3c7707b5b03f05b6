"""AttributeModel: which attribute each text node of a page is; what `edrew extract` uses when no model is named.

    descriptions of pages (of one site, or one alone)   ->   the vertical, and each node's chance of each attribute

Four parts: what the page is about (`detector`), the weights of that vertical's tokens, and two judges: for a page on
its own and for pages of one site. Kept as safetensors, numbers only. Reads weights.py, context.py; read by
extraction.py.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from edrew_torch.attributes.context import SiteNodes, contexts, name_matches
from edrew_torch.attributes.weights import TokenWeights
from edrew_torch.enrich.bags import BITS, GROUPS, Bags, make_bags
from edrew_torch.enrich.describe import Description
from edrew_torch.errors import BadData, UnknownName
from edrew_torch.records.tree_ensemble import TreeEnsemble
from edrew_torch.site import MARKS as SITE_MARKS
from edrew_torch.site import is_fixed, site_marks

FORMAT = "edrew-attributes-1"
GROUPS_USED = tuple(group for group in GROUPS if group != "exact")  # the path of one site exists on no other
OTHER = "other"  # what the detector calls a page of no vertical it knows
# What a page is about: the detector's logit, and how many of the attributes are found. Tuned with a model that had not
# seen a third of the sites (SWDE, recipes, articles, lists), on those and on the embedded sample: of 288 pages of SWDE
# 287 are told right, of 158 of recipes all, of 421 articles and lists 406, of 288 of the sample 224. By the logit
# alone, if OTHER is not 2 ahead: 288, 156, 391 and 170.
TRIED = 3  # verticals, of which the attributes are looked for
BY_FOUND = 8.0  # what all attributes, found for sure, count for
OTHER_AHEAD = 2.5  # what is found of attributes on a page that has none
MIN_WEIGHT = 0.06  # smaller ones are left out of the file: they make a quarter of it and change next to nothing

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Token weights as they are kept: the rows that say something. ValueError where they fit no table."""

    rows: NDArray[np.int32]  # (U,)
    values: NDArray[np.float16]  # (U, classes)
    bias: Floats

    def __post_init__(self) -> None:
        rows = self.rows
        if rows.ndim != 1 or self.bias.ndim != 1 or self.values.shape != (len(rows), len(self.bias)):
            raise ValueError(
                f"rows {rows.shape}, values {self.values.shape} and bias {self.bias.shape} do not fit each other"
            )
        if rows.dtype != np.int32 or (len(rows) and (rows.min() < 0 or rows.max() >= 1 << BITS)):
            raise ValueError(f"rows are not whole numbers from 0 to {(1 << BITS) - 1}")
        if not (np.isfinite(self.values).all() and np.isfinite(self.bias).all()):
            raise ValueError("a weight is no number")

    @classmethod
    def of(cls, weights: TokenWeights) -> "SparseWeights":
        """Those of the rows that matter."""
        rows = np.flatnonzero(np.abs(weights.weights).max(axis=1) >= MIN_WEIGHT).astype(np.int32)
        return cls(rows, weights.weights[rows].astype(np.float16), weights.bias.astype(np.float32))

    @cached_property
    def dense(self) -> TokenWeights:
        """As a table over all tokens."""
        table = np.zeros((1 << BITS, len(self.bias)), dtype=np.float32)
        table[self.rows] = self.values
        return TokenWeights(table, self.bias)


@dataclass(frozen=True, eq=False)
class Vertical:
    """One kind of page: its attributes, those of which a page may have several values, and the weights."""

    name: str
    attributes: tuple[str, ...]
    several: frozenset[str]
    weights: SparseWeights

    @property
    def several_classes(self) -> frozenset[int]:
        """The columns of a table of chances that `several` means."""
        return frozenset(number for number, name in enumerate(self.attributes, start=1) if name in self.several)


@dataclass(frozen=True, eq=False)
class Found:
    """What a model makes of a page: chances of each attribute for each of its text nodes, column 0 for none."""

    vertical: Vertical | None
    chances: Floats  # (N, attributes + 1)


@dataclass(frozen=True, eq=False)
class SeenPages:
    """The pages of one site, or a page alone, as all verticals see them."""

    pages: Sequence[Description]
    bags: Sequence[Bags]
    marks: Sequence[NDArray[np.uint8]]  # of site.py
    kept: NDArray[np.bool_]  # (N,) what does not belong to the template

    @classmethod
    def of(cls, pages: Sequence[Description]) -> "SeenPages":
        """From descriptions."""
        is_site = len(pages) > 1
        zeros = [np.zeros((len(page), len(SITE_MARKS)), dtype=np.uint8) for page in pages]
        marks = site_marks(pages) if is_site else zeros
        bags = [
            make_bags(page, mark if is_site else None, GROUPS_USED) for page, mark in zip(pages, marks, strict=True)
        ]
        fixed = np.concatenate(is_fixed(pages)) if is_site else np.zeros(len(pages[0]), dtype=np.bool_)
        return cls(pages, bags, marks, ~fixed)

    @cached_property
    def kept_bags(self) -> Bags:
        """The bags of the nodes that are kept; made once, for all verticals that are tried."""
        return Bags.joined(self.bags).of(np.flatnonzero(self.kept))

    @cached_property
    def kept_nodes(self) -> SiteNodes:
        """The same nodes, as the rankings read them."""
        return SiteNodes.of(self.pages, self.marks).kept(self.kept)

    def by_page(self, chances: Floats) -> list[Floats]:
        """The chances of all nodes, page by page."""
        return np.split(chances, np.cumsum([len(page) for page in self.pages])[:-1])

    def share_found(self, chances: Floats) -> float:
        """How much of the attributes a page has: the chance of the likeliest node of each, its mean over all pages."""
        return float(np.mean([part[:, 1:].max(axis=0, initial=0.0).mean() for part in self.by_page(chances)]))


@dataclass(frozen=True, eq=False)
class AttributeModel:
    """Verticals by name, the detector that tells them apart, and the judges."""

    verticals: Mapping[str, Vertical]
    detector: SparseWeights  # classes: the verticals in order, then OTHER
    alone: TreeEnsemble
    together: TreeEnsemble

    def __post_init__(self) -> None:
        classes = {name: (each.weights, len(each.attributes) + 1) for name, each in self.verticals.items()}
        for name, (weights, number) in {**classes, "detector": (self.detector, len(self.verticals) + 1)}.items():
            if number < 2 or len(weights.bias) != number:
                raise ValueError(f"the weights of {name} have {len(weights.bias)} classes, not {number}")

    def find(self, pages: Sequence[Description], vertical: str | None = None) -> list[Found]:
        """Return what is found on each page; several are pages of one site."""
        if vertical is not None:
            self.check_vertical(vertical)
        if not any(map(len, pages)):
            return [Found(None, np.zeros((0, 1), dtype=np.float32)) for _ in pages]
        seen = SeenPages.of(pages)
        if vertical is not None:
            chosen: Vertical | None = self.verticals[vertical]
            chances = self.judge(seen, self.verticals[vertical])
        else:
            chosen, chances = self.detect(seen)
        return [Found(chosen, part) for part in seen.by_page(chances)]

    def judge(self, seen: SeenPages, vertical: Vertical) -> Floats:
        """(N, attributes + 1) The chances of all nodes of the pages, if they are of this vertical."""
        parts = vertical.weights.dense.contributions(seen.kept_bags)
        names = np.concatenate([name_matches(page, vertical.attributes) for page in seen.pages])[seen.kept]
        found = contexts(seen.kept_nodes, parts, vertical.weights.bias, names, vertical.several_classes)
        judge = self.together if len(seen.pages) > 1 else self.alone
        return judge_nodes(judge, found, np.flatnonzero(seen.kept), len(seen.kept))

    def check_vertical(self, name: str) -> None:
        """Raise UnknownName for one that the model does not know."""
        if name not in self.verticals:
            raise UnknownName.among("vertical", name, self.verticals)

    def detect(self, seen: SeenPages) -> tuple[Vertical | None, Floats]:
        """The vertical of the pages and their chances; None where they are about something else.

        Words alone age with the pages that they were learnt from: what is new to them is OTHER. So the likeliest
        verticals are tried, and a page that has the attributes of one is of it.
        """
        logits = np.mean([detector_logits(self.detector.dense, each) for each in seen.bags], axis=0)
        verticals = list(self.verticals.values())
        best: tuple[float, Vertical | None, Floats] = (
            float(logits[-1]) + OTHER_AHEAD,
            None,
            np.zeros((len(seen.kept), 1), dtype=np.float32),
        )
        for number in np.argsort(-logits[:-1], kind="stable")[:TRIED].tolist():
            if logits[number] + BY_FOUND <= best[0]:  # nor can any that follows be better
                break
            chances = self.judge(seen, verticals[number])
            score = float(logits[number]) + BY_FOUND * seen.share_found(chances)
            if score > best[0]:
                best = score, verticals[number], chances
        return best[1], best[2]

    def save(self, file: Path) -> None:
        """Write it whole."""
        arrays: dict[str, NDArray[Any]] = {}
        kept: list[tuple[str, SparseWeights | TreeEnsemble]] = [
            ("detector", self.detector),
            ("alone", self.alone),
            ("together", self.together),
            *((f"vertical/{name}", each.weights) for name, each in self.verticals.items()),
        ]
        for name, part in kept:
            for column in fields(part):
                arrays[f"{name}/{column.name}"] = np.ascontiguousarray(getattr(part, column.name))
        verticals = [[each.name, list(each.attributes), sorted(each.several)] for each in self.verticals.values()]
        file.parent.mkdir(parents=True, exist_ok=True)
        save_file(arrays, file, {"format": FORMAT, "verticals": json.dumps(verticals)})
        file.chmod(0o644)  # it is written for its owner alone; a package is for all

    @classmethod
    def load(cls, file: Path) -> "AttributeModel":
        """Read it; BadData says what is wrong with a file that is none."""
        try:
            with safe_open(file, framework="numpy") as opened:
                about = opened.metadata() or {}
                if about.get("format") != FORMAT:
                    raise BadData(
                        f"{file} is no attribute model of this version ({FORMAT}). Give a file that training has "
                        "written, or leave the model out."
                    )
                arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            verticals = {
                str(name): Vertical(
                    str(name),
                    tuple(map(str, attributes)),
                    frozenset(several),
                    _part(SparseWeights, arrays, f"vertical/{name}"),
                )
                for name, attributes, several in json.loads(about["verticals"])
            }
            parts = (
                _part(kind, arrays, name)
                for kind, name in ((SparseWeights, "detector"), (TreeEnsemble, "alone"), (TreeEnsemble, "together"))
            )
            return cls(verticals, *parts)
        except (OSError, SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadData(
                f"{file} holds no attribute model that can be read ({type(error).__name__}: {error}). Give a file that "
                "training has written, or leave the model out."
            ) from error


def judge_nodes(
    judge: TreeEnsemble, found: Sequence[tuple[NDArray[np.int64], Floats]], nodes: NDArray[np.int64], count: int
) -> Floats:
    """(count, attributes + 1) The chance of each attribute, column 0 of none; `found` has places among `nodes`."""
    chances = np.zeros((count, len(found) + 1), dtype=np.float32)
    for number, (places, features) in enumerate(found, start=1):
        chances[nodes[places], number] = 1 / (1 + np.exp(-judge.predict(features.astype(np.float64))))
    chances[:, 0] = 1 - chances[:, 1:].max(axis=1, initial=0.0)
    return chances


def _part(kind: type[Any], arrays: Mapping[str, NDArray[Any]], name: str) -> Any:
    return kind(**{each.name: arrays[f"{name}/{each.name}"] for each in fields(kind)})


TOLD_BY = ("text", "label")  # groups of tokens that tell what a page is about


def page_tokens(bags: Bags) -> NDArray[np.int32]:
    """The distinct tokens of a page that tell what it is about."""
    if not len(bags):
        return np.zeros(0, dtype=np.int32)
    columns = [GROUPS.index(group) for group in TOLD_BY]
    starts = bags.starts() if columns[0] == 0 else bags.ends[:, columns[0] - 1]
    length = bags.ends[:, columns[-1]] - starts
    before = np.cumsum(length) - length
    return np.unique(bags.tokens[np.repeat(starts - before, length) + np.arange(length.sum())])


def detector_logits(detector: TokenWeights, bags: Bags) -> Floats:
    """(verticals + 1,) What the tokens of a page say together, whatever their number."""
    tokens = page_tokens(bags)
    logits: Floats = detector.weights[tokens].sum(axis=0) / np.sqrt(max(len(tokens), 1)) + detector.bias
    return logits
