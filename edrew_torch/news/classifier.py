"""The learned step beyond nce: is a block article, by what it is like and what is around it.

    Blocks, Body   ->   (B,) logits: above 0 is more likely than not

Boosted trees kept as plain arrays, trained by experiments/news/train.py on the shared articles only. Reads features.py;
read by extract.py.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from edrew_torch.news.blocks import Blocks
from edrew_torch.news.features import Floats, block_features
from edrew_torch.news.nce import Body
from edrew_torch.records.tree_ensemble import TreeEnsemble

MODEL = Path(__file__).parents[1] / "models" / "news" / "blocks.safetensors"


@lru_cache(maxsize=4)
def load_model(file: Path = MODEL) -> TreeEnsemble:
    """The trees of a file, read once."""
    return TreeEnsemble.load(file)


def judge_blocks(model: TreeEnsemble, blocks: Blocks, body: Body) -> Floats:
    """(B,) How likely each block is article."""
    return model.predict(block_features(blocks, body)) if len(blocks) else np.zeros(0)
