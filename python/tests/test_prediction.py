# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import threading

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, DeviceError, UsageError


@pytest.fixture(scope="module")
def frame(test_set):
    return test_set.frame(0)


def test_labels_are_the_programs(forest, frame, rooms, tmp_path, program):
    forest.save(tmp_path / "model")
    program("predict", "--model", tmp_path / "model", "--data", rooms / "test", "--out", tmp_path / "out", "--npy",
            "--probabilities", "--smooth", 4)
    expected = np.load(tmp_path / "out" / "scene0008_labels.npy")
    assert np.array_equal(forest.predict(frame.color, frame.depth, camera=frame.camera, smooth=4), expected)
    expected = np.load(tmp_path / "out" / "scene0008_probabilities.npy")
    found = forest.predict_proba(frame.color, frame.depth, camera=frame.camera, smooth=4)
    assert np.array_equal(found, expected)


def test_probabilities_have_the_class_last(forest, frame):
    shares = forest.predict_proba(frame.color, frame.depth, camera=frame.camera)
    assert (shares.shape, shares.dtype) == ((72, 96, 9), np.float32)
    assert np.allclose(shares.sum(axis=-1), 1, atol=0.02)


def test_one_predictor_takes_frames_of_all_sizes_and_threads(forest, test_set):
    predictor = fernwood.Predictor(forest, threads=1)
    frames = [test_set.frame(index) for index in range(4)]
    alone = [predictor.predict(frame.color, frame.depth, camera=frame.camera) for frame in frames]
    small = predictor.predict(frames[0].color[:30], frames[0].depth[:30], camera=frames[0].camera)
    assert small.shape == (30, 96)
    found = {}

    def work(index):
        frame = frames[index]
        for _ in range(5):
            found[index] = predictor.predict(frame.color, frame.depth, camera=frame.camera)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[index], alone[index]) for index in range(4))


def test_a_frame_stands_for_its_arrays(forest, frame):
    labels = forest.predict(frame.color, frame.depth, camera=frame.camera)
    assert np.array_equal(forest.predict(frame), labels)
    assert np.array_equal(forest.predict(fernwood.Frame(frame.color, frame.depth), camera=frame.camera), labels)
    assert np.array_equal(forest.predict_proba(frame).argmax(axis=-1), labels)
    with pytest.raises(UsageError, match="color is a LabelledFrame, which has depth; leave depth out"):
        forest.predict(frame, frame.depth)


def test_a_camera_may_be_a_matrix(forest, frame):
    fx, fy, cx, cy = frame.camera
    matrix = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    assert np.array_equal(forest.predict(frame, camera=matrix), forest.predict(frame))
    with pytest.raises(UsageError, match="camera is array.*pass .fx, fy, cx, cy. in pixels, a 3 x 3 camera matrix, or None"):
        forest.predict(frame, camera=matrix + [[0, 1, 0], [0, 0, 0], [0, 0, 0]])


def test_a_panel_shows_color_depth_and_labels(forest, frame):
    labels = forest.predict(frame)
    panel = forest.panel(frame)
    assert (panel.shape, panel.dtype) == ((72, 3 * 96, 3), np.uint8)
    assert np.array_equal(panel[:, :96], frame.color) and np.array_equal(panel[:, 192:], forest.colorize(labels))
    assert not panel[:, 96:192][frame.depth == 0].any()


def test_metres_are_millimetres(forest, frame):
    metres = np.where(frame.depth > 0, frame.depth / 1000, np.nan).astype(np.float32)
    expected = forest.predict(frame.color, frame.depth, camera=frame.camera)
    assert np.array_equal(forest.predict(frame.color, metres, camera=frame.camera), expected)


def test_a_stream_gives_the_labels_in_order(forest, test_set):
    expected = [forest.predict(frame.color, frame.depth, camera=frame.camera) for frame in test_set]
    for in_flight in (1, 3, 9):
        found = list(forest.stream(test_set, frames_in_flight=in_flight))
        assert len(found) == 4 and all(np.array_equal(a, b) for a, b in zip(found, expected))
    with pytest.raises(UsageError, match="frame 1: color"):
        list(forest.stream([test_set.frame(0), ("a", None)]))
    with pytest.raises(UsageError):
        list(forest.stream(test_set, frames_in_flight=0))


def test_depth_of_another_camera_is_moved_to_colour(forest, frame):
    rows, cols = frame.depth.shape
    fx, fy, cx, cy = frame.camera
    # A camera in the same position with half the resolution: one depth pixel for four colour pixels.
    half = np.ascontiguousarray(frame.depth[::2, ::2])
    depth_camera = fernwood.DepthCamera((fx / 2, fy / 2, (cx - 0.5) / 2, (cy - 0.5) / 2))
    whole = np.repeat(np.repeat(half, 2, axis=0), 2, axis=1)[:rows, :cols]
    expected = forest.predict(frame.color, whole, camera=frame.camera)
    apart = fernwood.Frame(frame.color, half, frame.camera, depth_camera=depth_camera)
    found = forest.predict(frame.color, half, camera=frame.camera, depth_camera=depth_camera)
    assert np.mean(found == expected) > 0.99  # rounding moves the edges of squares by a pixel
    assert np.array_equal(next(forest.stream([apart])), found)
    assert np.array_equal(fernwood.Dataset.from_arrays([apart]).frame(0).depth.shape, frame.color.shape[:2])
    shares = forest.predict_proba(frame.color, half, camera=frame.camera, depth_camera=depth_camera)
    assert shares.shape[:2] == found.shape
    turned = depth_camera._replace(translation=(0.3, 0, 0))
    assert not np.array_equal(forest.predict(frame.color, half, camera=frame.camera, depth_camera=turned), found)
    with pytest.raises(UsageError, match="scale one of them, or use depth_camera"):
        forest.predict(frame.color, half, camera=frame.camera)
    with pytest.raises(UsageError, match="without camera"):
        forest.predict(frame.color, half, depth_camera=depth_camera)
    with pytest.raises(UsageError, match="rotation has 3 numbers; use 9"):
        forest.predict(
            frame.color, half, camera=frame.camera, depth_camera=depth_camera._replace(rotation=(0, 0, 0))
        )
    with pytest.raises(UsageError, match="use a fernwood.DepthCamera"):
        forest.predict(frame.color, half, camera=frame.camera, depth_camera=(1, 2, 3, 4))


def test_the_camera_that_is_assumed_is_a_warning_once(forest, frame):
    predictor = fernwood.Predictor(forest)
    with pytest.warns(fernwood.FernwoodWarning, match="the camera's intrinsics are unknown"):
        predictor.predict(frame.color, frame.depth)
    predictor.predict(frame.color, frame.depth)


def test_wrong_input_is_told(forest, frame):
    with pytest.raises(DataError, match="no depth"):
        forest.predict(frame.color, camera=frame.camera)
    with pytest.raises(UsageError, match="color and depth are None"):
        forest.predict(None)
    with pytest.raises(UsageError, match="scale one"):
        forest.predict(frame.color[::2], frame.depth)
    with pytest.raises(UsageError, match="did you mean smooth"):
        forest.predict(frame.color, frame.depth, smoth=3)
    with pytest.raises(UsageError, match="smooth"):
        forest.predict(frame.color, frame.depth, smooth=1001)
    with pytest.raises(UsageError, match="camera is"):
        forest.predict(frame.color, frame.depth, camera="kinect")
    if fernwood.available_devices() == ["cpu"]:
        with pytest.raises(DeviceError, match="cuda"):
            forest.predict(frame.color, frame.depth, device="cuda:0")
