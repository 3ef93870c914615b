# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A tree that grows from a stream, see :class:`StreamTree`."""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np

from .. import _fernwood_tables
from .._option_types import StreamOptions, Unpack
from .._options import option_texts
from .._words import counted
from ..arrays import as_matrix, check_width, float_parts
from ..columns import column_names, given_names, order_columns
from ..errors import DataError
from ..forest import RecordForest
from ..labels import as_targets, checked_labels


FEW_RECORDS = 64  #: Up to this number, records are fed and classified without being converted part by part.


def _known(records, errors):
    """The errors for this number of records, with NaN for undefined ones."""
    return [math.nan if error is None or records == 0 else error for error in errors]


class Prequential(NamedTuple):
    """Accuracy of a growing tree on records before they were used for training (test-then-train)."""

    records: int
    """Number of tested records: all except those of the first round and those that wait for the next round."""
    accuracy: float
    """Share of the tested records that were classified correctly; NaN if no record was tested."""
    recent_records: int
    """Number of records in the last rounds that together have at least ``accuracy_window`` records."""
    recent_accuracy: float
    """Share of the recent records that were classified correctly; NaN if there are none."""
    no_change_accuracy: float
    """Share of all records with the label of the record before: only a tree that is better knows more than the order."""


class PrequentialErrors(NamedTuple):
    """Errors of a growing tree on the targets of records before they were used for training (test-then-train)."""

    records: int
    """Number of tested records: all except those of the first round and those that wait for the next round."""
    rmse: float
    """Root of the mean squared error; like the other errors NaN if no record was tested."""
    mae: float
    """Mean absolute error."""
    r2: float
    """Coefficient of determination; NaN also if all targets are equal."""
    recent_records: int
    """Number of records in the last rounds that together have at least ``accuracy_window`` records."""
    recent_rmse: float
    recent_mae: float
    recent_r2: float
    no_change_rmse: float  #: Where each record of the stream is predicted as the one before it.


class StreamTree:
    """A decision tree, or a forest, that grows from a stream: that of ``fernwood-tables stream train`` for the same records.

    Splits are decided in rounds; the schedule determines the size of a round. With ``hoeffding`` and ``adaptive``,
    leaves learn each record at once, and :meth:`classify` and :meth:`predict` read the growing tree. At any time :meth:`tree` returns the tree of a stream that ends there, and growing can continue. Several
    threads may feed it; their calls take turns.

    Parameters
    ----------
    schedule : {"passes", "fresh", "hoeffding", "adaptive", "forest"}
        ``passes``, the program's default, keeps all records, and reads them again for each level whenever :meth:`tree`
        is called. ``fresh`` uses new records for each level; ``hoeffding`` splits a leaf as soon as its test allows it;
        ``adaptive`` also replaces parts of the tree where the stream has changed; ``forest`` grows ``trees`` trees,
        which begin anew when it has. These four do not keep records, so a stream may be larger than memory.
    **options
        Options of the program. ``workers`` (threads of this process), ``device``, ``parallel`` and ``memory_budget`` do
        not change the tree. ``accuracy_window`` is the minimum number of latest records for the recent accuracy in
        :attr:`prequential`. The others are ``task`` (with ``"regression"``, labels are numbers to predict; not with the
        schedule ``adaptive``), ``target_range``, ``criterion``, ``bins``,
        ``max_depth``, ``max_leaves``, ``min_samples``, ``min_leaf_samples``, ``min_gain``, ``samples_per_leaf``,
        ``batch``, ``grace_period``, ``failure_probability``, ``tie``, ``prune``, ``leaf_prediction``, ``drift_delta``,
        ``switch_significance``, ``drift_window``, ``trees``, ``subspace``, ``warning_delta``, ``seed``.

    Raises
    ------
    fernwood_tables.errors.UsageError, fernwood_tables.errors.DeviceError
    """

    def __init__(self, *, schedule="passes", **options: Unpack[StreamOptions]):
        self._trainer = _fernwood_tables.StreamTrainerHandle(option_texts({"schedule": schedule, **options}))
        self._schedule = schedule
        self._predicts_at_once = schedule in ("hoeffding", "adaptive")  # without tree()
        self._predicts_targets = options.get("task") == "regression"
        self._lock = threading.RLock()  # for all below; a label's number is its position in _codes
        self._attributes = None
        self._codes: dict = {}
        self._kind = None  # type of the labels
        self._tree = None

    @property
    def num_records(self):
        """Number of records that were fed."""
        return self._trainer.num_records

    @property
    def prequential(self) -> Prequential | PrequentialErrors:
        """Accuracy on the records of each round, by the tree before they were counted; :class:`Prequential`, or
        :class:`PrequentialErrors` for regression. With ``passes``, no records are tested."""
        if self._predicts_targets:
            records, errors, recent, recent_errors, no_change = self._trainer.prequential_errors
            return PrequentialErrors(records, *_known(records, errors), recent, *_known(recent, recent_errors), no_change)
        records, right, recent_records, recent_right, no_change = self._trainer.prequential
        return Prequential(
            records,
            right / records if records else math.nan,
            recent_records,
            recent_right / recent_records if recent_records else math.nan,
            no_change,
        )

    @property
    def labels(self):
        """The distinct labels so far, in the order of their first appearance; list."""
        with self._lock:
            return list(self._codes)

    @property
    def attributes(self):
        """Names of the attributes of a record, in order; None before the first records."""
        return self._attributes

    def feed(self, values, labels, attributes=None):
        """Appends records to the stream and grows the tree.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood_tables.arrays`; with the attributes of the first records. NaN is unknown.
        labels : sequence [record]
            Integers or strings; for regression, finite numbers.
        attributes : sequence of str, optional
            Names, used with the first records; None: those of the table's columns, else "1", "2" ...

        Raises
        ------
        fernwood_tables.errors.DataError
        KeyboardInterrupt
            Growing stopped between two rounds. The records stay in the stream, and the next call continues; but more
            than 2^20 records are appended in parts of that size, and the parts that follow are not:
            :attr:`num_records` states where to continue. An error in a later part also leaves the earlier ones.
        """
        with self._lock:
            few = self._few(values) if attributes is None else None
            if few is not None and self._feed_few(few, labels):
                return
            try:
                self._feed(values, labels, attributes)
            except BaseException:
                # Attributes and classes are those of the records in the stream.
                if self.num_records == 0:
                    self._attributes = None
                self._codes = {label: code for label, code in self._codes.items() if code < self._known}
                raise

    def _few(self, values):
        """A few records as the engine reads them, if nothing about them has to be checked further; else None."""
        if type(values) is list:
            try:
                values = np.array(values)
            except ValueError:
                return None
        if type(values) is not np.ndarray or values.ndim != 2 or not 0 < len(values) <= FEW_RECORDS:
            return None
        if values.dtype.kind != "f" or values.shape[1] != len(self._attributes or ()):
            return None
        return values if values.dtype == np.float32 and values.flags.c_contiguous else values.astype(np.float32, "C")

    def _feed_few(self, values, labels):
        """Feeds what :meth:`_few` has returned, if the labels are known ones; returns whether it did."""
        if type(labels) is np.ndarray and labels.ndim == 1:
            labels = labels.tolist()
        elif type(labels) is list:
            labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
        else:
            return False
        if len(labels) != len(values):
            return False
        with self._lock:
            for label in labels:
                if type(label) is not self._kind or not (self._predicts_targets or label in self._codes):
                    return False
            if self._predicts_targets:
                self._trainer.feed_few_values(values, labels)
            else:
                self._trainer.feed_few(values, [self._codes[label] for label in labels])
            self._tree = None
        return True

    def classify(self, values):
        """Positions in :attr:`labels` of the classes of records; numpy.ndarray [record], int32.

        With ``hoeffding`` and ``adaptive``, by the tree as it has grown: it is not made as by :meth:`tree`, so single
        records take microseconds.
        """
        return self._by_parts(values, lambda count: np.empty(count, np.int32), self._trainer.classify)

    def predict(self, values):
        """As :meth:`classify`, the probabilities of the classes, or with targets the target; numpy.ndarray [record][class]."""
        width = 1 if self._predicts_targets else len(self._codes)
        return self._by_parts(values, lambda count: np.zeros((count, width)), self._trainer.predict)

    def _by_parts(self, values, make, ask):
        few = self._few(values)
        if few is not None:
            found = make(len(few))
            ask(few, found)
            return found
        matrix = as_matrix(values if self._attributes is None else order_columns(values, self._attributes))
        check_width(matrix.shape[1], len(self._attributes or ()))
        found = make(len(matrix))
        for begin, part in float_parts(matrix):
            ask(part, found[begin : begin + len(part)])
        return found

    def _feed(self, values, labels, attributes):
        if self._attributes is None:
            attributes = given_names(attributes) if attributes is not None else column_names(values)
            matrix = as_matrix(values, None if attributes is None else len(attributes))
            attributes = attributes or [str(i + 1) for i in range(matrix.shape[1])]
        else:
            attributes = self._attributes
            matrix = as_matrix(order_columns(values, attributes), len(attributes))
        if self._predicts_targets:
            targets, name = as_targets(labels, len(matrix))
            if len(matrix):
                self._attributes, self._tree, self._kind = attributes, None, float
            for begin, part in float_parts(matrix):
                self._trainer.feed_values(part, targets[begin : begin + len(part)], attributes, name)
            return
        codes = self._codes_of(labels, len(matrix))
        if len(matrix):
            self._attributes, self._tree, self._kind = attributes, None, type(next(iter(self._codes)))
        for begin, part in float_parts(matrix):
            of_part = codes[begin : begin + len(part)]
            known = max(int(of_part.max()) + 1, self._known)
            before = self.num_records
            try:
                self._trainer.feed(part, of_part, attributes, [str(label) for label in list(self._codes)[:known]])
            finally:
                if self.num_records > before:
                    self._known = known

    _known = 0  # number of classes among the records that were fed

    def _codes_of(self, labels, num_records):
        """Converts labels to numbers, which count labels in the order of their first appearance."""
        labels = checked_labels(labels, num_records)
        if self._kind is not None and (self._kind is str) != (labels.dtype.kind == "U"):
            raise DataError(
                f"the labels are {labels[:3].tolist()} and those before {list(self._codes)[:3]}; pass all labels as strings or all "
                "as integers"
            )
        different, first, places = np.unique(labels, return_index=True, return_inverse=True)
        names = different.tolist()
        label_of = {str(label): label for label in self._codes}
        for place in np.argsort(first):
            label, text = names[place], str(names[place])
            if label_of.setdefault(text, label) != label:
                raise DataError(
                    f"the labels {label_of[text]!r} and {label!r} have the same name, {text}; pass all labels as strings or all "
                    "as integers"
                )
            self._codes.setdefault(label, len(self._codes))
        return np.array([self._codes[name] for name in names], np.int32)[places]

    def tree(self) -> RecordForest:
        """The tree of the records so far, as the program would grow it; a :class:`fernwood_tables.RecordForest`.

        Raises
        ------
        fernwood_tables.errors.DataError
            No records were fed.
        """
        with self._lock:
            if self._tree is None:
                self._tree = RecordForest(self._trainer.tree())
            return self._tree

    @property
    def importances(self):
        """With the schedule ``forest``, the share of each attribute in the decrease of impurity by the tests of a tree,
        averaged over trees; list of float. With others it is empty."""
        with self._lock:
            self.tree()
            return list(self._trainer.importances)

    def __repr__(self):
        return (
            f"<fernwood_tables.streams.StreamTree {self._schedule}: {counted(self.num_records, 'record')}, "
            f"{'a number to predict' if self._predicts_targets else counted(len(self._codes), 'class')}>"
        )

    def __getstate__(self):
        raise TypeError("a tree that grows cannot be pickled; pickle what tree() gives, or save that to a file")
