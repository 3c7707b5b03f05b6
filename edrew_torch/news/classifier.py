"""The learned step beyond nce: is a block article, by what it is like and what is around it.

    Blocks, Body   ->   (B,) logits: above 0 is more likely than not

Boosted trees kept as plain arrays, trained by experiments/news/train.py on the shared articles only. Reads features.py;
read by extract.py.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from edrew_torch.news.blocks import Blocks, Flags
from edrew_torch.news.features import Floats, block_features
from edrew_torch.news.nce import Body
from edrew_torch.records.tree_ensemble import TreeEnsemble

ROUNDS = 4  # in which the choice of blocks settles
MARGIN = 20  # characters that a block counts for on top of its own

MODEL = Path(__file__).parents[1] / "models" / "news" / "blocks.safetensors"


@lru_cache(maxsize=4)
def load_model(file: Path = MODEL) -> TreeEnsemble:
    """The trees of a file, read once."""
    return TreeEnsemble.load(file)


def judge_blocks(model: TreeEnsemble, blocks: Blocks, body: Body) -> Floats:
    """(B,) How likely each block is article."""
    return model.predict(block_features(blocks, body)) if len(blocks) else np.zeros(0)


def choose_blocks(logits: Floats, blocks: Blocks, threshold: float) -> Flags:
    """(B,) The blocks likely enough: by `threshold` of the precision that is to be expected of what is kept.

    Half of what can be reached is the bound that makes F1 largest: a page that is doubtful as a whole keeps more of it.
    """
    likely = 1 / (1 + np.exp(-np.clip(logits, -50, 50)))
    size = blocks.length + MARGIN
    kept: Flags = likely > 0.5
    for _ in range(ROUNDS):
        if not kept.any():
            break
        kept = likely > threshold * np.average(likely[kept], weights=size[kept])
    return kept
