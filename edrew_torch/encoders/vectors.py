"""Vectors of distinct rows from a frozen encoder: computed once, kept on disk.

    rows (U, T), encoder   ->   (U, D) means over the elements, memory-mapped

The same rows recur hundreds of times in a site and the encoder does not change: so each row is encoded once for all
epochs, seeds and protocols. The key of a file is the checksum of the rows and the encoder's fingerprint.
Read by training.py, runs.py and datamodule.py.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.download import cache_folder
from edrew_torch.encoders.base import Encoder
from edrew_torch.tree import Ints

Vectors = NDArray[np.float32]
BATCH_SIZE = 256  # rows


def row_vectors(encoder: Encoder, rows: Ints) -> Vectors:
    """Return the mean vector of each row, from the cache where it has been made before."""
    digest = hashlib.sha256(f"{rows.shape}{encoder.fingerprint()}".encode())
    digest.update(rows.tobytes())
    file = cache_folder() / "vectors" / f"{digest.hexdigest()[:20]}.npy"
    if not file.exists():
        _save_whole(_encode(encoder, rows), file)
    vectors: Vectors = np.load(file, mmap_mode="r", allow_pickle=False)
    return vectors


@torch.inference_mode()
def _encode(encoder: Encoder, rows: Ints) -> Vectors:
    """The vectors, rows of one length together: then hardly any padding is computed."""
    encoder.eval()
    device = next(iter(encoder.state_dict().values()), torch.zeros(0)).device
    lengths = (rows != 0).sum(axis=1)
    order = np.argsort(lengths, kind="stable")
    vectors = np.zeros((len(rows), encoder.output_dim), dtype=np.float32)
    batches = [order[start : start + BATCH_SIZE] for start in range(0, len(order), BATCH_SIZE)]
    is_long = len(batches) > 20
    watched = track(batches, "Encoding rows", console=Console(stderr=True), transient=True) if is_long else batches
    for batch in watched:
        longest = max(int(lengths[batch[-1]]), 1)
        ids = torch.from_numpy(rows[batch, :longest].astype(np.int64)).to(device)  # (B, T)
        vectors[batch] = encoder.mean(ids, ids != 0).float().cpu().numpy()
    return vectors


def _save_whole(vectors: Vectors, file: Path) -> None:
    """Write the file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".making", delete=False) as making:
        try:
            np.save(making, vectors, allow_pickle=False)
        except BaseException:
            os.unlink(making.name)
            raise
    os.replace(making.name, file)
