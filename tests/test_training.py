import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from edrew_torch.classifier import RelevanceClassifier, best_threshold
from edrew_torch.datamodule import RowsDataModule, count_rows
from edrew_torch.datasets.labels import label_nodes
from edrew_torch.datasets.prepared import PreparedData, load_sample
from edrew_torch.datasets.protocols import make_splits
from edrew_torch.encoders import ENCODERS, make_encoder
from edrew_torch.errors import BadConfig
from edrew_torch.metrics.nodes import score_baselines
from edrew_torch.profile import PROFILES
from edrew_torch.training import Settings, predict, save_run, train

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def small() -> PreparedData:
    return load_sample(PROFILES["full"], verticals=("auto", "job"), pages=10)


@pytest.fixture(scope="module")
def sample() -> PreparedData:
    return load_sample(PROFILES["full"])


def test_labels_ignore_entities_and_white_space_and_name_the_missing():
    texts = ["Glen\xa0Davis", "AT&T", " x\n y ", "other"]
    truth = {"name": ("Glen&nbsp;Davis", "AT&amp;T"), "team": ("x y", "gone"), "height": ()}
    assert label_nodes(texts, truth) == ([True, True, True, False], [("team", "gone")])


def test_the_sample_holds_all_its_values_and_a_lookup_does_not_solve_it(sample):
    assert sum(page.num_missed for page in sample.pages) == 0
    (parts,) = make_splits(sample, "pages", seed=1)
    f1 = score_baselines(sample, parts)["lookup"]["all"].f1
    assert 0.5 < f1 < 0.85  # real SWDE: 0.71


def test_distinct_rows_stand_for_all_their_nodes(small):
    """The loss over distinct rows is the loss over all nodes."""
    nodes = small.nodes_of(np.arange(20))
    model = RelevanceClassifier(make_encoder("onehot", len(small.vocabulary)))
    ids = torch.from_numpy(small.rows[small.row[nodes]].astype(np.int64))
    labels = torch.from_numpy(small.relevant[nodes]).float()
    whole = model.loss((ids, labels, torch.ones(len(ids))))
    rows = count_rows(small, nodes)
    assert len(rows[0]) < len(ids) / 2
    torch.testing.assert_close(model.loss(rows), whole)


def test_same_seed_same_order_of_batches(small):
    (parts,) = make_splits(small, "pages", seed=1)
    first, second, other = (
        [batch[0].sum().item() for batch in RowsDataModule(small, parts, 32, seed).train_dataloader()]
        for seed in (1, 1, 2)
    )
    assert first == second != other


def test_best_threshold_is_the_best_of_all():
    generator = torch.Generator().manual_seed(1)
    logits = torch.randint(-5, 6, (60,), generator=generator).float()
    count = torch.randint(1, 9, (60,), generator=generator).float()
    relevant = (count * torch.rand(60, generator=generator)).floor()
    threshold, f1 = best_threshold(logits, relevant, count)

    def f1_at(limit: float) -> float:
        called = logits > limit
        return float(2 * relevant[called].sum() / (count[called].sum() + relevant.sum()))

    assert float(f1) == pytest.approx(max(f1_at(limit - 0.5) for limit in range(-5, 7)))
    assert f1_at(float(threshold)) == pytest.approx(float(f1))


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_contract_shape_padding_and_mean(name):
    encoder = ENCODERS[name].tiny()
    ids = torch.tensor([[3, 4, 3, 0], [5, 0, 0, 0], [0, 0, 0, 0]])
    mask = ids != 0
    vectors = encoder.encode(ids, mask)
    assert vectors.shape == (3, 4, encoder.output_dim)
    assert not vectors[~mask].any()
    mean = vectors.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(encoder.mean(ids, mask), mean)


def test_training_learns_is_repeatable_and_is_saved(small, tmp_path):
    settings = Settings(max_epochs=8, progress_bar=False)
    first, second = (train(small, settings, tmp_path / name) for name in ("a", "b"))
    assert first.scores == second.scores
    assert first.scores["all"].f1 > 0.2
    assert first.baselines["always_noise"]["all"].f1 == 0
    save_run(first, small, settings, tmp_path / "a", tmp_path / "deep" / "m.json")
    metrics = json.loads((tmp_path / "a" / "metrics.json").read_text())
    assert metrics == json.loads((tmp_path / "deep" / "m.json").read_text())
    assert metrics["protocol"] == "pages"
    assert set(metrics["verticals"]) == {"auto", "job"}
    assert metrics["overall"]["f1"] == first.scores["all"].f1
    fresh = RelevanceClassifier(make_encoder("onehot", len(small.vocabulary)))
    fresh.load_state_dict(load_file(tmp_path / "a" / "model.safetensors"))
    assert (predict(fresh.eval(), small) == predict(first.model, small)).all()


def test_every_fault_in_the_settings_is_told_at_once():
    with pytest.raises(BadConfig, match=r"encoder must be one of onehot, not 'x'; dropout .*; batch_size"):
        Settings(encoder="x", dropout=2, batch_size="many")


def run_train(*overrides: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "train.py", f"hydra.run.dir={folder}", "trainer.progress_bar=false", *overrides]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_train_py_prints_f1_per_vertical_and_writes_the_run(tmp_path):
    done = run_train("data.verticals=[auto,movie]", "data.pages=6", "trainer.max_epochs=2", folder=tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("auto", "movie", "F1 onehot", "F1 lookup", "protocol:pages|seeds:1"))
    assert {"config.yaml", "metrics.json", "model.safetensors"} <= {path.name for path in (tmp_path / "run").iterdir()}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.verticals=[autos]", "no vertical named 'autos'; did you mean 'auto'?"),
        ("model.dropout=3", "dropout must be between 0 and 1, not 3"),
        ("retps.threshold=0", "threshold must be at least 1"),
        ("encoder=emlo", "onehot"),
        ("sed=1", "sed"),
    ],
)
def test_a_wrong_configuration_gets_a_message_that_names_the_alternatives(override, message, tmp_path):
    done = run_train(override, folder=tmp_path)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
