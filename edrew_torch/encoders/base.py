"""Encoder: the contract that every encoder keeps. Read by the encoders, classifier.py and vectors.py.

An encoder is made for one vocabulary: it is given the printed form of every id (`div|21`, `<#CNT>`), so that whatever
does not depend on context (characters, word pieces, GloVe rows) is a table made once.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence

from torch import Tensor, nn

# The vocabulary of tests: padding first, as everywhere.
TINY_TOKENS = (
    "<#PAD>",
    "<#ID>",
    "<#CLSS>",
    "<#CNT>",
    "<#$>",
    "br",
    *(f"{tag}|{n}" for tag in ("div", "p") for n in (1, 21)),
)


class Encoder(nn.Module, ABC):
    """Rows of reTPS elements in, one vector per element out."""

    output_dim: int
    is_frozen: bool = False  # its vectors stay as they are while a head is trained: they are computed once

    @classmethod
    @abstractmethod
    def tiny(cls, tokens: Sequence[str] = TINY_TOKENS) -> "Encoder":
        """A small one with random weights, for tests."""

    @abstractmethod
    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids, (B, T) mask -> (B, T, output_dim); padding gives zeros."""

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, output_dim): the mean over the elements of each row. An encoder may know a shorter way."""
        return self.encode(ids, mask).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)

    def fingerprint(self) -> str:
        """A checksum of all weights and tables: encoders that agree in it give the same vectors."""
        digest = hashlib.sha256(type(self).__qualname__.encode())
        for name, tensor in sorted(self.state_dict().items()):
            digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()[:16]
