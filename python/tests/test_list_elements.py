# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Errors about an element of a wrong type in a list state its index and the expected type."""

import numpy as np
import pytest

import fernwood
from fernwood.errors import UsageError

COLOR = np.arange(216, dtype=np.uint8).reshape(8, 9, 3)
LABELS = np.arange(72).reshape(8, 9) % 3


def of_arrays(frames=(COLOR, COLOR), labels=(LABELS, LABELS), **more):
    return fernwood.Dataset.from_arrays(list(frames), list(labels), **more)


@pytest.mark.parametrize(
    "call, words",
    {
        "stream": (lambda use: list(use.forest.stream([use.frame, None])), "frame 1: the frame is None; give"),
        "stream of numbers": (lambda use: list(use.forest.stream([use.frame, 5])), "frame 1: color has the shape"),
        "stream of parts": (lambda use: list(use.forest.stream([use.frame, (None, object())])), "frame 1: depth is an obj"),
        "stream of nothing": (lambda use: list(use.forest.stream(5)), "^frames is 5, an int; give a list"),
        "frames": (lambda use: of_arrays([COLOR, None]), "frame 1: the frame is None; give"),
        "frames of nothing": (lambda use: fernwood.Dataset.from_arrays(5), "^frames is 5, an int; give a list"),
        "labels": (lambda use: of_arrays(labels=[LABELS, None]), "frame 1: labels is a NoneType"),
        "labels with classes": (lambda use: of_arrays(labels=[LABELS, None], classes="abc".split()), "frame 1: labels are None"),
        "groups": (lambda use: of_arrays(groups=[1, None]), r"^groups\[1\] is None, a NoneType; give a text or a number"),
        "names": (lambda use: of_arrays(names=["a", 2]), r"^names\[1\] is 2, an int; give a text"),
        "classes": (lambda use: of_arrays(classes=["a", None]), r"^classes\[1\] is None, a NoneType; give a name"),
        "classes as a text": (lambda use: of_arrays(classes="abc"), "^classes is 'abc', a str; give a list"),
        "colours": (lambda use: of_arrays(classes={"a": (0, 0, 1), "b": None}), r"^classes\['b'\] is None; give a colour"),
        "ignored": (lambda use: fernwood.Dataset(use.folder, ignored_colors=[(1, 2, 3), (1, 2)]), r"^ignored_colors\[1\] is"),
        "ignored in check": (lambda use: fernwood.dataset.check(use.folder, ignored_colors=[(1, 2, 256)]), r"^ignored_colors\[0\]"),
        "indices": (lambda use: use.data.subset([0, "a"]), r"^indices\[1\] is 'a', a str; give the index of a frame"),
        "negative indices": (lambda use: use.data.subset([-1]), r"^indices\[0\] is -1"),
        "masks": (lambda use: use.data.subset([True, False]), r"^indices\[0\] is True, a bool"),
        "size": (lambda use: fernwood.dataset.generate(use.new, size=(96, "a")), r"^size\[1\] is 'a', a str; give a whole"),
        "size of three": (lambda use: fernwood.dataset.generate(use.new, size=(9, 9, 9)), r"give \(width, height\)$"),
        "pixel": (lambda use: use.forest.explain(COLOR, at=(1.5, 1)), r"^at\[0\] is 1.5, a float"),
        "far pixel": (lambda use: use.forest.explain(COLOR, at=(1, 2**40)), r"^at\[1\] is 1099511627776"),
        "only": (lambda use: fernwood.study(use.data, use.data, only=["trees", 3]), r"^only\[1\] is 3, an int; give a text"),
        "only as a text": (lambda use: fernwood.study(use.data, use.data, only="trees"), "^only is 'trees', a str"),
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


def test_what_was_right_stays_right(train_set):
    assert of_arrays(classes=range(3), groups=np.array(["b", "a"]), names=("x", "y")).groups.tolist() == [1, 0]
    assert len(train_set.subset(np.array([3, 1]))) == 2 and len(train_set.subset(i for i in (0, 2))) == 2
