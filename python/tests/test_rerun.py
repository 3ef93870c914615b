# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Data logged to rerun: written to a file, read by rerun's own reader, and compared with the original."""

import sys

import numpy as np
import pytest

import fernwood
from fernwood import VOID, Frame
from fernwood.errors import UsageError

CAMERA = (60.0, 61.0, 15.5, 11.5)
POSE = np.array([[0, -1, 0, 0.5], [1, 0, 0, -2], [0, 0, 1, 3], [0, 0, 0, 1.0]])


@pytest.fixture
def written(tmp_path):
    """Returns a function that calls another one with a recording, and returns the rows of each entity and component in
    order."""
    rerun = pytest.importorskip("rerun")
    reader = pytest.importorskip("rerun.chunk", reason="this version of rerun has no reader of its files").RrdReader

    def write(log):
        recording = rerun.RecordingStream("fernwood_test")
        recording.save(tmp_path / "a.rrd")
        log(recording)
        recording.disconnect()
        rows: dict = {}
        for chunk in reader(tmp_path / "a.rrd").stream().to_chunks():
            batch = chunk.to_record_batch()
            for name in batch.schema.names:
                rows.setdefault((str(chunk.entity_path), name), []).extend(batch.column(name).to_pylist())
        return rows

    return write


def picture(rows, path, archetype, dtype):
    """The first image of an entity."""
    form = rows[path, f"{archetype}:format"][0][0]
    pixels = np.array(rows[path, f"{archetype}:buffer"][0][0], np.uint8).view(dtype)
    return pixels.reshape(form["height"], form["width"], -1).squeeze()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    depth = rng.integers(400, 5000, (24, 32)).astype(np.uint16)
    depth[3, 4] = depth[5, 6] = 0
    labels = rng.integers(0, 3, (24, 32)).astype(np.uint16)
    labels[0, 0] = VOID
    return rng.integers(0, 256, (24, 32, 3), np.uint8), depth, labels


def log_frame(*words, **options):
    import fernwood.rerun

    fernwood.rerun.log_frame("room/camera", *words, **options)


def test_pictures_camera_and_pose_are_those_that_were_given(written, frame):
    color, depth, labels = frame
    confidence = np.random.default_rng(2).random((24, 32), np.float32)
    rows = written(
        lambda to: log_frame(
            (color, depth), labels=labels, confidence=confidence, camera=CAMERA, pose=POSE, time=1.5, recording=to
        )
    )
    image = "/room/camera/image"
    np.testing.assert_array_equal(picture(rows, f"{image}/color", "Image", np.uint8), color)
    np.testing.assert_array_equal(picture(rows, f"{image}/depth", "DepthImage", np.uint16), depth)
    assert rows[f"{image}/depth", "DepthImage:meter"] == [[1000]], "steps of depth in a metre"
    np.testing.assert_array_equal(picture(rows, f"{image}/labels", "SegmentationImage", np.uint16), labels)
    np.testing.assert_array_equal(picture(rows, f"{image}/confidence", "Image", np.float32), confidence)
    by_columns = rows[image, "Pinhole:image_from_camera"][0][0]
    np.testing.assert_allclose(by_columns, [60, 0, 0, 0, 61, 0, 15.5, 11.5, 1])
    assert rows[image, "Pinhole:resolution"] == [[[32, 24]]]
    np.testing.assert_allclose(rows["/room/camera", "Transform3D:mat3x3"][0][0], POSE[:3, :3].T.ravel())
    np.testing.assert_allclose(rows["/room/camera", "Transform3D:translation"][0][0], POSE[:3, 3])
    assert [time.total_seconds() for time in rows[image, "time"]] == [1.5]


def test_points_are_where_the_camera_sees_the_pixels_whose_depth_is_known(written, frame):
    _, depth, labels = frame
    rows = written(lambda to: log_frame(Frame(depth=depth, camera=CAMERA), labels=labels, recording=to))
    points = np.array(rows["/room/camera/points", "Points3D:positions"][0])
    classes = rows["/room/camera/points", "Points3D:class_ids"][0]
    assert len(points) == len(classes) == 24 * 32 - 2 and classes[0] == VOID
    row, column = 10, 20
    place = row * 32 + column - 2  # two earlier pixels are unknown
    z = depth[row, column] / 1000
    np.testing.assert_allclose(points[place], [(20 - 15.5) / 60 * z, (10 - 11.5) / 61 * z, z], rtol=1e-6)
    assert classes[place] == labels[row, column]


def test_depth_in_metres_stays_in_metres_and_what_is_unknown_is_no_point(written, frame):
    metres = np.where(frame[1] > 0, frame[1] / 1000, np.nan)
    rows = written(lambda to: log_frame(Frame(frame[0], metres, CAMERA), recording=to))
    shown = picture(rows, "/room/camera/image/depth", "DepthImage", np.float32)
    np.testing.assert_array_equal(shown, metres.astype(np.float32))
    assert rows["/room/camera/image/depth", "DepthImage:meter"] == [[1]]
    assert len(rows["/room/camera/points", "Points3D:positions"][0]) == 24 * 32 - 2
    assert ("/room/camera", "Transform3D:translation") not in rows and "time" not in {name for _, name in rows}


def test_whatever_means_no_class_is_void(written, frame):
    for given in (np.full((24, 32), -1, np.int64), np.full((24, 32), 255, np.uint8)):
        rows = written(lambda to: log_frame(frame[0], labels=given, recording=to))
        assert set(picture(rows, "/room/camera/image/labels", "SegmentationImage", np.uint16).ravel()) == {VOID}


def test_the_highest_probability_is_the_confidence(written, frame):
    shares = np.random.default_rng(3).dirichlet(np.ones(4), (24, 32)).astype(np.float32)
    rows = written(lambda to: log_frame(frame[0], confidence=shares, recording=to))
    np.testing.assert_array_equal(picture(rows, "/room/camera/image/confidence", "Image", np.float32), shares.max(2))


def test_classes_have_the_names_and_colours_of_the_forest(written, forest):
    rows = written(lambda to: fernwood.rerun.log_classes(forest, recording=to))
    infos = [entry["class_description"]["info"] for entry in rows["/", "AnnotationContext:context"][0][0]]
    colors = [tuple(color) for color in forest.colors]
    expected = [*zip(range(len(colors)), forest.classes, colors), (VOID, "void", (0, 0, 0))]
    unpacked = [(info["id"], info["label"], tuple(info["color"] >> shift & 255 for shift in (24, 16, 8))) for info in infos]
    assert unpacked == expected


def test_a_recording_with_poses_and_its_map(written, forest, tmp_path):
    pytest.importorskip("rerun")
    fernwood.dataset.generate(tmp_path / "rec", frames=1, test_frames=0, sequence=3, size=(96, 72), progress=False)
    source = f"frames:{tmp_path / 'rec/train/room0000'}"
    frames = list(fernwood.live(forest, source, every_frame=True, device="cpu"))
    room = fernwood.map(forest, source, voxel_size=0.05, min_weight=1, device="cpu", progress=False)
    assert all(frame.pose.shape == (4, 4) and len(frame.camera) == 4 for frame in frames)

    def log(to):
        for frame in frames:
            log_frame(frame, recording=to)
        fernwood.rerun.log_map("room/map", room, recording=to)

    rows = written(log)
    moves = np.array(rows["/room/camera", "Transform3D:translation"])[:, 0]
    np.testing.assert_allclose(moves, [frame.pose[:3, 3] for frame in frames], rtol=1e-6)
    times = [time.total_seconds() for time in rows["/room/camera/image/labels", "time"]]
    np.testing.assert_allclose(times, [frame.time for frame in frames])
    np.testing.assert_array_equal(np.array(rows["/room/map", "Points3D:positions"][0], np.float32), room.points)
    np.testing.assert_array_equal(rows["/room/map", "Points3D:class_ids"][0], room.labels)
    np.testing.assert_array_equal(np.array(rows["/room/map", "probability"][0], np.float32), room.probabilities)
    # In room coordinates, the points of a frame are near points of its map.
    first = np.array(rows["/room/camera/points", "Points3D:positions"][0]) @ frames[0].pose[:3, :3].T + moves[0]
    distances = [np.linalg.norm(room.points - point, axis=1).min() for point in first[::40]]
    assert np.median(distances) < 0.05


def test_objects_are_boxes_along_their_axes(written):
    import json

    names, size = ["floor", "chair"], [1.0, 0.5, 0.25]
    known = {"class": "chair", "confidence": 0.5, "probabilities": [0.5, 0.5], "pixels": 3, "bounds": [0, 0, 1, 1],
             "touches_border": False, "area_m2": 1.0}  # fmt: skip
    turned = [[0, 0, 1], [1, 0, 0], [0, -1, 0]]  # left-handed: the second axis is mirrored
    box = {"center": [1, 2, 3], "axes": turned, "size": size, "volume_m3": 0.125}
    objects = [{**known, "number": 1, "distance_m": 1.44, "place": [1, 2, 3], "box": box},
               {**known, "number": 2, "distance_m": None, "place": None, "box": None}]  # fmt: skip
    text = json.dumps({"classes" names, "objects": objects})
    found = fernwood.FrameObjects(np.zeros((2, 2)), np.zeros((2, 2)), text, "2 chairs, nearest 1.4 m")

    def log(recording):
        import fernwood.rerun

        fernwood.rerun.log_objects("room/objects", found, recording=recording)

    rows = written(log)
    assert rows["/room/objects", "Boxes3D:labels"] == [["chair, 1.4 m"]]
    assert rows["/room/objects", "Boxes3D:half_sizes"] == [[[0.5, 0.25, 0.125]]]
    x, y, z, w = rows["/room/objects", "Boxes3D:quaternions"][0][0]
    first = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)]
    last = [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]
    assert np.allclose(first, turned[0], atol=1e-6)
    assert np.allclose(last, turned[2], atol=1e-6)


@pytest.mark.parametrize(
    "given, says",
    [
        (dict(frame=Frame()), "neither color nor depth"),
        (dict(frame=Frame(np.zeros((4, 4, 3), np.uint8)), labels=np.zeros((4, 5), int)), "one size.* labels 4 x 5"),
        (dict(frame=Frame(np.zeros((4, 4, 3)))), "color is float64"),
        (dict(frame=Frame(depth=np.zeros((4, 4, 2), np.uint16))), "depth is uint16 of shape"),
        (dict(frame=Frame(depth=np.zeros((4, 4), np.uint16)), labels=np.zeros((4, 4))), "labels is float64"),
        (dict(frame=Frame(depth=np.zeros((4, 4), np.uint16)), labels=np.full((4, 4), 70000)), "a label is 70000"),
        (dict(frame=Frame(depth=np.zeros((4, 4), np.uint16)), pose=np.eye(3)), "pose has shape"),
        (dict(frame=Frame(depth=np.zeros((4, 4)), depth_camera=fernwood.DepthCamera(CAMERA))), "registered to color"),
    ],
)
def test_wrong_arrays_are_a_sentence(given, says):
    pytest.importorskip("rerun")
    with pytest.raises(UsageError, match=says):
        log_frame(given.pop("frame"), **given)


def test_without_the_package_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(ImportError, match="^fernwood.rerun needs rerun-sdk; pip install rerun-sdk$"):
        log_frame(np.zeros((4, 4, 3), np.uint8))
