# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Labels in files that other libraries write and read."""

import json
import warnings

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, FernwoodWarning, UsageError

Image = pytest.importorskip("PIL.Image")

ROWS, COLS = 30, 40


def classes_of(frame, data):
    """[rows][cols] class names; "" is void."""
    names = np.array([*data.classes, ""])
    labels = frame.labels.astype(int)
    return names[np.where(labels >= len(data.classes), len(data.classes), labels)]


def draw_blobs(seed):
    """Labels from 0 to 3 in blobs, similar to hand-drawn ones."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 4, (ROWS // 5, COLS // 5))
    return np.kron(coarse, np.ones((5, 5), int)) * (rng.random((ROWS, COLS)) > 0.05)


def picture(path, seed):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.random.default_rng(seed).integers(0, 255, (ROWS, COLS, 3), np.uint8)).save(path)


@pytest.fixture
def blobs(tmp_path):
    for i in range(3):
        picture(tmp_path / "rgb" / f"{i}.png", i)
    return [draw_blobs(i) for i in range(3)]


NAMES = ["background", "wall", "cup", "dog"]


def test_masks_that_pycocotools_wrote_come_back_and_ours_are_read_by_it(blobs, tmp_path):
    coco, mask = pytest.importorskip("pycocotools.coco"), pytest.importorskip("pycocotools.mask")
    annotations = []
    for i, labels in enumerate(blobs):
        for c in (1, 2, 3):
            packed = mask.encode(np.asfortranarray((labels == c).astype(np.uint8)))
            packed["counts"] = packed["counts"].decode()
            annotations.append(dict(id=len(annotations), image_id=10 * i, category_id=7 * c, segmentation=packed))
    text = dict(
        images=[dict(id=10 * i, file_name=f"{i}.png", height=ROWS, width=COLS) for i in range(3)],
        categories=[dict(id=7 * c, name=NAMES[c]) for c in (1, 2, 3)],
        annotations=annotations,
    )
    (tmp_path / "a.json").write_text(json.dumps(text))
    data = fernwood.dataset.import_from(
        "coco", tmp_path / "a.json", tmp_path / "out", images=tmp_path / "rgb", background="background", progress=False
    )
    for i, labels in enumerate(blobs):
        assert np.array_equal(classes_of(data.frame(i), data), np.array(NAMES)[labels])

    data.export(tmp_path / "b.json", "coco")
    read = coco.COCO(str(tmp_path / "b.json"))
    for image in read.imgs.values():
        labels = blobs[int(image["file_name"].split("_")[0])]
        for annotation in read.imgToAnns[image["id"]]:
            name = read.cats[annotation["category_id"]]["name"]
            assert np.array_equal(read.annToMask(annotation) == 1, labels == NAMES.index(name))


@pytest.mark.parametrize("mode", ["L", "P", "I;16", "npy"])
def test_index_labels_of_pillow_and_numpy_need_no_conversion(mode, blobs, tmp_path):
    (tmp_path / "gt").mkdir()
    for i, labels in enumerate(blobs):
        if mode == "npy":
            np.save(tmp_path / "gt" / f"{i}.npy", labels.astype(np.int64))
            continue
        image = Image.fromarray(labels.astype(np.uint16 if mode == "I;16" else np.uint8))
        if mode == "P":
            image.putpalette([9, 9, 9] * 256)
        image.save(tmp_path / "gt" / f"{i}.png")
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    data = fernwood.dataset.import_from(
        "folders",
        tmp_path,
        tmp_path / "out",
        colors="rgb/{}.png",
        labels="gt/{}.npy" if mode == "npy" else "gt/{}.png",
        classes=tmp_path / "names.txt",
        progress=False,
    )
    assert data.classes == NAMES
    for i, labels in enumerate(blobs):
        assert np.array_equal(data.frame(i).labels, labels)


def test_what_was_assumed_is_a_warning(blobs, tmp_path):
    (tmp_path / "gt").mkdir()
    for i, labels in enumerate(blobs):
        Image.fromarray(labels.astype(np.uint8)).save(tmp_path / "gt" / f"{i}.png")
    with pytest.warns(FernwoodWarning, match="class numbers"):
        data = fernwood.dataset.import_from(
            "folders", tmp_path, tmp_path / "out", colors="rgb/{}.png", labels="gt/{}.png", progress=False
        )
    assert data.classes == ["0", "1", "2", "3"]


def test_frames_without_labels_are_a_data_set_too(blobs, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = fernwood.dataset.import_from("folders", tmp_path, tmp_path / "out", colors="rgb/{}.png", progress=False)
    assert len(data) == 3 and data.frame(0).labels is None


def test_the_first_split_is_opened_where_none_is_for_training(blobs, tmp_path):
    images = "".join(f'<image name="{i}.png" subset="Validation"/>' for i in range(3))
    (tmp_path / "a.xml").write_text(f"<annotations>{images}</annotations>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = fernwood.dataset.import_from(
            "cvat", tmp_path / "a.xml", tmp_path / "out", images=tmp_path / "rgb", background="rest", progress=False
        )
    assert len(data) == 3 and (tmp_path / "out/val/0_colors.png").exists()


def test_formats_and_wrong_input_are_sentences(tmp_path):
    assert {"coco", "cvat", "folders", "labelme", "scannet", "voc"} <= set(fernwood.dataset.import_formats())
    with pytest.raises(UsageError, match="coco"):
        fernwood.dataset.import_from("cocoo", tmp_path, tmp_path / "out")
    (tmp_path / "a.json").write_text("[1, 2]")
    with pytest.raises(DataError, match="is not a COCO file"):
        fernwood.dataset.import_from("coco", tmp_path / "a.json", tmp_path / "out")
    assert not (tmp_path / "out").exists()
