# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests over tables: train them, or give models of scikit-learn, XGBoost, LightGBM and CatBoost another engine.

A *record* is a row of numbers, its *attributes*, and has a class or a value. All functions take NumPy arrays, lists of lists, and
tables of pandas, polars and Arrow; see :mod:`fernwood.records.arrays` for what is copied and what is not,
and :mod:`fernwood.records.columns` for how columns are found.

``RecordForestClassifier`` and ``RecordForestRegressor`` need scikit-learn (``pip install fernwood[sklearn]``), which is
imported when a name is first used; :func:`train` and :class:`RecordForest` need NumPy only.
"""

from .accelerated import (
    AcceleratedClassifier,
    AcceleratedDetector,
    AcceleratedModel,
    AcceleratedMultiOutputClassifier,
    AcceleratedRegressor,
    accelerate,
)
from .checking import Check
from .forest import RecordForest
from .training import train

__all__ = [
    "AcceleratedClassifier",
    "AcceleratedDetector",
    "AcceleratedModel",
    "AcceleratedMultiOutputClassifier",
    "AcceleratedRegressor",
    "Check",
    "RecordForest",
    "RecordForestClassifier",
    "RecordForestRegressor",
    "accelerate",
    "train",
]


def __getattr__(name):
    if name == "RecordForestClassifier":
        from .classifier import RecordForestClassifier

        return RecordForestClassifier
    if name == "RecordForestRegressor":
        from .regressor import RecordForestRegressor

        return RecordForestRegressor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
