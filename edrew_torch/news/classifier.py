"""The learned step beyond nce: is a block article, by what it is like (first look) and what is around it (second look).

    Blocks, Body   ->   (B,) logits: above 0 is article

Two sets of boosted trees kept as plain arrays, trained by experiments/news/train.py on the shared articles only. Reads
features.py and context.py; read by extract.py.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from edrew_torch.news.blocks import Blocks
from edrew_torch.news.context import context_features
from edrew_torch.news.features import Floats, block_features
from edrew_torch.news.nce import Body
from edrew_torch.records.tree_ensemble import TreeEnsemble

MODEL = Path(__file__).parents[1] / "models" / "news"
FILES = ("first.safetensors", "second.safetensors")


@dataclass(frozen=True, eq=False)
class BlockClassifier:
    """The trees of both looks."""

    first: TreeEnsemble
    second: TreeEnsemble

    def logits(self, blocks: Blocks, body: Body) -> Floats:
        """(B,) How likely each block is article; above 0 is more likely than not."""
        if not len(blocks):
            return np.zeros(0)
        features = block_features(blocks, body)
        return self.second.predict(second_features(blocks, features, self.first.predict(features)))

    def save(self, folder: Path) -> None:
        """Write both sets of trees."""
        for trees, name in zip((self.first, self.second), FILES, strict=True):
            trees.save(folder / name)

    @classmethod
    def load(cls, folder: Path = MODEL) -> "BlockClassifier":
        """Read both; raises MissingWeights where they are not."""
        first, second = (TreeEnsemble.load(folder / name) for name in FILES)
        return cls(first, second)


def second_features(blocks: Blocks, features: Floats, logits: Floats) -> Floats:
    """(B, F) What the second look sees: all that the first saw, and its judgement of everything around."""
    return np.column_stack([features, context_features(blocks, logits)])


@lru_cache(maxsize=4)
def load_classifier(folder: Path = MODEL) -> BlockClassifier:
    """The classifier of a folder, read once."""
    return BlockClassifier.load(folder)
