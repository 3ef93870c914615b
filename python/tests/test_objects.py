# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import json

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, UsageError


@pytest.fixture(scope="module")
def frame(test_set):
    return test_set.frame(0)


@pytest.fixture(scope="module")
def forest(rooms):
    """Sure of some classes: pieces of an improbable class are no objects."""
    return fernwood.train(rooms / "train", trees=30, learning_rate=0.3, backbone="none", progress=False)


def test_objects_are_the_programs(forest, frame, rooms, tmp_path, program):
    forest.save(tmp_path / "model")
    out = tmp_path / "out"
    program("predict", "--model", tmp_path / "model", "--data", rooms / "test", "--out", out, "--objects", "--npy",
            "--min-object-area", 10)  # fmt: skip
    found = forest.predict(frame.color, frame.depth, camera=frame.camera, up=frame.up, objects={"min_object_area": 10})
    assert np.array_equal(found.labels, np.load(out / "scene0008_labels.npy"))
    expected = json.loads((out / "scene0008_objects.json").read_text())
    assert {**found.data, "frame": "scene0008"} == expected
    assert len(found) == len(expected["objects"]) > 0


def test_objects_are_rows_of_an_array_whose_numbers_are_those_of_pixels(forest, frame):
    found = forest.predict(frame.color, frame.depth, camera=frame.camera, objects=True)
    assert (found.numbers.shape, found.numbers.dtype) == (found.labels.shape, np.uint16)
    rows = found.objects
    assert [np.sum(found.numbers == row["number"]) for row in rows] == list(rows["pixels"])
    assert [forest.classes[label] for label in rows["label"]] == list(rows["class"])
    assert np.allclose(rows["volume_m3"], rows["size"].prod(axis=1), atol=1e-3)
    assert str(found) in repr(found)


def test_options_state_things_and_wrong_ones_are_refused(forest, frame):
    predictor = fernwood.Predictor(forest, smooth=80)
    found = predictor.predict(frame.color, frame.depth, camera=frame.camera, objects={"things": ["wall"]})
    assert set(found.objects["class"]) == {"wall"}
    for objects in ("wall", {"things": ["cat"]}, {"object_gap": 3}, {"gap": 1}):
        with pytest.raises(UsageError):
            predictor.predict(frame.color, frame.depth, camera=frame.camera, objects=objects)
    with pytest.raises(UsageError):
        predictor.predict(frame.color, frame.depth, objects=True, out=np.zeros(frame.depth.shape, np.uint16))


def test_objects_need_depth(train_set):
    frames = [train_set.frame(index) for index in range(4)]
    colors, labels = [frame.color for frame in frames], [frame.labels for frame in frames]
    forest = fernwood.train(colors, labels, preset="fast", trees=2, backbone="none", progress=False)
    with pytest.raises(DataError, match="depth"):
        forest.predict(colors[0], objects=True)
