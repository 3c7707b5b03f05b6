"""Runs: what a training leaves in its folder, and a model read back from it.

    model.json          encoder and its arguments, head, profile, vocabulary
    model.safetensors   the weights that training made
    metrics.json        scores on the test pages, beside the trivial ones

A frozen encoder's weights are not copied: they are loaded again from where they came from, and its fingerprint says
whether they are still the same. Read by training.py, evaluate.py and extraction.py.
"""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from edrew_torch import __version__
from edrew_torch.classifier import RelevanceClassifier
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.encoders import make_encoder
from edrew_torch.encoders.vectors import row_vectors
from edrew_torch.errors import BadData
from edrew_torch.profile import Profile
from edrew_torch.retps import UNKNOWN, Vocabulary
from edrew_torch.tree import Ints

FORMAT = 1
# What a file may raise that this package has not written as it stands.
READ_ERRORS = (
    *(AttributeError, KeyError, TypeError, ValueError, RuntimeError, MemoryError),  # RecursionError is a RuntimeError
    *(OSError, SafetensorError),
)


@dataclass(frozen=True, eq=False)
class Run:
    """A trained model and what it reads: pages cut by `profile`, as rows over `vocabulary`."""

    model: RelevanceClassifier
    profile: Profile
    vocabulary: Vocabulary


def versions() -> dict[str, str]:
    """What a run was made with. Sums come out a little differently on another number of threads."""
    return {
        "edrew_torch": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "threads": str(torch.get_num_threads()),
    }


def save_model(
    folder: Path, run: Run, encoder: str, encoder_arguments: Mapping[str, Any], hidden: tuple[int, ...]
) -> None:
    """Write model.json and model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "format": FORMAT,
        "encoder": encoder,
        "encoder_arguments": dict(encoder_arguments),
        "encoder_fingerprint": run.model.encoder.fingerprint(),
        "hidden": list(hidden),
        "profile": asdict(run.profile),
        "tags": run.vocabulary.tags[1:],
        "versions": versions(),
    }
    (folder / "model.json").write_text(json.dumps(content))
    save_file(
        {name: tensor.contiguous() for name, tensor in run.model.own_state().items()}, folder / "model.safetensors"
    )


def load_run(folder: Path) -> Run:
    """Return the model of a run folder, ready to predict."""
    file = folder / "model.json"
    try:
        content = json.loads(file.read_text())
        if content["format"] != FORMAT:
            raise BadData(f"{file} has format {content['format']}, this version reads {FORMAT}: train the model again.")
        profile = Profile(**{k: _tuples(v) for k, v in content["profile"].items()})
        vocabulary = Vocabulary(profile.keywords, content["tags"])
        vocabulary.is_frozen = True
        encoder = make_encoder(content["encoder"], vocabulary.tokens(), **content["encoder_arguments"])
        model = RelevanceClassifier(encoder, content["hidden"])
        state = load_file(folder / "model.safetensors")
        if broken := [name for name, tensor in state.items() if not tensor.isfinite().all()]:
            raise ValueError(f"the weights {broken[0]} are no numbers")
        model.load_state_dict(state, strict=model.strict_loading)
        missing = model.own_state().keys() - state.keys()
        is_same = not encoder.is_frozen or encoder.fingerprint() == content["encoder_fingerprint"]
    except FileNotFoundError as error:
        raise BadData(
            f"{folder} is no run folder: {error.filename or 'model.safetensors'} is missing. "
            "Give the folder train.py names."
        ) from None
    except READ_ERRORS as error:
        raise BadData(
            f"{folder} holds no model that can be read ({type(error).__name__}: {error}). Train it again."
        ) from error
    if missing:
        raise BadData(f"{folder}/model.safetensors lacks {', '.join(sorted(missing))}.")
    if not is_same:
        raise BadData(
            f"the weights of the encoder {content['encoder']} are not those that {folder} was trained with. "
            "Train again, or bring the old weights back."
        )
    return Run(model.eval(), profile, vocabulary)


def _tuples(value: Any) -> Any:
    """JSON knows no tuples; a profile has nothing else."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


@torch.inference_mode()
def row_logits(model: RelevanceClassifier, rows: Ints, batch_size: int = 1024) -> NDArray[np.float32]:
    """(U,) The logit of each distinct row; a frozen encoder's vectors come from the cache."""
    model.eval()
    inputs = row_vectors(model.encoder, rows) if model.encoder.is_frozen else rows.astype(np.int64)
    logits = np.zeros(len(rows), dtype=np.float32)
    for start in range(0, len(rows), batch_size):
        chunk = torch.from_numpy(np.array(inputs[start : start + batch_size])).to(model.device)
        logits[start : start + batch_size] = model(chunk).float().cpu().numpy()
    return logits


def predict(model: RelevanceClassifier, data: PreparedData, vocabulary: Vocabulary | None = None) -> NDArray[np.bool_]:
    """Return whether the model calls each node relevant.

    `vocabulary` is the model's own, where it is not that of the data.
    """
    rows = data.rows if vocabulary is None else translate_rows(data.rows, data.vocabulary, vocabulary)
    called: NDArray[np.bool_] = (row_logits(model, rows) > float(model.threshold))[data.row]
    return called


def translate_rows(rows: Ints, source: Vocabulary, target: Vocabulary) -> Ints:
    """Return the rows of one vocabulary in the ids of another; a tag that it does not know is UNKNOWN there."""
    number = {token: place for place, token in enumerate(target.tokens())}
    table = np.zeros(len(source), dtype=np.int32)
    for place, token in enumerate(source.tokens()):
        _, bar, position = token.rpartition("|")
        found = number.get(token, number.get(f"{UNKNOWN}|{position}") if bar else None)
        if found is None:
            raise BadData(f"the data has the special token {token}, the model does not: use the model's own keywords.")
        table[place] = found
    return table[rows]
