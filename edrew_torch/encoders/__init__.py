"""encoders: rows of reTPS elements -> vectors. A plain table; to add one see README, "Add an encoder"."""

import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from edrew_torch.encoders.base import Encoder
from edrew_torch.encoders.bert import BertEncoder
from edrew_torch.encoders.elmo import ElmoEncoder
from edrew_torch.encoders.glove import GloveEncoder
from edrew_torch.encoders.native import NativeEncoder
from edrew_torch.encoders.onehot import OneHotEncoder
from edrew_torch.errors import BadConfig, UnknownName

__all__ = ["ENCODERS", "Encoder", "find_encoder", "make_encoder"]

ENCODERS: dict[str, type[Encoder]] = {
    "elmo": ElmoEncoder,
    "bert": BertEncoder,
    "glove": GloveEncoder,
    "native": NativeEncoder,
    "onehot": OneHotEncoder,
}


def find_encoder(name: str) -> type[Encoder]:
    """The class of this name; one outside the package is named by its dotted path, `mine.encoders.MyEncoder`."""
    if name in ENCODERS:
        return ENCODERS[name]
    module, dot, attribute = name.rpartition(".")
    if not dot:
        raise UnknownName.among("encoder", name, ENCODERS)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadConfig(f"the encoder {name} cannot be imported ({error}); is its folder on PYTHONPATH?") from error
    if not (isinstance(found, type) and issubclass(found, Encoder)):
        raise BadConfig(f"{name} is no subclass of edrew_torch.encoders.Encoder.")
    return found


def make_encoder(name: str, tokens: Sequence[str], **arguments: Any) -> Encoder:
    """Return a new encoder of this name for a vocabulary: `tokens` is the printed form of every id."""
    found = find_encoder(name)
    known = list(inspect.signature(found).parameters)[1:]  # the first is `tokens`
    for argument in arguments:
        if argument not in known:
            raise UnknownName.among(f"argument of the encoder {name}", argument, known)
    return found(tokens, **arguments)
