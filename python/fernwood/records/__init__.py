# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests over tables: train them, or give those of scikit-learn, XGBoost and LightGBM another engine.

A *record* is a row of numbers, its *attributes*, and has a class. All functions take NumPy arrays, lists of lists, and
tables of pandas, polars and Arrow; see :mod:`fernwood.records.arrays` for what is copied and what is not,
and :mod:`fernwood.records.columns` for how columns are found.

``RecordForestClassifier`` needs scikit-learn (``pip install fernwood[sklearn]``), which is imported when the name is
first used; :func:`train` and :class:`RecordForest` need NumPy only.
"""

from .accelerated import AcceleratedClassifier, accelerate
from .forest import RecordForest, train

__all__ = ["AcceleratedClassifier", "RecordForest", "RecordForestClassifier", "accelerate", "train"]


def __getattr__(name):
    if name != "RecordForestClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .classifier import RecordForestClassifier

    return RecordForestClassifier


def __dir__():
    return __all__
