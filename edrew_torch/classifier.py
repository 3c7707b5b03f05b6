"""RelevanceClassifier: encoder, mean over elements, linear head -> how likely a node is relevant.

    rows (B, T)   ->   mean of the elements' vectors (B, D)   ->   logit (B,)

A batch holds distinct rows. Many nodes share a row, and not all of them its label: so a row comes with the share of its
nodes that are relevant and with their number. The loss is then the same as over all the nodes.
Reads encoders/; trained by training.py.
"""

import lightning as pl
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from edrew_torch.encoders import Encoder

Batch = tuple[Tensor, Tensor, Tensor]  # ids (B, T), share relevant (B,), nodes (B,)


class RelevanceClassifier(pl.LightningModule):
    """The model of the thesis' pipeline: its last layer says relevant or noise."""

    def __init__(
        self,
        encoder: Encoder,
        learning_rate: float = 0.01,
        dropout: float = 0.0,
        positive_weight: float = 1.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.output_dim, 1)
        self.learning_rate = learning_rate
        self.positive_weight = positive_weight
        self.threshold: Tensor  # of the logit; chosen on the validation pages, saved with the weights
        self.register_buffer("threshold", torch.tensor(0.0))

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids -> (B,) logits."""
        mean = self.encoder.mean(ids, ids != 0)  # (B, D)
        logits: Tensor = self.head(self.dropout(mean)).squeeze(-1)
        return logits

    def loss(self, batch: Batch) -> Tensor:
        """Cross entropy over the nodes of the batch."""
        ids, share, count = batch
        weight = torch.tensor(self.positive_weight, device=self.device)
        per_row = F.binary_cross_entropy_with_logits(self(ids), share, reduction="none", pos_weight=weight)
        return (per_row * count).sum() / count.sum()

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """One step of Lightning's loop."""
        loss = self.loss(batch)
        self.log("train/loss", loss, on_step=False, on_epoch=True, batch_size=len(batch[0]))
        return loss

    def on_validation_epoch_start(self) -> None:
        """Forget the last epoch's answers."""
        self._answers: list[tuple[Tensor, Tensor, Tensor]] = []

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Keep the answers: the threshold is chosen over all of them."""
        ids, share, count = batch
        self._answers.append((self(ids), share * count, count))

    def on_validation_epoch_end(self) -> None:
        """Choose the threshold that gives the best F1 of the relevant class over the nodes that validate."""
        logits, relevant, count = (torch.cat(column) for column in zip(*self._answers, strict=True))
        self.threshold, f1 = best_threshold(logits, relevant, count)
        self.log("val/f1", f1, prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam, as in the thesis."""
        return torch.optim.Adam(self.parameters(), lr=self.learning_rate)


def best_threshold(logits: Tensor, relevant: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """Return the threshold with the best F1, and that F1.

    (U,) logits of rows, how many of the nodes of each row are relevant, and how many nodes it has.

    >>> best_threshold(torch.tensor([3.0, 1.0, -1.0]), torch.tensor([1.0, 1, 0]), torch.tensor([1.0, 2, 5]))
    (tensor(0.), tensor(0.8000))
    """
    order = torch.argsort(logits, descending=True, stable=True)
    logits, hits, called = logits[order], relevant[order].cumsum(0), count[order].cumsum(0)
    f1 = 2 * hits / (called + relevant.sum()).clamp(min=1)
    # a threshold stands between two different logits, so rows that tie are called alike
    f1[:-1][logits[:-1] == logits[1:]] = -1
    best = int(torch.argmax(f1))
    below = logits[best + 1] if best + 1 < len(logits) else logits[best] - 2
    return (logits[best] + below) / 2, f1[best]
