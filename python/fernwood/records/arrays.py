# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records as the engine takes them: 32-bit floats, by rows or by columns.

Without a copy: NumPy arrays of ``float32`` whose rows (of any step) or columns lie side by side, frames of pandas whose
columns all are ``float32`` of one block, of polars that were made of such an array.

Other numbers are rounded to the nearest ``float32``, a million records at a time. That is what training does too, and
what scikit-learn and XGBoost do: a whole number above 2^24 and a ``float64`` with more than 24 significant bits may
meet another value there, the same one in training and in prediction. NaN and nulls are unknown values, which go to the
side that a test names; infinity is larger than any number.
"""

import numpy as np

from ..errors import DataError

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__

RECORDS_AT_ONCE = 1 << 20


def column_names(values):
    """Names of a frame's columns, or None where there are none, or some are no text."""
    names = getattr(values, "column_names", None)  # of Arrow, whose columns are the columns themselves
    if names is None:
        names = getattr(values, "columns", None)
    if names is None or isinstance(values, np.ndarray):
        return None
    names = list(names)
    return names if names and all(isinstance(name, str) for name in names) else None


def has_drawn_names(attributes):
    """Whether a model's attributes have numbers for names, because nobody named them."""
    return any(attributes == [f"{prefix}{first + i}" for i in range(len(attributes))]
               for prefix, first in (("f", 0), ("", 1), ("Column_", 0)))  # fmt: skip


def order_columns(values, attributes):
    """A frame's columns in a model's order, whatever order they are in and whatever else is between them."""
    names = column_names(values)
    if names is None or names == attributes or has_drawn_names(attributes):
        return values
    missing = [name for name in attributes if name not in names]
    if missing:
        raise DataError(
            f"the table has no column {missing[0]!r}, which the model asks"
            + (f", nor {len(missing) - 1} others" if len(missing) > 1 else "")
            + "; give the columns that it was trained on, or an array, whose columns are taken by place"
        )
    return values.select(attributes) if hasattr(values, "select") else values[attributes]


def as_matrix(values, num_attributes=None):
    """Any table as an array [record][attribute] of real numbers, where possible without a copy.

    Raises
    ------
    DataError
        For what is no table of numbers, naming shape or type and the remedy.
    """
    if isinstance(values, np.ndarray):
        matrix = values
    elif hasattr(values, "tocsr"):
        raise DataError("the records are a sparse matrix, which fernwood does not take; give values.toarray()")
    elif hasattr(values, "column_names") and hasattr(values, "itercolumns"):
        matrix = _arrow_matrix(values)
    elif hasattr(values, "iloc") and hasattr(values, "to_numpy"):
        matrix = _pandas_matrix(values)
    elif hasattr(values, "to_numpy"):
        matrix = np.asarray(values.to_numpy())
    else:
        matrix = np.asarray(values)
    return _checked(matrix, num_attributes)


def _checked(matrix, num_attributes):
    if matrix.dtype.kind == "O":
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError) as failure:
            raise DataError(f"the records hold what is no number ({failure}); turn it into numbers first") from None
    if matrix.dtype.kind not in "fiub":
        kind = "Complex data not supported: the" if matrix.dtype.kind == "c" else "the"
        raise DataError(f"{kind} records are of type {matrix.dtype}; give real numbers, such as numpy.float32")
    if matrix.ndim != 2:
        raise DataError(
            f"the records have the shape {matrix.shape}; give a table [record][attribute]. Reshape your data: a "
            "single record is values.reshape(1, -1)"
        )
    if num_attributes is not None and matrix.shape[1] != num_attributes:
        raise DataError(
            f"the records have {matrix.shape[1]} attributes, and the model was trained on {num_attributes}; give "
            "records of the same kind"
        )
    return matrix


def _pandas_matrix(frame):
    kinds = set(frame.dtypes)
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
        return frame.to_numpy()
    try:
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as failure:
        raise DataError(f"the table has a column that holds no numbers ({failure}); turn it into numbers") from None


def _arrow_matrix(table):
    narrow = all(str(kind) in ("float", "halffloat", "int8", "uint8", "int16", "uint16") for kind in table.schema.types)
    matrix = np.empty((table.num_rows, table.num_columns), np.float32 if narrow else np.float64, order="F")
    for index, (name, column) in enumerate(zip(table.column_names, table.itercolumns())):
        try:
            matrix[:, index] = column.to_numpy()
        except (TypeError, ValueError) as failure:
            raise DataError(f"column {name!r} holds no numbers ({failure}); turn it into numbers") from None
    return matrix


def as_floats(matrix):
    """The same records as ``float32`` of which rows or columns lie side by side."""
    if matrix.dtype != np.float32 or not matrix.dtype.isnative:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is larger than any threshold
            matrix = matrix.astype(np.float32)
    record_step, attribute_step = matrix.strides
    side_by_side = matrix.itemsize in (record_step, attribute_step) and min(record_step, attribute_step) >= 0
    whole_steps = record_step % matrix.itemsize == 0 and attribute_step % matrix.itemsize == 0
    return matrix if side_by_side and whole_steps and matrix.flags.aligned else np.ascontiguousarray(matrix)


def float_parts(matrix):
    """Yields (first record, records as the engine takes them): a bound on copies, and room for Ctrl-C between."""
    for begin in range(0, len(matrix), RECORDS_AT_ONCE):
        yield begin, as_floats(matrix[begin : begin + RECORDS_AT_ONCE])
