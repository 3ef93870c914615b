# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Every public function reports which argument has a wrong type, and the expected type."""

import typing

import pytest
from argument_types import cases_of, expect_refusals, public_functions

import fernwood_tables as ft
from fernwood_tables.errors import UsageError

MODULES = (ft, ft.streams)
#: scikit-learn's estimators check their parameters in fit(); the other is created by the package.
OTHERS = {"RecordForestClassifier", "RecordForestRegressor", "StreamTreeClassifier", "StreamTreeRegressor", "Check"}
CASES = cases_of(MODULES, OTHERS)


def test_types_can_be_asked_for():
    """Tools that generate forms and checks evaluate the type hints."""
    for _, bare, _ in public_functions(MODULES):
        typing.get_type_hints(bare)
    assert len(CASES) > 5


@pytest.mark.parametrize(("case", "function", "name", "types"), CASES, ids=[case[0] for case in CASES])
def test_a_wrong_type_is_told_by_its_argument(case, function, name, types):
    expect_refusals(function, name, types, UsageError)
