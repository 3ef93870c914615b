# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Arrays with unusual types or layouts: accepted where the meaning is clear, else refused with the reason and a
remedy."""

import pickle

import numpy as np
import pytest

import fernwood
from conftest import SMALL
from fernwood.errors import DataError, UsageError

SIZE = (24, 32)
CAMERA = (30.0, 30.0, 15.5, 11.5)
COLOR = np.random.default_rng(0).integers(0, 255, (*SIZE, 3), np.uint8)
DEPTH = (1500 + 40 * np.add.outer(np.arange(SIZE[0]), np.arange(SIZE[1]))).astype(np.uint16)
LABELS = (DEPTH > 2500).astype(np.uint8)


def train(color=COLOR, depth=DEPTH, labels=LABELS, **more):
    frames = [(color, depth), (COLOR[::-1].copy(), DEPTH)]
    data = fernwood.Dataset.from_arrays(frames, [labels, LABELS], camera=CAMERA, **more)
    return fernwood.train(data, progress=False, **SMALL)


@pytest.fixture(scope="module")
def forest():
    return train()


def masked(array, where=None):
    return np.ma.masked_array(array, np.zeros(array.shape, bool) if where is None else where)


SAME = {
    "big-endian depth": {"depth": DEPTH.astype(">u2")},
    "big-endian depth in metres": {"depth": (DEPTH / 1000).astype(">f4")},
    "big-endian labels": {"labels": LABELS.astype(">i4")},
    "strides": {"color": np.asfortranarray(COLOR), "depth": np.asfortranarray(DEPTH), "labels": np.asfortranarray(LABELS)},
    "reversed": {"color": COLOR[::-1, ::-1][::-1, ::-1], "depth": DEPTH[::-1][::-1]},
    "nothing masked": {"color": masked(COLOR), "depth": masked(DEPTH), "labels": masked(LABELS)},
    "wide integers": {"color": COLOR.astype(np.int32), "depth": DEPTH.astype(np.int64), "labels": LABELS.astype(np.uint64)},
    "lists": {"color": COLOR.tolist(), "depth": DEPTH.tolist(), "labels": LABELS.tolist()},
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_numbers_in_other_arrays_are_the_same_frame(forest, name):
    given = SAME[name]
    assert pickle.dumps(train(**given)) == pickle.dumps(forest)
    want = forest.predict(COLOR, DEPTH, camera=CAMERA)
    got = forest.predict(given.get("color", COLOR), given.get("depth", DEPTH), camera=CAMERA)
    assert np.array_equal(got, want)


def test_arrays_that_cannot_be_written_are_read(forest):
    color, depth, labels = COLOR.copy(), DEPTH.copy(), LABELS.copy()
    for array in (color, depth, labels):
        array.setflags(write=False)
    assert pickle.dumps(train(color, depth, labels)) == pickle.dumps(forest)


def test_what_is_masked_is_unknown_depth_and_no_class(forest):
    where = np.zeros(SIZE, bool)
    where[5:15, 5:20] = True
    unknown, void = np.where(where, 0, DEPTH).astype(np.uint16), np.where(where, -1, LABELS.astype(np.int32))
    want = pickle.dumps(train(depth=unknown, labels=void))
    for depth in (masked(DEPTH, where), masked(DEPTH.astype(np.float32) / 1000, where)):
        for labels in (masked(LABELS, where), masked(LABELS.astype(np.uint16), where), masked(LABELS.astype(np.int64), where)):
            assert pickle.dumps(train(depth=depth, labels=labels)) == want
    predicted = forest.predict(COLOR, masked(DEPTH, where), camera=CAMERA)
    assert np.array_equal(predicted, forest.predict(COLOR, unknown, camera=CAMERA))
    with pytest.raises(UsageError, match="color is masked in places"):
        forest.predict(masked(COLOR, np.repeat(where[..., None], 3, axis=-1)), DEPTH, camera=CAMERA)


REFUSED = {
    "color float": ("color", COLOR / 255, r"float64.*\(255 \* color\)"),
    "color with alpha": ("color", np.dstack([COLOR, COLOR[..., :1]]), r"color\[\.\.\., :3\]"),
    "color with channels first": ("color", COLOR.transpose(2, 0, 1), r"transpose\(1, 2, 0\)"),
    "grey color": ("color", COLOR[..., 0], r"numpy\.stack"),
    "color of 16 bits": ("color", COLOR.astype(np.uint16), r"color // 256"),
    "color of objects": ("color", COLOR.astype(object), "an ndarray of object, not an array of numbers"),
    "rows of other lengths": ("depth", [[1, 2], [3]], "depth is a list that is not an array"),
    "depth of 8 bits": ("depth", LABELS, "8 bits hold no millimetres"),
    "depth that 16 bits do not hold": ("depth", np.where(DEPTH == 1540, 70000, DEPTH.astype(np.int32)), "to 70000; use mill"),
    "depth that no type holds": ("depth", np.where(DEPTH == 1540, -1, 20 * DEPTH.astype(np.int64)), "from -1 to "),
    "color that 8 bits do not hold": ("color", COLOR.astype(np.int64) + 2, "to 256; use numbers from 0 to 255"),
    "depth of half precision": ("depth", (DEPTH / 1000).astype(np.float16), r"depth\.astype\(numpy\.float32\)"),
    "depth with a third axis": ("depth", DEPTH[..., None], r"depth\[\.\.\., 0\]"),
    "depth in colours": ("depth", COLOR, "lost its distances"),
    "texts": ("depth", DEPTH.astype(str), "not an array of numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_frame_is_refused_with_the_remedy(forest, name):
    what, array, sentence = REFUSED[name]
    given = {"color": COLOR, "depth": DEPTH, what: array}
    with pytest.raises(UsageError, match=sentence):
        forest.predict(given["color"], given["depth"], camera=CAMERA)
    with pytest.raises(UsageError, match="frame 0: .*" + sentence):
        train(**given)


REFUSED_LABELS = {
    "float": (LABELS.astype(np.float32), "do not interpolate labels"),
    "bool": (LABELS > 0, r"labels\.astype\(numpy\.uint8\)"),
    "one-hot": (np.eye(4, dtype=np.uint8)[LABELS], r"labels\.argmax\(axis=-1\)"),
    "with a third axis": (LABELS[..., None], r"labels\[\.\.\., 0\]"),
    "colours": (COLOR, r"use \(rows, columns\) of integers"),
}


@pytest.mark.parametrize("name", REFUSED_LABELS)
def test_what_are_no_labels_is_refused_with_the_remedy(name):
    labels, sentence = REFUSED_LABELS[name]
    with pytest.raises(UsageError, match="frame 0: labels have .*" + sentence):
        train(labels=labels, classes=["near", "far", "a", "b"])


def test_a_mask_of_0_and_255_is_refused_with_the_remedy():
    frames = [(COLOR, DEPTH)] * 2
    with pytest.raises(DataError, match=r"\(mask > 0\)"):
        fernwood.Dataset.from_arrays(frames, [255 * LABELS] * 2)
    with pytest.warns(fernwood.FernwoodWarning, match="there are 256 classes"):
        fernwood.Dataset.from_arrays(frames, [255 * LABELS.astype(np.int64)] * 2)


def test_numbers_above_127_that_arrive_negative_are_refused_with_the_remedy():
    wrapped = (200 * LABELS).view(np.int8)
    with pytest.raises(DataError, match=r"a label is -56.*labels\.astype\(numpy\.uint8\)"):
        fernwood.Dataset.from_arrays([(COLOR, DEPTH)] * 2, [wrapped] * 2, classes=["near", "far"])[0]


def test_labels_of_one_class_are_a_warning():
    for labels, classes in ((0 * LABELS, None), (255 * LABELS, ["background", "thing"])):
        data = fernwood.Dataset.from_arrays([(COLOR, DEPTH)] * 2, [labels] * 2, classes=classes, camera=CAMERA)
        with pytest.warns(fernwood.FernwoodWarning, match="of one class"):
            fernwood.train(data, progress=False, **SMALL)


@pytest.mark.parametrize("classes, sentence", [(["a", "a"], "two classes"), (["a", " a"], "two classes"), (["a", ""], "no name")])
def test_class_names_are_told_apart(classes, sentence):
    with pytest.raises(UsageError, match=sentence):
        train(classes=classes)


def test_classes_are_those_of_the_model_by_name():
    forest = train(classes=["near", "far"])
    given = fernwood.Dataset.from_arrays([(COLOR, DEPTH)], [LABELS], classes=["near", "far"], camera=CAMERA)
    swapped = fernwood.Dataset.from_arrays([(COLOR, DEPTH)], [1 - LABELS], classes=["far", "near"], camera=CAMERA)
    accuracies = [fernwood.evaluate(forest, data, progress=False).pixel_accuracy for data in (given, swapped)]
    assert accuracies[0] == accuracies[1] > 0.7
