import json
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from omegaconf import OmegaConf
from safetensors.torch import load_file

from edrew_torch.classifier import RelevanceClassifier, best_threshold
from edrew_torch.datamodule import RowsDataModule, ShuffledBatches, count_rows
from edrew_torch.datasets.labels import label_nodes
from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.prepared import PreparedData, load_sample
from edrew_torch.datasets.protocols import make_splits
from edrew_torch.encoders import ENCODERS, make_encoder
from edrew_torch.encoders.base import TINY_TOKENS
from edrew_torch.encoders.onehot import OneHotEncoder
from edrew_torch.encoders.vectors import row_vectors
from edrew_torch.errors import BadConfig, BadData, MissingWeights, UnknownName
from edrew_torch.metrics.nodes import score_baselines
from edrew_torch.overrides import keep_config, metrics_file
from edrew_torch.pretraining import PretrainSettings, count_pairs, pretrain
from edrew_torch.profile import PROFILES
from edrew_torch.retps import Vocabulary
from edrew_torch.runs import load_run, predict, row_logits, translate_rows
from edrew_torch.sweep import finished_score, read_runs
from edrew_torch.training import Settings, save_run, train

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("EDREW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


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
    """The loss over distinct rows is the loss over all nodes; of focal loss too."""
    nodes = small.nodes_of(np.arange(20))
    (row, share, count), (each, label, ones) = (count_rows(small, nodes, distinct) for distinct in (True, False))
    assert len(row) < len(each) / 2
    assert (each == small.row[nodes]).all()
    for gamma in (0.0, 2.0):
        model = RelevanceClassifier(make_encoder("onehot", small.vocabulary.tokens()), focal_gamma=gamma)
        distinct = model.loss((torch.from_numpy(small.rows[row].astype(np.int64)), share, count))
        whole = model.loss((torch.from_numpy(small.rows[each].astype(np.int64)), label, ones))
        torch.testing.assert_close(distinct, whole)


def test_loss_is_cross_entropy_with_class_weight():
    model = RelevanceClassifier(OneHotEncoder.tiny(), positive_weight=3.0)
    ids = torch.tensor([[1, 2], [3, 0]])
    label = torch.tensor([1.0, 0.0])
    expected = torch.nn.functional.binary_cross_entropy_with_logits(model(ids), label, pos_weight=torch.tensor(3.0))
    torch.testing.assert_close(model.loss((ids, label, torch.ones(2))), expected)


def test_same_seed_same_order_of_batches(small):
    (parts,) = make_splits(small, "pages", seed=1)

    def order(seed: int, epoch: int = 0, reshuffle: bool = True) -> list[float]:
        loader = RowsDataModule(small, parts, 32, seed, reshuffle=reshuffle).train_dataloader()
        loader.sampler.set_epoch(epoch)
        return [batch[0].sum().item() for batch in loader]

    assert order(1) == order(1) != order(2)
    assert order(1, epoch=1) != order(1)
    assert order(1, epoch=1, reshuffle=False) == order(1)


def test_processes_share_the_rows_out_evenly(monkeypatch):
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    seen = []
    for rank in (0, 1):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        batches = list(ShuffledBatches(11, 2, seed=1))
        assert len(batches) == len(ShuffledBatches(11, 2, seed=1)) == 3
        seen += torch.cat(batches).tolist()
    assert len(seen) == len(set(seen)) == 10


def test_data_of_some_pages_keeps_their_nodes_and_texts(small):
    pages = np.array([1, 5, 30])
    some = small.with_pages(pages)
    nodes = small.nodes_of(pages)
    assert [some.text(node) for node in range(len(some.row))] == [small.text(node) for node in nodes.tolist()]
    assert [some.pages[number] for number in some.page] == [small.pages[number] for number in small.page[nodes]]
    assert (some.relevant == small.relevant[nodes]).all()


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
    encoder = ENCODERS[name].tiny().eval()
    ids = torch.tensor([[3, 4, 3, 0], [5, 0, 0, 0], [0, 0, 0, 0]])
    mask = ids != 0
    with torch.no_grad():
        vectors = encoder.encode(ids, mask)
        assert vectors.shape == (3, 4, encoder.output_dim)
        assert not vectors[~mask].any()
        mean = vectors.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        torch.testing.assert_close(encoder.mean(ids, mask), mean)
        torch.testing.assert_close(encoder.encode(ids[:2, :3], mask[:2, :3]), vectors[:2, :3])


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_contract_an_encoder_tells_elements_apart(name):
    torch.manual_seed(1)  # of a few random filters, two elements may well have the same maxima
    encoder = ENCODERS[name].tiny().eval()
    ids = torch.arange(1, len(TINY_TOKENS))[:, None]
    with torch.no_grad():
        vectors = encoder.encode(ids, ids != 0)[:, 0]
    assert len(torch.unique(vectors, dim=0)) == len(ids)


def test_vectors_of_a_frozen_encoder_are_made_once(small, own_cache, monkeypatch):
    encoder = make_encoder("glove", small.vocabulary.tokens())
    first = row_vectors(encoder, small.rows)
    rows = torch.from_numpy(small.rows[:50].astype(np.int64))
    torch.testing.assert_close(torch.from_numpy(first[:50].copy()), encoder.mean(rows, rows != 0).detach())
    monkeypatch.setattr(type(encoder), "mean", None)  # not called again
    assert (row_vectors(encoder, small.rows) == first).all()
    assert not list(own_cache.rglob("*.making"))


QUICK = {"max_epochs": 2, "hidden": (16,), "learning_rate": 0.01, "progress_bar": False}


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_run_is_repeatable_and_predicts_the_same_when_loaded(name, small, tmp_path):
    settings = Settings(encoder=name, **QUICK)
    first, second = (train(small, settings, tmp_path / folder) for folder in ("a", "b"))
    assert first.scores == second.scores
    save_run(first, small, settings, PROFILES["full"], tmp_path / "a", tmp_path / "deep" / "m.json")
    loaded = load_run(tmp_path / "a")
    assert loaded.profile == PROFILES["full"]
    assert (row_logits(loaded.model, small.rows) == row_logits(first.model, small.rows)).all()
    assert (predict(loaded.model, small, loaded.vocabulary) == predict(first.model, small)).all()
    metrics = json.loads((tmp_path / "a" / "metrics.json").read_text())
    assert metrics == json.loads((tmp_path / "deep" / "m.json").read_text())
    assert (metrics["protocol"], metrics["seed"], set(metrics["verticals"])) == ("pages", 1, {"auto", "job"})
    assert metrics["overall"]["f1"] == first.scores["all"].f1


def test_training_learns(small, tmp_path):
    done = train(small, Settings(max_epochs=8, progress_bar=False), tmp_path)
    assert done.scores["all"].f1 > 0.2
    assert done.baselines["always_noise"]["all"].f1 == 0


def test_an_encoder_that_is_not_frozen_is_trained_and_saved(small, tmp_path):
    settings = Settings(encoder="glove", encoder_arguments={"frozen": False}, **QUICK)
    done = train(small, settings, tmp_path)
    before = make_encoder("glove", small.vocabulary.tokens())
    assert not torch.equal(done.model.encoder.table, before.table)
    save_run(done, small, settings, PROFILES["full"], tmp_path)
    assert "encoder.table" in load_file(tmp_path / "model.safetensors")
    assert (row_logits(load_run(tmp_path).model, small.rows) == row_logits(done.model, small.rows)).all()


def test_a_resumed_run_ends_like_one_that_never_stopped(small, tmp_path):
    given = QUICK | {"encoder": "native", "dropout": 0.3, "schedule": "thesis", "patience": None}
    long, short = (Settings(**given | {"max_epochs": epochs}) for epochs in (4, 2))
    whole = train(small, long, tmp_path / "whole")
    train(small, short, tmp_path / "part")
    resumed = train(small, long, tmp_path / "resumed", resume=tmp_path / "part")
    assert (row_logits(resumed.model, small.rows) == row_logits(whole.model, small.rows)).all()
    with pytest.raises(BadConfig, match="Give a run folder"):
        train(small, long, tmp_path / "x", resume=tmp_path / "nowhere")


def test_without_patience_the_last_epoch_is_the_model(small, tmp_path):
    settings = Settings(schedule="thesis", dropout=0.5, choose_threshold=False, patience=None, **QUICK)
    done = train(small, settings, tmp_path)
    last = torch.load(tmp_path / "checkpoints" / "last.ckpt", weights_only=True)
    assert last["epoch"] == 1
    assert torch.equal(last["state_dict"]["head.0.weight"], done.model.head[0].weight)
    assert float(done.model.threshold) == 0
    rate = last["optimizer_states"][0]["param_groups"][0]["lr"]
    assert rate == pytest.approx(0.01 / (1 + 0.5 * 1))  # of the second epoch, counted from 0


def test_a_folder_that_holds_no_run_is_told(small, tmp_path):
    with pytest.raises(BadData, match="is no run folder"):
        load_run(tmp_path)
    settings = Settings(encoder="glove", **QUICK)
    save_run(train(small, settings, tmp_path), small, settings, PROFILES["full"], tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(content | {"encoder_fingerprint": "other"}))
    with pytest.raises(BadData, match="are not those that"):
        load_run(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(content | {"format": 99}))
    with pytest.raises(BadData, match="has format 99"):
        load_run(tmp_path)


def test_a_run_folder_that_is_spoilt_is_told(small, tmp_path):
    save_run(train(small, Settings(**QUICK), tmp_path), small, Settings(**QUICK), PROFILES["full"], tmp_path)
    text, weights = (tmp_path / "model.json").read_text(), (tmp_path / "model.safetensors").read_bytes()
    content = json.loads(text)
    profile = content["profile"]
    wrong = [{"encoder": 5}, {"profile": []}, {"profile": profile | {"threshold": 2.5}}, {"hidden": [10**12]}]
    wrong += [{"profile": profile | {name: [1]}} for name in ("parser", "skip_tags", "keywords")]
    for change in wrong:
        (tmp_path / "model.json").write_text(json.dumps(content | change))
        with pytest.raises(BadData, match="no model that can be read"):
            load_run(tmp_path)
    (tmp_path / "model.json").write_text(text)
    state = safetensors.torch.load(weights)
    no_numbers = safetensors.torch.save({name: tensor * float("nan") for name, tensor in state.items()})
    for spoilt in (weights[:-9], b"", pickle.dumps(content), no_numbers):
        (tmp_path / "model.safetensors").write_bytes(spoilt)
        with pytest.raises(BadData, match="no model that can be read"):
            load_run(tmp_path)


def test_rows_are_translated_to_another_vocabulary():
    keywords = PROFILES["full"].keywords
    source, target = Vocabulary(keywords, ["div", "my-tag"]), Vocabulary(keywords, ["p", "div"])
    rows = np.arange(len(source), dtype=np.int32)[None]
    names = [target.tokens()[number] for number in translate_rows(rows, source, target)[0]]
    assert names == [token.replace("my-tag", "<#UNK>") for token in source.tokens()]
    with pytest.raises(BadData, match="special token <#X>"):
        translate_rows(rows, Vocabulary([("xx", "<#X>")]), target)


class OutsideEncoder(OneHotEncoder):
    """An encoder that is not in the package's table."""


def test_an_encoder_outside_the_package_is_named_by_its_dotted_path(small, tmp_path):
    done = train(small, Settings(encoder="tests.test_training.OutsideEncoder", **QUICK), tmp_path)
    assert type(done.model.encoder).__name__ == "OutsideEncoder"
    with pytest.raises(BadConfig, match="cannot be imported"):
        Settings(encoder="nowhere.at.all")
    with pytest.raises(BadConfig, match="is no subclass"):
        Settings(encoder="pathlib.Path")
    with pytest.raises(UnknownName, match="no argument of the encoder elmo named 'wieghts'; did you mean 'weights'"):
        make_encoder("elmo", TINY_TOKENS, wieghts="x")


def test_every_fault_in_the_settings_is_told_at_once():
    with pytest.raises(BadConfig, match=r"did you mean 'elmo'.*; dropout .*; batch_size .*; patience"):
        Settings(encoder="emlo", dropout=2, batch_size="many", patience=-1)


@pytest.mark.parametrize("logger", ["csv", "tensorboard", "wandb"])
def test_every_logger_writes_to_the_run_folder(logger, small, tmp_path):
    arguments = {"mode": "offline"} if logger == "wandb" else {}
    train(small, Settings(logger=logger, logger_arguments=arguments, **QUICK), tmp_path)
    wanted = {"csv": "csv/metrics.csv", "tensorboard": "tensorboard/events*", "wandb": "wandb/offline-run-*/*.wandb"}
    assert list(tmp_path.glob(wanted[logger]))


@pytest.mark.parametrize("name", ["elmo", "bert", "glove"])
def test_pretraining_learns_is_resumable_and_its_weights_load(name, small, tmp_path):
    sizes = {"elmo": {"projection_dim": 8, "cell_dim": 16}, "glove": {"dim": 8}}
    sizes["bert"] = {"num_layers": 1, "hidden": 16, "heads": 2, "intermediate": 16}
    given = {"encoder": name, "learning_rate": 0.01, "batch_size": 32, "progress_bar": False, "patience": None}
    one, two = (PretrainSettings(**given, max_epochs=epochs) for epochs in (1, 2))
    first = pretrain(small, one, sizes[name], tmp_path / "one")
    second = pretrain(small, two, sizes[name], tmp_path / "two", resume=tmp_path / "one")
    assert second["val_loss"] < first["val_loss"] < 100
    if name != "glove":
        assert second["val_perplexity"] < len(small.vocabulary) / 4  # of an untrained one: about all of them
    encoder = make_encoder(name, small.vocabulary.tokens(), weights=str(tmp_path / "two" / "weights"))
    rows = torch.from_numpy(small.rows[:3].astype(np.int64))
    assert encoder.mean(rows, rows != 0).isfinite().all()
    with pytest.raises(BadConfig, match="sizes of"):
        pretrain(small, one, {"widht": 1}, tmp_path)


def test_pairs_are_counted_by_distance(small):
    data = replace(small, rows=np.array([[1, 2, 3, 0]], dtype=np.int32), row=np.zeros(1, dtype=np.int32))
    data = replace(data, attribute=np.zeros(1, dtype=np.int16))
    first, second, count = count_pairs(data, np.zeros(1, dtype=np.intp))
    found = dict(zip(zip(first.tolist(), second.tolist(), strict=True), count.tolist(), strict=True))
    assert found == {(1, 2): 1, (2, 1): 1, (2, 3): 1, (3, 2): 1, (1, 3): 0.5, (3, 1): 0.5}


def run_script(script: str, *overrides: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script, *overrides], cwd=ROOT, capture_output=True, text=True, timeout=300)


SMALL = ("data.verticals=[auto,movie]", "data.pages=6")
QUIET = "trainer.progress_bar=false"


def test_train_py_prints_f1_per_vertical_and_evaluate_py_agrees(tmp_path):
    run = tmp_path / "run"
    done = run_script("train.py", f"hydra.run.dir={run}", *SMALL, "encoder=elmo", "trainer.max_epochs=2", QUIET)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("auto", "movie", "F1 elmo", "F1 lookup", "protocol:pages|seeds:1"))
    files = {"config.yaml", "metrics.json", "model.json", "model.safetensors"}
    assert files <= {path.name for path in run.iterdir()}
    assert "val/f1" in (run / "csv" / "metrics.csv").read_text()
    again = run_script("evaluate.py", "model=run", f"model.folder={run}", *SMALL, f"metrics_file={tmp_path / 'm.json'}")
    assert again.returncode == 0, again.stderr
    trained, evaluated = (json.loads(file.read_text()) for file in (run / "metrics.json", tmp_path / "m.json"))
    assert trained["overall"] == evaluated["overall"]
    assert trained["verticals"] == evaluated["verticals"]


def test_a_sweep_ends_with_one_table_and_goes_on_where_it_stopped(tmp_path):
    overrides = (f"hydra.sweep.dir={tmp_path}", *SMALL, "encoder=onehot", "trainer.max_epochs=1", "seed=1,2", QUIET)
    first = run_script("train.py", "-m", *overrides, "retps.threshold=5")
    assert first.returncode == 0, first.stderr
    again = run_script("train.py", "-m", *overrides, "retps.threshold=5,10")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("Done before") == 2
    table = (tmp_path / "sweep.md").read_text()
    assert re.search(r"\| 5 \| 2 \| .* ± ", table)
    assert re.search(r"\| 10 \| 2 \| .* ± ", table)
    assert "seeds:1-2" in table
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "Sweep" in again.stdout
    assert "categorical units" not in again.stdout + again.stderr


def test_a_run_that_was_cut_off_does_not_have_the_figures_of_another_configuration(tmp_path):
    one, other = (OmegaConf.create({"seed": 1, "model": {"dropout": dropout}}) for dropout in (0.1, 0.2))
    keep_config(one, tmp_path)
    assert finished_score(one, tmp_path) is None
    (tmp_path / "metrics.json").write_text('{"overall": {"f1": 0.5}}')
    assert finished_score(one, tmp_path) == 0.5
    assert finished_score(other, tmp_path) is None
    keep_config(other, tmp_path)  # and then the machine goes down
    assert finished_score(other, tmp_path) is None


def test_a_sweep_finds_its_runs_below_paths_among_the_overrides(tmp_path):
    for seed in (1, 2):
        run = tmp_path / f"data.root=/some/where,seed={seed}"
        (run / ".hydra").mkdir(parents=True)
        (run / "metrics.json").write_text("{}")
        (run / ".hydra" / "overrides.yaml").write_text(f"- data.root=/some/where\n- seed={seed}\n- +new.key=1\n")
    (tmp_path / "metrics.json").write_text("{}")  # metrics_file=… of the same name is no run
    overrides = [run["overrides"] for run in read_runs(tmp_path)]
    assert overrides == [{"data.root": "/some/where", "seed": str(seed), "new.key": "1"} for seed in (1, 2)]


def test_the_thesis_setting_composes_and_trains(tmp_path):
    overrides = (*SMALL, "experiment=thesis", "trainer.max_epochs=1", QUIET)
    done = run_script("train.py", f"hydra.run.dir={tmp_path}", *overrides)
    assert done.returncode == 0, done.stderr
    config = (tmp_path / "config.yaml").read_text()
    wanted = ("batch_size: 1\n", "patience: null", "schedule: thesis", "name: rows-balanced", "unique_pages: true")
    assert all(line in config for line in wanted)
    assert "unique" in json.loads((tmp_path / "metrics.json").read_text())["signature"]


def test_pretrain_py_prints_its_perplexity(tmp_path):
    overrides = (*SMALL, "encoder=bert", "trainer.max_epochs=1", "pretrain.num_layers=1", QUIET)
    done = run_script("pretrain.py", f"hydra.run.dir={tmp_path}", *overrides)
    assert done.returncode == 0, done.stderr
    assert "val_perplexity" in done.stdout
    assert (tmp_path / "weights" / "model.safetensors").is_file()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.verticals=[autos]", "no vertical named 'autos'; did you mean 'auto'?"),
        ("model.dropout=3", "dropout must be between 0 and 1, not 3"),
        ("retps.threshold=0", "threshold must be a whole number from 1"),
        ("encoder=emlo", "elmo"),
        ("sed=1", "no key named 'sed'; did you mean 'seed'?"),
        ("model.dropuot=1", "no key of model named 'dropuot'; did you mean 'dropout'?"),
        ("encoder.weights=/nowhere", "there is no such file or folder"),
        ("model=lookup", "model=lookup is for evaluate.py: choose model=feed_forward or model=linear"),
        ("task.name=relevant", "no task named 'relevant'; did you mean 'relevance'?"),
        ("task=attributes", "scored by swde-published or swde-strict, not by pages"),
    ],
)
def test_a_wrong_configuration_gets_a_message_that_names_the_alternatives(override, message, tmp_path):
    done = run_script("train.py", f"hydra.run.dir={tmp_path}", override, *(() if "data" in override else SMALL))
    check_told(done, message)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model=linear", "this model is for train.py: choose model=lookup"),
        ("model=run", "model.folder has no value: set model.folder=…"),
        ("protocol=page", "pages"),
    ],
)
def test_evaluate_py_tells_what_it_cannot_score(override, message, tmp_path):
    check_told(run_script("evaluate.py", f"hydra.run.dir={tmp_path}", override, *SMALL), message)


def check_told(done: subprocess.CompletedProcess[str], message: str) -> None:
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "HYDRA_FULL_ERROR" not in done.stderr or "Could not find" in done.stderr  # Hydra's own, of a wrong group


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"seed": 2**32}, "seed must be a whole number from 0 to 4294967295"),
        ({"hidden": 512}, "hidden must be a list"),
        ({"hidden": (10**11,)}, "hidden must be a list"),
        ({"choose_threshold": "no"}, "choose_threshold must be true or false"),
        ({"num_seed_sites": "x"}, "num_seed_sites must be a whole number"),
        ({"devices": 1000}, "devices must be a whole number from 1 to"),
        ({"accelerator": "gpuu"}, "the trainer cannot run so: .*gpuu"),
        ({"precision": "17"}, "the trainer cannot run so: .*17"),
        ({"logger": "csv", "logger_arguments": {"mode": "offline"}}, "the logger csv takes no mode"),
        ({"encoder": 5}, "encoder.name must be a name"),
        ({"encoder": ".mine"}, "cannot be imported"),
        ({"encoder": "native", "encoder_arguments": {"output_dim": "64"}}, "output_dim must be a whole number"),
        ({"encoder": "elmo", "encoder_arguments": {"int8": 1}}, "int8 must be true or false"),
    ],
)
def test_settings_that_cannot_be_are_told_before_any_data_is_read(wrong, told):
    with pytest.raises(BadConfig, match=told):
        Settings(**wrong)


def test_data_that_cannot_be_had_is_told_at_once():
    with pytest.raises(BadConfig, match=r"data.verticals must .*; data.pages must .*; data.seed must .*not 'x'"):
        load_data("sample", PROFILES["full"], verticals="auto", pages=2.5, seed="x")
    with pytest.raises(BadConfig, match=r"data.root must be a path, not 5"):
        load_data("swde", PROFILES["full"], root=5)


def test_weights_that_are_no_numbers_are_told(tmp_path):
    (tmp_path / "vectors.txt").write_text("div 1e39 2\np 3 4\n")  # a number, but none that 32 bits hold
    with pytest.raises(MissingWeights, match="are no numbers"):
        make_encoder("glove", TINY_TOKENS, weights=str(tmp_path / "vectors.txt"))


def test_an_encoder_too_large_for_the_memory_is_told():
    with pytest.raises(BadConfig, match="does not fit into memory"):
        make_encoder("native", TINY_TOKENS, output_dim=10**13)


def test_a_training_goes_on_from_its_own_checkpoints_alone(small, tmp_path):
    train(small, Settings(**QUICK | {"hidden": (4,)}), tmp_path / "one")
    file = tmp_path / "one" / "checkpoints" / "last.ckpt"
    cut, other = tmp_path / "cut.ckpt", Settings(**QUICK | {"hidden": (3,)})
    cut.write_bytes(file.read_bytes()[:1000])
    for resume, told in ((cut, "no checkpoint that can be read"), (tmp_path / "one", "of another model .*head")):
        with pytest.raises(BadConfig, match=told):
            train(small, other, tmp_path / "two", resume)


def test_data_without_any_true_value_is_told(small, tmp_path):
    none = replace(small, attribute=np.full_like(small.attribute, 0))
    with pytest.raises(BadConfig, match="no node of the training part is relevant"):
        train(none, Settings(**QUICK), tmp_path)


def test_a_metrics_file_that_cannot_be_written_is_told_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path, tmp_path / "file" / "metrics.json"):
        with pytest.raises(BadConfig, match="is a folder, or cannot be written"):
            metrics_file(OmegaConf.create({"metrics_file": str(wrong)}))
    deep = tmp_path / "new" / "deep" / "metrics.json"
    assert metrics_file(OmegaConf.create({"metrics_file": str(deep)})) == deep
    assert metrics_file(OmegaConf.create({"metrics_file": None})) is None


@pytest.mark.parametrize(
    ("encoder", "sizes"),
    [
        ("elmo", {"cell_dim": 10**12}),
        ("bert", {"heads": 0}),
        ("bert", {"mask_share": "x"}),
        ("glove", {"max_count": 0}),
    ],
)
def test_sizes_that_no_encoder_can_have_are_told(encoder, sizes, small, tmp_path):
    with pytest.raises(BadConfig, match=r"do not fit|must be"):
        pretrain(small, PretrainSettings(encoder=encoder), sizes, tmp_path)
