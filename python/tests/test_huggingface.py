# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Rows of Hugging Face's datasets, and of plain lists, as frames."""

import io
import pickle

import numpy as np
import pytest

import fernwood
from conftest import SMALL
from fernwood.errors import DataError, UsageError

Image = pytest.importorskip("PIL.Image")

ROWS, COLS = 24, 32


def colors(seed):
    return np.random.default_rng(seed).integers(0, 255, (ROWS, COLS, 3), np.uint8)


def numbers(seed, most=3):
    return np.kron(np.random.default_rng(seed).integers(0, most, (ROWS // 8, COLS // 8)), np.ones((8, 8))).astype(np.uint8)


def row(seed, **others):
    return {"image": Image.fromarray(colors(seed)), "annotation": Image.fromarray(numbers(seed)), "id": seed, **others}


@pytest.fixture
def rows():
    return [row(seed) for seed in range(3)]


def test_pictures_of_a_list_are_frames_and_a_usual_column_is_the_labels(rows):
    data = fernwood.Dataset.from_huggingface(rows, classes=["wall", "floor", "bed"])
    assert len(data) == 3 and data.classes == ["wall", "floor", "bed"]
    assert (data.frame(1).color == colors(1)).all() and (data.frame(1).labels == numbers(1)).all()


def test_classes_without_names_are_called_by_their_numbers(rows):
    assert fernwood.Dataset.from_huggingface(rows).classes == ["class 0", "class 1", "class 2"]


def test_rows_are_decoded_when_they_are_needed():
    class Counted:
        column_names = ["image", "label"]
        asked = 0

        def __len__(self):
            return 1000

        def __getitem__(self, index):
            self.asked += 1
            return row(index, label=Image.fromarray(numbers(index)))

    rows = Counted()
    data = fernwood.Dataset.from_huggingface(rows, classes=["a", "b", "c"])
    assert len(data) == 1000 and rows.asked <= 2
    assert (data.frame(-1).color == colors(999)).all()
    assert rows.asked <= 6


def test_id2label_may_have_texts_gaps_and_no_0(rows):
    given = numbers(0, 4)
    given[0, 0] = 255
    rows[0]["annotation"] = Image.fromarray(given)
    data = fernwood.Dataset.from_huggingface(rows[:1], classes={"3": "bed", "1": "wall", 2: "floor"})
    assert data.classes == ["wall", "floor", "bed"]
    expected = np.where((given == 0) | (given == 255), fernwood.VOID, given.astype(int) - 1)
    assert (data.frame(0).labels == expected).all()
    with pytest.raises(DataError, match="row 0: the labels hold the number 3, which classes does not name"):
        fernwood.Dataset.from_huggingface(rows[:1], classes={1: "wall", 2: "floor"}).frame(0)


def test_palettes_bits_and_equal_channels_are_numbers():
    palette = Image.fromarray(numbers(0))
    palette.putpalette([200, 100, 0] * 256)
    assert palette.mode == "P"
    grey = np.repeat(numbers(0)[..., None], 3, 2)
    for picture in (palette, Image.fromarray(grey), Image.fromarray(np.dstack([grey, grey[..., :1]])), numbers(0)):
        data = fernwood.Dataset.from_huggingface([row(0, label=picture)], classes=["a", "b", "c"])
        assert (data.frame(0).labels == numbers(0)).all()
    mask = Image.fromarray(numbers(0, 2) * 255).convert("1")
    data = fernwood.Dataset.from_huggingface([row(0, label=mask)], classes=["a", "b"])
    assert (data.frame(0).labels == numbers(0, 2)).all()


def test_grey_and_rgba_pictures_become_rgb():
    for picture in (Image.fromarray(colors(0)[..., 0]), Image.fromarray(colors(0)).convert("RGBA")):
        data = fernwood.Dataset.from_huggingface([{"image": picture}], labels=None)
        assert (data.frame(0).color == np.asarray(picture.convert("RGB"))).all()


def test_depth_is_a_column_too():
    depth = np.random.default_rng(5).integers(500, 4000, (ROWS, COLS)).astype(np.uint16)
    for given in (Image.fromarray(depth), Image.fromarray(depth.astype(np.int32)), depth, (depth / 1000).astype(np.float32)):
        data = fernwood.Dataset.from_huggingface([row(0, depth=given)], depth="depth", labels=None, camera=(30, 30, 16, 12))
        assert (data.frame(0).depth == depth).all() and data.camera == (30, 30, 16, 12)
    data = fernwood.Dataset.from_huggingface([row(0, depth=depth)], color=None, depth="depth", labels=None)
    assert not data.has_color
    with pytest.raises(UsageError, match='column "image" is a picture of the mode RGB, not depth'):
        fernwood.Dataset.from_huggingface([row(0)], color=None, depth="image", labels=None).frame(0)


def test_bytes_that_were_not_decoded_are():
    def packed(pixels):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "PNG")
        return {"bytes": file.getvalue(), "path": None}

    rows = [{"image": packed(colors(0)), "label": packed(numbers(0))}]
    data = fernwood.Dataset.from_huggingface(rows, classes=["a", "b", "c"])
    assert (data.frame(0).color == colors(0)).all() and (data.frame(0).labels == numbers(0)).all()
    for damaged in (rows[0]["label"]["bytes"][:40], b"", b"GIF"):
        rows[0]["label"] = {"bytes": damaged, "path": None}
        with pytest.raises(DataError, match='row 0: column "label" is'):
            fernwood.Dataset.from_huggingface(rows, classes=["a", "b", "c"]).frame(0)


@pytest.mark.parametrize(
    "give, options, sentence",
    [
        (lambda rows: rows, {"color": "img"}, r'no column "img"; it has image, annotation, id: name one of them with color='),
        (lambda rows: rows, {"depth": "z"}, r'no column "z"; .* with depth='),
        (lambda rows: rows, {"labels": "truth"}, r'no column "truth"; .* with labels=, or labels=None'),
        (lambda rows: [{"image": rows[0]["image"]}], {}, r'no column "label"; it has image'),
        (lambda rows: [{"image": rows[0]["image"], "label": 3}], {}, r'column "label" is 3, one class for the whole picture'),
        (lambda rows: [row(0, label=rows[0]["image"])], {}, "mode RGB, whose pixels are colours"),
        (lambda rows: rows, {"color": None}, "color and depth are both None"),
        (lambda rows: rows, {"classes": {"wall": 1}}, "has the key 'wall'; give numbers and names"),
        (lambda rows: rows, {"classes": {-1: "wall"}}, "has the number -1"),
        (lambda rows: {"train": rows, "test": rows}, {}, r"a dict of 'train', 'test'; give one of them, such as dataset\['train'\]"),
        (lambda rows: iter(rows), {}, "cannot be asked for by number"),
        (lambda rows: [], {}, "has no rows"),
        (lambda rows: [1, 2], {}, r"dataset\[0\] is an int"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_sentence(rows, give, options, sentence):
    with pytest.raises(UsageError, match=sentence):
        fernwood.Dataset.from_huggingface(give(rows), **options).frame(0)


def test_a_row_without_a_picture_is_named(rows):
    rows[2]["annotation"] = None
    data = fernwood.Dataset.from_huggingface(rows, classes=["a", "b", "c"])
    with pytest.raises(DataError, match='row 2: column "annotation" has no value'):
        data.frame(2)


def test_a_forest_is_that_of_the_arrays(rows):
    arrays = fernwood.Dataset.from_arrays(
        [colors(i) for i in range(3)], [numbers(i) for i in range(3)], classes=["a", "b", "c"]
    )
    given = fernwood.Dataset.from_huggingface(rows, classes=["a", "b", "c"])
    assert pickle.dumps(fernwood.train(given, **SMALL)) == pickle.dumps(fernwood.train(arrays, **SMALL))


def test_a_dataset_of_hugging_face_is_taken_as_it_is(rows):
    datasets = pytest.importorskip("datasets")
    features = datasets.Features({"image": datasets.Image(), "annotation": datasets.Image(), "id": datasets.Value("int64")})
    data = datasets.Dataset.from_list(rows, features=features)
    for given in (data, data.cast_column("image", datasets.Image(decode=False)), data.with_format("numpy")):
        frames = fernwood.Dataset.from_huggingface(given, classes={0: "a", 1: "b", 2: "c"})
        assert (frames.frame(1).color == colors(1)).all() and (frames.frame(1).labels == numbers(1)).all()
    with pytest.raises(UsageError, match="a DatasetDict of 'train'; give one of them"):
        fernwood.Dataset.from_huggingface(datasets.DatasetDict(train=data))
    with pytest.raises(UsageError, match="without streaming"):
        fernwood.Dataset.from_huggingface(data.to_iterable_dataset())
