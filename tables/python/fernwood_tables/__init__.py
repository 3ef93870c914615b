# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests over tables and trees that grow from streams; faster evaluation of models of scikit-learn, XGBoost, LightGBM
and CatBoost.

>>> import fernwood_tables as ft
>>> fast = ft.accelerate(model)
>>> answers = fast.predict(values)

A *record* is a row of numbers, the values of its *attributes*, with a class or a target. All functions accept NumPy
arrays, lists of lists, and tables of pandas, polars and Arrow: :mod:`fernwood_tables.arrays` describes which data are
copied, and :mod:`fernwood_tables.columns` how columns are found.

``RecordForestClassifier`` and ``RecordForestRegressor`` need scikit-learn, which is imported when one of them is first
used; :func:`train` and :class:`RecordForest` only need NumPy.
"""

from . import errors, streams
from ._fernwood_tables import available_devices, version
from ._progress import Progress
from .accelerated import (
    AcceleratedBooster,
    AcceleratedClassifier,
    AcceleratedDetector,
    AcceleratedModel,
    AcceleratedMultiOutputClassifier,
    AcceleratedRegressor,
    accelerate,
)
from .checking import Check
from .errors import FernwoodError, FernwoodWarning
from .forest import RecordForest
from .training import train

__version__ = version()

__all__ = [
    "AcceleratedBooster",
    "AcceleratedClassifier",
    "AcceleratedDetector",
    "AcceleratedModel",
    "AcceleratedMultiOutputClassifier",
    "AcceleratedRegressor",
    "Check",
    "FernwoodError",
    "FernwoodWarning",
    "Progress",
    "RecordForest",
    "RecordForestClassifier",
    "RecordForestRegressor",
    "accelerate",
    "available_devices",
    "errors",
    "streams",
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
    return [*__all__, "__doc__", "__version__"]
