# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Wrong arguments are refused with an error of the package before any work; none are ignored."""

import math

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, UsageError

TINY = {"trees": 1, "features": 10, "samples_per_frame": 20, "max_depth": 2, "backbone": "none", "progress": False}


@pytest.fixture(scope="module")
def arrays(train_set):
    frames = [train_set[index] for index in range(3)]
    return [(frame.color, frame.depth) for frame in frames], [frame.labels for frame in frames]


def refused(call, error, *parts: str) -> None:
    with pytest.raises(error) as raised:
        call()
    for part in parts:
        assert part in str(raised.value)
    assert " a int" not in str(raised.value) and "--" not in str(raised.value)


def test_labels_are_refused_for_what_is_wrong_with_them(arrays):
    frames, labels = arrays
    train = fernwood.train
    refused(lambda: train(frames, [image.astype(float) for image in labels], **TINY), UsageError, "float64", "integers")
    refused(lambda: train(frames, [image > 1 for image in labels], **TINY), UsageError, "False is class 0")
    refused(lambda: train(frames, [image.astype(int) + 70000 for image in labels], **TINY), UsageError, "from 0 to 65533")
    refused(lambda: fernwood.Dataset.from_arrays(frames, []), UsageError, "3 frames and labels for 0")
    refused(lambda: fernwood.Dataset.from_arrays([], []), UsageError, "there is no frame")
    refused(lambda: train(frames, labels, groups=[1, 1, 1], cascade=2, **TINY), UsageError, "there is one, or one group of them")


def test_frames_are_asked_for_by_number(train_set):
    assert train_set[-1].color.shape == train_set[len(train_set) - 1].color.shape
    for index in (len(train_set), -len(train_set) - 1):
        refused(lambda index=index: train_set[index], IndexError, f"there is no frame {index}")
    refused(lambda: train_set[0:2], UsageError, "data.subset(indices)")
    refused(lambda: train_set.subset([]), UsageError, "indices names no frame")


def test_a_path_is_no_forest_and_no_map(forest, rooms):
    for call in (
        lambda: fernwood.evaluate("rooms.fernwood", rooms),
        lambda: fernwood.verify("rooms.fernwood", rooms),
        lambda: fernwood.Predictor("rooms.fernwood"),
        lambda: fernwood.map("rooms.fernwood", rooms / "test"),
        lambda: fernwood.live("rooms.fernwood", rooms / "test"),
    ):
        refused(call, UsageError, "forest is a str", "Forest.load(path)")
    refused(lambda: fernwood.Forest("rooms.fernwood"), UsageError, "a str is not a trained forest")
    refused(lambda: fernwood.map(forest, rooms / "test", continued="room.map"), UsageError, "fernwood.load_map(path)")
    fernwood.live(forest, rooms / "test", max_frames=1).close()


def test_no_option_of_verify_is_ignored(forest, rooms):
    for option in ({"device": "nope"}, {"layout": "xx"}, {"steady": True}):
        refused(lambda option=option: fernwood.verify(forest, rooms, **option), UsageError, next(iter(option)), "not for verify()")
    refused(lambda: fernwood.verify(forest, rooms, smoth=2), UsageError, "(did you mean smooth?)")


def test_arguments_of_a_training_are_checked(train_set, tmp_path):
    for seconds in (-1, math.nan):
        refused(lambda s=seconds: fernwood.train(train_set, checkpoint_every=s, **TINY), UsageError, "checkpoint_every is")
    refused(lambda: fernwood.train(train_set, out="", **TINY), UsageError, "out is empty")
    refused(lambda: fernwood.train(train_set, **{**TINY, "progress": "yes"}), UsageError, "progress is 'yes'")
    refused(lambda: fernwood.train(3, **TINY), UsageError, "data is an int")
    refused(lambda: fernwood.train(train_set, memory_budget=4, **TINY), UsageError, "memory_budget='4GiB'")


def test_colors_are_those_of_classes_or_black(forest):
    labels = np.array([[-2, 0, len(forest.classes), fernwood.VOID]])
    colors = forest.colorize(labels)
    assert colors[0, 1].tolist() == forest.colors[0].tolist() and not colors[0, [0, 2, 3]].any()
    for wrong in (np.zeros((2, 2)), np.zeros((2, 2, 3), int)):
        refused(lambda wrong=wrong: forest.colorize(wrong), UsageError, "integers of shape (rows, columns)")


def test_names_with_the_byte_zero_are_refused(forest, tmp_path):
    refused(lambda: forest.save(f"{tmp_path}/a\0b"), UsageError, "the byte 0")
    assert not (tmp_path / "a").exists()


def test_empty_classes_are_one_warning(arrays):
    frames, labels = arrays
    names = [f"class {number}" for number in range(60)]
    with pytest.warns(fernwood.FernwoodWarning) as said:
        fernwood.train(frames, labels, classes=names, **TINY)
    empty = [str(warning.message) for warning in said if "have no pixel" in str(warning.message)]
    assert len(empty) == 1 and empty[0].endswith(", ...") and len(empty[0]) < 400


def test_depth_that_is_missing_is_told_truly(forest, train_set):
    refused(lambda: forest.predict(train_set[0].color), DataError, "pass depth, or train without")


COLOR = np.arange(216, dtype=np.uint8).reshape(8, 9, 3)
LABELS = np.arange(72).reshape(8, 9) % 3


def of_arrays(frames=(COLOR, COLOR), labels=(LABELS, LABELS), **more):
    return fernwood.Dataset.from_arrays(list(frames), list(labels), **more)


@pytest.mark.parametrize(
    "call, words",
    {
        "stream": (lambda use: list(use.forest.stream([use.frame, None])), "frame 1: the frame is None; use"),
        "stream of nothing": (lambda use: list(use.forest.stream(5)), "^frames is 5, an int; pass a list"),
        "labels with classes": (lambda use: of_arrays(labels=[LABELS, None], classes="abc".split()), "frame 1: labels are None"),
        "groups": (lambda use: of_arrays(groups=[1, None]), r"^groups\[1\] is None, a NoneType; pass a string or a number"),
        "classes as a string": (lambda use: of_arrays(classes="abc"), "^classes is 'abc', a str; pass a list"),
        "colours": (lambda use: of_arrays(classes={"a": (0, 0, 1), "b": None}), r"^classes\['b'\] is None; pass a colour"),
        "ignored": (lambda use: fernwood.Dataset(use.folder, ignored_colors=[(1, 2, 3), (1, 2)]), r"^ignored_colors\[1\] is"),
        "indices": (lambda use: use.data.subset([0, "a"]), r"^indices\[1\] is 'a', a str; pass the index of a frame"),
        "size of three": (lambda use: fernwood.dataset.generate(use.new, size=(9, 9, 9)), r"pass \(width, height\)$"),
        "far pixel": (lambda use: use.forest.explain(COLOR, at=(1, 2**40)), r"^at\[1\] is 1099511627776"),
        "only": (lambda use: fernwood.study(use.data, use.data, only=["trees", 3]), r"^only\[1\] is 3, an int; pass a string"),
        "configurations": (lambda use: fernwood.search(use.data, configurations=[{"trees": 3}, None]), r"^configurations\[1\] is None"),
        "options": (lambda use: fernwood.train(use.data, channels=["lab", None]), r"^channels\[1\] is None, a NoneType"),
        "weights": (lambda use: fernwood.train(use.data, class_weights={"a": object()}), r"^class_weights\['a'\] is <obj"),
    }.values(),
)
def test_wrong_elements_are_usage_errors(call, words, forest, train_set, rooms, tmp_path):
    class use:
        data, frame, folder, new = train_set, train_set.frame(0), rooms / "train", tmp_path / "new"

    use.forest = forest
    with pytest.raises(UsageError, match=words):
        call(use)
