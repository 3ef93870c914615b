# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Labels fused over the frames of a video."""

import numpy as np
import pytest

import fernwood
from fernwood import errors


@pytest.fixture(scope="module")
def frame(test_set) -> fernwood.LabelledFrame:
    return test_set[0]


def video(frame, count=4):
    """A static camera: depth varies only by its noise."""
    draw = np.random.default_rng(1)
    for _ in range(count):
        noise = draw.integers(-3, 4, frame.depth.shape)
        yield frame.color, np.where(frame.depth > 0, frame.depth + noise, 0).astype(np.uint16)


def test_labels_are_fused(forest, frame):
    predictor = forest.predictor(steady=True, device="cpu")
    single = forest.predictor(interpolate=True, device="cpu")
    changes = {"steady": [], "single": []}
    for name, labeller in (("steady", predictor), ("single", single)):
        labels = [labeller.predict(*images, pose=np.eye(4)) for images in video(frame)]
        changes[name] = np.mean([np.mean(a != b) for a, b in zip(labels, labels[1:])])
    assert single.last_steady is None
    last = predictor.last_steady
    assert isinstance(last, fernwood.SteadyFrame) and last.why_not == "" and last.followed > 0.5
    assert last.motion.shape == (4, 4) and np.allclose(last.motion, np.eye(4), atol=0.02)
    assert changes["steady"] < 0.6 * changes["single"]


def test_poses_are_taken(forest, frame):
    predictor = fernwood.Predictor(forest, steady=True, device="cpu")
    moved = np.eye(4)
    moved[2, 3] = 0.004
    for images, pose in zip(video(frame), (np.eye(4), moved)):
        predictor.predict(*images, pose=pose)
    assert np.allclose(predictor.last_steady.motion, moved)
    probabilities = predictor.predict_proba(frame.color, frame.depth, pose=moved[:3])
    assert probabilities.shape == (*frame.depth.shape, len(forest.classes))
    assert np.allclose(predictor.last_steady.motion, np.eye(4), atol=1e-6)


@pytest.mark.parametrize(
    "pose, says",
    [
        (np.eye(3), "shape"),
        ("here", "numbers"),
        (2 * np.eye(4), "does not rotate"),
        (np.diag([1, 1, -1, 1]), "does not rotate"),
        (np.full((4, 4), np.nan), "does not rotate"),
        (np.array([[1, 0, 0, np.inf], [0, 1, 0, 0], [0, 0, 1, 0]]), "finite"),
    ],
)
def test_a_pose_that_is_none(forest, frame, pose, says):
    predictor = forest.predictor(steady=True, device="cpu")
    with pytest.raises(errors.UsageError, match=says):
        predictor.predict(frame.color, frame.depth, pose=pose)


def test_options_that_do_not_go_together(forest):
    with pytest.raises(errors.UsageError, match="steady"):
        forest.predictor(steady=True, interpolate=False)


def pose_of(line: str) -> np.ndarray:
    """The pose in a line of poses.txt: name, position, and quaternion with w last."""
    place, (x, y, z, w) = np.split(np.array(line.split()[1:], float), [3])
    rotation = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.column_stack([rotation, place])


def test_an_evaluation_takes_the_poses_beside_the_frames(forest, tmp_path):
    fernwood.dataset.generate(tmp_path, frames=1, test_frames=0, sequence=5, size=(96, 72), progress=False)
    (recording,) = (tmp_path / "train").glob("room*")
    lines = [line for line in (recording / "poses.txt").read_text().splitlines() if not line.startswith("#")]
    data = fernwood.Dataset(recording)

    def accuracy(poses):
        predictor, right = forest.predictor(steady=True, device="cpu"), []
        for frame, pose in zip(data, poses):
            labels = predictor.predict(frame.color, frame.depth, camera=frame.camera, pose=pose)
            right.append((labels == frame.labels)[frame.labels != fernwood.VOID])
        return np.concatenate(right).mean()

    def evaluated(**options):
        return fernwood.evaluate(forest, data, device="cpu", progress=False, **options).pixel_accuracy

    with_poses, without = accuracy(map(pose_of, lines)), accuracy([None] * len(lines))
    assert with_poses != without
    assert evaluated(steady=True) == pytest.approx(with_poses)
    with (recording / "poses.txt").open("a") as file:
        file.write("ghost 0 0 0 0 0 0 1\n")
    with pytest.warns(UserWarning, match="names that are of no frame are left out: ghost"):
        evaluated(steady=True)
    (recording / "poses.txt").unlink()
    assert evaluated(steady=True) == pytest.approx(without)
