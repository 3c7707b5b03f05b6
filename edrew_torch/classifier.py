"""RelevanceClassifier: encoder, mean over elements, feed-forward head -> how likely a node is relevant.

    rows (B, T)   ->   mean of the elements' vectors (B, D)   ->   logit (B,)

A batch holds distinct rows. Many nodes share a row, and not all of them its label: so a row comes with the share of its
nodes that are relevant and with their number. The loss is then the same as over all the nodes. A frozen encoder's means
are computed beforehand (encoders/vectors.py) and come in place of the rows.
Reads encoders/; trained by training.py.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import lightning as pl
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from edrew_torch.encoders import Encoder
from edrew_torch.fitting import set_learning_rate

# rows (B, T) as integers or their vectors (B, D) as floats; share relevant (B,); number of nodes (B,)
Batch = tuple[Tensor, Tensor, Tensor]


class RelevanceClassifier(pl.LightningModule):
    """The model of the thesis' pipeline: its last layer says relevant or noise."""

    def __init__(
        self,
        encoder: Encoder,
        hidden: Sequence[int] = (),
        learning_rate: float = 0.01,
        schedule: str = "constant",
        dropout: float = 0.0,
        positive_weight: float = 1.0,
        focal_gamma: float = 0.0,
        choose_threshold: bool = True,
        seed: int = 1,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = make_head(encoder.output_dim, hidden, dropout)
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.dropout_rate = dropout
        self.positive_weight = positive_weight
        self.focal_gamma = focal_gamma
        self.choose_threshold = choose_threshold
        self.seed = seed
        self.strict_loading = not encoder.is_frozen  # a frozen encoder is made anew, not kept in checkpoints
        self.threshold: Tensor  # of the logit; chosen on the validation pages, saved with the weights
        self.register_buffer("threshold", torch.tensor(0.0))
        # means over the training rows: a frozen encoder's dimensions differ in size by far
        self.center: Tensor
        self.scale: Tensor
        self.register_buffer("center", torch.zeros(encoder.output_dim))
        self.register_buffer("scale", torch.ones(encoder.output_dim))

    def forward(self, inputs: Tensor) -> Tensor:
        """(B, T) ids, or (B, D) vectors of a frozen encoder -> (B,) logits."""
        is_encoded = inputs.is_floating_point()
        mean = inputs if is_encoded else self.encoder.mean(inputs, inputs != 0)  # (B, D)
        logits: Tensor = self.head((mean - self.center) * self.scale).squeeze(-1)
        return logits

    def standardize(self, vectors: Tensor) -> None:
        """Take the center and scale of each dimension from (U, D) vectors of training rows."""
        self.center = vectors.mean(dim=0)
        self.scale = 1 / vectors.std(dim=0, correction=0).clamp(min=1e-3)

    def loss(self, batch: Batch) -> Tensor:
        """Cross entropy over the nodes of the batch; with a gamma, focal loss (Lin et al., 2017)."""
        inputs, share, count = batch
        logits = self(inputs)
        relevant, noise = F.softplus(-logits), F.softplus(logits)  # the loss of a node that is relevant, or noise
        if self.focal_gamma:
            chance = torch.sigmoid(logits)
            relevant, noise = relevant * (1 - chance) ** self.focal_gamma, noise * chance**self.focal_gamma
        per_row = self.positive_weight * share * relevant + (1 - share) * noise
        return (per_row * count).sum() / count.sum()

    def on_train_epoch_start(self) -> None:
        """Begin each epoch at a rate and with dropout of its own: a run that is resumed goes on as if never stopped."""
        torch.manual_seed(self.seed * 1_000_003 + self.current_epoch)
        share = SCHEDULES[self.schedule](self.current_epoch, self.trainer.max_epochs or 1, self.dropout_rate)
        set_learning_rate(self, self.learning_rate * share)

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
        inputs, share, count = batch
        self._answers.append((self(inputs), share * count, count))

    def on_validation_epoch_end(self) -> None:
        """Choose the threshold over all answers of the epoch."""
        answers, self._answers = self._answers, []
        self.log("val/f1", self.validation_f1(answers), prog_bar=True)

    def validation_f1(self, answers: list[tuple[Tensor, Tensor, Tensor]]) -> Tensor:
        """F1 of the relevant class over the nodes that validate; it sets the threshold that is best there."""
        logits, relevant, count = (torch.cat(column) for column in zip(*answers, strict=True))
        if self.choose_threshold:
            self.threshold, f1 = best_threshold(logits, relevant, count)
            return f1
        called = logits > self.threshold
        return 2 * relevant[called].sum() / (count[called].sum() + relevant.sum()).clamp(min=1)

    def configure_optimizers(self) -> Any:
        """Adam, as in the thesis."""
        trained = [parameter for parameter in self.parameters() if parameter.requires_grad]
        return torch.optim.Adam(trained, lr=self.learning_rate, fused=True)  # fused: a quarter of the time

    def own_state(self) -> dict[str, Tensor]:
        """The weights that training made: all, or all but a frozen encoder's."""
        is_frozen = self.encoder.is_frozen
        return {k: v for k, v in self.state_dict().items() if not (is_frozen and k.startswith("encoder."))}

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what training made."""
        checkpoint["state_dict"] = self.own_state()


# (epoch, epochs, dropout) -> share of the learning rate: constant, falling along a cosine, or as in the thesis
SCHEDULES: dict[str, Callable[[int, int, float], float]] = {
    "constant": lambda epoch, epochs, dropout: 1.0,
    "cosine": lambda epoch, epochs, dropout: (1 + math.cos(math.pi * min(epoch / epochs, 1))) / 2,
    # the library of the thesis (Spark NLP's ClassifierDL) takes the dropout for the decay
    "thesis": lambda epoch, epochs, dropout: 1 / (1 + dropout * epoch),
}


def make_head(input_dim: int, hidden: Sequence[int], dropout: float) -> nn.Sequential:
    """(B, D) -> (B, 1): hidden layers with ReLU and dropout, then one logit; without hidden layers, linear."""
    layers: list[nn.Module] = [nn.Dropout(dropout)] if not hidden else []
    for width in hidden:
        layers += [nn.Linear(input_dim, width), nn.ReLU(), nn.Dropout(dropout)]
        input_dim = width
    return nn.Sequential(*layers, nn.Linear(input_dim, 1))


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
