"""encoders: rows of reTPS elements -> vectors. A plain table; to add one see README, "Add an encoder"."""

import inspect
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import torch

from edrew_torch.encoders.base import Encoder
from edrew_torch.encoders.bert import BertEncoder
from edrew_torch.encoders.elmo import ElmoEncoder
from edrew_torch.encoders.glove import GloveEncoder
from edrew_torch.encoders.native import NativeEncoder
from edrew_torch.encoders.onehot import OneHotEncoder
from edrew_torch.errors import BadConfig, MissingWeights, UnknownName

__all__ = ["ENCODERS", "Encoder", "check_encoder", "find_encoder", "make_encoder"]

ENCODERS: dict[str, type[Encoder]] = {
    "elmo": ElmoEncoder,
    "bert": BertEncoder,
    "glove": GloveEncoder,
    "native": NativeEncoder,
    "onehot": OneHotEncoder,
}


def find_encoder(name: str) -> type[Encoder]:
    """The class of this name; one outside the package is named by its dotted path, `mine.encoders.MyEncoder`."""
    if not isinstance(name, str):
        raise BadConfig(f"encoder.name must be a name, not {name!r}.")
    if name in ENCODERS:
        return ENCODERS[name]
    module, dot, attribute = name.rpartition(".")
    if not dot:
        raise UnknownName.among("encoder", name, ENCODERS)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:  # TypeError, ValueError: `.mine`, no module
        raise BadConfig(f"the encoder {name} cannot be imported ({error}); is its folder on PYTHONPATH?") from error
    if not (isinstance(found, type) and issubclass(found, Encoder)):
        raise BadConfig(f"{name} is no subclass of edrew_torch.encoders.Encoder.")
    return found


KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def check_encoder(name: str, arguments: Mapping[str, Any]) -> type[Encoder]:
    """Return the class of this name; raise where it takes no such arguments."""
    found = find_encoder(name)
    known = dict(list(inspect.signature(found).parameters.items())[1:])  # the first is `tokens`
    for argument, value in arguments.items():
        if argument not in known:
            raise UnknownName.among(f"argument of the encoder {name}", argument, known)
        kind = known[argument].annotation
        fits = type(value) is kind or (kind is float and type(value) is int)
        if kind in KINDS and not fits:
            raise BadConfig(f"encoder.{argument} must be {KINDS[kind]}, not {value!r}.")
    return found


def make_encoder(name: str, tokens: Sequence[str], **arguments: Any) -> Encoder:
    """Return a new encoder of this name for a vocabulary: `tokens` is the printed form of every id."""
    found = check_encoder(name, arguments)
    try:
        made = found(tokens, **arguments)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate" not in str(error):
            raise
        raise BadConfig(f"the encoder {name} with {arguments} does not fit into memory: make it smaller.") from error
    for weight, tensor in made.named_parameters():
        if not torch.isfinite(tensor).all():
            raise MissingWeights(f"the weights {weight} of the encoder {name} are no numbers: give others.")
    return made
