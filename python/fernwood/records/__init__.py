# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests over tables: train them, or accelerate models of scikit-learn, XGBoost, LightGBM and CatBoost.

A *record* is a row of numbers, the values of its *attributes*, with a class or a target. All functions accept NumPy
arrays, lists of lists, and tables of pandas, polars and Arrow: :mod:`fernwood.records.arrays` describes which data are
copied, and :mod:`fernwood.records.columns` how columns are found.

``RecordForestClassifier`` and ``RecordForestRegressor`` need scikit-learn (``pip install fernwood[sklearn]``), which is
imported when one of them is first used; :func:`train` and :class:`RecordForest` only need NumPy.
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
