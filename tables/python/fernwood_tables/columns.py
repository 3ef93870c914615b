# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Names of a table's columns, and their assignment to the attributes of a model.

Tables of pandas, polars and Arrow and structured arrays have names, by which columns are found in training, in streams
and in prediction; the columns of other arrays have no names and are found by position. A pandas frame whose labels are
0, 1 ... in this order has default names and counts as an array.
"""

import numpy as np

from . import _elements, _fernwood_tables
from ._words import offers
from .errors import DataError, UsageError, warn

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def column_labels(values):
    """The labels of a table's columns; None for other objects."""
    if isinstance(values, np.ndarray):
        return list(values.dtype.names) if values.dtype.names else None
    if offers(values, "collect"):  # a lazy frame of polars, not computed yet
        return None
    labels = None
    if offers(values, "column_names"):  # Arrow, whose `columns` are the data themselves
        labels = values.column_names
    elif offers(values, "columns"):
        labels = values.columns
    return None if labels is None or callable(labels) else list(labels)


def _are_numbers(labels):
    return all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) for label in labels)


def _are_places(labels):
    return _are_numbers(labels) and labels == list(range(len(labels)))


def column_names(values):
    """Names of a table's columns as strings; None if it has none.

    Raises
    ------
    DataError
        Two columns have the same name.
    """
    labels = column_labels(values)
    if not labels or _are_places(labels):
        return None
    names = checked_names(labels)
    _refuse_duplicates(names, names)
    return names


def given_names(attributes):
    """The argument `attributes`, by `checked_names`. Raises UsageError for the first element that is not a name, or is
    that of another attribute."""
    names = checked_names(_elements.each(attributes, "attributes", "a name", _elements.name))
    place_of = {}
    for index, name in enumerate(names):
        first = place_of.setdefault(name, index)
        if first != index:
            raise UsageError(
                f"attributes[{index}] is {name!r}, the name of attributes[{first}]; give each attribute another name"
            )
    return names


def checked_names(names, what="the name of column"):
    """Names of columns or classes as strings. Raises DataError for the first one that a model file cannot store."""
    texts = [str(name) for name in names]
    for index, text in enumerate(texts):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"{what} {index} is {text!r}, which is not UTF-8; decode it with its own encoding"
            ) from None
        problem = _fernwood_tables.name_problem(text)
        if problem:
            raise DataError(f"{what} {index} is {text[:40]!r}, which {problem}; rename it")
    return texts


def _refuse_duplicates(wanted, names):
    if len(set(names)) == len(names):
        return
    wanted = set(wanted)
    for name in names:
        if name in wanted and names.count(name) > 1:
            raise DataError(f"the table has several columns {name!r}; rename all but one")


def has_default_names(attributes):
    """Whether attributes have default names: "1" ..., "0" ..., XGBoost's "f0" ... or LightGBM's "Column_0" ..."""
    return any(attributes == [f"{prefix}{first + i}" for i in range(len(attributes))]
               for prefix, first in (("f", 0), ("", 1), ("", 0), ("Column_", 0)))  # fmt: skip


def order_columns(values, attributes, spaces_are_underscores=False):
    """Selects the columns of a table that a model's attributes name, in the model's order.

    A model that was trained on an array has default names; a table without any of them is read by position, with a
    warning.

    Parameters
    ----------
    spaces_are_underscores : bool
        Whether the model's names have underscores instead of spaces, as LightGBM's.
    """
    labels = column_labels(values)
    if not labels:
        return values
    names = [str(label).replace(" ", "_") if spaces_are_underscores else str(label) for label in labels]
    if names == attributes and not _are_numbers(labels):
        _refuse_duplicates(attributes, names)
        return values
    unnamed = has_default_names(attributes)
    if _are_numbers(labels) and unnamed:
        wanted = list(range(len(attributes)))  # a frame's numbers are positions, not names
        if _are_places(labels):
            return values
        if len(labels) == len(wanted) and set(labels) == set(wanted):
            return _select(values, np.argsort(labels).tolist())
    place_of = {name: place for place, name in reversed(list(enumerate(names)))}
    places = [place_of.get(name) for name in attributes]
    if None not in places:
        _refuse_duplicates(attributes, names)
        return values if places == list(range(len(names))) else _select(values, places)
    if _are_places(labels):
        return values
    if unnamed and all(place is None for place in places):
        if len(names) == len(attributes):
            warn(
                f"the model was trained without names of columns, so the table's columns {names[0]!r} ... are taken by place; "
                "train with a table to have them found by name"
            )
        return values
    _refuse_missing(attributes, names, places)


def _refuse_missing(attributes, names, places):
    missing = [name for name, place in zip(attributes, places) if place is None]
    raise DataError(
        f"the table has no column {missing[0]!r}, which the model asks"
        + (f", nor {len(missing) - 1} others" if len(missing) > 1 else "")
        + "; pass the columns that it was trained on, or an array, whose columns are taken by place"
    )


def _select(values, places):
    if isinstance(values, np.ndarray):
        return values[[values.dtype.names[place] for place in places]]
    if offers(values, "iloc"):
        return values.iloc[:, places]
    labels = column_labels(values)
    return values.select([labels[place] for place in places])
