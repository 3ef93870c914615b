# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Probable mistakes in frames cause one warning before work begins, at the caller's line."""

import pickle
import warnings

import numpy as np
import pytest

import fernwood
from conftest import SMALL

CAMERA = (30.0, 30.0, 15.5, 11.5)
SIZE = (24, 32)


def room_mm(frame: int = 0) -> np.ndarray:
    """A slanted wall, 1.5 to 3.7 m away."""
    return (1500 + 40 * np.add.outer(np.arange(SIZE[0]), np.arange(SIZE[1])) + frame).astype(np.uint16)


COLORS = [np.random.default_rng(seed).integers(0, 255, (*SIZE, 3), np.uint8) for seed in range(2)]
DEPTHS = [room_mm(frame) for frame in range(2)]
LABELS = [(depth > 2500).astype(np.uint8) for depth in DEPTHS]


def dataset_of(depths, labels=LABELS, **more) -> fernwood.Dataset:
    return fernwood.Dataset.from_arrays(list(zip(COLORS, depths)), labels, camera=CAMERA, **more)


def said(work) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.fixture(scope="module")
def sound_forest():
    return fernwood.train(dataset_of(DEPTHS), progress=False, **SMALL)


IMPLAUSIBLE = {
    "float32 in millimetres": (lambda mm: mm.astype(np.float32), "multiply them by 0.001"),
    "float64 in millimetres": (lambda mm: mm.astype(np.float64), "multiply them by 0.001"),
    "float32 in centimetres": (lambda mm: (mm / 10).astype(np.float32), "multiply them by 0.01"),
    "uint16 in metres": (lambda mm: (mm // 1000).astype(np.uint16), "multiply them by 1000"),
    "uint16 in 1/5000 m": (lambda mm: mm * np.uint16(5), "multiply them by 0.2"),
    "int16 in centimetres": (lambda mm: (mm // 10).astype(np.int16), "multiply them by 10"),
    "nothing known": (lambda mm: np.zeros_like(mm), "every depth is unknown"),
    "normalised": (lambda mm: ((mm - mm.min()) / np.ptp(mm)).astype(np.float32), "normalised"),
}


@pytest.mark.parametrize("name", IMPLAUSIBLE)
def test_implausible_depth_is_a_warning_wherever_arrays_come_in(sound_forest, name):
    convert, remedy = IMPLAUSIBLE[name]
    depths = [convert(depth) for depth in DEPTHS]
    made = []
    (sentence,) = said(lambda: made.append(dataset_of(depths)))
    assert remedy in sentence
    assert said(lambda: fernwood.train(made[0], progress=False, **SMALL)) == [], "said before"
    assert said(lambda: fernwood.evaluate(sound_forest, made[0], progress=False)) == [], "said before"
    forest = pickle.loads(pickle.dumps(sound_forest))  # a copy has not warned yet
    (sentence,) = said(lambda: [forest.predict(COLORS[0], depth, camera=CAMERA) for depth in depths])
    assert remedy in sentence
    frames = [fernwood.Frame(color, depth, CAMERA) for color, depth in zip(COLORS, depths)]
    (sentence,) = said(lambda: list(sound_forest.stream(frames)))
    assert remedy in sentence


def test_a_camera_that_is_assumed_is_a_warning_once_for_each_stream(sound_forest):
    frames = list(zip(COLORS, DEPTHS))
    for _ in range(2):
        (sentence,) = said(lambda: list(sound_forest.stream(frames)))
        assert "the camera's intrinsics are unknown" in sentence
    assert said(lambda: list(sound_forest.stream([fernwood.Frame(*frame, camera=CAMERA) for frame in frames]))) == []


@pytest.mark.parametrize(
    "convert", [lambda mm: mm, lambda mm: mm.astype(np.int16), lambda mm: (mm / 1000).astype(np.float32), lambda mm: mm / 1000]
)
def test_depth_of_a_room_is_no_warning_in_any_type(sound_forest, convert):
    depths = [convert(depth) for depth in DEPTHS]
    assert said(lambda: fernwood.train(dataset_of(depths), progress=False, **SMALL)) == []
    assert said(lambda: sound_forest.predict(COLORS[0], depths[0], camera=CAMERA)) == []


def test_a_normalised_camera_is_one_warning(sound_forest):
    camera = (0.9, 1.2, 15.5, 11.5)
    sentences = said(
        lambda: fernwood.train(
            fernwood.Dataset.from_arrays(list(zip(COLORS, DEPTHS)), LABELS, camera=camera), progress=False, **SMALL
        )
    )
    assert sum("the camera's fx is 0.9 for a width of 32 pixels" in sentence for sentence in sentences) == 1
    predictor = sound_forest.predictor()
    (sentence,) = said(lambda: [predictor.predict(COLORS[0], DEPTHS[0], camera=camera) for _ in range(2)])
    assert sentence.startswith("predict: the camera's fx is 0.9")


class MadeWhenAsked:
    """A sequence that creates its frames on access."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return COLORS[index], DEPTHS[index].astype(np.float32)


def test_frames_that_a_sequence_makes_are_judged_when_they_are_used(sound_forest):
    def made():
        return fernwood.Dataset.from_arrays(MadeWhenAsked(), LABELS, classes=["near", "far"], camera=CAMERA)

    (sentence,) = said(lambda: fernwood.train(made(), progress=False, **SMALL))
    assert "multiply them by 0.001" in sentence
    (sentence,) = said(lambda: fernwood.evaluate(sound_forest, made(), progress=False))
    assert "multiply them by 0.001" in sentence


def test_a_warning_comes_before_the_work_that_fails():
    beyond = [np.full(SIZE, 70000), LABELS[1]]
    data = fernwood.Dataset.from_arrays(MadeWhenAsked(), beyond, classes=["near", "far"], camera=CAMERA)
    with pytest.warns(fernwood.FernwoodWarning, match="multiply them by 0.001"):
        with pytest.raises(fernwood.errors.DataError, match="a label is 70000"):
            fernwood.train(data, progress=False, **SMALL)


def test_warnings_that_are_errors_end_the_work():
    with warnings.catch_warnings():
        warnings.simplefilter("error", fernwood.FernwoodWarning)
        with pytest.raises(fernwood.FernwoodWarning, match="multiply them by 0.001"):
            fernwood.train(
                fernwood.Dataset.from_arrays(MadeWhenAsked(), LABELS, classes=["near", "far"]), progress=False, **SMALL
            )
