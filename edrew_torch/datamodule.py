"""RowsDataModule: batches of distinct reTPS rows for Lightning, from prepared data and a split.

Reads datasets/; read by training.py.
"""

import lightning as pl
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from edrew_torch.classifier import Batch
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import Nodes, Split


class RowsDataModule(pl.LightningDataModule):
    """Each part of the split as (row, share of its nodes that are relevant, number of its nodes)."""

    def __init__(
        self, data: PreparedData, split: Split, batch_size: int = 128, seed: int = 1, num_workers: int = 0
    ) -> None:
        super().__init__()
        self.data = data
        self.split = split
        self.batch_size = batch_size
        self.seed = seed
        self.num_workers = num_workers  # 0: batches are slices of arrays in memory, which no process speeds up

    def train_dataloader(self) -> DataLoader[Batch]:
        """Distinct rows of the training nodes, in an order that the seed alone decides."""
        return self._loader(self.split.train, torch.Generator().manual_seed(self.seed))

    def val_dataloader(self) -> DataLoader[Batch]:
        """Distinct rows of the validation nodes."""
        return self._loader(self.split.val, None)

    def test_dataloader(self) -> DataLoader[Batch]:
        """Distinct rows of the test nodes."""
        return self._loader(self.split.test, None)

    def _loader(self, nodes: Nodes, shuffled_by: torch.Generator | None) -> DataLoader[Batch]:
        return DataLoader(
            TensorDataset(*count_rows(self.data, nodes)),  # type: ignore[arg-type]
            self.batch_size,
            shuffle=shuffled_by is not None,
            generator=shuffled_by,
            num_workers=self.num_workers,
        )


def count_rows(data: PreparedData, nodes: Nodes) -> Batch:
    """Return the distinct rows of `nodes`, the share of the nodes of each that is relevant, and their number."""
    row = data.row[nodes]
    count = np.bincount(row, minlength=len(data.rows))
    relevant = np.bincount(row[data.relevant[nodes]], minlength=len(data.rows))
    present = np.flatnonzero(count)
    return (
        torch.from_numpy(data.rows[present].astype(np.int64)),
        torch.from_numpy((relevant[present] / count[present]).astype(np.float32)),
        torch.from_numpy(count[present].astype(np.float32)),
    )
