"""What the first judgement of all blocks tells of each: the second look of the learned step.

    Blocks, (B,) logits of the first look   ->   (B, F): those of its neighbours, of its elements, of its likes

A caption, a line of an author or a list of links is told best by what is around it. Linear in the page.
Reads features.py; read by classifier.py.
"""

import numpy as np

from edrew_torch.news.blocks import Blocks, running_sum
from edrew_torch.news.features import Floats, path_codes, shifted, window_mean
from edrew_torch.news.nce import best_run

STEPS = (1, 2, 3, 4)
LEVELS = 5  # ancestors looked at
FAR = 60  # blocks: further is all the same


def context_features(blocks: Blocks, logits: Floats) -> Floats:
    """Return the rows of a page's blocks; its first look is all that is known of them here."""
    chance = 1 / (1 + np.exp(-logits))
    length = blocks.length.astype(np.float64)
    mass = chance * length
    total_mass, total = max(float(mass.sum()), 1.0), max(float(length.sum()), 1.0)
    number = np.arange(len(blocks))
    columns = [logits, np.full(len(blocks), np.log1p(total_mass)), np.full(len(blocks), total_mass / total)]

    both = np.column_stack([logits])
    columns += [shifted(both, step)[:, 0] for each in STEPS for step in (each, -each)]
    weighted = np.column_stack([mass, length, chance])
    for width in (3, 6, 12):
        for side in ((-width, 0), (1, width + 1)):
            window = window_mean(weighted, *side)
            columns += [window[:, 0] / np.maximum(window[:, 1], 1), window[:, 2]]

    begin, end = blocks.of_subtree
    masses, lengths, chances = (running_sum(values) for values in (mass, length, chance))
    parent, here = blocks.tree.parent, blocks.owner
    for _ in range(LEVELS):
        first, behind = begin[here], end[here]
        inside = masses[behind] - masses[first]
        columns += [
            inside / np.maximum(lengths[behind] - lengths[first], 1),
            inside / total_mass,
            (chances[behind] - chances[first]) / np.maximum(behind - first, 1),
        ]
        here = np.maximum(parent[here], 0)

    for levels in (None, 2):
        codes = path_codes(blocks.tree, levels)[blocks.owner]
        _, group = np.unique(codes, return_inverse=True)
        count = np.bincount(group)
        columns += [
            (np.bincount(group, mass) / np.maximum(np.bincount(group, length), 1))[group],
            (np.bincount(group, chance) / count)[group],
            (np.bincount(group, mass) / total_mass)[group],
        ]

    sure = np.flatnonzero(chance > 0.5)
    last = np.append(sure, -FAR)[np.searchsorted(sure, number, side="left") - 1]
    following = np.append(sure, len(blocks) + FAR)[np.searchsorted(sure, number, side="right")]
    first_sure, last_sure = (int(sure[0]), int(sure[-1])) if len(sure) else (0, len(blocks))
    start, stop = best_run((chance - 0.4) * (length + 10))
    before = running_sum(length)
    columns += [
        masses[:-1] / total_mass,
        masses[1:] / total_mass,
        np.clip(number - last, 0, FAR),
        np.clip(following - number, 0, FAR),
        np.log1p(before[number] - before[np.maximum(last, 0)]),
        np.log1p(np.maximum(before[np.minimum(following, len(blocks))] - before[number], 0)),
        np.clip(number - first_sure, -FAR, FAR),
        np.clip(last_sure - number, -FAR, FAR),
        np.full(len(blocks), len(sure)),
        np.clip(number - start, -FAR, FAR),
        np.clip(stop - number, -FAR, FAR),
        ((number >= start) & (number < stop)).astype(np.float64),
    ]
    return np.column_stack(columns).astype(np.float64)
