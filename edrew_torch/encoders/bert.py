"""BERT: the vector of an element depends on the whole row, read in both directions.

    <#CNT> div|21 …   ->   [CLS] text di ##v 21 … [SEP]   ->   the model   ->   the mean over the pieces of each element

Elements are written in words by words.py and cut into pieces by the model's own tokenizer. That does not depend on
the row, so the pieces of each element are a table made once. The embedded model is written the same way, with a small
vocabulary of pieces of its own; pretrain.py trains it on masked tokens.

A row with more pieces than the model has positions is cut at its far end, away from the leaf: elements that do not fit
whole give zeros, like padding. They are counted in `num_cut` and told once.
Devlin, Chang, Lee, Toutanova: BERT, NAACL 2019. Reads words.py and weights.py.
"""

import logging
import os
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from edrew_torch.encoders.base import TINY_TOKENS, Encoder
from edrew_torch.encoders.weights import embedded_folder, given_path
from edrew_torch.encoders.words import element_words
from edrew_torch.errors import BadConfig, EdrewError, MissingWeights
from edrew_torch.retps import PAD

ORIGINAL = "bert-base-uncased"
HUB_TIMEOUT = 5.0  # seconds to find out whether the hub can be reached: its own client goes on trying for half a minute

log = logging.getLogger(__name__)


class BertEncoder(Encoder):
    """(B, T) ids -> (B, T, D): a layer of a BERT, the pieces of each element averaged.

    `weights` is "embedded", "original" (bert-base-uncased), the name of a model of the Hugging Face hub or a folder in
    its format. Only safetensors are read, and no code that comes with a model is run. `layer` counts as in a list: 0 is
    the layer of embeddings, -1 the last. Unless `frozen`, the model is trained along with whatever reads its vectors.
    """

    piece_table: Tensor  # (V, P) the pieces of each element, padded
    num_pieces: Tensor  # (V,) how many they are

    def __init__(self, tokens: Sequence[str], weights: str = "embedded", layer: int = -1, frozen: bool = True) -> None:
        super().__init__()
        model, tokenizer = load_bert(weights)
        self._set_model(tokens, model, tokenizer, layer, frozen, source=weights)

    def _set_model(
        self, tokens: Sequence[str], model: Any, tokenizer: Any, layer: int, frozen: bool, source: str
    ) -> None:
        layers = int(model.config.num_hidden_layers) + 1  # with the embeddings
        if not -layers <= layer < layers:
            raise BadConfig(f"encoder.layer={layer}: the model of {source} has the layers 0 to {layers - 1}, or -1.")
        pieces = tokenize_elements(tokens, tokenizer)
        num_embeddings = len(model.get_input_embeddings().weight)
        if max(map(max, filter(None, pieces)), default=0) >= num_embeddings:
            raise MissingWeights(
                f"{source}: its tokenizer and its model are not of one make: the model knows {num_embeddings} pieces, "
                "the tokenizer writes others. Give a folder whose tokenizer and weights were saved together."
            )
        width = max(map(len, pieces), default=0)
        padded = [row + [tokenizer.pad_token_id] * (width - len(row)) for row in pieces]
        self.register_buffer("piece_table", torch.tensor(padded, dtype=torch.long).view(len(tokens), width))
        self.register_buffer("num_pieces", torch.tensor([len(row) for row in pieces], dtype=torch.long))
        if getattr(model, "pooler", None) is not None:
            model.pooler = None  # it makes a vector of [CLS], which nobody reads
        self.model = model.requires_grad_(not frozen)
        self.tokenizer = tokenizer
        self.layer = layer % layers
        self.is_last = self.layer == layers - 1
        # one number, as models state it in two places; a tokenizer without a limit states 10^30
        self.max_pieces = min(int(model.config.max_position_embeddings), int(tokenizer.model_max_length))
        self.output_dim = int(model.config.hidden_size)
        self.is_frozen = frozen
        self.num_cut = 0  # elements so far that did not fit into the model
        self.eval()  # as loaded models are: `train()` turns dropout on

    @classmethod
    def random(
        cls,
        tokens: Sequence[str],
        num_layers: int = 3,
        hidden: int = 128,
        heads: int = 4,
        intermediate: int = 256,
        max_pieces: int = 256,
    ) -> "BertEncoder":
        """One with random weights and a tokenizer for these elements, to be trained."""
        with _transformers():
            from transformers import BertConfig, BertModel

        tokenizer = make_tokenizer(tokens, max_pieces)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=hidden,
            num_hidden_layers=num_layers,
            num_attention_heads=heads,
            intermediate_size=intermediate,
            max_position_embeddings=max_pieces,
            type_vocab_size=1,
            pad_token_id=tokenizer.pad_token_id,
        )
        encoder = cls.__new__(cls)
        nn.Module.__init__(encoder)
        model = BertModel(config, add_pooling_layer=False)
        encoder._set_model(tokens, model, tokenizer, layer=-1, frozen=False, source="random weights")
        return encoder

    @classmethod
    def tiny(cls, tokens: Sequence[str] = TINY_TOKENS) -> "BertEncoder":
        """A small one with random weights, for tests."""
        return cls.random(tokens, num_layers=2, hidden=16, heads=2, intermediate=32, max_pieces=64)

    def train(self, mode: bool = True) -> Self:
        """Follow the module around it, unless frozen: then dropout stays off, so that vectors stay as they are."""
        return super().train(mode and not self.is_frozen)

    def fingerprint(self) -> str:
        """A checksum of weights and table, with the layer that is read: it is no tensor, but it makes the vectors."""
        return f"{super().fingerprint()}-{self.layer}"

    def pieces(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T) ids, mask -> (B, L) input ids, (B, L) attention, (B, L) index of the element of each piece, or -1.

        A row is [CLS], its pieces, [SEP], then padding. A row of padding only is [CLS] [SEP].
        """
        count = self.num_pieces[ids] * mask  # (B, T)
        end = count.cumsum(dim=1)  # (B, T) pieces up to and with each element
        fits = end <= self.max_pieces - 2  # (B, T)
        if not fits.all():
            self._tell_cut(int((~fits & (count > 0)).sum()))
            count = count * fits
        total = count.sum(dim=1)  # (B,)
        offset = torch.arange(self.piece_table.shape[1], device=ids.device)  # (P,)
        row, element, number = torch.nonzero(offset < count[:, :, None], as_tuple=True)  # (N,) each, N pieces in all
        place = 1 + (end - count)[row, element] + number  # (N,) behind [CLS] and the pieces before it

        shape = (len(ids), int(total.max()) + 2)
        input_ids = torch.full(shape, self.tokenizer.pad_token_id, device=ids.device)  # (B, L)
        input_ids[row, place] = self.piece_table[ids[row, element], number]
        input_ids[:, 0] = self.tokenizer.cls_token_id
        input_ids[torch.arange(len(ids), device=ids.device), total + 1] = self.tokenizer.sep_token_id
        owner = torch.full(shape, -1, device=ids.device)  # (B, L)
        owner[row, place] = element
        attention = torch.arange(shape[1], device=ids.device) < total[:, None] + 2  # (B, L)
        return input_ids, attention, owner

    def _tell_cut(self, num_elements: int) -> None:
        if not self.num_cut:
            log.warning(
                "BERT: rows with more than %d pieces are cut at their far end; the elements there give zeros. "
                "A smaller retps.threshold avoids it.",
                self.max_pieces - 2,
            )
        self.num_cut += num_elements

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids, (B, T) mask -> (B, T, D); padding gives zeros."""
        if not len(ids):
            return torch.zeros(*ids.shape, self.output_dim, device=ids.device)  # the models fail on no rows
        input_ids, attention, owner = self.pieces(ids, mask.bool())  # (B, L) each
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.is_frozen):
            output = self.model(
                input_ids=input_ids, attention_mask=attention.long(), output_hidden_states=not self.is_last
            )
            hidden = output.last_hidden_state if self.is_last else output.hidden_states[self.layer]  # (B, L, D)
            is_own = owner[:, None, :] == torch.arange(ids.shape[1], device=ids.device)[:, None]  # (B, T, L)
            num_own = is_own.sum(dim=2, keepdim=True)  # (B, T, 1) is zero for padding
            pooled: Tensor = is_own.to(hidden.dtype) @ hidden / num_own.clamp(min=1)  # (B, T, D)
            return pooled

    def save_weights(self, folder: str | Path) -> None:
        """Write model and tokenizer to a folder in the format of Hugging Face, which `weights` reads."""
        with _quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
        (Path(folder) / "model.safetensors").chmod(0o644)  # it is written for its owner alone; a package is for all


def tokenize_elements(tokens: Sequence[str], tokenizer: Any) -> list[list[int]]:
    """Return the pieces of each element; none for padding, the unknown piece for what cannot be written."""
    written = [" ".join(element_words(token)) for token in tokens]
    if not written:
        return []
    found: list[list[int]] = tokenizer(written, add_special_tokens=False).input_ids
    return [
        [] if token == PAD else pieces or [tokenizer.unk_token_id] for token, pieces in zip(tokens, found, strict=True)
    ]


def make_tokenizer(tokens: Sequence[str], max_pieces: int) -> Any:
    """Return a WordPiece tokenizer that knows the words of these elements whole, any other name by its letters."""
    with _transformers():
        from transformers import BertTokenizer

    plain = BertTokenizer().backend_tokenizer  # cuts text as BERT does before it looks for pieces
    words = {
        word
        for token in tokens
        for word, _ in plain.pre_tokenizer.pre_tokenize_str(
            plain.normalizer.normalize_str(" ".join(element_words(token)))
        )
    }
    letters = {*string.ascii_lowercase, *string.digits, *"".join(words)}
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    # sorted: the same elements give the same numbers in whatever order they come
    pieces = dict.fromkeys([*specials, *sorted(words | letters), *(f"##{letter}" for letter in sorted(letters))])
    return BertTokenizer(vocab={piece: number for number, piece in enumerate(pieces)}, model_max_length=max_pieces)


def load_bert(weights: str) -> tuple[Any, Any]:
    """Return model and tokenizer: from a folder, from the cache of the hub, from the hub."""
    if weights == "embedded":
        folder = embedded_folder("bert")
        if not (folder / "config.json").is_file():
            raise MissingWeights(
                f"the embedded BERT is not at {folder}: this installation is not complete. Install it again, or give "
                "encoder.weights=original, the name of a model of the Hugging Face hub, or a folder with "
                "encoder.weights=PATH."
            )
        return _from_folder(folder)
    name = ORIGINAL if weights == "original" else weights
    if Path(name).expanduser().exists() or _looks_like_path(name):
        return _from_folder(given_path("bert", name))
    return _from_hub(name)


def _looks_like_path(name: str) -> bool:
    """A name of the hub is `name` or `owner/name`."""
    return name.startswith((".", "~", "/", "\\")) or name.count("/") > 1 or "\\" in name


# What transformers raises for a folder or a name that it cannot load.
LOAD_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError, SafetensorError)


def _from_folder(folder: Path) -> tuple[Any, Any]:
    fault = f"{folder} is no BERT in the format of Hugging Face"
    advice = (
        "It needs config.json, model.safetensors (other formats are not read: a pickle can run code) and the "
        "tokenizer's files. Save it with save_pretrained, or use encoder.weights=embedded."
    )
    if not folder.is_dir():
        raise MissingWeights(f"{fault}: it is a file, not a folder. {advice}")
    try:
        return _load(str(folder), local_files_only=True)
    except LOAD_ERRORS as error:
        raise MissingWeights(f"{fault}: {_first_line(error)} {advice}") from error


def _from_hub(name: str) -> tuple[Any, Any]:
    with _transformers():
        from huggingface_hub import constants

    try:
        return _load(name, local_files_only=True)  # first: what is there needs no network
    except LOAD_ERRORS:
        pass
    reason = _why_no_hub(constants.ENDPOINT, constants.HF_HUB_OFFLINE)
    if reason is None:
        try:
            return _load(name, local_files_only=False)
        except LOAD_ERRORS as error:
            reason = _first_line(error)
    raise MissingWeights(
        f"the BERT {name!r} is not in the cache {constants.HF_HUB_CACHE} and cannot be had from {constants.ENDPOINT}: "
        f"{reason} Where there is a network, `hf download {name} --local-dir FOLDER` fetches it; then give "
        "encoder.weights=FOLDER. Or use encoder.weights=embedded."
    )


def _why_no_hub(endpoint: str, is_offline: bool) -> str | None:
    """Why the hub is not to be asked; None if it answers."""
    import httpx  # here: folders need no HTTP client

    if is_offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE is set."
    try:
        httpx.head(endpoint, timeout=HUB_TIMEOUT)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"it does not answer ({error or type(error).__name__})."
    return None


def _load(name: str, local_files_only: bool) -> tuple[Any, Any]:
    with _transformers():
        from transformers import AutoModel, AutoTokenizer

    with _quiet():
        model, report = AutoModel.from_pretrained(
            name,
            local_files_only=local_files_only,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local_files_only)
    if lost := sorted(key for key in report["missing_keys"] if not key.startswith("pooler.")):
        raise ValueError(f"its weights lack {lost[0]} and {len(lost) - 1} more that its config.json asks for.")
    specials = ("pad_token", "cls_token", "sep_token", "unk_token")
    if model.config.is_encoder_decoder or any(getattr(tokenizer, token) is None for token in specials):
        raise ValueError(f"it is a {model.config.model_type}, not an encoder with the pieces {', '.join(specials)}.")
    return model, tokenizer


def _first_line(error: BaseException) -> str:
    line = next(iter(str(error).splitlines()), "") or type(error).__name__
    return line if line.endswith(".") else f"{line}."


@contextmanager
def _transformers() -> Iterator[None]:
    """Around every import of transformers: it is in the extra `train`, and takes seconds, so only who needs it pays."""
    try:
        yield
    except ImportError as error:
        raise EdrewError(f"BERT needs transformers ({error}): pip install 'edrew-torch[train]'.") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' progress bars and remarks on unread weights off the terminal: what matters is checked."""
    from transformers.utils import logging as untyped

    remarks: Any = untyped
    level, has_bars = remarks.get_verbosity(), remarks.is_progress_bar_enabled()
    remarks.set_verbosity_error()
    remarks.disable_progress_bar()
    try:
        yield
    finally:
        remarks.set_verbosity(level)
        if has_bars:
            remarks.enable_progress_bar()
