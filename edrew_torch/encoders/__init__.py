"""encoders: rows of reTPS elements -> vectors. A plain table; to add one see README, "Add an encoder"."""

from typing import Any

from edrew_torch.encoders.base import Encoder
from edrew_torch.encoders.onehot import OneHotEncoder
from edrew_torch.errors import UnknownName

__all__ = ["ENCODERS", "Encoder", "make_encoder"]

ENCODERS: dict[str, type[OneHotEncoder]] = {"onehot": OneHotEncoder}


def make_encoder(name: str, vocabulary_size: int, **arguments: Any) -> Encoder:
    """Return a new encoder of this name for a vocabulary of this size."""
    if name not in ENCODERS:
        raise UnknownName.among("encoder", name, ENCODERS)
    return ENCODERS[name](vocabulary_size=vocabulary_size, **arguments)
