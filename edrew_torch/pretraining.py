"""Pretraining: an encoder learns the language of reTPS rows from rows alone, without labels.

| encoder | learns to | figure |
|---|---|---|
| `elmo` | tell the next element from those before it, and the one before from those after it | perplexity |
| `bert` | tell the word pieces of masked elements | perplexity of the masked pieces |
| `glove` | give log counts of elements that stand near each other as products | weighted squared error |

Each distinct row is one sentence. Rows of the split's training part are learnt, those of its validation part are
measured; its test part is never read. Reads datasets/ and encoders/; called by pretrain.py.
"""

import json
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightning as pl
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from edrew_torch.classifier import SCHEDULES, Batch
from edrew_torch.datamodule import RowsDataModule, ShuffledBatches, batch_loader, count_rows
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.datasets.protocols import PROTOCOLS, Nodes, fold_of_seed, make_splits, protocol_label
from edrew_torch.encoders.bert import BertEncoder
from edrew_torch.encoders.elmo import ElmoEncoder, ElmoOptions
from edrew_torch.encoders.glove import GloveEncoder
from edrew_torch.errors import BadConfig
from edrew_torch.fitting import TrainerSettings, fit, is_number, is_whole, one_of, set_learning_rate
from edrew_torch.report import signature
from edrew_torch.runs import versions


@dataclass(frozen=True)
class PretrainSettings(TrainerSettings):
    """What an encoder is pretrained with; the names are those of configs/pretrain.yaml."""

    encoder: str = "elmo"
    protocol: str = "pages"
    num_seed_sites: int = 5
    learning_rate: float = 0.002
    batch_size: int = 128

    def rules(self) -> list[tuple[str, bool, str]]:
        """Name of a setting, whether it is right, what it must be."""
        return [
            ("encoder", self.encoder in PRETRAINERS, one_of(PRETRAINERS)),
            ("protocol", self.protocol in PROTOCOLS, one_of(PROTOCOLS)),
            ("num_seed_sites", is_whole(self.num_seed_sites, 1), "a whole number from 1 on"),
            ("learning_rate", is_number(self.learning_rate, 0, 1000), "between 0 and 1000"),
            ("batch_size", is_whole(self.batch_size, 1), "a whole number from 1 on"),
            *super().rules(),
        ]


class Pretrainer(pl.LightningModule):
    """An encoder and what it is asked; a subclass says what."""

    encoder: Any

    def __init__(self, learning_rate: float, seed: int) -> None:
        super().__init__()
        self.learning_rate = learning_rate
        self.seed = seed

    @abstractmethod
    def questions(self, batch: Batch) -> tuple[Tensor, int]:
        """The summed loss of a batch, and over how many answers."""

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """One step of Lightning's loop."""
        total, number = self.questions(batch)
        self.log("train/loss", total / max(number, 1), on_step=False, on_epoch=True, batch_size=max(number, 1))
        return total / max(number, 1)

    def on_train_epoch_start(self) -> None:
        """Masks and dropout of an epoch begin at a place of their own: a resumed run goes on as if never stopped."""
        torch.manual_seed(self.seed * 1_000_003 + self.current_epoch)
        share = SCHEDULES["cosine"](self.current_epoch, self.trainer.max_epochs or 1, 0.0)
        set_learning_rate(self, self.learning_rate * share)

    def on_validation_epoch_start(self) -> None:
        """The same questions in every epoch, so that epochs can be compared."""
        self._total, self._number = 0.0, 0
        self._random_state = torch.get_rng_state()
        torch.manual_seed(self.seed)

    def validation_step(self, batch: Batch, batch_idx: int) -> None:
        """Add up the loss: its mean is over all answers, not over batches."""
        total, number = self.questions(batch)
        self._total += float(total)
        self._number += number

    def on_validation_epoch_end(self) -> None:
        """Log the mean loss."""
        torch.set_rng_state(self._random_state)
        self.log("val/loss", self._total / max(self._number, 1), prog_bar=True)

    def configure_optimizers(self) -> Any:
        """Adam; its rate falls along a cosine."""
        return torch.optim.Adam(self.parameters(), lr=self.learning_rate, fused=True)


class ElmoPretrainer(Pretrainer):
    """A bidirectional language model: one softmax reads both directions of the top layer (Peters et al., 2018)."""

    def __init__(self, tokens: list[str], learning_rate: float, seed: int, **options: Any) -> None:
        super().__init__(learning_rate, seed)
        self.encoder = ElmoEncoder.random(tokens, ElmoOptions(**options))
        self.encoder.requires_grad_(True)
        self.softmax = nn.Linear(self.encoder.output_dim // 2, len(tokens))

    def questions(self, batch: Batch) -> tuple[Tensor, int]:
        """Each element tells its neighbours; past either end of the row stands 0, which is to be told too."""
        ids = batch[0]  # (B, T)
        mask = ids != 0
        top = self.encoder.layers(ids, mask)[-1]  # (B, T, 2 P)
        forward, backward = top.chunk(2, dim=-1)  # (B, T, P) each
        following = F.pad(ids[:, 1:], (0, 1))  # (B, T)
        preceding = F.pad(ids[:, :-1], (1, 0))  # (B, T)
        told = torch.cat([forward[mask], backward[mask]])  # (N, P)
        asked = torch.cat([following[mask], preceding[mask]])  # (N,)
        return F.cross_entropy(self.softmax(told), asked, reduction="sum"), len(asked)


class BertPretrainer(Pretrainer):
    """Masked tokens (Devlin et al., 2019): all pieces of a masked element are hidden and asked for."""

    def __init__(
        self, tokens: list[str], learning_rate: float, seed: int, mask_share: float = 0.15, **sizes: Any
    ) -> None:
        super().__init__(learning_rate, seed)
        if not (is_number(mask_share, 0, 1) and mask_share > 0):
            raise BadConfig(f"pretrain.mask_share must be more than 0 and at most 1, not {mask_share!r}.")
        self.encoder = BertEncoder.random(tokens, **sizes)
        self.encoder.requires_grad_(True)
        self.mask_share = mask_share
        width = self.encoder.output_dim
        self.transform = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.bias = nn.Parameter(torch.zeros(len(self.encoder.model.get_input_embeddings().weight)))

    def questions(self, batch: Batch) -> tuple[Tensor, int]:
        """Hide a share of the elements; the softmax is tied to the embeddings of the pieces."""
        ids = batch[0]  # (B, T)
        pieces, attention, owner = self.encoder.pieces(ids, ids != 0)  # (B, L) each
        is_hidden_element = torch.rand(ids.shape) < self.mask_share  # (B, T), on the CPU: the same on any device
        is_hidden = is_hidden_element.to(ids.device).gather(1, owner.clamp(min=0)) & (owner >= 0)  # (B, L)
        given = pieces.masked_fill(is_hidden, self.encoder.tokenizer.mask_token_id)
        states = self.encoder.model(input_ids=given, attention_mask=attention).last_hidden_state  # (B, L, D)
        table = self.encoder.model.get_input_embeddings().weight  # (P, D)
        logits = self.transform(states[is_hidden]) @ table.T + self.bias  # (N, P)
        return F.cross_entropy(logits, pieces[is_hidden], reduction="sum"), int(is_hidden.sum())


class GlovePretrainer(Pretrainer):
    """Co-occurrence (Pennington et al., 2014): products of vectors fit log counts, rare pairs weighing less."""

    def __init__(
        self, tokens: list[str], learning_rate: float, seed: int, dim: int = 100, max_count: float = 100.0
    ) -> None:
        super().__init__(learning_rate, seed)
        if not (is_number(max_count, 0) and max_count > 0):
            raise BadConfig(f"pretrain.max_count must be more than 0, not {max_count!r}.")
        self.encoder = GloveEncoder.random(tokens, dim)  # filled when the vectors are done
        self.max_count = max_count
        self.center, self.context = (nn.Embedding(len(tokens), dim) for _ in range(2))
        self.center_bias, self.context_bias = (nn.Embedding(len(tokens), 1) for _ in range(2))
        for table in (self.center, self.context, self.center_bias, self.context_bias):
            nn.init.uniform_(table.weight, -0.5 / dim, 0.5 / dim)

    def questions(self, batch: Batch) -> tuple[Tensor, int]:
        """Pairs and how often they stand near each other."""
        one, other, count = batch
        product = (self.center(one) * self.context(other)).sum(-1)
        fitted = product + self.center_bias(one).squeeze(-1) + self.context_bias(other).squeeze(-1)
        weight = (count / self.max_count).clamp(max=1) ** 0.75
        return (weight * (fitted - count.log()) ** 2).sum(), len(count)

    def finish(self) -> None:
        """The vector of an element is the sum of its two, as in the paper."""
        with torch.no_grad():
            self.encoder.table.copy_(self.center.weight + self.context.weight)


class PairsDataModule(pl.LightningDataModule):
    """Batches of co-occurring pairs, for GloVe."""

    def __init__(self, data: PreparedData, train: Nodes, val: Nodes, batch_size: int, seed: int) -> None:
        super().__init__()
        self.train_pairs = count_pairs(data, train)
        one, other, count = count_pairs(data, val)
        # fewer pages have lower counts: at the scale of training, the loss measures the vectors and not that
        self.val_pairs = one, other, count * (self.train_pairs[2].sum() / count.sum())
        self.batch_size, self.seed = batch_size, seed

    def train_dataloader(self) -> DataLoader[Batch]:
        """All pairs, shuffled."""
        return self._loader(self.train_pairs)

    def val_dataloader(self) -> DataLoader[Batch]:
        """All pairs of the validation part; their order does not matter."""
        return self._loader(self.val_pairs)

    def _loader(self, pairs: Batch) -> DataLoader[Batch]:
        order = ShuffledBatches(len(pairs[0]), self.batch_size, self.seed)
        return batch_loader(_Slices(pairs), order)


class _Slices(torch.utils.data.Dataset[Batch]):
    def __init__(self, arrays: Batch) -> None:
        self.arrays = arrays

    def __getitem__(self, numbers: Tensor) -> Batch:
        one, other, count = (array[numbers] for array in self.arrays)
        return one, other, count


def count_pairs(data: PreparedData, nodes: Nodes, window: int = 10) -> Batch:
    """Return (first, second, count) of the elements that stand at most `window` apart, nearer ones counting more."""
    row, _, _ = count_rows(data, nodes)
    rows = data.rows[row].astype(np.int64)
    size = len(data.vocabulary)
    distances = range(1, min(window, rows.shape[1] - 1) + 1)

    def pairs(distance: int) -> Iterator[NDArray[np.int64]]:
        one, other = rows[:, :-distance].ravel(), rows[:, distance:].ravel()
        both = (one != 0) & (other != 0)
        yield (one * size + other)[both]
        yield (other * size + one)[both]

    # only those that occur: pages with thousands of tags of their own have a square of pairs that none of them has
    present = np.zeros(0, dtype=np.int64)
    for distance in distances:
        present = np.unique(np.concatenate([present, *pairs(distance)]))
    counts = np.zeros(len(present))
    for distance in distances:
        for pair in pairs(distance):
            counts += np.bincount(np.searchsorted(present, pair), minlength=len(present)) / distance
    first, second = np.divmod(present, size)
    return torch.from_numpy(first), torch.from_numpy(second), torch.from_numpy(counts.astype(np.float32))


PRETRAINERS: dict[str, Callable[..., Pretrainer]] = {
    "elmo": ElmoPretrainer,
    "bert": BertPretrainer,
    "glove": GlovePretrainer,
}


def pretrain(
    data: PreparedData, settings: PretrainSettings, sizes: Mapping[str, Any], folder: Path, resume: Path | None = None
) -> dict[str, Any]:
    """Pretrain, write the weights to `folder`/weights and the figures to metrics.json; return the figures."""
    pl.seed_everything(settings.seed, verbose=False)
    splits = make_splits(data, settings.protocol, settings.seed, settings.num_seed_sites)
    parts = splits[fold_of_seed(settings.seed, len(splits))]
    kind = PRETRAINERS[settings.encoder]
    try:
        module = kind(data.vocabulary.tokens(), settings.learning_rate, settings.seed, **sizes)
    except BadConfig:
        raise
    except (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        first_line = next(iter(str(error).splitlines()), type(error).__name__)
        raise BadConfig(f"the sizes of {settings.encoder} in the configuration do not fit: {first_line}.") from error
    batches: pl.LightningDataModule
    if isinstance(module, GlovePretrainer):
        batches = PairsDataModule(data, parts.train, parts.val, settings.batch_size, settings.seed)
    else:
        batches = RowsDataModule(data, parts, settings.batch_size, settings.seed)
    fit(module, batches, settings, folder, resume, monitor="val/loss", mode="min")
    loss = measure(module, batches)
    if isinstance(module, GlovePretrainer):
        module.finish()
    module.encoder.save_weights(folder / "weights")
    metrics = {
        "encoder": settings.encoder,
        "val_loss": loss,
        "parameters": sum(weight.numel() for weight in module.encoder.state_dict().values()),
        "rows": len(count_rows(data, parts.train)[0]),
        "signature": signature(
            data.checksum, protocol_label(settings.protocol, settings.num_seed_sites), [settings.seed]
        ),
        "versions": versions(),
    }
    if not isinstance(module, GlovePretrainer):
        metrics["val_perplexity"] = math.exp(loss)
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    return metrics


@torch.inference_mode()
def measure(module: Pretrainer, batches: pl.LightningDataModule) -> float:
    """The mean loss over the validation part."""
    torch.manual_seed(module.seed)
    module.eval()
    sums = [module.questions(batch) for batch in batches.val_dataloader()]
    return float(sum(total for total, _ in sums)) / max(sum(number for _, number in sums), 1)
