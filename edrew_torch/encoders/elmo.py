"""ELMo, whole: an element is read as characters, and in both directions of its row.

    div|21   ->   bytes   ->   convolutions, max   ->   highways   ->   projection      = word_emb        (P)
    the row  ->   forward and backward LSTM, each with a projection                     = lstm_outputs1   (2 P)
             ->   the same on top of it, plus its input                                 = lstm_outputs2   (2 P)
             ->   the weighted sum of the three                                         = elmo            (2 P)

In plain torch, because AllenNLP no longer installs; it reads AllenNLP's files and gives the activations that the
original implementation gave (tests/test_elmo.py). What makes it fast: the character part does not depend on the row, so
it is a table over the vocabulary; and the loop over time holds only the recurrent product, all the rest is one product
over all steps.
Peters et al., Deep contextualized word representations, NAACL 2018. Reads base.py and weights.py; pretrained by
pretraining.py.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from edrew_torch.encoders.base import TINY_TOKENS, Encoder
from edrew_torch.encoders.weights import embedded_folder, given_path, public_file
from edrew_torch.errors import BadConfig, MissingWeights, UnknownName

# AllenNLP's public files of the model that the thesis used, trained on the 1 Billion Word benchmark.
ORIGINAL = "https://s3-us-west-2.amazonaws.com/allennlp/models/elmo/2x4096_512_2048cnn_2xhighway/"
ORIGINAL_NAME = "elmo_2x4096_512_2048cnn_2xhighway"

OUTPUTS = ("word_emb", "lstm_outputs1", "lstm_outputs2", "elmo")
# Bytes are 0 to 255; every id is stored one higher, 0 being no character at all.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = 256, 257, 258, 259, 260
NUM_CHARACTERS = 261
MOST, MOST_LAYERS = 65_536, 100  # what an options file may ask for; the public model has 4,096 cells and two layers
DEPTHS = ("num_layers", "num_highways")

State = tuple[Tensor, Tensor]  # (B, P) output and (B, C) cell of one direction of one layer


@dataclass(frozen=True)
class ElmoOptions:
    """The sizes of a model, as AllenNLP's options file has them; by default those of the embedded one."""

    char_dim: int = 16
    filters: tuple[tuple[int, int], ...] = ((1, 32), (2, 32), (3, 64), (4, 64))  # width and number
    num_highways: int = 1
    max_characters: int = 50
    activation: str = "relu"
    projection_dim: int = 64
    cell_dim: int = 256
    num_layers: int = 2
    cell_clip: float = 3.0
    projection_clip: float = 3.0
    skip_connections: bool = True

    @classmethod
    def read(cls, file: Path) -> "ElmoOptions":
        """Read AllenNLP's options file."""
        try:
            content = json.loads(file.read_text())
            lstm, characters = content["lstm"], content["char_cnn"]
            options = cls(
                characters["embedding"]["dim"],
                tuple((width, number) for width, number in characters["filters"]),
                characters["n_highway"],
                characters["max_characters_per_token"],
                characters["activation"],
                lstm["projection_dim"],
                lstm["dim"],
                lstm["n_layers"],
                lstm["cell_clip"],
                lstm["proj_clip"],
                lstm["use_skip_connections"],
            )
            options.check()
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise MissingWeights(
                f"{file} is no options file of ELMo ({type(error).__name__}: {error}). It must be JSON with 'lstm' and "
                "'char_cnn', as AllenNLP writes it."
            ) from error
        return options

    def check(self) -> None:
        """Raise ValueError that names every size that cannot be."""
        sizes = {name: getattr(self, name) for name in ("char_dim", "max_characters", "projection_dim", "cell_dim")}
        sizes |= {"num_layers": self.num_layers, "num_highways": self.num_highways}
        sizes |= {f"filter {place}": size for place, pair in enumerate(self.filters) for size in pair}
        faults = [f"{name} is {size!r}" for name, size in sizes.items() if not (type(size) is int and 0 < size <= MOST)]
        faults += [f"{name} is {sizes[name]}" for name in DEPTHS if not faults and sizes[name] > MOST_LAYERS]
        clips = {"cell_clip": self.cell_clip, "projection_clip": self.projection_clip}
        faults += [
            f"{name} is {clip!r}" for name, clip in clips.items() if not (isinstance(clip, int | float) and clip > 0)
        ]
        if self.activation not in ("relu", "tanh"):
            faults.append(f"activation is {self.activation!r}, not relu or tanh")
        if not faults and max(3, *(width for width, _ in self.filters)) > self.max_characters:
            faults.append(f"max_characters is {self.max_characters}, less than a filter's width")
        if faults:
            raise ValueError("; ".join(faults))

    def write(self, file: Path) -> None:
        """Write AllenNLP's options file."""
        content = {
            "lstm": {
                "projection_dim": self.projection_dim,
                "dim": self.cell_dim,
                "n_layers": self.num_layers,
                "cell_clip": self.cell_clip,
                "proj_clip": self.projection_clip,
                "use_skip_connections": self.skip_connections,
            },
            "char_cnn": {
                "embedding": {"dim": self.char_dim},
                "filters": self.filters,
                "n_characters": NUM_CHARACTERS + 1,
                "n_highway": self.num_highways,
                "max_characters_per_token": self.max_characters,
                "activation": self.activation,
            },
        }
        file.write_text(json.dumps(content, indent=2) + "\n")


class Matrix(nn.Module):
    """A weight (in, out), kept as floats or, to save memory, as 8-bit integers with one scale per column.

    As integers it takes a quarter of the memory and is turned back to floats once per call: no faster, but smaller.
    """

    weight: Tensor
    scale: Tensor

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns) * rows**-0.5)

    def quantize(self) -> None:
        """Round to 8 bits: each column in steps of a 127th of its largest weight."""
        weight = self.weight.detach()
        scale = weight.abs().amax(dim=0).clamp(min=1e-12) / 127
        del self.weight
        self.register_buffer("weight", (weight / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self) -> Tensor:
        """(in, out) floats."""
        return self.weight if self.weight.is_floating_point() else self.weight.float() * self.scale


class Characters(nn.Module):
    """(V, C) characters of words -> (V, P): convolutions of several widths, their maxima, highways, a projection."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.activation = {"relu": torch.relu, "tanh": torch.tanh}[options.activation]
        self.embedding = nn.Embedding(NUM_CHARACTERS + 1, options.char_dim)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(options.char_dim, number, width) for width, number in options.filters
        )
        width = sum(number for _, number in options.filters)
        self.gates = nn.ModuleList(nn.Linear(width, width) for _ in range(options.num_highways))
        self.transforms = nn.ModuleList(nn.Linear(width, width) for _ in range(options.num_highways))
        self.projection = nn.Linear(width, options.projection_dim)

    def forward(self, characters: Tensor) -> Tensor:
        """(V, C) -> (V, P)."""
        embedded = self.embedding(characters).transpose(1, 2)  # (V, E, C)
        # padding takes part in the maximum: it has an embedding of its own, which was trained that way
        maxima = [self.activation(convolve(embedded).amax(dim=-1)) for convolve in self.convolutions]
        word = torch.cat(maxima, dim=-1)  # (V, F)
        for gate, transform in zip(self.gates, self.transforms, strict=True):
            word = word + torch.sigmoid(gate(word)) * (torch.relu(transform(word)) - word)
        projected: Tensor = self.projection(word)
        return projected


class ProjectedLstm(nn.Module):
    """One direction of one layer: an LSTM whose output is projected, cell and output clipped."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.options = options
        self.of_input = Matrix(options.projection_dim, 4 * options.cell_dim)
        self.of_output = Matrix(options.projection_dim, 4 * options.cell_dim)
        self.bias = nn.Parameter(torch.zeros(4 * options.cell_dim))
        self.projection = Matrix(options.cell_dim, options.projection_dim)

    def forward(self, inputs: Tensor, alive: list[int], state: State | None = None) -> tuple[Tensor, State]:
        """(B, T, P) inputs, rows from the longest to the shortest -> (B, T, P) outputs, and each row's last state.

        `alive[t]` is the number of rows that are longer than t: the others are done and cost nothing.
        """
        options = self.options
        from_inputs = inputs @ self.of_input() + self.bias  # (B, T, 4 C), all steps at once
        recurrent, projection = self.of_output(), self.projection()
        output = inputs.new_zeros(len(inputs), options.projection_dim) if state is None else state[0]  # (B, P)
        cell = inputs.new_zeros(len(inputs), options.cell_dim) if state is None else state[1]  # (B, C)
        outputs = []
        # unbound once: the gradient of a slice taken in each step would be an array over all steps, each time
        for from_input, number in zip(from_inputs.unbind(dim=1), alive, strict=True):
            gates = torch.addmm(from_input[:number], output[:number], recurrent)  # (b, 4 C)
            enter, fresh, keep, leave = gates.chunk(4, dim=-1)  # the order of TensorFlow's cell
            new = torch.sigmoid(enter) * torch.tanh(fresh) + torch.sigmoid(keep + 1) * cell[:number]
            new = new.clamp(-options.cell_clip, options.cell_clip)  # (b, C)
            told = (torch.sigmoid(leave) * torch.tanh(new)) @ projection
            told = told.clamp(-options.projection_clip, options.projection_clip)  # (b, P)
            outputs.append(F.pad(told, (0, 0, 0, len(inputs) - number)))
            output, cell = torch.cat([told, output[number:]]), torch.cat([new, cell[number:]])
        return torch.stack(outputs, dim=1), (output, cell)


class BiLstm(nn.Module):
    """Layers of two directions; from the second on, a layer adds its input to its output."""

    def __init__(self, options: ElmoOptions) -> None:
        super().__init__()
        self.options = options
        self.forward_layers, self.backward_layers = (
            nn.ModuleList(ProjectedLstm(options) for _ in range(options.num_layers)) for _ in range(2)
        )

    def forward(
        self, words: Tensor, lengths: Tensor, states: list[State] | None = None
    ) -> tuple[list[Tensor], list[State]]:
        """(B, T, P) words, (B,) lengths -> the layers, (B, T, 2 P) each, and the last states of all their halves.

        `states` are the states to begin with, as returned before; the product begins each row afresh.
        """
        order = torch.argsort(lengths, descending=True, stable=True)
        back = torch.argsort(order)
        lengths = lengths[order]
        steps = torch.arange(words.shape[1], device=words.device)
        alive = (lengths[:, None] > steps).sum(dim=0).tolist()
        # the backward direction reads each row from its own end; what lies behind the end stays where it is
        mirrored = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # (B, T)
        halves, last = [], []
        for half, layers in enumerate((self.forward_layers, self.backward_layers)):
            current = words[order] if half == 0 else _take(words[order], mirrored)
            outputs = []
            for number, layer in enumerate(layers):
                begin = states[half * len(layers) + number] if states else None
                if begin is not None:
                    begin = begin[0][order], begin[1][order]
                output, (told, cell) = layer(current, alive, begin)
                last.append((told[back], cell[back]))
                current = output + current if number and self.options.skip_connections else output
                outputs.append((current if half == 0 else _take(current, mirrored))[back])
            halves.append(outputs)
        return [torch.cat(pair, dim=-1) for pair in zip(*halves, strict=True)], last


def _take(vectors: Tensor, places: Tensor) -> Tensor:
    """(B, T, P), (B, T) -> (B, T, P): the vectors at these places of each row."""
    return vectors.gather(1, places[:, :, None].expand_as(vectors))


class ElmoEncoder(Encoder):
    """(B, T) ids -> (B, T, 2 P). Every row stands between `<S>` and `</S>` and begins from an empty state.

    `weights` is "embedded", "original" (AllenNLP's, 1024 wide) or a path; `output` one of OUTPUTS. Unless `frozen`,
    everything is trained along with whatever reads the vectors.
    """

    table: Tensor  # (V + 2, P) the character part of every element, then of <S> and </S>
    characters_of: Tensor  # (V + 2, C)

    def __init__(
        self,
        tokens: Sequence[str],
        weights: str = "embedded",
        output: str = "elmo",
        frozen: bool = True,
        int8: bool = False,
    ) -> None:
        super().__init__()
        if output not in OUTPUTS:
            raise UnknownName.among("output of elmo", output, OUTPUTS)
        if int8 and not frozen:
            raise BadConfig("encoder.int8=true needs encoder.frozen=true: rounded weights cannot be trained.")
        options_file, weights_file = find_files(weights)
        self._set_model(tokens, ElmoOptions.read(options_file), output)
        load_weights(self, weights_file)
        self._finish(frozen, int8)

    def _set_model(self, tokens: Sequence[str], options: ElmoOptions, output: str) -> None:
        self.options = options
        self.output = output
        self.output_dim = 2 * options.projection_dim
        self.characters = Characters(options)
        self.lstm = BiLstm(options)
        self.mix = nn.Parameter(torch.zeros(options.num_layers + 1))  # equal shares, as long as it is not trained
        self.gamma = nn.Parameter(torch.ones(()))
        self.register_buffer("characters_of", word_characters(tokens, options.max_characters), persistent=False)
        self.register_buffer("table", torch.zeros(len(tokens) + 2, options.projection_dim), persistent=False)

    def _finish(self, frozen: bool, int8: bool = False) -> None:
        self.is_frozen = frozen
        self.requires_grad_(not frozen)
        if int8:
            for module in self.modules():
                if isinstance(module, Matrix):
                    module.quantize()
        with torch.no_grad():
            self.table.copy_(self.characters(self.characters_of))
        self.eval()

    @classmethod
    def random(
        cls,
        tokens: Sequence[str],
        options: ElmoOptions | None = None,
        output: str = "elmo",
        frozen: bool = False,
        int8: bool = False,
    ) -> "ElmoEncoder":
        """One with random weights, to be trained or measured."""
        encoder = cls.__new__(cls)
        nn.Module.__init__(encoder)
        encoder._set_model(tokens, options or ElmoOptions(), output)
        encoder._finish(frozen, int8)
        return encoder

    @classmethod
    def tiny(cls, tokens: Sequence[str] = TINY_TOKENS) -> "ElmoEncoder":
        """A small one with random weights, for tests."""
        return cls.random(tokens, ElmoOptions(4, ((1, 8), (2, 8)), 1, 20, projection_dim=6, cell_dim=8))

    def fingerprint(self) -> str:
        """A checksum of weights, options, spelling of the vocabulary and output: together they make the vectors."""
        digest = hashlib.sha256(self.characters_of.cpu().numpy().tobytes())
        digest.update(f"{super().fingerprint()} {self.options} {self.output}".encode())
        return digest.hexdigest()[:16]

    def train(self, mode: bool = True) -> Self:
        """Make the table anew when training ends: it is of the weights as they are then."""
        super().train(mode)
        if not mode and not self.is_frozen:
            with torch.no_grad():
                self.table = self.characters(self.characters_of)
        return self

    def words(self, numbers: Tensor) -> Tensor:
        """(…) ids -> (…, P): the character part; from the table, or in the graph of a training."""
        if self.is_frozen or not torch.is_grad_enabled():
            return self.table[numbers]
        distinct, place = torch.unique(numbers, return_inverse=True)
        embedded: Tensor = self.characters(self.characters_of[distinct])
        return embedded[place]

    def layers(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """(B, T) ids, mask -> word_emb, lstm_outputs1, lstm_outputs2, (B, T, 2 P) each: forward half, backward half."""
        begin, end = len(self.characters_of) - 2, len(self.characters_of) - 1
        lengths = mask.sum(dim=1) + 2
        framed = F.pad(ids, (1, 1))  # (B, T + 2)
        framed[:, 0] = begin
        framed.scatter_(1, lengths[:, None] - 1, end)
        words = self.words(framed)  # (B, T + 2, P)
        deep, _ = self.lstm(words, lengths)
        return [layer[:, 1:-1] for layer in (torch.cat([words, words], dim=-1), *deep)]

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) -> (B, T, 2 P); padding gives zeros."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.is_frozen):
            layers = self.layers(ids, mask)
            if self.output == "elmo":
                shares = torch.softmax(self.mix, dim=0)
                vectors = self.gamma * torch.einsum("l,lbtp->btp", shares, torch.stack(layers))
            else:
                vectors = layers[OUTPUTS.index(self.output)]
            return vectors.masked_fill(~mask[:, :, None], 0)  # (B, T, 2 P)

    def save_weights(self, folder: Path) -> None:
        """Write options.json and weights.safetensors; the folder can be given as `weights`."""
        if any(isinstance(module, Matrix) and not module.weight.is_floating_point() for module in self.modules()):
            raise BadConfig("an encoder with int8=true has no full weights to save: save one made without it.")
        folder.mkdir(parents=True, exist_ok=True)
        self.options.write(folder / "options.json")
        save_file(
            {name: weight.contiguous() for name, weight in self.state_dict().items()}, folder / "weights.safetensors"
        )


def word_characters(words: Sequence[str], length: int) -> Tensor:
    """(V + 2, C) Character ids of the words, and of the begin and end of a sentence.

    >>> word_characters(["p"], 5).tolist()
    [[259, 113, 260, 261, 261], [259, 257, 260, 261, 261], [259, 258, 260, 261, 261]]
    """
    spelled = [list(word.encode("utf-8", "replace")[: length - 2]) for word in words]
    spelled += [[BEGIN_SENTENCE], [END_SENTENCE]]
    rows = [[BEGIN_WORD, *letters, END_WORD] for letters in spelled]
    return torch.tensor([row + [PADDING] * (length - len(row)) for row in rows], dtype=torch.long) + 1


def find_files(weights: str) -> tuple[Path, Path]:
    """Return the options file and the weights file that `weights` names."""
    if weights == "original":
        names = (f"{ORIGINAL_NAME}_options.json", f"{ORIGINAL_NAME}_weights.hdf5")
        options, file = (public_file("elmo", ORIGINAL + name) for name in names)
        return options, file
    given = embedded_folder("elmo") if weights == "embedded" else given_path("elmo", weights)
    folder = given if given.is_dir() else given.parent
    options_files = sorted(folder.glob("*options.json"))
    files = (
        [given] if given.is_file() else sorted([*folder.glob("*weights*.hdf5"), *folder.glob("*weights.safetensors")])
    )
    if given.is_file() and len(options_files) > 1:  # several models in one folder: the one of the same name
        options_files = [
            file for file in options_files if given.name.startswith(file.name.removesuffix("options.json"))
        ]
    if len(options_files) != 1 or len(files) != 1:
        raise MissingWeights(
            f"{given} holds no ELMo model: expected one file named *options.json and one *weights.hdf5 or "
            f"*weights.safetensors, found {_names(options_files)} and {_names(files)}."
        )
    return options_files[0], files[0]


def _names(files: Sequence[Path]) -> str:
    return ", ".join(file.name for file in files) or "none"


def load_weights(encoder: ElmoEncoder, file: Path) -> None:
    """Fill the encoder from AllenNLP's HDF5 file or from our own safetensors."""
    try:
        state = load_file(file) if file.suffix == ".safetensors" else read_hdf5(file, encoder.options)
        known = encoder.state_dict()
        encoder.load_state_dict({"mix": known["mix"], "gamma": known["gamma"], **state})
    except (OSError, KeyError, RuntimeError, SafetensorError) as error:
        raise MissingWeights(
            f"{file} does not fit the options beside it ({type(error).__name__}: {error}). "
            "Give weights and options of one model."
        ) from error


def read_hdf5(file: Path, options: ElmoOptions) -> dict[str, Tensor]:
    """Return the weights of AllenNLP's file by the names of this module."""
    try:
        import h5py  # of the research side of the package; the embedded weights need none
    except ImportError:
        raise MissingWeights(f"{file} is HDF5, and h5py is not installed: pip install 'edrew-torch[train]'.") from None

    state: dict[str, Tensor] = {}
    with h5py.File(file, "r") as content:

        def read(name: str) -> Tensor:
            return torch.from_numpy(content[name][...]).float()

        embedding = read("char_embed")  # (261, E): the row of no character is not stored
        state["characters.embedding.weight"] = F.pad(embedding, (0, 0, 1, 0))
        for number, _ in enumerate(options.filters):
            # (1, width, E, F) -> (F, E, width)
            state[f"characters.convolutions.{number}.weight"] = read(f"CNN/W_cnn_{number}")[0].permute(2, 1, 0)
            state[f"characters.convolutions.{number}.bias"] = read(f"CNN/b_cnn_{number}")
        for number in range(options.num_highways):
            for ours, theirs in (("gates", "carry"), ("transforms", "transform")):
                state[f"characters.{ours}.{number}.weight"] = read(f"CNN_high_{number}/W_{theirs}").T
                state[f"characters.{ours}.{number}.bias"] = read(f"CNN_high_{number}/b_{theirs}")
        state["characters.projection.weight"] = read("CNN_proj/W_proj").T
        state["characters.projection.bias"] = read("CNN_proj/b_proj")
        for half, direction in enumerate(("forward", "backward")):
            for number in range(options.num_layers):
                cell = f"RNN_{half}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
                ours = f"lstm.{direction}_layers.{number}"
                both = read(f"{cell}/W_0")  # (P + P, 4 C): of the input, then of the last output
                state[f"{ours}.of_input.weight"] = both[: options.projection_dim]
                state[f"{ours}.of_output.weight"] = both[options.projection_dim :]
                state[f"{ours}.bias"] = read(f"{cell}/B")
                state[f"{ours}.projection.weight"] = read(f"{cell}/W_P_0")
    return state


def original_options() -> ElmoOptions:
    """The sizes of the public model, for measurements without its weights."""
    filters = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
    sizes: dict[str, Any] = {"char_dim": 16, "filters": filters, "num_highways": 2}
    return ElmoOptions(**sizes, projection_dim=512, cell_dim=4096)
