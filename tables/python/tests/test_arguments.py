# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Every public function reports which argument has a wrong type, and the expected type."""

import typing

import numpy as np
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


def test_numbers_of_threads_of_estimators_are_checked():
    values, labels = np.random.default_rng(1).random((20, 2)), np.arange(20) % 2
    for estimator in (ft.RecordForestClassifier, ft.RecordForestRegressor, ft.streams.StreamTreeClassifier):
        for wrong in ("x", 0, 1.5, True, [1], 2**40, object()):
            with pytest.raises(UsageError, match="^n_jobs is .*; give a number of threads"):
                estimator(n_jobs=wrong).fit(values, labels)
