# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tables of all libraries: columns by name, missing values, and refusals with their reasons."""

import datetime
import decimal
import warnings

import fernwood_tables as ft
import numpy as np
import pytest
from fernwood_tables import streams
from fernwood_tables.arrays import as_matrix
from fernwood_tables.errors import DataError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

NAMES = {
    "named": ["width", "height", "a b", "d"],
    "as XGBoost names arrays": ["f0", "f1", "f2", "f3"],
    "as fernwood names arrays": ["1", "2", "3", "4"],
    "from 0": ["0", "1", "2", "3"],
    "as LightGBM names arrays": ["Column_0", "Column_1", "Column_2", "Column_3"],
}


def draw(num_records=200):
    values = np.random.default_rng(1).standard_normal((num_records, 4)).astype(np.float32)
    return values, (values[:, 0] + values[:, 1] / 2 > 0).astype(int)


def structured(columns):
    array = np.empty(len(next(iter(columns.values()))), [(name, np.float32) for name in columns])
    for name, column in columns.items():
        array[name] = column
    return array


LIBRARIES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "Arrow": pyarrow.table, "structured": structured}


def tables(library, values, names):
    """The table, and the same table with its columns reversed and another column inserted."""
    columns = {name: values[:, place] for place, name in enumerate(names)}
    turned = {name: columns[name] for name in names[::-1]}
    return LIBRARIES[library](columns), LIBRARIES[library]({names[0] + "'": np.ones(len(values), np.float32), **turned})


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_tables_with_names_are_read_by_them(library, names):
    values, labels = draw()
    table, turned = tables(library, values, names)
    forest = ft.train(table, labels, trees=3)
    assert forest.attributes == names
    expected = forest.predict_codes(values)
    assert np.array_equal(forest.predict_codes(table), expected)
    assert np.array_equal(forest.predict_codes(turned), expected)
    growing = streams.StreamTree(max_depth=4)
    growing.feed(table, labels)
    growing.feed(turned, labels)
    once = streams.StreamTree(max_depth=4)
    once.feed(np.concatenate([values, values]), np.concatenate([labels, labels]), attributes=names)
    assert growing.tree()._handle.to_bytes() == once.tree()._handle.to_bytes()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_missing_column_is_an_error_and_two_of_a_name_are(library):
    values, labels = draw()
    table, _ = tables(library, values, ["a", "b", "c", "d"])
    forest = ft.train(table, labels, trees=2)
    other, _ = tables(library, values, ["a", "b", "c", "e"])
    with pytest.raises(DataError, match="no column 'd'"):
        forest.predict(other)
    if library == "pandas":
        with pytest.raises(DataError, match="several columns 'a'"):
            ft.train(table.set_axis(["a", "a", "c", "d"], axis=1), labels, trees=2)
        with pytest.raises(DataError, match="several columns 'a'"):
            forest.predict(pandas.concat([table, table[["a"]]], axis=1))


def test_a_model_of_arrays_takes_named_tables_by_place_and_says_so():
    values, labels = draw()
    forest = ft.train(values, labels, trees=2)
    expected = forest.predict_codes(values)
    with pytest.warns(ft.errors.FernwoodWarning, match="by place"):
        assert np.array_equal(forest.predict_codes(pandas.DataFrame(values, columns=list("abcd"))), expected)
    with pytest.raises(DataError, match="5 attributes"):
        forest.predict(pandas.DataFrame(np.ones((2, 5)), columns=list("abcde")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest.predict(values)
        forest.predict(pandas.DataFrame(values))  # default column labels of pandas


MISSING = {
    "None": lambda: ["a", None, "b", "a"],
    "NaN among strings": lambda: ["a", np.nan, "b", "a"],
    "NaN": lambda: [0.0, np.nan, 1.0, 0.0],
    "None among numbers": lambda: [0, None, 1, 0],
    "NA": lambda: ["a", pandas.NA, "b", "a"],
    "NaT": lambda: np.array(["2020-01-01", "NaT", "2021-01-01", "2020-01-01"], "M8[D]"),
    "masked": lambda: np.ma.array([0, 1, 1, 0], mask=[0, 1, 0, 0]),
    "pandas": lambda: pandas.Series(["a", None, "b", "a"]),
    "pandas Int64": lambda: pandas.Series([0, None, 1, 0], dtype="Int64"),
    "pandas category": lambda: pandas.Series(["a", None, "b", "a"], dtype="category"),
    "polars": lambda: polars.Series(["a", None, "b", "a"]),
    "Arrow": lambda: pyarrow.array(["a", None, "b", "a"]),
    "empty string": lambda: ["a", "", "b", "a"],
    "Decimal": lambda: [decimal.Decimal(1), decimal.Decimal("nan"), decimal.Decimal(2), decimal.Decimal(1)],
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_a_missing_label_is_an_error_everywhere(labels):
    pytest.importorskip("sklearn")
    values = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    ways = [
        lambda y: ft.train(values, y, trees=2),
        lambda y: streams.StreamTree().feed(values, y),
        lambda y: ft.RecordForestClassifier(2).fit(values, y),
        lambda y: streams.StreamTreeClassifier().fit(values, y),
    ]
    for way in ways:
        with pytest.raises(DataError, match="label 1 is .*leave out records"):
            way(labels())


@pytest.mark.parametrize(
    "as_type",
    [list, lambda labels: np.array(labels, object), lambda labels: [np.uint64(labels[0]), *labels[1:]]],
    ids=["list", "objects", "numpy"],
)
def test_whole_numbers_beyond_64_bits_stay_different_classes(as_type):
    several = [2**63 + 1, 2**63 + 2, -1] * 20
    values = np.tile(np.arange(3, dtype=np.float32), 20)[:, None]
    forest = ft.train(values, as_type(several), trees=1)
    assert forest.classes == ["-1", str(2**63 + 1), str(2**63 + 2)]
    assert forest.predict_codes(values[:3]).tolist() == [1, 2, 0]
    growing = ft.streams.StreamTree()
    growing.feed(values, as_type(several))
    assert growing.labels == several[:3]


def test_labels_of_every_kind_are_classes():
    values = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    kinds = {
        "a b": [["a", "b", "a", "b"], (*"abab",), np.array(list("abab")), np.array(list("abab"), "S1"), pandas.Series(list("abab")),
                pandas.Series(list("abab"), dtype="category"), polars.Series(list("abab")), pyarrow.array(list("abab"))],
        "0 1": [[0, 1, 0, 1], np.array([0, 1, 0, 1], np.uint8), pandas.Series([0, 1, 0, 1], dtype="Int64"),
                np.ma.array([0, 1, 0, 1]), pyarrow.chunked_array([[0, 1], [0, 1]])],
        "False True": [[False, True, False, True], pandas.Series([False, True] * 2, dtype="boolean")],
    }  # fmt: skip
    for classes, several in kinds.items():
        for labels in several:
            assert ft.train(values, labels, trees=1).classes == classes.split()
    with pytest.raises(DataError, match="differ by blanks"):
        ft.train(values, ["a", "a ", "b", "b"], trees=1)
    with pytest.raises(DataError, match="control character"):
        ft.train(values, ["a", "a\n", "b", "b"], trees=1)
    with pytest.raises(DataError, match="not UTF-8"):
        ft.train(values, ["a", "b\udce4", "b", "b"], trees=1)
    with pytest.raises(DataError, match="not UTF-8"):
        ft.train(values, [0, 1, 0, 1], attributes=["a", "b\udce4"], trees=1)


def test_missing_values_of_every_kind_are_unknown():
    known = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
    known[1, 0] = np.nan
    forest = ft.train(np.tile(known, (20, 1)), np.tile([0, 1, 0, 1], 20), trees=3)
    expected = forest.predict_proba(known)
    first, second = [1, None, 5, 7], [2, 4, 6, 8]
    ways = [
        list(zip(first, second)),
        np.array(list(zip(first, second)), dtype=object),
        np.ma.array([[1, 2], [9, 4], [5, 6], [7, 8]], mask=[[0, 0], [1, 0], [0, 0], [0, 0]]),
        pandas.DataFrame([[1, 2], [pandas.NA, 4], [5, 6], [7, 8]]),
        pandas.DataFrame([[1, 2], [pandas.NaT, 4], [5, 6], [7, 8]]),
        pandas.DataFrame({0: pandas.array(first, dtype="Int64"), 1: second}),
        pandas.DataFrame({0: pandas.array(first, dtype="Float32"), 1: second}),
        pandas.DataFrame({0: pandas.Series(first, dtype=pandas.ArrowDtype(pyarrow.int32())), 1: second}),
        pandas.DataFrame({0: [decimal.Decimal(1), None, decimal.Decimal(5), decimal.Decimal(7)], 1: second}),
        polars.DataFrame({"1": first, "2": second}),
        polars.DataFrame({"1": pandas.Series(first, dtype="Int64").to_list(), "2": second}, strict=False),
        pyarrow.table({"1": first, "2": second}),
        pyarrow.table({"1": pyarrow.array([1, None, 5, 7], pyarrow.decimal128(5)), "2": second}),
    ]  # fmt: skip
    for way in ways:
        assert np.array_equal(forest.predict_proba(way), expected)
    flags = np.array([[True, False], [False, True]] * 4)
    flagged = ft.train(flags, [0, 1] * 4, trees=1).predict_codes(flags)
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        table = make({"1": flags[:, 0], "2": flags[:, 1]})
        assert np.array_equal(ft.train(table, [0, 1] * 4, trees=1).predict_codes(table), flagged)


DAY = datetime.datetime(2020, 1, 1)
REFUSED = {
    "dates of NumPy": (lambda: np.array([["2020", "2021"]], "M8[D]"), "dates"),
    "dates as objects": (lambda: np.array([[DAY, 1]], dtype=object), "dates"),
    "dates of pandas": (lambda: pandas.DataFrame({"x": [1.0], "when": [DAY]}), "column 'when' holds dates"),
    "dates of polars": (lambda: polars.DataFrame({"x": [1], "when": [DAY]}), "column 'when' holds dates"),
    "dates of Arrow": (lambda: pyarrow.table({"x": [1], "when": [DAY]}), "column 'when' holds dates"),
    "text of NumPy": (lambda: np.array([["a", "b"]]), "text .'a'."),
    "text of pandas": (lambda: pandas.DataFrame({"x": [1.0], "kind": ["oak"]}), "column 'kind' holds text .'oak'."),
    "text of Arrow": (lambda: pyarrow.table({"x": [1.0], "kind": ["oak"]}), "column 'kind' holds text .'oak'."),
    "categories of pandas": (lambda: pandas.DataFrame({"kind": pandas.Categorical([1, 2])}), "column 'kind' holds categories"),
    "complex of pandas": (lambda: pandas.DataFrame({"z": [1j], "x": [1]}), "column 'z' holds values of type complex"),
    "lists": (lambda: pandas.DataFrame({"l": [[1, 2]], "x": [1]}), "column 'l' holds a value that is not a number"),
    "a Series": (lambda: pandas.Series([1.0, 2.0]), "a single column"),
    "one dimension": (lambda: np.ones(3), "reshape"),
    "lines of other lengths": (lambda: [[1, 2], [3]], "same length"),
    "a dict": (lambda: {"a": [1, 2]}, "pandas.DataFrame"),
    "a lazy frame": (lambda: polars.LazyFrame({"a": [1]}), "collect"),
}


@pytest.mark.parametrize("make, reason", REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_of_numbers_says_why(make, reason):
    with pytest.raises(DataError, match=reason):
        ft.train(make(), [0], trees=1)


def test_columns_of_arrow_side_by_side_are_not_copied():
    columns = np.asfortranarray(np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32))
    table = pyarrow.table({name: columns[:, place] for place, name in enumerate("abc")})
    found = as_matrix(table)
    assert np.shares_memory(found, columns) and np.array_equal(found, columns)
    apart = as_matrix(table.select(["a", "c", "b"]))
    assert not np.shares_memory(apart, columns) and np.array_equal(apart, columns[:, [0, 2, 1]])
