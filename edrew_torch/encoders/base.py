"""Encoder: the contract that every encoder keeps. Read by the encoders and by classifier.py."""

from abc import ABC, abstractmethod

from torch import Tensor, nn


class Encoder(nn.Module, ABC):
    """Rows of reTPS elements in, one vector per element out."""

    output_dim: int

    @abstractmethod
    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids, (B, T) mask -> (B, T, output_dim); padding gives zeros."""

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, output_dim): the mean over the elements of each row. An encoder may know a shorter way."""
        return self.encode(ids, mask).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
