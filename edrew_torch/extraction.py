"""Extraction: pages and a model -> the relevant values of each page.

    Page   ->   tree, description   ->   model   ->   Result(values)

Two kinds of model: an AttributeModel (attributes/model.py; the embedded one is), which says which attribute a value is,
and the run folder of `train.py`, which knows relevant from noise by the reTPS alone. Read by pipeline.py and cli/.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from edrew_torch.attributes.model import AttributeModel
from edrew_torch.attributes.values import METHOD, MIN_CONFIDENCE, page_values
from edrew_torch.enrich.describe import MAX_TEXTS, Describer, Description
from edrew_torch.errors import BadConfig, BadData
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.result import Result, Value
from edrew_torch.tree import Tree

if TYPE_CHECKING:  # torch takes seconds
    from edrew_torch.runs import Run

Model: TypeAlias = "AttributeModel | Run"

EMBEDDED = Path(__file__).parent / "models" / "attributes" / "model.safetensors"
DESCRIBER = Describer()  # one for all pages, so that a text that many of them have is looked at once


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page with its tree and description."""

    page: Page
    tree: Tree
    description: Description


def read_page(page: Page) -> ReadPage:
    """Parse and describe a page."""
    tree = parse_tree(page)
    return ReadPage(page, tree, DESCRIBER.describe(tree, page.url))


@cache
def load_model(path: Path | None = None) -> "Model":
    """The embedded model, a model file of one's own (.safetensors), or the run folder of a training."""
    if path is None:
        return AttributeModel.load(EMBEDDED)
    path = Path(path)
    if path.is_file():
        return AttributeModel.load(path)
    if (path / "attributes.safetensors").is_file():
        return AttributeModel.load(path / "attributes.safetensors")
    if not (path / "model.json").is_file():
        raise BadData(f"{path} is no model: give a model file, or a run folder that train.py has made.")
    try:
        from edrew_torch.runs import load_run
    except ImportError as error:
        raise BadConfig(
            f"the run {path} needs the research side ({error}): pip install 'edrew-torch[train]'."
        ) from None
    return load_run(path)


def find_results(
    pages: Sequence[ReadPage],
    model: "Model",
    vertical: str | None = None,
    min_confidence: float | None = None,
) -> list[Result]:
    """The values of each page; several pages are those of one site."""
    least = MIN_CONFIDENCE if min_confidence is None else min_confidence
    if not 0 <= least <= 1:
        raise BadConfig(f"the least confidence must be between 0 and 1, not {least}.")
    if not isinstance(model, AttributeModel):
        if vertical is not None:
            raise BadConfig(f"a run of train.py knows no verticals: leave out {vertical!r}, or leave out the model.")
        values = [relevant_values(page, model, min_confidence) for page in pages]
        warnings: list[tuple[str, ...]] = [() for _ in pages]
    else:
        descriptions = [page.description for page in pages]
        found = model.find(descriptions, vertical)
        unknown = f"the page seems to be about none of {', '.join(model.verticals)}: if it is, name which (vertical)."
        cut = f"only the first {MAX_TEXTS:,} texts of the page were looked at."
        warnings = [
            ((unknown,) if each.vertical is None and len(page) else ()) + ((cut,) if len(page) >= MAX_TEXTS else ())
            for each, page in zip(found, descriptions, strict=True)
        ]
        values = [
            page_values(each, page.description, page.tree, least) for each, page in zip(found, pages, strict=True)
        ]
    return [
        Result(
            page.page.source,
            page.page.url,
            warnings=told,
            title=page.description.title or None,
            values=each,
            sought=("values",),
        )
        for page, each, told in zip(pages, values, warnings, strict=True)
    ]


def relevant_values(page: ReadPage, run: "Run", min_confidence: float | None) -> tuple[Value, ...]:
    """The nodes that a trained run calls relevant; it knows no attributes."""
    from edrew_torch.retps import RetpsBuilder
    from edrew_torch.runs import row_logits

    tree = parse_tree(page.page, run.profile)
    rows = RetpsBuilder(run.profile, run.vocabulary).rows(tree)
    if not len(rows):
        return ()
    distinct, place = np.unique(rows.ids, axis=0, return_inverse=True)
    logits = row_logits(run.model, distinct)[place.reshape(-1)]
    chances = 1 / (1 + np.exp(-logits))
    is_called = logits > float(run.model.threshold) if min_confidence is None else chances >= min_confidence
    return tuple(
        Value(" ".join(tree.text(node).split()), None, tree.xpath(node), float(chance), METHOD)
        for node, chance in zip(rows.nodes[is_called].tolist(), chances[is_called], strict=True)
    )
