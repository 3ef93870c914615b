# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Errors about an element of a wrong type in a list state its index and the expected type."""

import numpy as np
import pytest

import fernwood_tables as ft
from fernwood_tables.errors import DataError, FernwoodError, UsageError

VALUES = [[0.0, 1.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    "call, words",
    {
        "attributes": (lambda: ft.train(VALUES, [0, 1], attributes=["a", None]), r"^attributes\[1\] is None"),
        "attributes of a tree": (lambda: ft.streams.StreamTree().feed(VALUES, [0, 1], attributes=5), "^attributes is 5"),
        "imported": (lambda: ft.RecordForest.import_model("x", classes=["a", 1]), r"^classes\[1\] is 1, an int"),
    }.values(),
)
def test_wrong_elements_are_usage_errors(call, words):
    with pytest.raises(UsageError, match=words):
        call()


@pytest.mark.parametrize(
    "values, labels, words",
    [
        (VALUES, [0, None], "^label 1 is missing"),
        (VALUES, [object(), object()], "^label 0 is <object"),
        ([[0.0, 1.0], [1.0, object()]], [0, 1], r"a value that is not a number at \[1, 1\]"),
    ],
)
def test_wrong_records_are_data_errors(values, labels, words):
    with pytest.raises(DataError, match=words):
        ft.train(values, labels)
    with pytest.raises(FernwoodError, match=words):
        ft.streams.StreamTree().feed(values, labels)


def test_what_was_right_stays_right():
    assert ft.train(VALUES, [0, 1], attributes=np.array(["a", "b"], object)).attributes == ["a", "b"]
