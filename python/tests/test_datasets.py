# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import re
import shutil

import numpy as np
import pytest
from conftest import SMALL

import fernwood
from fernwood.errors import DataError, UsageError


def test_a_folder_tells_its_frames_and_classes(train_set):
    assert len(train_set) == 8 and train_set.names[0] == "scene0000"
    assert train_set.classes[:2] == ["floor", "wall"] and train_set.colors[0] == (150, 195, 105)
    assert train_set.has_color and train_set.has_depth and train_set.has_labels and train_set.groups is None
    assert train_set.camera == pytest.approx((85.5, 85.5, 47.5, 35.5))


def test_truth_that_is_older_than_the_strokes_is_not_there(rooms, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(rooms / "train", project)
    assert fernwood.Dataset(project, needs_labels=False).has_labels
    (project / "strokes.journal").write_text("fernwood strokes 1\n")
    with pytest.raises(DataError, match="older than strokes.journal"):
        fernwood.Dataset(project)
    with pytest.warns(match="older than strokes.journal"):
        data = fernwood.Dataset(project, needs_labels=False)
    assert not data.has_labels


def test_a_frame_has_arrays(train_set):
    color, depth, labels, camera, up, maps = train_set.frame(0)
    assert (color.shape, color.dtype) == ((72, 96, 3), np.uint8)
    assert (depth.shape, depth.dtype) == ((72, 96), np.uint16)
    assert (labels.shape, labels.dtype) == ((72, 96), np.uint16)
    assert labels[labels != fernwood.VOID].max() < 9
    assert camera == train_set.camera and up == (0, -1, 0) and maps is None
    assert np.array_equal(train_set.frame(-1).color, train_set.frame(7).color)


def test_a_part_has_some_of_the_frames(train_set):
    some = train_set.subset([5, 2])
    assert some.names == ["scene0002", "scene0005"]
    assert np.array_equal(some.frame(1).color, train_set.frame(5).color)


def test_an_index_beyond_the_end_is_an_index_error(train_set):
    with pytest.raises(IndexError, match="there is no frame 8; there are 8"):
        train_set.frame(8)


def test_arrays_come_back_as_they_were_given(train_set):
    given = train_set.frame(0)
    data = fernwood.Dataset.from_arrays([given], [given.labels], classes=train_set.classes, groups=["kitchen"])
    back = data.frame(0)
    for image in ("color", "depth", "labels"):
        assert np.array_equal(getattr(back, image), getattr(given, image))
    assert data.groups.tolist() == [0] and back.camera == given.camera


def test_frames_may_be_any_iterable(train_set):
    color = np.stack([frame.color for frame in train_set])
    for frames in (color, tuple(color), iter(color), train_set):
        data = fernwood.Dataset.from_arrays(frames)
        assert len(data) == 8 and np.array_equal(data[3].color, color[3])


def test_any_strides_and_metres_are_the_same_frame(train_set):
    given = train_set.frame(0)
    color = np.asfortranarray(given.color)
    color.flags.writeable = False
    wide = np.zeros((72, 200), np.uint16)
    wide[:, ::-2][:, :96] = given.depth
    metres = np.where(given.depth > 0, given.depth / 1000, np.nan)
    views = [wide[:, ::-2][:, :96], metres, metres.astype(np.float32)]
    for depth in views:
        back = fernwood.Dataset.from_arrays([(color, depth)]).frame(0)
        assert np.array_equal(back.color, given.color) and np.array_equal(back.depth, given.depth)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int8, np.int16, np.int32, np.int64])
def test_labels_may_be_any_integers(kind):
    void = {np.uint8: 255, np.uint16: 65535}.get(kind, -1)
    labels = np.array([[0, 1, void]], kind)
    data = fernwood.Dataset.from_arrays([np.zeros((1, 3, 3), np.uint8)], [labels])
    assert data.classes == ["0", "1"]
    assert data.frame(0).labels.tolist() == [[0, 1, 65535]]


COLOR, DEPTH, LABELS = np.zeros((4, 5, 3), np.uint8), np.ones((4, 5), np.uint16), np.zeros((4, 5), np.uint8)


@pytest.mark.parametrize(
    ("frames", "labels", "sentence"),
    [
        ([], [], "there is no frame; pass at least one"),
        ([(COLOR, DEPTH)], [], "there are 1 frames and labels for 0"),
        ([(COLOR[:3], DEPTH)], [LABELS], "frame 0: color has the shape .3, 5, 3.*depth has the shape .4, 5.*scale"),
        ([(COLOR.astype(float), DEPTH)], [LABELS], "frame 0: color has .* type float64; use .* uint8"),
        ([(COLOR[:, :, :2], None)], [LABELS], "frame 0: color has the shape .4, 5, 2."),
        ([(COLOR, DEPTH.astype(np.int32) + 70000)], [LABELS], "depth has numbers from .*; use millimetres up to 65535"),
        ([("a", DEPTH)], [LABELS], "frame 0: color is a str, not an array of numbers"),
        ([(COLOR.astype(object), None)], [LABELS], "color is an ndarray of object, not an array of numbers"),
        ([(COLOR, np.array(1.0))], [LABELS], "depth has the shape .. and"),
        ([(None, None)], [LABELS], "color and depth are None; use one"),
        ([(COLOR, DEPTH, LABELS)], [LABELS], "a tuple of 3 things; use .color, depth."),
        ([fernwood.Frame(COLOR, DEPTH, (1, 2))], [LABELS], "camera is .1, 2.; pass .fx, fy, cx, cy."),
        ([fernwood.Frame(COLOR, DEPTH, (0, 2, 1, 1))], [LABELS], "the camera's"),
        ([fernwood.Frame(COLOR, DEPTH, None, (0, 0, 0))], [LABELS], "not a direction"),
        ([(COLOR, DEPTH)], [LABELS.astype(float)], "frame 0: labels have .* float64; use .* integers"),
        ([(np.zeros((0, 5, 3), np.uint8), None)], [LABELS], "use 1 to"),
    ],
)
def test_wrong_arrays_are_told_with_place_value_and_remedy(frames, labels, sentence):
    with pytest.raises(UsageError, match=sentence):
        fernwood.Dataset.from_arrays(frames, labels, classes=["a"])


def test_labels_of_another_size_and_beyond_the_classes_are_told():
    wrong_size = fernwood.Dataset.from_arrays([(COLOR, DEPTH)], [LABELS[:2]], classes=["a"])
    with pytest.raises(DataError, match="the labels are 5x2, the frame is 5x4|labels are"):
        wrong_size.frame(0)
    no_class = fernwood.Dataset.from_arrays([(COLOR, DEPTH)], [LABELS + 3], classes=["a"])
    with pytest.raises(DataError, match="a label is 3; the classes are 0 to 0"):
        no_class.frame(0)
    with pytest.raises(UsageError, match="no pixel has a label"):
        fernwood.Dataset.from_arrays([(COLOR, DEPTH)], [LABELS + 255])


def test_what_a_sequence_raises_arrives():
    class Frames:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            if index == 1:
                raise RuntimeError("the camera is on fire")
            return COLOR, DEPTH

    data = fernwood.Dataset.from_arrays(Frames(), [LABELS, LABELS], classes=["a"])
    with pytest.raises(RuntimeError, match="on fire"):
        fernwood.train(data, trees=1, progress=False)


def test_a_frame_is_not_created_again_for_its_camera():
    frames = [fernwood.Frame(COLOR, DEPTH, (5.0 + index, 5, 2, 1.5)) for index in range(2)]
    asked = []

    class Made:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            asked.append(index)
            return frames[index]

    made, held = (fernwood.Dataset.from_arrays(some, [LABELS, LABELS], classes=["a"]) for some in (Made(), frames))
    asked.clear()
    assert made.camera == held.camera == (5, 5, 2, 1.5)
    assert asked == []
    assert made.subset([1]).camera == held.subset([1]).camera == (6, 5, 2, 1.5)
    assert asked == [1]


@pytest.fixture
def kitchen(train_set):
    """In-memory frames with unsorted names, with scenes and a separate colour for each class."""
    frames = [train_set.frame(index) for index in range(3)]
    colors = [(10 * i + 5, i, 200) for i in range(9)]
    return fernwood.Dataset.from_arrays(
        [(frame.color, frame.depth) for frame in frames], [frame.labels for frame in frames],
        classes=dict(zip([*train_set.classes[:8], 'a "quoted" name'], colors)), groups=["x", "y", "x"],
        names=["sink", "door 7", "café"], camera=train_set.camera,
    )


def test_a_saved_data_set_is_the_same(kitchen, tmp_path):
    saved = kitchen.save(tmp_path / "kitchen")
    assert saved.names == ["0000_sink", "0001", "0002_café"] and saved.groups.tolist() == [0, 1, 0]
    assert saved.classes == kitchen.classes and saved.colors == kitchen.colors
    assert saved.camera == pytest.approx(kitchen.camera)
    for ours, theirs in zip(kitchen, saved):
        for image in ("color", "depth", "labels"):
            assert np.array_equal(getattr(ours, image), getattr(theirs, image))
    of_memory, of_files = (fernwood.train(data, progress=False, **SMALL) for data in (kitchen, saved))
    assert of_memory == of_files


def test_a_folder_is_saved_with_its_names(train_set, tmp_path):
    part = train_set.subset([5, 2])
    assert part.save(tmp_path / "part").names == ["scene0002", "scene0005"]
    assert fernwood.dataset.check(tmp_path / "part").data["frames"] == 2
    with pytest.raises(UsageError, match="holds files already"):
        part.save(tmp_path / "part")


def test_frames_that_are_many_keep_their_order(tmp_path):
    frames = [np.full((2, 3, 3), index, np.uint8) for index in range(12)]
    saved = fernwood.Dataset.from_arrays(frames).save(tmp_path / "many")
    assert [frame.color[0, 0, 0] for frame in saved] == list(range(12)) and not saved.has_labels
    tilted = [fernwood.Frame(frame, None, (2, 2, 1, 1), (1, 0, 0)) for frame in frames]
    back = fernwood.Dataset.from_arrays(tilted).save(tmp_path / "tilted").frame(3)
    assert back.up == (1, 0, 0) and back.camera == (2, 2, 1, 1)


def test_what_a_folder_cannot_hold_is_told(tmp_path):
    black = fernwood.Dataset.from_arrays([COLOR], [LABELS], classes={"night": (0, 0, 0)})
    with pytest.raises(UsageError, match="night is black, which means no class"):
        black.save(tmp_path / "black")
    two = [fernwood.Frame(COLOR, DEPTH, (fx, 2, 1, 1)) for fx in (2, 3)]
    saved = fernwood.Dataset.from_arrays(two).save(tmp_path / "two")
    assert [frame.camera[0] for frame in saved] == [2, 3]
    with pytest.raises(UsageError, match="the class 0 has no name"):
        fernwood.Dataset.from_arrays([COLOR], [LABELS], classes={"": (1, 2, 3)})


@pytest.mark.parametrize("format", ["coco", "cvat", "label-studio", "labelme", "supervisely", "voc", "png", "npy"])
def test_labels_are_exported_as_by_the_program(format, train_set, rooms, tmp_path, program):
    train_set.export(tmp_path / "ours", format)
    program("dataset", "export", "--data", rooms / "train", "--format", format, "--out", tmp_path / "theirs")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    files = [path for path in ours.rglob("*") if path.is_file()] if ours.is_dir() else [ours]
    names = sorted(path.relative_to(ours) for path in files)
    assert len(names) in (1, 8, 9, 17, 18)
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()


def test_exported_arrays_are_the_labels(train_set, tmp_path):
    train_set.export(tmp_path, "npy")
    assert np.array_equal(np.load(tmp_path / "scene0003.npy"), train_set.frame(3).labels)
    assert (tmp_path / "classes.txt").read_text().splitlines() == train_set.classes
    with pytest.raises(UsageError, match="yolo"):
        train_set.export(tmp_path / "labels", "yolo")
    with pytest.raises(UsageError, match="no labels to export"):
        fernwood.Dataset.from_arrays([COLOR]).export(tmp_path / "labels", "coco")


def test_names_are_not_paths_of_an_export(tmp_path):
    frames, labels = [COLOR, COLOR], [LABELS, LABELS]
    outside = fernwood.Dataset.from_arrays(frames, labels, names=["../../outside", "b"])
    with pytest.raises(DataError, match='the name of the frame "../../outside" is not a file name'):
        outside.export(tmp_path / "a" / "labels", "png")
    twice = fernwood.Dataset.from_arrays(frames, labels, names=["a", "a"])
    with pytest.raises(DataError, match='two frames are named "a"'):
        twice.export(tmp_path / "labels", "png")
    assert not list(tmp_path.iterdir())


def test_no_output_replaces_an_input(rooms, tmp_path):
    shutil.copytree(rooms, tmp_path / "rooms")
    folder = tmp_path / "rooms" / "train"
    data, depth = fernwood.Dataset(folder), folder / "scene0000_depth.png"
    before = depth.read_bytes()
    told = f"out names a file of the data set, {depth}, which it would replace"
    with pytest.raises(UsageError, match=re.escape(told)):
        data.export(depth, "coco")
    with pytest.raises(UsageError, match="out names a file of the data set"):
        fernwood.train(data, out=depth, trees=1)
    with pytest.raises(UsageError, match="checkpoint names a file of the data set"):
        fernwood.train(data, checkpoint=depth, trees=1)
    with pytest.raises(UsageError, match="out and checkpoint name the same file"):
        fernwood.train(data, out=tmp_path / "m", checkpoint=tmp_path / "m", trees=1)
    with pytest.raises(UsageError, match="out names the file of weights"):
        fernwood.backbones.import_weights(depth, depth)
    assert depth.read_bytes() == before
    for _ in range(2):
        data.export(folder / "labels.json", "coco")


def test_a_missing_folder_and_a_wrong_size_are_told(tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        fernwood.Dataset(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="width|size|32"):
        fernwood.dataset.generate(tmp_path / "rooms", size=(8, 8))
    with pytest.raises(DataError):
        fernwood.dataset.import_nyu(tmp_path / "a.mat", tmp_path / "b.mat", tmp_path / "nyu")


def test_a_check_names_what_is_wrong(rooms):
    found = fernwood.dataset.check(rooms)
    assert [problem["severity"] for problem in found.problems] == ["warning"] and "only 97 pixels" in str(found)
    assert list(found.to_frame()["name"])[:2] == ["floor", "wall"]


def test_what_a_check_says_of_options_can_be_given_in_python(rooms):
    found = fernwood.dataset.check(rooms)
    said = found.problems[0]["message"]
    remedy = re.search("(ignored_colors)='(.*)'", said)
    assert remedy and "--" not in said and said in str(found)
    again = fernwood.dataset.check(rooms, **{remedy[1]: remedy[2]})
    assert again.problems == [] and again.data["void_pixels"] == found.data["void_pixels"] + 97
    given = [fernwood.Dataset(rooms, split="train", ignored_colors=colors).classes for colors in (remedy[2], [(0, 210, 210)])]
    assert given[0] == given[1]
