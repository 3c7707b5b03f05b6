"""Weights: a linear model over bags of tokens: what each token says for each attribute.

    Bags   ->   (N, groups, classes) what each group of tokens says   ->   their sum and a bias: logits, class 0 is none

Linear, because little is left to overfit: sites differ in everything a network would remember. And a token that only
one site has is left out in training (`SEEN_ON`): what cannot be checked on a second site carries over to none; on the
tuning verticals this rule is worth 3 points on unseen sites. Trained here with torch; used with numpy alone.
Reads enrich/bags.py; read by model.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edrew_torch.enrich.bags import BITS, GROUPS, Bags

SEEN_ON = 2  # sites
EPOCHS = 4  # this and the next three: of a few tried on the verticals auto, movie and university
LEARNING_RATE = 0.02
BATCH_SIZE = 512
TOKEN_DROPOUT = 0.1
CHUNK = 10_000  # nodes whose sums are made at once: each takes some 8 kB meanwhile

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TokenWeights:
    """(2 ** BITS, classes) weights and a bias."""

    weights: Floats
    bias: Floats  # (classes,)

    def contributions(self, bags: Bags) -> Floats:
        """(N, groups, classes) The sum of the weights of each group's tokens."""
        count, classes = len(bags), len(self.bias)
        parts: Floats = np.empty((count, len(GROUPS), classes), dtype=np.float32)
        starts = bags.starts()
        for first in range(0, count, CHUNK):
            ends = bags.ends[first : first + CHUNK]
            begin, end = int(starts[first]), int(ends[-1, -1])
            sums = np.zeros((end - begin + 1, classes))
            np.cumsum(self.weights[bags.tokens[begin:end]], axis=0, dtype=np.float64, out=sums[1:])
            at_ends = sums[np.concatenate([np.zeros(1, dtype=np.int64), ends.reshape(-1) - begin])]
            parts[first : first + CHUNK] = np.diff(at_ends, axis=0).reshape(-1, len(GROUPS), classes)
        return parts


def fit_weights(parts: Sequence[tuple[Bags, NDArray[np.int64]]], num_classes: int, seed: int = 1) -> TokenWeights:
    """Train on the bags and classes of some sites, one pair a site."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    is_used = shared_tokens([bags for bags, _ in parts])
    joined = kept_tokens(Bags.joined([bags for bags, _ in parts]), is_used)
    # a table of the tokens that occur: the optimizer goes over all of it at every step
    rows, place = np.unique(joined.tokens, return_inverse=True)
    answer = torch.from_numpy(np.concatenate([classes for _, classes in parts]))
    tokens, starts = torch.from_numpy(place.astype(np.int64)), joined.starts()
    length = joined.ends[:, -1] - starts
    layer = nn.EmbeddingBag(max(len(rows), 1), num_classes, mode="sum")
    nn.init.zeros_(layer.weight)
    bias = nn.Parameter(torch.zeros(num_classes))
    optimizer = torch.optim.Adam([layer.weight, bias], lr=LEARNING_RATE)
    batches = -(-len(answer) // BATCH_SIZE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(1 - step / (EPOCHS * batches), 1e-3))
    generator = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        order = generator.permutation(len(answer))
        for start in range(0, len(order), BATCH_SIZE):
            chosen = order[start : start + BATCH_SIZE]
            sizes = length[chosen]
            before = np.cumsum(sizes) - sizes
            places = torch.from_numpy(np.repeat(starts[chosen] - before, sizes) + np.arange(sizes.sum()))
            keep = (torch.rand(len(places)) > TOKEN_DROPOUT).float() / (1 - TOKEN_DROPOUT)
            logits = layer(tokens[places], torch.from_numpy(before), per_sample_weights=keep) + bias
            loss = nn.functional.cross_entropy(logits, answer[torch.from_numpy(chosen)])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    table = np.zeros((1 << BITS, num_classes), dtype=np.float32)
    table[rows] = layer.weight.detach().numpy()[: len(rows)]
    return TokenWeights(table, bias.detach().numpy())


def shared_tokens(sites: Sequence[Bags]) -> NDArray[np.bool_]:
    """(2 ** BITS,) Which tokens several sites have; all, where there is one site."""
    times = np.zeros(1 << BITS, dtype=np.int32)
    for bags in sites:
        times[np.unique(bags.tokens)] += 1
    return times >= min(SEEN_ON, len(sites))


def kept_tokens(bags: Bags, is_used: NDArray[np.bool_]) -> Bags:
    """The bags without the tokens that are not used."""
    kept = is_used[bags.tokens]
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])
    return Bags(bags.tokens[kept], before[bags.ends])
