"""RowsDataModule: batches of distinct reTPS rows for Lightning, from prepared data and a split.

    nodes of a part   ->   (rows or their vectors, share of the nodes that are relevant, number of nodes)

A batch is a slice of arrays, never a list of samples: no process speeds that up. Reads datasets/; read by training.py
and pretraining.py.
"""

from collections.abc import Iterable, Iterator

import lightning as pl
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from edrew_torch.classifier import Batch
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import Nodes, Split
from edrew_torch.encoders.vectors import Vectors


class RowsDataModule(pl.LightningDataModule):
    """Each part of the split in batches. `vectors` of a frozen encoder, one for each row of the data, replace the rows.

    `distinct=False` gives every node as a sample of its own, `reshuffle=False` the same order in every epoch: as the
    thesis trained.
    """

    def __init__(
        self,
        data: PreparedData,
        split: Split,
        batch_size: int = 128,
        seed: int = 1,
        vectors: Vectors | None = None,
        distinct: bool = True,
        reshuffle: bool = True,
    ) -> None:
        super().__init__()
        self.data = data
        self.split = split
        self.batch_size = batch_size
        self.seed = seed
        self.inputs: NDArray[np.generic] = data.rows if vectors is None else vectors
        self.distinct = distinct
        self.reshuffle = reshuffle

    def train_dataloader(self) -> DataLoader[Batch]:
        """The training nodes, in an order that seed and epoch alone decide; of several processes each has its share."""
        samples = Samples(self.inputs, *count_rows(self.data, self.split.train, self.distinct))
        order = ShuffledBatches(len(samples), self.batch_size, self.seed, self.reshuffle)
        return batch_loader(samples, order)

    def val_dataloader(self) -> DataLoader[Batch]:
        """The validation nodes: every process sees all, since they choose one threshold."""
        samples = Samples(self.inputs, *count_rows(self.data, self.split.val))
        size = max(self.batch_size, 1024)  # nothing is learnt here: as large as is fast
        slices = [torch.arange(start, min(start + size, len(samples))) for start in range(0, len(samples), size)]
        return batch_loader(samples, slices)


def batch_loader(samples: Dataset[Batch], batches: Iterable[Tensor]) -> DataLoader[Batch]:
    """A loader of whole batches; `batches` are the numbers of the samples of each."""
    # a generator of its own: the loader draws a number when it begins, which would shift the dropout of a resumed run
    own = torch.Generator()
    return DataLoader(samples, batch_size=None, sampler=batches, generator=own)


class Samples(Dataset[Batch]):
    """Arrays over the samples of one part; a list of sample numbers gives a batch."""

    def __init__(self, inputs: NDArray[np.generic], row: NDArray[np.intp], share: Tensor, count: Tensor) -> None:
        self.inputs, self.row, self.share, self.count = inputs, row, share, count

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, numbers: Tensor) -> Batch:
        inputs = torch.from_numpy(self.inputs[self.row[numbers.numpy()]])
        return inputs if inputs.is_floating_point() else inputs.long(), self.share[numbers], self.count[numbers]


class ShuffledBatches(Sampler[Tensor]):
    """Sample numbers of each batch, shuffled anew each epoch."""

    def __init__(self, num_samples: int, batch_size: int, seed: int, reshuffle: bool = True) -> None:
        self.num_samples, self.batch_size, self.seed, self.reshuffle = num_samples, batch_size, seed, reshuffle
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called at the start of each epoch (fitting.py)."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Tensor]:
        # a generator: Lightning asks for the iterator before it tells the epoch that a resumed run begins with
        seed = self.seed * 1_000_003 + (self.epoch if self.reshuffle else 0)
        order = torch.randperm(self.num_samples, generator=torch.Generator().manual_seed(seed))
        # every process has as many batches as the others, or they would wait for each other forever
        yield from torch.split(order[self._rank :: self._num_processes][: self._num_own], self.batch_size)

    def __len__(self) -> int:
        return -(-self._num_own // self.batch_size)

    @property
    def _num_own(self) -> int:
        return self.num_samples // self._num_processes

    @property
    def _rank(self) -> int:
        return torch.distributed.get_rank() if torch.distributed.is_initialized() else 0

    @property
    def _num_processes(self) -> int:
        return torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1


def count_rows(data: PreparedData, nodes: Nodes, distinct: bool = True) -> tuple[NDArray[np.intp], Tensor, Tensor]:
    """Return the rows that `nodes` have, the share of the nodes of each that is relevant, and their number.

    Not distinct: one entry for every node, its label as the share.
    """
    row, is_relevant = data.row[nodes], data.relevant[nodes]
    if not distinct:
        return row.astype(np.intp), torch.from_numpy(is_relevant.astype(np.float32)), torch.ones(len(row))
    count = np.bincount(row, minlength=len(data.rows))
    relevant = np.bincount(row[is_relevant], minlength=len(data.rows))
    present = np.flatnonzero(count)
    return (
        present,
        torch.from_numpy((relevant[present] / count[present]).astype(np.float32)),
        torch.from_numpy(count[present].astype(np.float32)),
    )
