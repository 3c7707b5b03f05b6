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
# By so much must OTHER lead. Below it stay 90 % of 144 pages of the embedded sample, whose sites no model has seen, and
# all pages of nine SWDE sites (auto, movie, university) for a model that has not seen them; above it lie 80 % of 218
# list pages of sites not trained on.
OTHER_BY = 2.0
MIN_WEIGHT = 0.05  # smaller ones are left out of the file: they make a fifth of it and change next to nothing

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Token weights as they are kept: the rows that say something."""

    rows: NDArray[np.int32]  # (U,)
    values: NDArray[np.float16]  # (U, classes)
    bias: Floats

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
class AttributeModel:
    """Verticals by name, the detector that tells them apart, and the judges."""

    verticals: Mapping[str, Vertical]
    detector: SparseWeights  # classes: the verticals in order, then OTHER
    alone: TreeEnsemble
    together: TreeEnsemble

    def find(self, pages: Sequence[Description], vertical: str | None = None) -> list[Found]:
        """Return what is found on each page; several are pages of one site."""
        if vertical is not None:
            self.check_vertical(vertical)
        if not any(map(len, pages)):
            return [Found(None, np.zeros((0, 1), dtype=np.float32)) for _ in pages]
        is_site = len(pages) > 1
        zeros = [np.zeros((len(page), len(SITE_MARKS)), dtype=np.uint8) for page in pages]
        marks = site_marks(pages) if is_site else zeros
        bags = [
            make_bags(page, mark if is_site else None, GROUPS_USED) for page, mark in zip(pages, marks, strict=True)
        ]
        chosen = self.verticals[vertical] if vertical else self.detect(bags)
        if chosen is None:
            return [Found(None, np.zeros((len(page), 1), dtype=np.float32)) for page in pages]
        fixed = np.concatenate(is_fixed(pages)) if is_site else np.zeros(len(pages[0]), dtype=np.bool_)
        nodes = np.flatnonzero(~fixed)
        parts = chosen.weights.dense.contributions(Bags.joined(bags).of(nodes))
        names = np.concatenate([name_matches(page, chosen.attributes) for page in pages])[nodes]
        kept = SiteNodes.of(pages, marks).kept(~fixed)
        found = contexts(kept, parts, chosen.weights.bias, names, chosen.several_classes)
        chances = judge_nodes(self.together if is_site else self.alone, found, nodes, len(fixed))
        ends = np.cumsum([len(page) for page in pages])[:-1]
        return [Found(chosen, part) for part in np.split(chances, ends)]

    def check_vertical(self, name: str) -> None:
        """Raise UnknownName for one that the model does not know."""
        if name not in self.verticals:
            raise UnknownName.among("vertical", name, self.verticals)

    def detect(self, bags: Sequence[Bags]) -> Vertical | None:
        """The vertical of the pages; None where they are about something else."""
        logits = np.sum([detector_logits(self.detector.dense, each) for each in bags], axis=0)
        best = int(logits[:-1].argmax())
        is_other = logits[-1] - logits[best] > OTHER_BY * len(bags)
        return None if is_other else list(self.verticals.values())[best]

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
                    raise BadData(f"{file} is no attribute model of this version ({FORMAT}).")
                arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            verticals = {
                str(name): Vertical(
                    str(name), tuple(attributes), frozenset(several), _part(SparseWeights, arrays, f"vertical/{name}")
                )
                for name, attributes, several in json.loads(about["verticals"])
            }
            parts = (
                _part(kind, arrays, name)
                for kind, name in ((SparseWeights, "detector"), (TreeEnsemble, "alone"), (TreeEnsemble, "together"))
            )
            return cls(verticals, *parts)
        except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise BadData(
                f"{file} holds no attribute model that can be read ({type(error).__name__}: {error})."
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
