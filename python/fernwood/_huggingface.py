# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Rows of a Hugging Face dataset, or of any sequence of mappings, as frames and labels that are decoded on demand."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ._frames import Frame, readable
from ._words import a_type, listed
from .errors import DataError, UsageError

#: Names of columns with label images in published datasets, the most common first.
LABEL_COLUMNS = ("label", "annotation", "labels", "segmentation_mask", "mask", "semantic_segmentation")

ClassNumbers = Mapping[Union[int, str], str]


class Rows:
    """A sequence of rows, each converted by a function.

    Rows are read one at a time, since two threads must not decode the same opened picture at once.
    """

    def __init__(self, rows: Any, columns: list[str], convert: Callable[[Mapping[str, Any], int], Any]) -> None:
        # Otherwise a dataset decodes all columns of a row.
        self._rows = rows.select_columns(columns) if hasattr(rows, "select_columns") else rows
        self._convert = convert
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Any:
        with self._lock:
            return self._convert(self._rows[index], index)


def check_rows(rows: Any) -> None:
    """@raises UsageError if `rows` is not a sequence, such as several splits or a stream."""
    if isinstance(rows, Mapping):
        splits = listed([repr(name) for name in rows], 6)
        raise UsageError(f"dataset is {a_type(rows)} of {splits}; give one of them, such as dataset[{next(iter(rows), 'train')!r}]")
    if not (hasattr(rows, "__len__") and hasattr(rows, "__getitem__")) or isinstance(rows, (str, bytes)):
        raise UsageError(
            f"dataset is {a_type(rows)}, whose rows cannot be asked for by number; "
            "give a datasets.Dataset, as load_dataset(..., split=...) without streaming makes it, or a list of dicts"
        )
    if len(rows) == 0:
        raise UsageError("dataset has no rows; give at least one")


def columns_of(rows: Any) -> list[str]:
    names = getattr(rows, "column_names", None)
    if isinstance(names, (list, tuple)):
        return list(names)
    if not isinstance(rows[0], Mapping):
        raise UsageError(f"dataset[0] is {a_type(rows[0])}; give rows that are mappings of columns and values")
    return list(rows[0])


def column(columns: list[str], name: str, option: str) -> str:
    if name not in columns:
        raise UsageError(f'dataset has no column "{name}"; it has {listed(columns, 8)}: name one of them with {option}=')
    return name


def label_column(columns: list[str], name: str) -> str:
    """The column with this name; if that is the default name and absent, the first of `LABEL_COLUMNS` that exists."""
    usual = [each for each in LABEL_COLUMNS if each in columns]
    if name not in columns and name == LABEL_COLUMNS[0] and usual:
        return usual[0]
    if name not in columns:
        raise UsageError(
            f'dataset has no column "{name}"; it has {listed(columns, 8)}: name the one of label pictures with labels=, '
            "or labels=None for frames to predict"
        )
    return name


def frames_of(rows: Any, color: Optional[str], depth: Optional[str]) -> Rows:
    def frame(row: Mapping[str, Any], index: int) -> Frame:
        place = f"row {index}: "
        return Frame(
            None if color is None else _color(_value(row, color, place), f'{place}column "{color}" '),
            None if depth is None else _depth(_value(row, depth, place), f'{place}column "{depth}" '),
        )

    return Rows(rows, [name for name in (color, depth) if name is not None], frame)


def labels_of(rows: Any, labels: str, numbers: Optional[list[int]]) -> Rows:
    """@param numbers  Numbers of the classes, in their order; None: they count from 0."""

    def label_image(row: Mapping[str, Any], index: int) -> np.ndarray:
        place = f"row {index}: "
        image = _class_numbers(_value(row, labels, place), f'{place}column "{labels}" ')
        return image if numbers is None else _renumbered(image, numbers, place)

    return Rows(rows, [labels], label_image)


def named_classes(classes: Union[Sequence[str], ClassNumbers, None]) -> tuple[Any, Optional[list[int]]]:
    """Names of classes, and their numbers, or None if these count from 0."""
    if not isinstance(classes, Mapping):
        return classes, None
    names = {}
    for number, name in classes.items():
        try:
            names[int(number)] = name
        except (TypeError, ValueError):
            raise UsageError(
                f"classes has the key {number!r}; give numbers and names, as id2label of a model has them: {{0: 'wall'}}"
            ) from None
    numbers = sorted(names)
    if numbers and not 0 <= numbers[0] <= numbers[-1] < 65535:
        raise UsageError(f"classes has the number {numbers[0] if numbers[0] < 0 else numbers[-1]}; give numbers from 0 to 65534")
    return [names[number] for number in numbers], None if numbers == list(range(len(numbers))) else numbers


def _value(row: Mapping[str, Any], name: str, place: str) -> Any:
    value = row.get(name) if isinstance(row, Mapping) else None
    if value is None:
        raise DataError(f'{place}column "{name}" has no value; leave such rows out, as by dataset.filter(...)')
    return value


def _is_picture(value: Any) -> bool:
    """Whether a value is a Pillow image, without importing Pillow."""
    return hasattr(value, "mode") and hasattr(value, "convert") and hasattr(value, "size")


def _opened(value: Any, place: str) -> Any:
    """Opens a picture from its bytes or path, which datasets hold if they do not decode; returns other values."""
    if not isinstance(value, Mapping) or not {"bytes", "path"} & set(value):
        return value
    from PIL import Image

    source = io.BytesIO(value["bytes"]) if value.get("bytes") else value.get("path")
    try:
        return Image.open(source)
    except (OSError, AttributeError, TypeError, ValueError) as failure:
        raise DataError(f"{place}is not a picture that can be opened ({failure}); load the dataset again") from None


def _pixels(picture: Any, place: str) -> np.ndarray:
    try:
        return np.asarray(picture)
    except (OSError, SyntaxError, ValueError) as failure:  # such as a truncated file, detected only on decoding
        raise DataError(f"{place}is a damaged picture ({failure}); load the dataset again") from None


def _color(value: Any, place: str) -> np.ndarray:
    value = _opened(value, place)
    if not _is_picture(value):
        return value
    if value.mode.startswith(("I", "F")):
        raise UsageError(f"{place}is a picture of the mode {value.mode}, which is not colour; name another column with color=, or this one with depth=")
    try:
        return _pixels(value if value.mode == "RGB" else value.convert("RGB"), place)
    except OSError as failure:
        raise DataError(f"{place}is a damaged picture ({failure}); load the dataset again") from None


def _depth(value: Any, place: str) -> np.ndarray:
    value = _opened(value, place)
    if not _is_picture(value):
        return value
    depth = _pixels(value, place)
    if depth.ndim != 2 or depth.dtype.itemsize < 2:
        raise UsageError(
            f"{place}is a picture of the mode {value.mode}, not depth; give pictures of 16 bits in millimetres, or arrays"
        )
    return depth


def _class_numbers(value: Any, place: str) -> np.ndarray:
    value = _opened(value, place)
    if isinstance(value, (int, float, str)):
        raise UsageError(
            f"{place}is {value!r}, one class for the whole picture; name the column of label pictures with labels="
        )
    if not _is_picture(value):
        return value
    image = _pixels(value, place)
    if image.ndim == 2:
        return image.astype(np.uint8) if image.dtype.kind == "b" else image
    if image.shape[2] in (2, 3, 4):  # grey stored as equal channels, possibly with alpha
        channels = image[..., : 1 if image.shape[2] == 2 else 3]
        if (channels == channels[..., :1]).all():
            return np.ascontiguousarray(image[..., 0])
    raise UsageError(
        f"{place}is a picture of the mode {value.mode}, whose pixels are colours; labels are class numbers: "
        "map the column to pictures of the mode L or P"
    )


def _renumbered(image: Any, numbers: list[int], place: str) -> np.ndarray:
    """Indices of classes. 255 in 8-bit images, -1, 65535 and, unless `numbers` has it, 0 mean no class."""
    image = readable(image, place, "labels")
    indices = np.full(image.shape, 65535, np.uint16)
    for index, number in enumerate(numbers):
        indices[image == number] = index
    void = {0, -1, 65535} | ({255} if image.dtype.itemsize == 1 else set())
    unknown = set(np.unique(image[indices == 65535]).tolist()) - void
    if unknown:
        raise DataError(
            f"{place}the labels hold the number {min(unknown)}, which classes does not name; name it, or make it 255"
        )
    return indices
