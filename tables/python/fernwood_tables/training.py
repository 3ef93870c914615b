# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Training of forests over attributes."""

from __future__ import annotations

import numpy as np

from . import _fernwood_tables
from ._arguments import checked
from ._option_types import RecordTrainOptions, Unpack
from ._options import option_texts
from ._progress import told
from ._result import Result
from ._words import counted, percent
from .arrays import as_floats, as_matrix
from .columns import column_names, given_names
from .forest import RecordForest
from .labels import as_targets, checked_labels

__all__ = ["RecordTraining", "train"]


def __dir__():
    return __all__


#: Estimates by records that trees have not seen, of classes and of numbers.
OUT_OF_BAG = ("out_of_bag_accuracy", "out_of_bag_r2")


class RecordTraining(Result):
    """Report of growing a forest from a table, with its out-of-bag accuracy or R^2."""

    def _words(self) -> str:
        found = self.data
        accuracy, r2 = map(found.get, OUT_OF_BAG)
        return (
            f"{counted(found['trees'], 'tree')} from {counted(found['records'], 'record')} of "
            f"{counted(found['attributes'], 'attribute')} in {found['seconds']:.1f} s"
            + (f", accuracy out of bag {percent(accuracy)}" if accuracy is not None else "")
            + (f", R² out of bag {r2:.3f}" if r2 is not None else "")
        )


@checked
def train(
    values, labels, *, weights=None, attributes=None, threads: int = 0, progress=None,
    **options: Unpack[RecordTrainOptions],
) -> RecordForest:
    """Grows a forest from a table, the same as ``fernwood-tables train`` grows from a file.

    Parameters
    ----------
    values : table [record][attribute]
        See :mod:`fernwood_tables.arrays`; NaN is unknown.
    labels : sequence [record]
        The class of each record: integers, strings, or other values that NumPy can sort. With
        ``task="regression"``, the number to predict, ``float64``.
    weights : sequence [record], optional
        Numbers of at least 0. If they are whole, a record of weight 3 counts as three, also in bootstrap samples.
        Otherwise each tree draws as many records as there are, with probabilities in proportion to weights.
    attributes : sequence of str, optional
        Names; None: those of the table's columns, else "1", "2" ...
    threads : int
        Number of CPU threads, which does not change the forest; 0: as many as the process may run on.
    progress : bool or callable, optional
        True shows a bar, None only if standard error is a terminal or in a notebook; a function is called with a
        :class:`fernwood_tables.Progress`.
    **options
        Options of the program: ``task``, ``trees``, ``max_depth``, ``max_leaves``, ``min_samples``,
        ``min_leaf_samples``, ``criterion``, ``attributes_per_split``, ``bootstrap``, ``seed``.

    Returns
    -------
    RecordForest
        Its attribute ``training``, a :class:`RecordTraining`, is the report of the training.

    Raises
    ------
    fernwood_tables.errors.DataError, fernwood_tables.errors.UsageError, KeyboardInterrupt
    """
    names = given_names(attributes) if attributes is not None else column_names(values)
    matrix = as_matrix(values, None if names is None else len(names))
    names = names or [str(i + 1) for i in range(matrix.shape[1])]
    if options.get("task") == "regression":
        grow, given = _fernwood_tables.train_record_values, as_targets(labels, len(matrix))
    else:
        classes, codes = sorted_classes(labels, len(matrix))
        grow, given = _fernwood_tables.train_record_forest, (codes, [str(name) for name in classes])
    weights = np.ascontiguousarray(() if weights is None else weights, np.float64)
    with told(progress) as tell:
        handle, report = grow(as_floats(matrix), given[0], weights, names, given[1], option_texts(options), threads, tell)
    forest = RecordForest(handle)
    forest.training = RecordTraining(report)
    return forest


def sorted_classes(labels, num_records):
    """The distinct labels in order, and the index of each record's label among them.

    Raises
    ------
    fernwood_tables.errors.DataError
        The number of labels differs from that of the records, or a label is unknown.
    """
    classes, codes = np.unique(checked_labels(labels, num_records), return_inverse=True)
    return classes, codes.astype(np.int32)
