# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tables in which some columns hold categories (strings or integers).

For models of CatBoost a record has 32 bits for each attribute: the hash of a category's text, or a number as ``float32``.
For those of other libraries, categories become the numbers that the library keeps for them.
"""

import numbers

import numpy as np

from . import _fernwood_tables
from ._words import is_utf8, offers
from .arrays import MISSING, check_width, columns_of, numbers_of
from .errors import DataError

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def category_matrix(values, text_attributes, num_attributes):
    """Converts any table to records; numpy.ndarray [record][attribute] of ``float32``.

    Parameters
    ----------
    text_attributes : sequence of int
        Indices of the columns of categories.

    Raises
    ------
    DataError
        The argument is not a table, a category is neither a string nor an integer, or another column does not hold
        numbers.
    """
    if type(values).__module__.startswith(("catboost", "_catboost")):
        raise DataError(
            "the records are a Pool of CatBoost, which does not give its strings back; pass the table that it was made of"
        )
    columns, num_records = columns_of(values)
    check_width(len(columns), num_attributes)
    texts = set(text_attributes)
    matrix = np.empty((num_records, len(columns)), np.float32, order="F")
    with np.errstate(over="ignore"):  # too large values become infinite, which is larger than any threshold
        for place, (label, column) in enumerate(columns):
            where = f"column {label!r} holds"
            matrix[:, place] = _category_values(column, where) if place in texts else _number_column(column, where)
    return matrix


class Known(dict):
    """{category: number} of a library that refuses other categories."""

    def __missing__(self, category):
        raise DataError(f"the records have the category {category!r}, and the model was trained on {', '.join(map(repr, self))}; pass these")


def coded(values, known):
    """A table with numbers instead of categories.

    Parameters
    ----------
    known : list of dict
        {category: number} of each column of categories in the model's training; others are unknown values. Empty or
        None: the table as it is.
    """
    found = category_columns(values) if known else []
    if not found:
        return values
    if len(found) != len(known):
        raise DataError(
            f"the table has {len(found)} columns of categories, and the model was trained on {len(known)}; give each column "
            "the type that it had at training"
        )
    for (place, categories, codes), number_of in zip(found, known):
        refuses = hasattr(number_of, "__missing__")
        numbers = [number_of[each] if refuses else number_of.get(each, np.nan) for each in categories]
        values = _with_column(values, place, np.array([*numbers, np.nan])[codes])
    return values


def listed_categories(values):
    """[column of categories] {category: number} of a table, numbered in the table's order."""
    return [dict(zip(categories, range(len(categories)))) for _, categories, _ in category_columns(values)]


def category_columns(values):
    """[(index of a column of categories, its categories, [record] index of the category; -1: missing)] of a table."""
    if offers(values, "column_names", "itercolumns"):  # Arrow
        kinds = [str(kind).startswith("dictionary") for kind in values.schema.types]
        return [(place, *_codes_of_arrow(values.column(place))) for place, found in enumerate(kinds) if found]
    if offers(values, "iloc", "dtypes"):
        places = [place for place, kind in enumerate(values.dtypes) if hasattr(kind, "categories")]
        listed = [(place, values.iloc[:, place].cat) for place in places]
        return [(place, column.categories.tolist(), column.codes.to_numpy()) for place, column in listed]
    if offers(values, "get_columns", "to_numpy"):  # polars
        columns = [(place, series) for place, series in enumerate(values.get_columns()) if hasattr(series.dtype, "categories")]
        return [(place, *_codes_of_polars(series)) for place, series in columns]
    return []


def _codes_of_arrow(column):
    column = column.unify_dictionaries() if offers(column, "unify_dictionaries") else column
    chunks = getattr(column, "chunks", [column])
    codes = [chunk.indices.cast("int64").fill_null(-1).to_numpy() for chunk in chunks]
    return (chunks[0].dictionary.to_pylist(), np.concatenate(codes)) if chunks else ([], np.empty(0, np.int64))


def _codes_of_polars(series):
    """Of Enum, its categories; of Categorical, which has those of other columns too, the ones that are there."""
    missing, numbers = series.is_null().to_numpy(), series.to_physical().fill_null(0).to_numpy()
    places = series.arg_unique().to_numpy()
    places = places[~missing[places]]
    places = places[np.argsort(numbers[places])]
    codes = np.searchsorted(numbers[places], numbers)
    return series.gather(places).to_list(), np.where(missing, -1, codes)


def _with_column(values, place, numbers):
    """A copy of a table with another column, which shares the others."""
    if offers(values, "set_column"):  # Arrow
        return values.set_column(place, values.column_names[place], [numbers])
    if offers(values, "iloc"):
        values = values.copy(deep=False)
        values.isetitem(place, numbers)
        return values
    series = values.get_columns()[place]
    return values.clone().replace_column(place, type(series)(series.name, numbers))


def _category_values(column, where):
    """The values of categories in records; numpy.ndarray [record] of ``float32``."""
    if hasattr(column, "cat"):  # pandas' type `category`: the text of each category is hashed once
        known, codes = column.cat.categories.tolist(), column.cat.codes.to_numpy()
        if (codes < 0).any():
            _refuse_missing(where)
    elif column.dtype.kind in "biuSU":
        known, codes = np.unique(column, return_inverse=True)
        known = known.tolist()
    else:
        objects, place_of = column.tolist(), {}
        _check_kinds(objects, where)  # before values are compared, since 1.0 == 1
        codes = [place_of.setdefault(value, len(place_of)) for value in objects]
        known = list(place_of)
    _check_kinds(known, where)
    hashed = np.empty(len(known), np.float32)
    _fernwood_tables.read_categories([_bytes_of(value) for value in known], hashed)
    return hashed[np.asarray(codes, np.intp).ravel()]


def _check_kinds(values, where):
    for kind in set(map(type, values)):
        if kind.__name__ in MISSING or issubclass(kind, (float, np.floating)):
            value = next(value for value in values if type(value) is kind)
            if kind.__name__ in MISSING or value != value:
                _refuse_missing(where)
            _refuse(where, value)
        if not issubclass(kind, (str, bytes, numbers.Integral, np.bool_)):
            _refuse(where, next(value for value in values if type(value) is kind))


def _bytes_of(value):
    if isinstance(value, str):
        if not is_utf8(value):
            raise DataError(f"a category is the text {value!r}, which is not UTF-8; decode the strings of the records again")
        return value.encode()
    return value if isinstance(value, bytes) else str(int(value)).encode()


def _refuse(where, value):
    raise DataError(
        f"{where} {value!r} where the model has categories, which are strings or integers; turn it into one, as at training"
    )


def _refuse_missing(where):
    raise DataError(
        f"{where} a missing value where the model has categories; pass a string or an integer in its place, such as the one "
        "that stood for missing values at training"
    )


def _number_column(column, where):
    if hasattr(column, "cat"):
        column = column.astype(object).to_numpy()
    if column.dtype.kind in "SU":  # an array of strings
        column = column.astype(object)
    if column.dtype.kind == "O" and any(isinstance(value, str) for value in column):
        column = np.array([_number_of_text(value) for value in column.tolist()], dtype=object)
    return numbers_of(column, where)


def _number_of_text(value):
    if not isinstance(value, (str, bytes)):
        return value
    try:
        return float(value) if value.strip() else np.nan
    except ValueError:
        return value  # numbers_of() rejects it as a string
