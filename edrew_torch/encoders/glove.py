"""GloVe: one fixed vector per element, whatever stands around it.

    div|21   ->   the row `div|21` of the file; where it has none, the mean of the rows `div` and `21`

The rule, in this order (the words of an element are those of words.py):
1. the element as printed, if the file has it: so with the embedded vectors, made from reTPS streams by pretrain.py;
2. the mean of those of its words that the file has: the tag name, its parts if it is made of several, and the position
   class as a number; the word of a special token. An element that lacks some of its words is listed in `partial`;
3. the zero vector: the element is unknown, listed in `unknown`.

A GloVe file is text, a word and its numbers on each line. It is read line by line and only rows that the vocabulary
needs are kept, so that no file is too large; the numbers of other rows are counted, not read.
Pennington, Socher, Manning: GloVe, EMNLP 2014. Reads words.py and weights.py.
"""

import gzip
import json
import logging
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from edrew_torch.encoders.base import TINY_TOKENS, Encoder
from edrew_torch.encoders.weights import embedded_folder, given_path, public_file
from edrew_torch.encoders.words import element_words
from edrew_torch.errors import MissingWeights
from edrew_torch.retps import PAD

URL = "https://nlp.stanford.edu/data/glove.6B.zip"  # 862 MB; no checksum is published
MEMBER_ENDING = "100d.txt"  # which member is read of a zip archive with several
VECTORS, WORDS = "vectors.safetensors", "words.json"  # the folder that `save_weights` writes
EXPECTED = (
    "Give a GloVe file (a word and its numbers on each line; also as .gz or .zip), a folder saved by this package, "
    "or use encoder.weights=embedded."
)

log = logging.getLogger(__name__)


class GloveEncoder(Encoder):
    """(B, T) ids -> (B, T, D): a look-up in a table with a row for every element of the vocabulary.

    `weights` is "embedded", "original" (glove.6B, 100 dimensions), a GloVe text file (also .gz or .zip), or a folder
    written by `save_weights`. Unless `frozen`, the table is trained along with whatever reads its vectors.
    """

    def __init__(self, tokens: Sequence[str], weights: str = "embedded", frozen: bool = True) -> None:
        super().__init__()
        needed = {key for token in tokens if token != PAD for key in (token, *element_words(token))}
        rows, source = load_rows(weights, needed)
        dim = len(next(iter(rows.values()))) if rows else 0
        table = torch.zeros(len(tokens), dim)  # (V, D)
        unknown, partial = [], []
        for number, token in enumerate(tokens):
            if token == PAD:
                continue
            parts = [token] if token in rows else element_words(token)
            found = [rows[part] for part in parts if part in rows]
            if found:
                table[number] = torch.stack(found).mean(dim=0)
                if len(found) < len(parts):
                    partial.append(token)
            else:
                unknown.append(token)
        if not rows:
            raise MissingWeights(
                f"{source} has a vector for none of the {len(unknown)} elements of the vocabulary, nor for their words "
                f"(the first is {unknown[0] if unknown else 'missing: the vocabulary is empty'}). "
                "Give GloVe vectors of English words, or use encoder.weights=embedded."
            )
        self._set_table(tokens, table, frozen)
        self.unknown = tuple(unknown)  # elements with no vector: zeros
        self.partial = tuple(partial)  # elements with a vector for some of their words only
        log.log(
            logging.WARNING if unknown else logging.INFO,
            "GloVe of %s: of %d elements, %d are unknown%s and %d are known in part%s",
            *(source, len(tokens), len(unknown), _some(unknown), len(partial), _some(partial)),
        )

    def _set_table(self, tokens: Sequence[str], table: Tensor, frozen: bool) -> None:
        self.tokens = tuple(tokens)
        self.table = nn.Parameter(table, requires_grad=not frozen)  # (V, D)
        self.output_dim = table.shape[1]
        self.is_frozen = frozen

    @classmethod
    def random(cls, tokens: Sequence[str], dim: int = 100) -> "GloveEncoder":
        """One with random vectors, to be trained; padding is zero."""
        encoder = cls.__new__(cls)
        nn.Module.__init__(encoder)
        table = torch.randn(len(tokens), dim) * dim**-0.5  # (V, D), length 1 on average
        table[[number for number, token in enumerate(tokens) if token == PAD]] = 0
        encoder._set_table(tokens, table, frozen=False)
        encoder.unknown = encoder.partial = ()
        return encoder

    @classmethod
    def tiny(cls, tokens: Sequence[str] = TINY_TOKENS) -> "GloveEncoder":
        """A small one with random weights, for tests."""
        return cls.random(tokens, dim=8)

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids, (B, T) mask -> (B, T, D); padding gives zeros."""
        return self.table[ids] * mask[:, :, None]  # (B, T, D)

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, D): summed straight from the table, the vectors of single elements are never held."""
        share = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)  # (B, T)
        return F.embedding_bag(ids, self.table, mode="sum", per_sample_weights=share.to(self.table.dtype))  # (B, D)

    def save_weights(self, folder: str | Path) -> None:
        """Write the vectors to a folder that `weights` reads, a row for every element that has one."""
        table = self.table.detach().cpu()
        kept = [number for number, row in enumerate(table) if row.any()]  # a zero row is what an absent one gives
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_file({"vectors": table[kept].contiguous()}, folder / VECTORS)
        (folder / VECTORS).chmod(0o644)  # it is written for its owner alone; a package is for all
        words = [self.tokens[number] for number in kept]
        (folder / WORDS).write_text(json.dumps(words, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def _some(elements: Sequence[str]) -> str:
    """The first few, for a message."""
    more = ", …" if len(elements) > 5 else ""
    return f" ({', '.join(elements[:5])}{more})" if elements else ""


def load_rows(weights: str, needed: set[str]) -> tuple[dict[str, Tensor], Path]:
    """Return the vectors of the needed words that `weights` has, and the file or folder they are of."""
    if weights == "embedded":
        path = embedded_folder("glove")
        if not (path / VECTORS).is_file():
            raise MissingWeights(
                f"the embedded GloVe vectors are not at {path}: this installation is not complete. Install it again, "
                "or give encoder.weights=original or the path of a GloVe file with encoder.weights=PATH."
            )
    elif weights == "original":
        path = public_file("glove", URL)
    else:
        path = given_path("glove", weights)
    if path.is_dir():
        return _folder_rows(path, needed), path
    with _read_errors(path), _open_text(path) as lines:
        return read_glove(lines, needed, path), path


def read_glove(lines: Iterable[bytes], needed: set[str], source: Path) -> dict[str, Tensor]:
    """Return the rows of the needed words from the lines of a GloVe file; where a word comes twice, the first.

    >>> read_glove([b"the 1 0", b"div 0.5 2", b"at home 3 4"], {"div"}, Path("x.txt"))
    {'div': tensor([0.5000, 2.0000])}
    """
    wanted = {word.encode() for word in needed}
    rows: dict[str, Tensor] = {}
    dim = 0
    # bytes, not text: only "\n" ends a line and only " " ends a word. As text, glove.840B falls apart at the exotic
    # spaces among its words.
    for number, line in enumerate(lines, start=1):
        line = line.rstrip(b" \t\r\n")  # word2vec ends its lines in a space
        num_values = line.count(b" ")  # numbers on the line, if its word holds no space
        if number == 1 and num_values == 1 and len(line) < 40 and line.replace(b" ", b"").isdigit():
            dim = int(line.split(b" ")[1])  # the header of word2vec's format: how many words, how many numbers each
            continue
        dim = dim or num_values  # in every published file the first word holds no space
        if num_values < dim or dim == 0:
            raise _malformed(source, number, line, f"{num_values} numbers, {dim or 'at least one'} expected")
        word, _, text = line.partition(b" ")
        if word not in wanted:
            continue
        values = _numbers(text)
        if num_values > dim:
            if values is not None:
                raise _malformed(source, number, line, f"{num_values} numbers, {dim} expected")
            continue  # a word with spaces, as glove.840B has some ("at name@domain.com"): no element needs it
        if values is None or not all(map(math.isfinite, values)):
            raise _malformed(source, number, line, f"what follows the word is not {dim} finite numbers")
        wanted.discard(word)
        rows[word.decode()] = torch.tensor(values)
    if dim == 0:
        raise MissingWeights(f"{source} holds no vectors. {EXPECTED}")
    return rows


def _numbers(text: bytes) -> list[float] | None:
    """The numbers of a line; None where something else stands among them."""
    try:
        return [float(value) for value in text.split(b" ")]
    except ValueError:
        return None


def _malformed(source: Path, number: int, line: bytes, fault: str) -> MissingWeights:
    start = line[:40].decode(errors="replace")
    return MissingWeights(f"{source}, line {number}: {fault} (the line begins {start!r}). {EXPECTED}")


def _open_text(path: Path) -> AbstractContextManager[Iterable[bytes]]:
    """The file's lines, unpacked as they are read."""
    if path.suffix == ".zip":
        return _open_member(path)
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


@contextmanager
def _open_member(path: Path) -> Iterator[Iterable[bytes]]:
    """The lines of the text file in a zip archive; of several, of the one with 100 dimensions."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".txt")]
        chosen = names if len(names) == 1 else [name for name in names if name.endswith(MEMBER_ENDING)]
        if len(chosen) != 1:
            raise MissingWeights(
                f"{path} should hold one text file, or one that ends in {MEMBER_ENDING}; it holds "
                f"{', '.join(archive.namelist()) or 'nothing'}. Unpack it and give the path of the file you want."
            )
        with archive.open(chosen[0]) as lines:
            yield lines


@contextmanager
def _read_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:  # archives that are cut off or no archives
        raise MissingWeights(f"{path} cannot be read: {error}. {EXPECTED}") from error


def _folder_rows(folder: Path, needed: set[str]) -> dict[str, Tensor]:
    """The needed rows of a folder written by `save_weights`."""
    fault = f"{folder} is no folder of GloVe vectors as GloveEncoder.save_weights writes it"
    try:
        words = json.loads((folder / WORDS).read_text("utf-8"))
        vectors = load_file(folder / VECTORS)["vectors"].float()  # (N, D)
    except (OSError, ValueError, KeyError, RecursionError, SafetensorError) as error:
        raise MissingWeights(f"{fault}: {error}. {EXPECTED}") from error
    if (
        not (isinstance(words, list) and all(isinstance(word, str) for word in words))
        or vectors.ndim != 2
        or len(words) != len(vectors)
    ):
        raise MissingWeights(f"{fault}: {WORDS} does not name the rows of {VECTORS}. Save it again. {EXPECTED}")
    return {word: vector for word, vector in zip(words, vectors, strict=True) if word in needed}
