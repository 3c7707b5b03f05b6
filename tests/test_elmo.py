"""ELMo against the activations of the original implementation, against a naive rewrite, and its files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from edrew_torch.encoders.elmo import OUTPUTS, ElmoEncoder, ElmoOptions, word_characters
from edrew_torch.errors import BadConfig, MissingWeights, UnknownName

TOKENS = ["<#PAD>", "<#CNT>", "div|21", "p|1", "ünï|3"]
ROWS = torch.tensor([[1, 2, 3, 0], [4, 0, 0, 0], [0, 0, 0, 0], [2, 3, 4, 1]])


@pytest.fixture(scope="module")
def fixture_folder(data_folder):
    folder = data_folder / "elmo"
    if not folder.is_dir():
        pytest.skip(f"no ELMo fixture at {folder}")
    return folder


@pytest.fixture
def encoder() -> ElmoEncoder:
    torch.manual_seed(3)
    made = ElmoEncoder.tiny(TOKENS)
    with torch.no_grad():  # large weights: clipping and both gates' ends take part
        for weight in (*made.characters.parameters(), *made.lstm.parameters()):
            weight.mul_(3)
    return made.eval()


def largest_difference(folder: Path) -> float:
    """Of the top layer to the stored activations, which carry the LSTM state from batch to batch; we do not."""
    import h5py

    streams = json.loads((folder / "sentences.json").read_text())
    streams = [[sentence.split() if isinstance(sentence, str) else sentence for sentence in s] for s in streams]
    words = sorted({word for stream in streams for sentence in stream for word in sentence})
    number = {word: place for place, word in enumerate(words, start=1)}
    encoder = ElmoEncoder(["<#PAD>", *words], weights=str(folder / "lm_weights.hdf5"))
    begin, end = len(words) + 1, len(words) + 2
    states, worst = None, 0.0
    for batch in range(10):
        rows = [[begin, *(number[word] for word in stream[batch]), end] for stream in streams]
        ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
        with torch.no_grad():
            layers, states = encoder.lstm(encoder.table[ids], torch.tensor([len(row) for row in rows]), states)
        for stream, row in enumerate(rows):
            with h5py.File(folder / f"lm_embeddings_{stream}.hdf5") as file:
                stored = file[str(batch)][...]
            ours = np.stack(layers[-1][stream, 1 : len(row) - 1].chunk(2, dim=-1))
            worst = max(worst, float(np.abs(ours - stored).max()))
    return worst


@pytest.mark.realdata
def test_top_layer_agrees_with_the_original_implementation(fixture_folder):
    assert largest_difference(fixture_folder) < 1e-5


@pytest.mark.realdata
def test_character_part_agrees_with_the_original_implementation(fixture_folder):
    import h5py

    words = (fixture_folder / "vocab_test.txt").read_text().split()
    encoder = ElmoEncoder(words, weights=str(fixture_folder / "lm_weights.hdf5"))
    with h5py.File(fixture_folder / "elmo_token_embeddings.hdf5") as file:
        stored = torch.from_numpy(file["embedding"][...])
    ours = encoder.table[:-2].clone()
    for mark, row in (("<S>", -2), ("</S>", -1)):  # spelled by marks of their own, not by their letters
        ours[words.index(mark)] = encoder.table[row]
    assert float((ours - stored).abs().max()) < 1e-5


def naive_layers(encoder: ElmoEncoder, row: list[int]) -> list[torch.Tensor]:
    """One row, one step and one gate at a time, from characters, as the paper writes it."""
    options = encoder.options
    begin, end = len(TOKENS), len(TOKENS) + 1
    part = encoder.characters
    words = []
    for place in (begin, *row, end):
        letters = part.embedding(encoder.characters_of[place]).T  # (E, C)
        found = []
        for convolve in part.convolutions:
            width = convolve.kernel_size[0]
            windows = [letters[:, at : at + width] for at in range(letters.shape[1] - width + 1)]
            sums = torch.stack([(convolve.weight * window).sum((1, 2)) + convolve.bias for window in windows])
            found.append(torch.relu(sums.max(0).values))
        word = torch.cat(found)
        for gate, transform in zip(part.gates, part.transforms, strict=True):
            share = torch.sigmoid(gate(word))
            word = share * torch.relu(transform(word)) + (1 - share) * word
        words.append(part.projection(word))
    halves = []
    for layers, step in ((encoder.lstm.forward_layers, 1), (encoder.lstm.backward_layers, -1)):
        current, outputs = words[::step], []
        for number, layer in enumerate(layers):
            output, cell, made = torch.zeros(options.projection_dim), torch.zeros(options.cell_dim), []
            for entered in current:
                gates = entered @ layer.of_input() + output @ layer.of_output() + layer.bias
                i, j, f, o = gates.split(options.cell_dim)
                cell = torch.sigmoid(f + 1) * cell + torch.sigmoid(i) * torch.tanh(j)
                cell = cell.clamp(-options.cell_clip, options.cell_clip)
                output = (torch.sigmoid(o) * torch.tanh(cell)) @ layer.projection()
                output = output.clamp(-options.projection_clip, options.projection_clip)
                made.append(output + entered if number else output)
            current = made
            outputs.append(torch.stack(made[::step])[1:-1])
        halves.append(outputs)
    first = torch.stack(words)[1:-1]
    return [torch.cat([first, first], -1), *(torch.cat(pair, -1) for pair in zip(*halves, strict=True))]


def test_layers_agree_with_a_naive_rewrite(encoder):
    with torch.no_grad():
        layers = encoder.layers(ROWS, ROWS != 0)
        for place, row in enumerate(ROWS.tolist()):
            row = [number for number in row if number]
            for ours, naive in zip(layers, naive_layers(encoder, row), strict=True):
                torch.testing.assert_close(ours[place, : len(row)], naive, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_is_its_layer_or_their_mean(encoder, output):
    encoder.output = output
    with torch.no_grad():
        layers = encoder.layers(ROWS, ROWS != 0)
        vectors = encoder.encode(ROWS, ROWS != 0)
    expected = torch.stack(layers).mean(0) if output == "elmo" else layers[OUTPUTS.index(output)]
    mask = ROWS != 0
    torch.testing.assert_close(vectors[mask], expected[mask])
    assert not vectors[~mask].any()
    assert torch.isfinite(vectors).all()


def test_a_row_does_not_depend_on_its_batch(encoder):
    with torch.no_grad():
        together = encoder.encode(ROWS, ROWS != 0)
        for place, row in enumerate(ROWS):
            alone = encoder.encode(row[None], row[None] != 0)
            torch.testing.assert_close(together[place], alone[0])


def test_in_training_the_characters_are_read_and_learn(encoder):
    encoder.train()
    vectors = encoder.encode(ROWS, ROWS != 0)
    vectors.square().sum().backward()
    assert all(weight.grad is not None and weight.grad.any() for weight in encoder.characters.projection.parameters())
    with torch.no_grad():
        encoder.characters.projection.bias.add_(1.0)
    before = encoder.table.clone()
    encoder.eval()  # the table is made anew
    torch.testing.assert_close(encoder.table, before + 1.0)


def test_weights_round_trip(encoder, tmp_path):
    encoder.save_weights(tmp_path)
    again = ElmoEncoder(TOKENS, weights=str(tmp_path))
    assert again.is_frozen
    assert not any(weight.requires_grad for weight in again.parameters())
    with torch.no_grad():
        assert torch.equal(again.encode(ROWS, ROWS != 0), encoder.encode(ROWS, ROWS != 0))
    assert again.fingerprint() == encoder.fingerprint()
    assert ElmoEncoder(TOKENS, str(tmp_path), output="word_emb").fingerprint() != again.fingerprint()
    replace(encoder.options, cell_clip=2.0).write(tmp_path / "options.json")
    assert ElmoEncoder(TOKENS, str(tmp_path)).fingerprint() != again.fingerprint()
    encoder.options.write(tmp_path / "options.json")
    assert ElmoEncoder(TOKENS[::-1], str(tmp_path)).fingerprint() != again.fingerprint()


def test_int8_weights_take_a_quarter_and_stay_near(tmp_path):
    torch.manual_seed(1)
    ElmoEncoder.random(TOKENS, ElmoOptions(projection_dim=32, cell_dim=64)).save_weights(tmp_path)
    whole, rounded = (ElmoEncoder(TOKENS, str(tmp_path), int8=int8) for int8 in (False, True))
    matrix = rounded.lstm.forward_layers[0].of_input
    assert matrix.weight.dtype == torch.int8
    first, second = (encoder.encode(ROWS, ROWS != 0)[ROWS != 0] for encoder in (whole, rounded))
    assert torch.cosine_similarity(first, second).min() > 0.999
    assert not torch.equal(first, second)
    with pytest.raises(BadConfig, match="no full weights to save"):
        rounded.save_weights(tmp_path / "other")
    with pytest.raises(BadConfig, match=r"int8=true needs encoder\.frozen=true"):
        ElmoEncoder(TOKENS, str(tmp_path), int8=True, frozen=False)


def test_words_are_cut_to_the_length_of_the_model():
    spelled = word_characters(["x" * 100, "é"], 6)
    assert spelled.shape == (4, 6)
    assert spelled[0].tolist() == [259, *[ord("x") + 1] * 4, 260]
    assert spelled[1].tolist() == [259, 0xC3 + 1, 0xA9 + 1, 260, 261, 261]


def test_faulty_files_are_told(encoder, tmp_path):
    with pytest.raises(MissingWeights, match="no such file or folder"):
        ElmoEncoder(TOKENS, weights=str(tmp_path / "none"))
    with pytest.raises(MissingWeights, match=r"expected one file named \*options.json .* found none and none"):
        ElmoEncoder(TOKENS, weights=str(tmp_path))
    encoder.save_weights(tmp_path)
    ElmoOptions(projection_dim=5).write(tmp_path / "options.json")
    with pytest.raises(MissingWeights, match="does not fit the options beside it"):
        ElmoEncoder(TOKENS, weights=str(tmp_path))
    ElmoOptions(cell_dim="big", cell_clip=None).write(tmp_path / "options.json")
    with pytest.raises(MissingWeights, match="cell_dim is 'big'; cell_clip is None"):
        ElmoEncoder(TOKENS, weights=str(tmp_path))
    for wrong in ({"cell_clip": float("nan")}, {"cell_dim": 10**9}, {"num_layers": 10**4}):  # minutes, then no memory
        ElmoOptions(**wrong).write(tmp_path / "options.json")
        with pytest.raises(MissingWeights, match=f"{next(iter(wrong))} is "):
            ElmoEncoder(TOKENS, weights=str(tmp_path))
    (tmp_path / "options.json").write_text("[]")
    with pytest.raises(MissingWeights, match="is no options file of ELMo"):
        ElmoEncoder(TOKENS, weights=str(tmp_path))
    with pytest.raises(UnknownName, match="did you mean 'elmo'"):
        ElmoEncoder(TOKENS, output="emlo")


def test_public_weights_without_a_network_say_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("EDREW_CACHE", str(tmp_path))
    monkeypatch.setattr("edrew_torch.encoders.elmo.ORIGINAL", "http://127.0.0.1:9/elmo/")
    with pytest.raises(MissingWeights, match=r"cannot be fetched from http://127.0.0.1:9/.*encoder.weights=PATH"):
        ElmoEncoder(TOKENS, weights="original")
