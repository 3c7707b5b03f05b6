"""onehot: every element of the vocabulary is its own dimension. The simplest encoder there is; a baseline.

With the mean over elements and a linear head this is logistic regression on a bag of elements.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from edrew_torch.encoders.base import TINY_TOKENS, Encoder


class OneHotEncoder(Encoder):
    """(B, T) ids -> (B, T, V) one-hot vectors."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__()
        self.output_dim = len(tokens)

    @classmethod
    def tiny(cls, tokens: Sequence[str] = TINY_TOKENS) -> "OneHotEncoder":
        """A small one for tests."""
        return cls(tokens)

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, T, V); padding gives zeros."""
        vectors = torch.zeros(*ids.shape, self.output_dim, device=ids.device)  # (B, T, V)
        return vectors.scatter_(2, ids[:, :, None], mask[:, :, None].float())

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, V): counted straight into the mean, a twentieth of the memory."""
        share = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)  # (B, T)
        return torch.zeros(len(ids), self.output_dim, device=ids.device).scatter_add_(1, ids, share)
