"""ELMo at its original size (random weights): nodes a second, every node from its characters against distinct rows.

    python benchmarks/elmo.py        # real SWDE pages (EDREW_DATA), some 4 minutes on 2 cores

Same run, same threads, same product of matrices. The naive way is what a pipeline does that hands each node to ELMo:
characters of every element of every node. Ours: a table of the vocabulary's characters, each distinct row once. Then
what 8-bit weights cost in agreement.
"""

import time

import numpy as np
import torch
from rich.console import Console

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.packs import shared_data
from edrew_torch.encoders.elmo import ElmoEncoder, original_options
from edrew_torch.profile import PROFILES
from edrew_torch.report import Report, as_rich, signature

DATA = shared_data()
NUM_NAIVE = 48  # nodes; enough for a rate, and the naive way takes its time


@torch.inference_mode()
def main() -> None:
    """Measure and print."""
    data = load_data("swde", PROFILES["thesis"], root=DATA / "swde", verticals=["auto"], pages=20)
    torch.manual_seed(1)
    encoder = ElmoEncoder.random(data.vocabulary.tokens(), original_options(), frozen=True)
    rows = torch.from_numpy(data.rows.astype(np.int64))

    chosen = np.random.default_rng(1).choice(len(data.row), NUM_NAIVE, replace=False)
    ids = rows[torch.from_numpy(data.row[chosen].astype(np.int64))]
    table = encoder.table
    began = time.perf_counter()
    words = encoder.characters(encoder.characters_of[ids.flatten()])  # every element of every node
    encoder.table = table.clone()
    encoder.table[ids.flatten()] = words
    naive_vectors = encoder.encode(ids, ids != 0)
    naive = NUM_NAIVE / (time.perf_counter() - began)

    encoder.table = table
    some = rows[torch.from_numpy(np.random.default_rng(2).permutation(len(rows))[:512])]
    began = time.perf_counter()
    vectors = torch.cat([encoder.encode(batch, batch != 0) for batch in torch.split(some, 64)])
    seconds_a_row = (time.perf_counter() - began) / len(some)
    distinct = len(data.row) / (seconds_a_row * len(rows))
    torch.testing.assert_close(encoder.encode(ids, ids != 0), naive_vectors, atol=1e-4, rtol=1e-4)  # the same answer

    began = time.perf_counter()
    for module in encoder.modules():
        if hasattr(module, "quantize"):
            module.quantize()
    rounded = torch.cat([encoder.encode(batch, batch != 0) for batch in torch.split(some, 64)])
    int8_seconds = (time.perf_counter() - began) / len(some)
    mask = some != 0
    cosine = torch.cosine_similarity(vectors[mask], rounded[mask]).mean()

    result = Report(
        f"ELMo 2 x 4096, {len(data.pages)} pages of {len(data.row)} nodes and {len(rows)} distinct rows, "
        f"{torch.get_num_threads()} threads",
        ("way", "nodes/s", "times the naive way"),
        (
            ("every node from its characters", f"{naive:.1f}", "1.0"),
            ("table and distinct rows", f"{distinct:.1f}", f"{distinct / naive:.1f}"),
            ("the same, int8 weights", f"{distinct * seconds_a_row / int8_seconds:.1f}", f"cosine {cosine:.5f}"),
        ),
        signature(data.checksum, "-", [1]),
    )
    Console().print(as_rich(result))


if __name__ == "__main__":
    main()
