# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records in the form that the engine reads: 32-bit floats, by rows or by columns.

Read in place, without a copy: ``float32`` arrays of NumPy with contiguous rows (any row stride) or columns, pandas
frames whose columns are all ``float32`` in one block, polars frames that were made from these arrays, and tables of
Arrow of ``float32`` without nulls whose columns have equal distances in memory, as those that Arrow reads from a file.

Other numbers are rounded to the nearest ``float32``, a million records at a time, in prediction and in training, as by
scikit-learn and XGBoost: an integer above 2^24 and a ``float64`` with more than 24 significant bits may become a
neighbouring number, the same one in training and in prediction. NaN and nulls are unknown values, which go to the side
that a test names; infinity is larger than any number.
"""

from collections.abc import Mapping
from numbers import Number

import numpy as np

from . import _gpu
from ._words import a_type, offers
from .errors import DataError

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


RECORDS_AT_ONCE = 1 << 20


def as_matrix(values, num_attributes=None):
    """Converts any table to an array [record][attribute] of real numbers, if possible without a copy.

    Raises
    ------
    DataError
        The argument is not a table of numbers; the message has its shape or type, the column's name, and the remedy.
    """
    _refuse_gpu(values)
    if isinstance(values, np.ndarray):
        matrix = _fields_matrix(values) if values.dtype.names else values
    elif offers(values, "tocsr"):
        raise DataError("the records are a sparse matrix, which fernwood does not take; pass values.toarray()")
    elif offers(values, "column_names", "itercolumns"):
        matrix = _matrix_of(*columns_of(values))
    elif offers(values, "iloc", "columns"):
        matrix = _pandas_matrix(values)
    elif offers(values, "to_frame") or offers(values, "to_pylist"):
        _refuse_series(values)
    elif offers(values, "get_columns", "to_numpy"):
        plain = all(_is_plain(kind) for kind in values.dtypes)
        matrix = np.asarray(values.to_numpy()) if plain else _matrix_of(*columns_of(values))
    elif offers(values, "collect") or isinstance(values, Mapping):
        remedy = "pass values.collect()" if offers(values, "collect") else "use pandas.DataFrame(values)"
        raise DataError(f"the records are {a_type(values)}, which is not a table yet; {remedy}")
    elif offers(values, "to_numpy"):
        matrix = np.asarray(values.to_numpy())
    else:
        matrix = _array_of(values)
    return _checked(matrix, num_attributes)


def dense(values, absent=0):
    """An array instead of a sparse matrix of SciPy; other tables as they are.

    @param absent  The value of an element that the matrix does not store."""
    if not offers(values, "tocsr", "tocoo"):
        return values
    stored = values.tocsr(copy=True)
    stored.sum_duplicates()
    stored = stored.tocoo()
    filled = np.full(stored.shape, absent, stored.dtype if stored.dtype.kind == "f" else np.float64)
    filled[stored.row, stored.col] = stored.data
    return filled


def _array_of(values, dtype=None):
    try:
        return np.asanyarray(values, dtype)
    except ValueError as failure:
        raise DataError(f"the records are not a table ({failure}); pass lines of the same length") from None


def _refuse_gpu(values):
    device = _gpu.device_of(values)
    if device is not None:
        raise DataError(
            f"the records are on {device}, and this is computed from memory of the CPU; use a copy there, such as "
            "values.cpu() of torch or values.get() of CuPy"
        )


def _refuse_series(values):
    raise DataError(
        f"the records are {a_type(values)} of {type(values).__module__.partition('.')[0]}, a single column; use a "
        "table [record][attribute]: one attribute of many records is a frame with this column, one record is "
        "numpy.asarray(values).reshape(1, -1)"
    )


def _check_shape(matrix):
    if matrix.ndim != 2:
        raise DataError(
            f"the records have the shape {matrix.shape}; pass a table [record][attribute]. Reshape your data: a "
            "single record is values.reshape(1, -1), a single attribute is values.reshape(-1, 1)"
        )


def _checked(matrix, num_attributes):
    _check_shape(matrix)
    matrix = numbers_of(matrix, "the records hold")
    if num_attributes is not None:
        check_width(matrix.shape[1], num_attributes)
    return matrix


def check_width(num_columns, num_attributes):
    if num_columns != num_attributes:
        raise DataError(
            f"the records have {num_columns} attributes, and the model was trained on {num_attributes}; pass records of "
            "the same kind"
        )


def columns_of(values):
    """([(name, column)], number of records) of any table; columns are arrays, or series of pandas' type `category`.

    Raises
    ------
    DataError
        The argument is not a table.
    """
    _refuse_gpu(values)
    if offers(values, "column_names", "itercolumns"):
        columns = [values.column(place) for place in range(values.num_columns)]
        return [(name, _plain_column(column, column.type)) for name, column in zip(values.column_names, columns)], values.num_rows
    if offers(values, "iloc", "columns"):
        series = [(label, values.iloc[:, place]) for place, label in enumerate(values.columns)]
        return [(label, _plain_or_category(each)) for label, each in series], len(values)
    if offers(values, "get_columns", "to_numpy"):
        return [(series.name, _plain_column(series, series.dtype)) for series in values.get_columns()], len(values)
    if isinstance(values, np.ndarray) and values.dtype.names:
        return [(name, values[name]) for name in values.dtype.names], len(values)
    array = values if isinstance(values, np.ndarray) else _array_of(values, object)
    _check_shape(array)
    return [(place, array[:, place]) for place in range(array.shape[1])], len(array)


def _plain_or_category(series):
    kind = series.dtype
    if isinstance(kind, np.dtype):
        return series.to_numpy()
    return series if hasattr(kind, "categories") else np.asarray(series.astype(object), dtype=object)


DATES = ("date", "datetime", "time", "timedelta", "Timestamp", "Timedelta", "Period", "datetime64", "timedelta64")
MISSING = ("NoneType", "NAType", "NaTType")


def is_missing(value):
    """Whether a Python value means unknown: None, NA, NaT, masked or NaN."""
    return type(value).__name__ in MISSING or value is np.ma.masked or (isinstance(value, Number) and value != value)


def numbers_of(array, where):
    """Real numbers from an array of any type; masked and missing elements become NaN. @param where  Begins messages."""
    masked = isinstance(array, np.ma.MaskedArray)
    mask, array = (np.ma.getmaskarray(array), np.asarray(array)) if masked else (None, array)
    if array.dtype.kind == "O":
        array = _numbers_of_objects(array, where)
    if array.dtype.kind in "Mm":
        _refuse_dates(where, array.dtype)
    if array.dtype.kind in "SU":
        _refuse_text(where, array.flat[0].item() if array.size else "")
    if array.dtype.kind not in "fiub":
        complex_too = "Complex data not supported: " if array.dtype.kind == "c" else ""
        raise DataError(f"{complex_too}{where} values of type {array.dtype}; pass real numbers, such as numpy.float32")
    if masked and mask.any():
        array = array.astype(np.result_type(array.dtype, np.float32))  # a copy
        array[mask] = np.nan
    return array


def _numbers_of_objects(array, where):
    objects = array.ravel().tolist()
    for kind in set(map(type, objects)):
        if issubclass(kind, (str, bytes)):
            _refuse_text(where, next(value for value in objects if type(value) is kind))
        if kind.__name__ in DATES:
            _refuse_dates(where, kind.__name__)
    if any(kind.__name__ in MISSING for kind in set(map(type, objects))):
        objects = [np.nan if type(value).__name__ in MISSING else value for value in objects]
    numbers = np.empty(len(objects), np.float64)
    for index, value in enumerate(objects):
        try:
            numbers[index] = float(value)
        except (TypeError, ValueError, OverflowError) as failure:
            place = ", ".join(map(str, np.unravel_index(index, array.shape)))
            raise DataError(
                f"{where} a value that is not a number at [{place}] ({failure}); turn it into numbers first"
            ) from None
    return numbers.reshape(array.shape)


def _refuse_dates(where, kind):
    raise DataError(
        f"{where} dates or durations ({kind}), which are not numbers; turn them into numbers first, such as the seconds or "
        "days since a date"
    )


def _refuse_text(where, text):
    raise DataError(
        f"{where} text ({text!r}), which is not a number; use numbers, for categories those that stand for them in training, "
        "such as codes by one order of the categories"
    )


def _refuse_categories(where):
    raise DataError(
        f"{where} categories, which are not numbers; pass those that stand for them in training, such as codes by one order of "
        "the categories: column.cat.set_categories(order).cat.codes of pandas"
    )


def _fields_matrix(values):
    """The matrix of a structured array's fields."""
    if values.ndim != 1:
        raise DataError(f"the records are a structured array of the shape {values.shape}; use one of one dimension")
    return _matrix_of([(name, values[name]) for name in values.dtype.names], len(values))


def _matrix_of(columns, num_records):
    numbers = []
    for name, column in columns:
        if column.ndim != 1:
            raise DataError(
                f"column {name!r} holds arrays of the shape {column.shape[1:]}; use a number in each record"
            )
        numbers.append(numbers_of(column, f"column {name!r} holds"))
    together = _side_by_side(numbers)
    if together is not None:
        return together
    wide = np.result_type(np.float32, *(column.dtype for column in numbers))
    matrix = np.empty((num_records, len(numbers)), wide, order="F")
    for index, column in enumerate(numbers):
        matrix[:, index] = column
    return matrix


class _Together:
    """The memory of columns, which it keeps alive."""

    def __init__(self, columns, step):
        first, self._columns = columns[0], columns
        shape, strides = (len(first), len(columns)), (first.itemsize, step)
        self.__array_interface__ = {**first.__array_interface__, "shape": shape, "strides": strides}


def _side_by_side(columns):
    """The array [record][attribute] instead of columns whose memory lies in equal steps, as in tables of Arrow; else
    None."""
    first = columns[0] if columns else np.empty(0, object)
    if first.dtype not in (np.float32, np.float64) or any((c.dtype, c.strides) != (first.dtype, first.strides) for c in columns):
        return None
    places = [column.__array_interface__["data"][0] for column in columns]
    step = places[1] - places[0] if len(places) > 1 else first.nbytes
    if step < first.nbytes or first.strides != (first.itemsize,) or np.any(np.diff(places) != step):
        return None
    return np.asarray(_Together(columns, step))


def _pandas_matrix(frame):
    kinds = set(frame.dtypes)
    if len(kinds) == 1:
        only = next(iter(kinds))
        if isinstance(only, np.dtype) and only.kind in "fiub":
            return frame.to_numpy()
    columns = [(label, _pandas_column(frame.iloc[:, place], label)) for place, label in enumerate(frame.columns)]
    return _matrix_of(columns, len(frame))


def _pandas_column(series, label):
    kind, where = series.dtype, f"column {label!r} holds"
    if isinstance(kind, np.dtype):
        return series.to_numpy()
    if hasattr(kind, "categories"):
        _refuse_categories(where)
    if getattr(kind, "kind", "O") in "mM":
        _refuse_dates(where, kind)
    if getattr(kind, "kind", "O") in "fiub":
        exact = kind.kind == "f" and getattr(kind, "itemsize", 8) <= 4  # sparse columns have none
        return series.to_numpy(dtype=np.float32 if exact else np.float64, na_value=np.nan)
    return np.asarray(series.astype(object), dtype=object)


def _is_plain(kind):
    """Whether a type of polars or Arrow is one of NumPy's numbers."""
    return str(kind).lower().startswith(("float", "double", "halffloat", "int", "uint"))


def _plain_column(column, kind):
    if _is_plain(kind):
        return np.asarray(column)  # copied if there are nulls
    return np.array((column.to_pylist() if offers(column, "to_pylist") else column.to_list()) or [], dtype=object)


def as_floats(matrix):
    """The records as ``float32``, with contiguous rows or columns."""
    if matrix.dtype != np.float32 or not matrix.dtype.isnative:
        with np.errstate(over="ignore"):  # too large values become infinite, which is larger than any threshold
            matrix = matrix.astype(np.float32)
    record_step, attribute_step = matrix.strides
    side_by_side = matrix.itemsize in (record_step, attribute_step) and min(record_step, attribute_step) >= 0
    whole_steps = record_step % matrix.itemsize == 0 and attribute_step % matrix.itemsize == 0
    return matrix if side_by_side and whole_steps and matrix.flags.aligned else np.ascontiguousarray(matrix)


def float_parts(matrix):
    """Yields (index of the first record, records as ``float32``) in parts, to limit copies and allow Ctrl-C between."""
    for begin in range(0, len(matrix), RECORDS_AT_ONCE):
        yield begin, as_floats(matrix[begin : begin + RECORDS_AT_ONCE])
