# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A forest over attributes: load, save, import, train, predict."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional

import numpy as np

from .. import _elements, _fernwood, _gpu
from .._options import option_texts
from .._progress import told
from .._words import counted, listed, percent
from ..errors import DataError, UsageError
from ..results import Result
from .arrays import as_floats, as_matrix, float_parts
from .columns import column_names, given_names, order_columns
from .labels import as_targets, checked_labels

if TYPE_CHECKING:
    from .._option_types import RecordPredictOptions, RecordTrainOptions, Unpack

__all__ = ["RecordDescription", "RecordForest", "RecordTraining", "train"]


def __dir__():
    return __all__


class RecordTraining(Result):
    """What growing a forest from a table took, and what it is worth out of bag."""

    def _words(self) -> str:
        found = self.data
        accuracy, r2 = found.get("out_of_bag_accuracy"), found.get("out_of_bag_r2")
        return (
            f"{counted(found['trees'], 'tree')} from {counted(found['records'], 'record')} of "
            f"{counted(found['attributes'], 'attribute')} in {found['seconds']:.1f} s"
            + (f", accuracy out of bag {percent(accuracy)}" if accuracy is not None else "")
            + (f", R² out of bag {r2:.3f}" if r2 is not None else "")
        )


class RecordDescription(Result):
    """What is in a forest over attributes; a row is an attribute."""

    _rows = "attribute_use"

    def _words(self) -> str:
        found = self.data
        return (
            f"{counted(found['num_trees'], 'tree')} up to {counted(found['max_depth'], 'level')} deep, "
            f"{counted(len(found['attributes']), 'attribute')}, {counted(len(found['classes']), 'class')}"
        )


class RecordForest:
    """Trees over attributes that were grown together, as `fernwood records` writes and reads them.

    Made by :meth:`load`, :meth:`import_model`, :func:`train` and :func:`fernwood.records.accelerate`; it does not
    change. May be pickled, and used by several threads (which take turns).

    Records are compared with thresholds as ``float32``, like everywhere in fernwood; see
    :mod:`fernwood.records.arrays` for what that means for ``float64`` and whole numbers.
    """

    training: Optional[RecordTraining] = None  #: Of one that was trained here: what that took.

    def __init__(self, handle):
        self._handle = handle
        self._predictors = {}

    @classmethod
    def load(cls, path) -> RecordForest:
        """The forest of a model file.

        Raises
        ------
        fernwood.errors.ModelError
            For a damaged, foreign or newer file, and for one that labels pixels.
        fernwood.errors.OperationError
            For one that cannot be read; where it is missing this is a FileNotFoundError, too.
        """
        return cls(_fernwood.load_record_forest(os.fspath(path)))

    @classmethod
    def import_model(cls, path, format="auto", classes=(), attributes=(), rounds="auto") -> RecordForest:
        """A forest that another library wrote to a file.

        Parameters
        ----------
        path : str or os.PathLike
            XGBoost's ``save_model("m.json")`` or ``.ubj``, LightGBM's ``save_model("m.txt")``, CatBoost's JSON, ONNX, Treelite's ``dump_as_json()`` or
            what ``scripts/export_sklearn`` writes.
        format : {"auto", "sklearn", "xgboost", "lightgbm", "treelite", "catboost", "onnx"}
        classes, attributes : sequence of str
            Names, where the file has none.
        rounds : {"auto", "all", "best"}
            Of an XGBoost model that stopped early: all, or those up to its ``best_iteration``; "auto" takes those that
            ``predict`` of the file's writer takes, ``XGBClassifier``'s the best and ``Booster``'s all.
        """
        names = _elements.texts(classes, "classes"), _elements.texts(attributes, "attributes")
        return cls(_fernwood.import_record_file(os.fspath(path), format, *names, rounds))

    def save(self, path):
        """Writes the file that the program reads; it appears whole or not at all."""
        self._handle.save(os.fspath(path))

    @property
    def classes(self):
        """Names of the classes, in the order of codes and probabilities; list of str."""
        return self._handle.classes

    @property
    def targets(self):
        """Names of the values that it predicts, of a forest that has no classes; list of str."""
        return self._handle.targets

    @property
    def attributes(self):
        """Names of what records have values of, in their order; list of str."""
        return self._handle.attributes

    @property
    def num_trees(self):
        return self._handle.num_trees

    def describe(self):
        """What ``fernwood describe`` says of the model; :class:`RecordDescription`."""
        return RecordDescription(self._handle.describe())

    def predict_codes(self, values, **options: Unpack[RecordPredictOptions]):
        """The class of each record.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood.records.arrays`. Frames with named columns are read by the names of the model's
            attributes, in any order. An array of ``float32`` on a GPU (``torch``, ``cupy``, whatever speaks DLPack) is
            evaluated there, and the answer, an array of the same library, stays there.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "cpu"
        threads : int, default 0
            Of the CPU; 0: as many as the process may run on.
        strategy, values_as, remember
            As the program's ``--strategy``, ``--values`` and ``--remember``; the default, ``"auto"``, times the ways
            to evaluate this forest on the first records and goes on with the fastest. All give the same classes.

        Returns
        -------
        numpy.ndarray [record], int32
            Indices into :attr:`classes`.

        Raises
        ------
        fernwood.errors.DataError
            The records are no table of numbers, or have other attributes than the model.
        fernwood.errors.UsageError, fernwood.errors.DeviceError
            There is no such option or way to evaluate this forest, or no such device.
        """
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu(values, False, options)
        matrix = self._matrix(values)
        predictor = self._predictor(options)
        codes = np.empty(len(matrix), np.int32)
        for begin, part in self._parts(matrix):
            predictor.classify(part, codes[begin : begin + len(part)])
        return codes

    def predict(self, values, **options: Unpack[RecordPredictOptions]):
        """The name of each record's class; numpy.ndarray [record] of str. As :meth:`predict_codes` else."""
        return np.array(self.classes)[self.predict_codes(values, **options)]

    def predict_proba(self, values, **options: Unpack[RecordPredictOptions]):
        """The probability of each class in each record.

        Options as of :meth:`predict_codes`. Of a forest that fernwood grew they are found on the CPU, and of those only
        ``threads`` matters.

        Returns
        -------
        numpy.ndarray [record][class], float32; float64 of an imported model that has such

        Raises
        ------
        fernwood.errors.UsageError
            The forest predicts values and knows no classes.
        """
        if not self.classes:
            raise UsageError("the forest predicts values and knows no classes; ask predict_values()")
        return self._values("predicted", self._matrix(values), options)

    def predict_values(self, values, **options: Unpack[RecordPredictOptions]):
        """What a forest of a regressor predicts. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][target], float32 or float64, as the model adds

        Raises
        ------
        fernwood.errors.UsageError
            The forest has classes.
        """
        if self.classes:
            raise UsageError("the forest has classes and predicts no values; ask predict() or predict_proba()")
        if _gpu.device_of(values) is not None:
            if self._handle.link != "identity":
                raise UsageError("on a GPU sums over trees are found, and no links; ask predict_margin()")
            return self._ask_on_gpu(values, True, options)
        return self._values("predicted", self._matrix(values), options)

    def predict_margin(self, values, **options: Unpack[RecordPredictOptions]):
        """Sums over trees: log-odds, logarithms, values before their link. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][output], float32 or float64, as the model adds
            Of records on a GPU an array there, float64.
        """
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu(values, True, options)
        return self._values("margins", self._matrix(values), options)

    def apply(self, values, **options: Unpack[RecordPredictOptions]):
        """The number of the leaf, of each tree, that each record ends in. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][tree], int32
        """
        matrix = self._matrix(values)
        predictor = self._predictor(options)
        leaves = np.empty((len(matrix), self.num_trees), np.int32)
        for begin, part in self._parts(matrix):
            predictor.find_leaves(part, leaves[begin : begin + len(part)])
        return leaves

    def shap_values(self, values, threads=0):
        """What each attribute adds to the sums over trees of each record: SHAP values.

        They are the exact Shapley values of path-dependent TreeSHAP (Lundberg et al. 2020), as of shap's
        ``TreeExplainer``, LightGBM's ``pred_contrib`` and XGBoost's ``pred_contribs``, and the same bytes for any
        number of threads.

        Parameters
        ----------
        values : table [record][attribute]
            As of :meth:`predict_codes`, in memory of the CPU.
        threads : int
            0: as many as the process may run on.

        Returns
        -------
        numpy.ndarray [record][output][attribute + 1], float64
            Each row adds up to what :meth:`predict_margin` says of the record and output; its last value is the
            expected one, where no attribute is known.

        Raises
        ------
        fernwood.errors.ModelError
            The forest does not know how many training records reached its nodes.
        fernwood.errors.DataError
            The records are no table of numbers, or have other attributes than the model.
        """
        matrix = self._matrix(values)
        key = ("shap_values", int(threads))
        if key not in self._predictors:
            self._predictors[key] = _fernwood.RecordShapHandle(self._handle, int(threads))
        found = np.empty((len(matrix), self._handle.num_outputs, len(self.attributes) + 1))
        for begin, part in self._parts(matrix):
            self._predictors[key].find(part, found[begin : begin + len(part)])
        return found

    def _ask_on_gpu(self, values, asks_margins, options):
        """Codes or margins of records on a GPU, in the order of the stream that they belong to."""
        device = _gpu.device_of(values)
        if len(values.shape) != 2 or str(values.dtype).rpartition(".")[2] != "float32":
            raise DataError(
                f"the records on {device} have the shape {tuple(values.shape)} and the type {values.dtype}; give float32 "
                "[record][attribute]"
            )
        stream = _gpu.stream_for(values, None, None)
        predictor = self._predictor({**options, "device": device})
        return _gpu.like(predictor.ask_on_gpu(values, asks_margins, stream), values)

    def _values(self, what, matrix, options):
        """@param what  "predicted" or "margins"."""
        handle, predictor = self._handle, self._predictor(options)
        width = handle.num_outputs if what == "margins" else len(self.classes or self.targets)
        found = np.empty((len(matrix), width), np.float64)
        find = predictor.find_margins if what == "margins" else predictor.predict
        for begin, part in self._parts(matrix):
            find(part, found[begin : begin + len(part)])
        return found.astype(np.float32) if handle.is_single else found

    def explain(self, **options: Unpack[RecordPredictOptions]):
        """How :meth:`predict_codes` with these options evaluates, and what else was timed; str for people."""
        return self._predictor(options).explain()

    def _matrix(self, values):
        """Records in the order of the attributes."""
        ordered = order_columns(values, self.attributes, self._handle.spaces_are_underscores)
        return as_matrix(ordered, len(self.attributes))

    def _parts(self, matrix):
        """Yields (first record, records as the engine compares them)."""
        return float_parts(matrix)

    def _predictor(self, options):
        options = {"device": "cpu", **options}
        if "values_as" in options:
            options["values"] = options.pop("values_as")
        texts = option_texts(options)
        key = tuple(sorted(texts))
        if key not in self._predictors:
            self._predictors[key] = _fernwood.RecordPredictorHandle(self._handle, texts)
        return self._predictors[key]

    def __getstate__(self):
        return self._handle.to_bytes()

    def __setstate__(self, state):
        self.__init__(_fernwood.record_forest_of_bytes(state))

    def __repr__(self):
        return (
            f"<fernwood.records.RecordForest: {counted(self.num_trees, 'tree')}, "
            f"{counted(len(self.attributes), 'attribute')}, "
            f"{counted(len(self.classes), 'class') if self.classes else counted(len(self.targets), 'target')} "
            f"({listed([str(name) for name in self.classes or self.targets])})>"
        )


def train(
    values, labels, *, attributes=None, threads=0, progress=None, **options: Unpack[RecordTrainOptions]
) -> RecordForest:
    """Grows a forest from a table, the same as ``fernwood records train`` does from a file.

    Parameters
    ----------
    values : table [record][attribute]
        See :mod:`fernwood.records.arrays`; NaN is unknown.
    labels : sequence [record]
        The class of each: whole numbers, texts, anything that NumPy can sort. With ``task="regression"`` the number to
        predict, ``float64``.
    attributes : sequence of str, optional
        Names; else the frame's columns, else "1", "2" ...
    threads : int
        0: as many as the process may run on. The forest does not depend on it.
    progress : bool or callable, optional
        True shows a bar, None where standard error is a terminal or a notebook's; a function is called with a
        :class:`fernwood.Progress`.
    **options
        Those of the program: ``task``, ``trees``, ``max_depth``, ``max_leaves``, ``min_samples``, ``min_leaf_samples``,
        ``criterion``, ``attributes_per_split``, ``bootstrap``, ``seed``.

    Returns
    -------
    RecordForest
        Its attribute ``training``, a :class:`RecordTraining`, tells what it took.

    Raises
    ------
    fernwood.errors.DataError, fernwood.errors.UsageError, KeyboardInterrupt
    """
    names = given_names(attributes) if attributes is not None else column_names(values)
    matrix = as_matrix(values, None if names is None else len(names))
    names = names or [str(i + 1) for i in range(matrix.shape[1])]
    if options.get("task") == "regression":
        grow, given = _fernwood.train_record_values, as_targets(labels, len(matrix))
    else:
        classes, codes = sorted_classes(labels, len(matrix))
        grow, given = _fernwood.train_record_forest, (codes, [str(name) for name in classes])
    with told(progress) as tell:
        handle, report = grow(as_floats(matrix), given[0], names, given[1], option_texts(options), int(threads), tell)
    forest = RecordForest(handle)
    forest.training = RecordTraining(report)
    return forest


def sorted_classes(labels, num_records):
    """The different labels in order, and the place of each record's label among them.

    Raises
    ------
    fernwood.errors.DataError
        When there is not one label for each record, or one is unknown.
    """
    classes, codes = np.unique(checked_labels(labels, num_records), return_inverse=True)
    return classes, codes.astype(np.int32)
