# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Labels of records: a known class, or a number to predict, for each record."""

import numpy as np

from . import _fernwood_tables
from ._words import a_type
from .arrays import is_missing
from .columns import checked_names
from .errors import DataError

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


REMEDY = "leave out records whose class is not known"


def checked_labels(labels, num_records=None):
    """Converts labels of any kind to an array [record] of one type that NumPy can sort.

    Parameters
    ----------
    labels : sequence
        A list, an array, or a column of pandas, polars or Arrow: integers, strings, booleans.
    num_records : int, optional
        Required number of labels.

    Raises
    ------
    DataError
        The number of labels differs, or a label is missing: None, NaN, NA, NaT, masked, null, or a string that means
        unknown in tables.
    """
    array = _array_of(labels)
    if array.ndim != 1 or (num_records is not None and len(array) != num_records):
        raise DataError(
            f"the labels have the shape {array.shape} for {num_records} records; pass one label for each record"
        )
    if array.dtype.kind == "O":
        array = _array_of_objects(array.tolist())
    if array.dtype.kind == "S":
        array = np.array([label.decode("utf-8", "surrogateescape") for label in array.tolist()], dtype=str)
    _refuse_missing(array)
    if array.dtype.kind == "U":
        _check_texts(array)
    return array


def labels_of(names):
    """The labels that names of classes were made of: integers, other numbers, booleans, else strings."""
    for kind in (np.int64, np.float64, {"False": False, "True": True}.__getitem__):
        try:
            labels = np.array([kind(name) for name in names])
        except (ValueError, OverflowError, KeyError):
            continue
        if [str(label) for label in labels] == names:
            return labels
    return np.array(names)


def as_targets(targets, num_records):
    """Converts the numbers to predict to ``float64`` [record]; also returns their name: that of a series, else "".

    Raises
    ------
    DataError
        The number of targets differs from that of the records, or a target is missing or infinite.
    """
    name = getattr(targets, "name", None)
    array = _array_of(targets)
    if array.shape != (num_records,):
        raise DataError(
            f"the targets have the shape {array.shape} for {num_records} records; pass one number for each record"
        )
    for index, target in enumerate(array.tolist() if array.dtype.kind == "O" else ()):
        if is_missing(target):
            _refuse_target(index, repr(target))
    if array.dtype.kind in "Mmc":
        kind = "complex numbers" if array.dtype.kind == "c" else "dates or durations"
        raise DataError(f"the targets are {kind} ({array.dtype}); turn them into real numbers first, such as seconds")
    try:
        numbers = np.ascontiguousarray(array, np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(f"the targets are not numbers: {problem}; use integers or floats") from None
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        _refuse_target(int(odd[0]), str(numbers[odd[0]]))
    return numbers, name if isinstance(name, str) and not _fernwood_tables.name_problem(name) else ""


def _refuse_target(index, what):
    raise DataError(f"target {index} is {what}; training needs a finite number for each record, leave the record out")


def _array_of(labels):
    if isinstance(labels, np.ma.MaskedArray):
        masked = np.flatnonzero(np.ma.getmaskarray(labels))
        if len(masked):
            _refuse(masked[0], "masked")
        return np.asarray(labels)
    if isinstance(labels, np.ndarray):
        return labels
    if hasattr(labels, "columns") or hasattr(labels, "column_names"):  # a table with the labels as its only column
        return np.asarray(labels)
    for convert in ("to_pylist", "to_list", "tolist"):  # Arrow; polars and pandas; other libraries
        if hasattr(labels, convert):
            labels = getattr(labels, convert)()
            break
    try:
        shape = np.shape(labels)
    except ValueError:
        shape = (len(labels),)  # sequences of different lengths
    if len(shape) != 1:
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = list(labels)
    return array


def _array_of_objects(labels):
    for index, label in enumerate(labels):
        if is_missing(label):
            _refuse(index, repr(label))
    kinds = set(map(type, labels))
    if any(issubclass(kind, (str, bytes)) for kind in kinds):
        return np.array(
            [label.decode("utf-8", "surrogateescape") if isinstance(label, bytes) else str(label) for label in labels],
            dtype=str,
        )
    array = np.asarray(labels)
    if array.dtype.kind == "f" and _are_rounded(array, labels):
        array = np.empty(len(labels), dtype=object)
        array[:] = [label.item() if isinstance(label, np.generic) else label for label in labels]
    if array.dtype.kind == "O":
        _refuse_unsortable(labels)
    return array


def _are_rounded(array, labels):
    """Whether integers became other ones: NumPy rounds those that no type of 64 bits holds together."""
    wholes = ((index, int(label)) for index, label in enumerate(labels) if isinstance(label, (int, np.integer)))
    return any(int(array[index]) != label for index, label in wholes)


def _refuse_unsortable(labels):
    for index, label in enumerate(labels):
        try:
            label < labels[0]  # noqa: B015
        except TypeError:
            raise DataError(
                f"label {index} is {label!r}, {a_type(label)}, which cannot be sorted among the others; use "
                "integers or strings"
            ) from None


def _refuse_missing(array):
    if array.dtype.kind == "f":
        unknown = np.isnan(array)
    elif array.dtype.kind in "mM":
        unknown = np.isnat(array)
    else:
        return
    if unknown.any():
        _refuse(int(np.flatnonzero(unknown)[0]), str(array[unknown][0]))


def _refuse(index, what):
    raise DataError(f"label {index} is missing ({what}); {REMEDY}")


def _check_texts(array):
    different = np.unique(array)
    checked_names(different.tolist(), "the class of number")
    for text in different.tolist():
        if _fernwood_tables.is_unknown_value(text) or text in ("<NA>", "NaT"):
            index = int(np.flatnonzero(array == text)[0])
            raise DataError(
                f"label {index} is {text!r}, which stands for a missing value; {REMEDY}, or rename the class"
            )
    seen = {}
    for text in different.tolist():
        other = seen.setdefault(text.strip(), text)
        if other != text:
            raise DataError(f"the labels {other!r} and {text!r} differ by blanks only; strip them")
