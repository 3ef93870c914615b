# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Encoders: ONNX files with tiny networks, modules, functions; the models that need them, and kept maps."""

import re

import numpy as np
import pytest

import fernwood
from fernwood import encoders
from fernwood.errors import DataError, ModelError, UsageError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("PIL")

SMALL = {"trees": 4, "samples_per_frame": 200, "features": 40, "max_depth": 5, "seed": 3, "progress": False}
PATCH = 8


def write_network(path, size=("rows", "cols"), extra=2, scale=1.0):
    """Patches of 8 x 8 pixels: their mean colours as maps, and as tokens behind `extra` ones, of two blocks."""
    helper = onnx.helper
    weights = np.zeros((3, 3, PATCH, PATCH), np.float32)
    for c in range(3):
        weights[c, c] = scale / PATCH**2
    constants = {
        "weights": weights,
        "extra": np.full((1, extra, 3), 9, np.float32),
        "shape": np.array([1, 3, -1], np.int64),
        "two": np.float32(2),
    }
    nodes = [
        helper.make_node("Conv", ["image", "weights"], ["maps"], strides=[PATCH, PATCH]),
        helper.make_node("Reshape", ["maps", "shape"], ["rows"]),
        helper.make_node("Transpose", ["rows"], ["patches"], perm=[0, 2, 1]),
        helper.make_node("Concat", ["extra", "patches"], ["/blocks.0/Add_output_0"], axis=1),
        helper.make_node("Add", ["/blocks.0/Add_output_0", "two"], ["/blocks.1/Add_1_output_0"]),
        helper.make_node("Identity", ["/blocks.1/Add_1_output_0"], ["tokens"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [1, 3, *size])],
        [helper.make_tensor_value_info("tokens", onnx.TensorProto.FLOAT, [1, "n", 3])],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7)
    onnx.save(model, path)
    return str(path)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return write_network(tmp_path_factory.mktemp("encoders") / "tiny.onnx")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("FERNWOOD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def color_of(rows=48, cols=64):
    """The upper half is red, the lower one blue."""
    color = np.zeros((rows, cols, 3), np.uint8)
    color[: rows // 2, :, 0] = 255
    color[rows // 2 :, :, 2] = 255
    return color


def test_convolutions_are_maps_and_tokens_lose_those_of_no_place(network):
    for tensor, more in (("maps", 0), ("tokens", 2), ("/blocks.0/Add_output_0", 0)):
        maps = encoders.from_onnx(f"{network}:{tensor}", size=64, normalization="unit")(color_of(), None)
        assert maps.shape == (3, 6, 8)
        np.testing.assert_allclose(maps[0, :3], 1 + more, atol=1e-5)
        np.testing.assert_allclose(maps[0, 3:], more, atol=1e-5)
        np.testing.assert_allclose(maps[2, 3:], 1 + more, atol=1e-5)
    both = encoders.from_onnx(f"{network}:maps,tokens", size=64, normalization="unit")(color_of())
    np.testing.assert_allclose(both[3:], both[:3] + 2, atol=1e-5)


def test_a_number_is_a_block_whose_tokens_are_normalised(network):
    maps = encoders.from_onnx(f"{network}:2", size=64, normalization="unit")(color_of())
    np.testing.assert_allclose(maps.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(maps[:, 0, 0], np.array([2, -1, -1]) / np.sqrt(2), atol=1e-4)
    with pytest.raises(UsageError, match="has no block 3, they are 1 to 2"):
        encoders.from_onnx(f"{network}:3")(color_of())


def test_the_input_keeps_the_proportions_of_the_frame(network):
    assert encoders.from_onnx(f"{network}:maps")(color_of(480, 640)).shape == (3, 42, 56)
    assert encoders.from_onnx(f"{network}:maps", size=100)(color_of(640, 480)).shape == (3, 12, 9)


def test_colours_are_scaled_as_in_the_training_of_the_network(network):
    for name, (mean, deviation) in encoders.NORMALIZATIONS.items():
        maps = encoders.from_onnx(f"{network}:maps", size=64, normalization=name)(color_of())
        np.testing.assert_allclose(maps[0, 0, 0], (1 - mean[0]) / deviation[0], atol=1e-5)


def test_a_graph_of_one_size_computes_with_that(tmp_path):
    helper, path = onnx.helper, tmp_path / "fixed.onnx"
    weights = np.full((1, 3, 16, 16), 1 / 768, np.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["image", "weights"], ["small"], strides=[16, 16]),
         helper.make_node("Add", ["small", "place"], ["maps"])],
        "fixed",
        [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, [1, 3, 32, 64])],
        [helper.make_tensor_value_info("maps", onnx.TensorProto.FLOAT, [1, 1, 2, 4])],
        [onnx.numpy_helper.from_array(weights, "weights"),
         onnx.numpy_helper.from_array(np.zeros((1, 1, 2, 4), np.float32), "place")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=7), path)
    assert encoders.from_onnx(path)(color_of()).shape == (1, 2, 4)
    with pytest.raises(DataError, match="fails with an input of 128 x 96 pixels: .*; use another size"):
        encoders.from_onnx(path, size=128)(color_of())


def test_what_is_wrong_with_a_file_is_told(network, tmp_path):
    (tmp_path / "text.onnx").write_text("no network")
    for given, message in [
        (tmp_path / "text.onnx", "is not an ONNX file"),
        (tmp_path / "none.onnx", "cannot be read: No such file"),
    ]:
        with pytest.raises(DataError, match=message):
            encoders.from_onnx(given)(color_of())
    with pytest.raises(UsageError, match="has no tensor x; name tensors after a colon, such as .*Add"):
        encoders.from_onnx(f"{network}:x")(color_of())
    with pytest.raises(UsageError, match='normalization is "imagnet"; use one of imagenet'):
        encoders.from_onnx(network, normalization="imagnet")
    with pytest.raises(DataError, match="tokens, and an input of"):
        encoders.from_onnx(write_network(tmp_path / "many.onnx", extra=70))(color_of())
    with pytest.raises(DataError, match="has no colour"):
        encoders.from_onnx(network)(None, np.ones((4, 4), np.uint16))


def test_a_model_finds_its_encoder_and_refuses_others(network, rooms, test_set, tmp_path):
    forest = fernwood.train(rooms, encoder=f"{network}:maps", **SMALL)
    forest.save(tmp_path / "m.fernwood")
    again = fernwood.Forest.load(tmp_path / "m.fernwood")
    frame = test_set.frame(0)
    labels = again.predict(frame.color, frame.depth, camera=frame.camera)
    maps = encoders.from_onnx(f"{network}:maps")(frame.color).astype(np.float16)
    assert np.array_equal(labels, again.predict(frame.color, frame.depth, camera=frame.camera, maps=maps))
    assert np.array_equal(labels, again.predict(frame.color, frame.depth, camera=frame.camera, encoder=f"{network}:maps"))
    assert np.array_equal(labels, next(again.stream([frame])))
    assert fernwood.evaluate(again, rooms, progress=False).pixel_accuracy > 0
    again.explain(frame.color, frame.depth, camera=frame.camera, at=(48, 40))
    with pytest.raises(ModelError, match="was trained with the encoder tiny of checksum"):
        again.predict(frame.color, frame.depth, encoder=f"{network}:tokens")
    other = write_network(tmp_path / "tiny.onnx", scale=2.0)
    with pytest.raises(ModelError, match="pass the one of the training"):
        fernwood.evaluate(again, rooms, encoder=f"{other}:maps", progress=False)


def test_a_missing_or_changed_file_is_named(rooms, test_set, tmp_path):
    path = tmp_path / "tiny.onnx"
    forest = fernwood.train(rooms, encoder=f"{write_network(path)}:maps", **SMALL)
    frame = test_set.frame(0)
    write_network(path, scale=2.0)
    with pytest.raises(ModelError, match="the model was trained with the encoder tiny of checksum"):
        fernwood.Forest.predict(forest, frame.color, frame.depth, threads=1)
    path.unlink()
    with pytest.raises(DataError, match=f"needs the encoder tiny: {re.escape(str(path))} cannot be read"):
        forest.predict(frame.color, frame.depth)


def test_maps_of_a_file_are_computed_once(network, rooms, own_cache):
    first = fernwood.train(rooms, encoder=f"{network}:maps", **SMALL)
    files = sorted(own_cache.glob("maps/*/*.maps"))
    assert len(files) == 8
    times = [file.stat().st_ino for file in files]
    assert fernwood.train(rooms, encoder=f"{network}:maps", **SMALL) == first
    assert [file.stat().st_ino for file in sorted(own_cache.glob("maps/*/*.maps"))] == times


def half_grey(color, depth):
    return color[::2, ::2].mean(axis=-1)[np.newaxis]


def test_a_function_is_an_encoder_and_must_be_given_again(rooms, test_set, tmp_path):
    forest = fernwood.train(rooms, encoder=half_grey, **SMALL)
    forest.save(tmp_path / "m.fernwood")
    again, frame = fernwood.Forest.load(tmp_path / "m.fernwood"), test_set.frame(0)
    labels = again.predict(frame.color, frame.depth, camera=frame.camera, encoder=half_grey)
    maps = half_grey(frame.color, frame.depth).astype(np.float16)
    assert np.array_equal(labels, again.predict(frame.color, frame.depth, camera=frame.camera, maps=maps))
    with pytest.raises(DataError, match="no feature maps"):
        again.predict(frame.color, frame.depth)
    with pytest.raises(ModelError, match=r"by the encoder .*half_grey, and there are none"):
        fernwood.evaluate(again, rooms, progress=False)
    with pytest.raises(UsageError, match="the model reads no maps of an encoder"):
        fernwood.train(rooms, **SMALL).predict(frame.color, frame.depth, encoder=half_grey)
    with pytest.raises(ZeroDivisionError):
        fernwood.train(rooms, encoder=lambda color, depth: 1 / 0, **SMALL)


def test_a_module_of_pytorch_is_an_encoder():
    torch = pytest.importorskip("torch")
    module = torch.nn.Conv2d(3, 4, PATCH, PATCH)
    assert encoders.from_torch(module, size=64)(color_of()).shape == (4, 4, 8)  # multiples of 32 pixels
    tokens = encoders.from_torch(module, lambda m, x: m(x).flatten(2).transpose(1, 2), patch=PATCH, size=64)
    assert tokens(color_of()).shape == (4, 6, 8)


def test_what_a_search_found_names_its_encoder(network, rooms, program, tmp_path):
    (tmp_path / "space.toml").write_text("trees = {value = 2}\nmax_depth = {value = 3}\ncascade = {value = \"1\"}\n")
    fernwood.search(
        rooms, encoder=encoders.from_onnx(f"{network}:maps", size=64, normalization="unit"), out=tmp_path / "race",
        space=tmp_path / "space.toml", trials=2, batch_size=2, folds=3, progress=False,
    )
    program("train", "--config", tmp_path / "race/best.toml", "--data", rooms, "--out", tmp_path / "again.fernwood")
    assert (tmp_path / "again.fernwood").read_bytes() == (tmp_path / "race/best.fernwood").read_bytes()


def test_the_program_runs_them_too(network, rooms, program, tmp_path):
    small = ["--trees", 4, "--samples-per-frame", 200, "--features", 40, "--max-depth", 5, "--seed", 3]
    program("train", "--data", rooms, "--encoder", f"{network}:maps", "--out", tmp_path / "p.fernwood", *small)
    fernwood.train(rooms, encoder=f"{network}:maps", out=tmp_path / "q.fernwood", **SMALL)
    assert (tmp_path / "p.fernwood").read_bytes() == (tmp_path / "q.fernwood").read_bytes()
    program("evaluate", "--model", tmp_path / "p.fernwood", "--data", rooms)
    program("live", "--model", tmp_path / "p.fernwood", "--source", f"frames:{rooms / 'test'}", "--headless", "--every-frame")
