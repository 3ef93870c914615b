# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A forest over attributes: load, save, import, predict."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Union

import numpy as np

from . import _elements, _fernwood_tables, _gpu
from ._arguments import checked
from ._option_types import RecordPredictOptions, Unpack
from ._options import option_texts
from ._result import Result
from ._words import counted, listed
from .arrays import RECORDS_AT_ONCE, as_floats, as_matrix
from .categories import category_matrix, coded
from .columns import order_columns
from .errors import DataError, UsageError, warn
from .labels import labels_of
from .shapley import ShapMethods
from .wide import WideMatrix, is_wide

if TYPE_CHECKING:
    from .training import RecordTraining

__all__ = ["RecordDescription", "RecordForest"]


MOST_PREDICTORS = 16  # Limit for the cache of a forest, with a predictor for each combination of options.


def __dir__():
    return __all__


class RecordDescription(Result):
    """Description of a forest over attributes; its rows are the attributes."""

    _rows = "attribute_use"

    def _words(self) -> str:
        found = self.data
        return (
            f"{counted(found['num_trees'], 'tree')} up to {counted(found['max_depth'], 'level')} deep, "
            f"{counted(len(found['attributes']), 'attribute')}, {counted(len(found['classes']), 'class')}"
        )


class RecordForest(ShapMethods):
    """A forest over attributes, which ``fernwood-tables`` can write and read.

    Created by :meth:`load`, :meth:`import_model`, :func:`train` and :func:`fernwood_tables.accelerate`; immutable. It
    can be pickled, and used by several threads (whose calls take turns).

    Values are compared with thresholds as ``float32``, as everywhere in fernwood; :mod:`fernwood_tables.arrays`
    describes the effect on ``float64`` and integers. Models of libraries that compare 64 bits do so here, too.
    """

    training: Optional[RecordTraining] = None  #: Report of the training, if :func:`train` grew the forest.

    def __init__(self, handle):
        self._handle, self._wide = handle, None
        self._predictors = {}

    @classmethod
    @checked
    def load(cls, path: Union[str, os.PathLike]) -> RecordForest:
        """Reads a model file.

        Raises
        ------
        fernwood_tables.errors.ModelError
            The file is damaged, foreign or of a newer version, or its forest labels pixels.
        fernwood_tables.errors.OperationError
            It cannot be read; if it is missing, this is also a FileNotFoundError.
        """
        return cls(_fernwood_tables.load_record_forest(os.fspath(path)))

    @classmethod
    @checked
    def import_model(cls, path: Union[str, os.PathLike], format=None, classes=(), attributes=(), rounds=None, missing=None) -> RecordForest:
        """Imports a model file of another library.

        Parameters
        ----------
        path : str or os.PathLike
            XGBoost's ``save_model("m.json")`` or ``.ubj``, LightGBM's ``save_model("m.txt")``, CatBoost's JSON, ONNX or
            Treelite's ``dump_as_json()``. Models of scikit-learn are imported from memory, by :func:`accelerate`.
        format : {"auto", "xgboost", "lightgbm", "treelite", "catboost", "onnx"}, optional
        classes, attributes : sequence of str
            Names; empty: those in the file, else numbers.
        rounds : {"auto", "all", "best"}, optional
            Rounds of an XGBoost model that stopped early: all, or those up to ``best_iteration``. "auto": those that
            ``predict`` of the class that wrote the file uses, the best for ``XGBClassifier`` and all for ``Booster``.
        missing : float, optional
            A number that means unknown, besides NaN: ``missing`` of an ``XGBModel``, which no file stores.
        """
        names = _elements.texts(classes, "classes"), _elements.texts(attributes, "attributes")
        texts = option_texts({"format": format, "rounds": rounds, "missing": missing})
        forest = cls(_fernwood_tables.import_record_file(os.fspath(path), texts, *names))
        forest._warn_of_version()
        return forest

    def _warn_of_version(self):
        if self._handle.version_note:
            warn(self._handle.version_note)

    @checked
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a model file for the program, as an atomic file: it appears complete or not at all."""
        self._handle.save(os.fspath(path))

    @checked
    def save_onnx(self, path: Union[str, os.PathLike]) -> None:
        """Writes an ONNX file for onnxruntime 1.20 or newer, as an atomic file: it appears complete or not at all.

        The input ``records`` is a matrix with a row for each record, float64 if the model's library compares 64 bits, else
        float32. The outputs are ``label``, the class
        indices, and ``probabilities``; or, without classes, ``values``. Labels are those of :meth:`predict_codes`.
        Values have the bits of :meth:`predict_values` if leaves hold one number, the forest has no link and onnxruntime
        runs on one thread; otherwise they differ by some units in the last place. Names are in the file's
        ``metadata_props``, as JSON.

        Raises
        ------
        ModelError
            The forest has no tree, or exceeds the 2 GiB of an ONNX file.
        """
        self._handle.write_source(os.fspath(path), None)

    @checked
    def save_cpp(self, path: Union[str, os.PathLike], namespace: str = "forest") -> None:
        """Writes a C++17 header that only needs the standard library, as an atomic file. It defines
        ``NAMESPACE::classify``, or ``NAMESPACE::predict`` for a forest without classes, for records of floats, or doubles if
        the model's library compares 64 bits.

        Raises
        ------
        UsageError
            The namespace is not a valid name in C++.
        """
        self._handle.write_source(os.fspath(path), namespace)

    @property
    def classes(self):
        """Names of the classes, in the order of codes and probabilities; list of str."""
        return self._handle.classes

    @property
    def targets(self):
        """Names of the values that a forest without classes predicts; list of str."""
        return self._handle.targets

    @property
    def attributes(self):
        """Names of the attributes of a record, in order; list of str."""
        return self._handle.attributes

    @property
    def num_trees(self):
        return self._handle.num_trees

    @property
    def num_iterations(self):
        """Number of iterations of boosting; for an averaged forest, of trees.

        Raises
        ------
        fernwood_tables.errors.UsageError
            The file from which the model was imported does not state it.
        """
        return self._handle.num_iterations

    def describe(self):
        """The description that ``fernwood-tables describe`` prints; :class:`RecordDescription`."""
        return RecordDescription(self._handle.describe())

    def predict_codes(self, values, **options: Unpack[RecordPredictOptions]):
        """The class of each record.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood_tables.arrays`. Named columns are found by the names of the model's attributes, in any
            order. A ``float32`` array on a GPU (``torch``, ``cupy``, any library that supports DLPack) is evaluated
            there, and the result stays there: an array of torch or CuPy, or an object with ``__dlpack__()``.
        device : {"auto", "cpu", "cuda", "cuda:N"}, default "cpu"
        threads : int, default 0
            Number of CPU threads; 0: as many as the process may run on.
        strategy, values_as, remember
            The program's ``--strategy``, ``--values`` and ``--remember``. The default strategy, ``"auto"``, times the
            strategies for this forest on the first records and continues with the fastest; all give the same classes.
        iterations : int, default 0
            Number of first iterations of boosting, or first trees of an averaged forest, to evaluate; 0: all.

        Returns
        -------
        numpy.ndarray [record], int32
            Indices into :attr:`classes`.

        Raises
        ------
        fernwood_tables.errors.DataError
            The records are not a table of numbers, or their attributes differ from the model's.
        fernwood_tables.errors.UsageError, fernwood_tables.errors.DeviceError
            An option is unknown, a strategy cannot evaluate this forest, or the device is not available.
        """
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("codes", values, options)
        return self._codes(self._matrix(values), options)

    def predict(self, values, **options: Unpack[RecordPredictOptions]):
        """The label of each record; numpy.ndarray [record]: numbers or booleans if all names of classes are, as Python
        writes them, else strings. Otherwise as :meth:`predict_codes`, but not for records on a GPU, which stores no strings."""
        device = _gpu.device_of(values)
        if device is not None:
            raise DataError(
                f"the records are on {device}, and names of classes are strings, which GPUs do not store; ask predict_codes() "
                "for indices into classes"
            )
        return labels_of(self.classes)[self.predict_codes(values, **options)]

    def predict_proba(self, values, **options: Unpack[RecordPredictOptions]):
        """The probability of each class for each record.

        Options are those of :meth:`predict_codes`. For a forest that fernwood grew, probabilities are computed on the
        CPU, and only ``threads`` and ``iterations`` have an effect.

        Returns
        -------
        numpy.ndarray [record][class], float32; float64 for an imported model with 64-bit sums
            For records on a GPU an array there, float64; computed by way of the CPU for a forest that fernwood grew,
            and if sums have a link.

        Raises
        ------
        fernwood_tables.errors.UsageError
            The forest predicts values and has no classes.
        """
        if not self.classes:
            raise UsageError("the forest predicts values and has no classes; ask predict_values()")
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("predicted", values, options)
        return self._values("predicted", self._matrix(values), options)

    def predict_values(self, values, **options: Unpack[RecordPredictOptions]):
        """The values that a forest without classes predicts. Options are those of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][target], float32 or float64, the type of the model's sums
            For records on a GPU an array there, float64; computed by way of the CPU if sums have a link.

        Raises
        ------
        fernwood_tables.errors.UsageError
            The forest has classes.
        """
        if self.classes:
            raise UsageError("the forest has classes and predicts no values; ask predict() or predict_proba()")
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("predicted", values, options)
        return self._values("predicted", self._matrix(values), options)

    def predict_margin(self, values, **options: Unpack[RecordPredictOptions]):
        """Sums over trees: log-odds, logarithms, values before their link. Options are those of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][output], float32 or float64, the type of the model's sums
            For records on a GPU an array there, float64.
        """
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("margins", values, options)
        return self._values("margins", self._matrix(values), options)

    def apply(self, values, **options: Unpack[RecordPredictOptions]):
        """The number of the leaf that each record reaches in each tree. Options are those of :meth:`predict_codes`.

        For a model of another library, these are the library's numbers of leaves, see
        tables/docs/reference/accelerate_models.md.

        Returns
        -------
        numpy.ndarray [record][tree], int32
        """
        return self._leaves(self._matrix(values), options)

    def predict_trees(self, values, **options: Unpack[RecordPredictOptions]):
        """The result of each single tree: the summands that the record's leaf adds to the sums over trees, before these
        are divided by the number of trees or scaled otherwise. Options are those of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][tree], or [record][tree][output] if trees add to several outputs, float32 or float64
            For forests that average classes, the tree's probability of each class.

        Raises
        ------
        fernwood_tables.errors.UsageError
            Trees add to different numbers of outputs.
        """
        return self._tree_values(self._matrix(values), options)

    def _shap_handle(self, handle, threads, device, background=None):
        """The engine for SHAP values; without a background it is kept. @param handle  Of this forest, or of its ranks."""
        if background is not None:
            return _fernwood_tables.RecordShapHandle(handle, threads, background, device)
        key = ("shap_values", threads, device, handle is not self._handle)
        # Other threads may drop the entry meanwhile, see _predictor().
        found = self._predictors.get(key)
        if found is None:
            found = self._predictors[key] = _fernwood_tables.RecordShapHandle(handle, threads, None, device)
        return found

    def _ask_on_gpu(self, what, values, options):
        """Evaluates records on a GPU, in the order of their library's current stream.

        @param what  "codes", "margins" or "predicted".
        """
        device = _gpu.device_of(values)
        if self._handle.text_attributes:
            raise DataError(
                f"the records are numbers on {device}, and the model has categories that are strings or integers; use a "
                "table in memory of the CPU, which is evaluated on the GPU with device='cuda'"
            )
        if len(values.shape) != 2 or str(values.dtype).rpartition(".")[2] != "float32":
            raise DataError(
                f"the records on {device} have the shape {tuple(values.shape)} and the type {values.dtype}; pass float32 "
                "[record][attribute]"
            )
        stream = _gpu.stream_for(values, None, None)
        predictor = self._predictor({**options, "device": device})
        return _gpu.like(predictor.ask_on_gpu(values, what, stream), values)

    def _codes(self, matrix, options):
        predictor = self._predictor(options, matrix)
        codes = np.empty(len(matrix), np.int32)
        for begin, part in _parts(matrix, options.get("threads", 0)):
            predictor.classify(part, codes[begin : begin + len(part)])
        return codes

    def _row(self, what, kind, options, number_type):
        """A RecordRowHandle for single records of this type, or None: where tables must be prepared, or a GPU evaluates.

        @param what  "codes", "predicted" or "margins". @param kind  The character of the type in NumPy.
        """
        handle = self._handle
        if handle.text_attributes or options.get("device", "cpu") != "cpu" or kind not in "fd":
            return None
        wide = None
        if handle.is_wide and kind == "d":
            wide = self._wide_handle()
        predictor = self._predictor(options, wide and WideMatrix(None, wide))
        width = handle.num_outputs if what == "margins" else len(self.classes or self.targets)
        return _fernwood_tables.RecordRowHandle(predictor, wide, what, np.empty((1, width), number_type))

    def _leaves(self, matrix, options):
        predictor = self._predictor(options, matrix)
        leaves = np.empty((len(matrix), predictor.num_trees), np.int32)
        for begin, part in _parts(matrix, options.get("threads", 0)):
            predictor.find_leaves(part, leaves[begin : begin + len(part)])
        return leaves

    def _tree_values(self, matrix, options):
        predictor = self._predictor(options, matrix)
        shape = predictor.num_trees, predictor.tree_width
        found = np.empty((len(matrix), shape[0] * shape[1]))
        for begin, part in _parts(matrix, options.get("threads", 0)):
            predictor.find_tree_values(part, found[begin : begin + len(part)])
        found = found.reshape(len(matrix), *(shape if shape[1] > 1 else shape[:1]))
        return found.astype(np.float32) if self._handle.is_single else found

    def _values(self, what, matrix, options):
        """@param what  "predicted" or "margins"."""
        handle, predictor = self._handle, self._predictor(options, matrix)
        width = handle.num_outputs if what == "margins" else len(self.classes or self.targets)
        found = np.empty((len(matrix), width), np.float64)
        find = predictor.find_margins if what == "margins" else predictor.predict
        for begin, part in _parts(matrix, options.get("threads", 0)):
            find(part, found[begin : begin + len(part)])
        return found.astype(np.float32) if handle.is_single else found

    def explain(self, **options: Unpack[RecordPredictOptions]):
        """Describes the evaluation by :meth:`predict_codes` with these options, and the times of alternatives; str."""
        return self._predictor(options).explain()

    def _matrix(self, values, categories=None):
        """The records as an array, with columns in the order of the attributes; a WideMatrix if 32 bits would change them.

        @param categories  See `coded`."""
        ordered = order_columns(values, self.attributes, self._handle.spaces_are_underscores)
        if categories:
            ordered = coded(ordered, categories)
        if self._handle.text_attributes:
            return category_matrix(ordered, self._handle.text_attributes, len(self.attributes))
        matrix = as_matrix(ordered, len(self.attributes))
        if not self._handle.is_wide or not is_wide(values, matrix, self._handle.spaces_are_underscores):
            return matrix
        return WideMatrix(matrix, self._wide_handle())

    def _wide_handle(self):
        if self._wide is None:
            self._wide = _fernwood_tables.WideForestHandle(self._handle)
        return self._wide

    def _handle_for(self, matrix):
        return matrix.wide.forest if isinstance(matrix, WideMatrix) else self._handle

    def _predictor(self, options, matrix=None):
        options = {"device": "cpu", **options}
        if "values_as" in options:
            options["values"] = options.pop("values_as")
        texts = option_texts(options)
        key = tuple(sorted(texts)), isinstance(matrix, WideMatrix)
        found = self._predictors.get(key)
        if found is None:
            found = self._predictors[key] = _fernwood_tables.RecordPredictorHandle(self._handle_for(matrix), texts)
            for oldest in list(self._predictors)[:-MOST_PREDICTORS]:
                self._predictors.pop(oldest, None)
        return found

    def __getstate__(self):
        return self._handle.to_bytes()

    def __setstate__(self, state):
        self.__init__(_fernwood_tables.record_forest_of_bytes(state))

    def __repr__(self):
        return (
            f"<fernwood_tables.RecordForest: {counted(self.num_trees, 'tree')}, "
            f"{counted(len(self.attributes), 'attribute')}, "
            f"{counted(len(self.classes), 'class') if self.classes else counted(len(self.targets), 'target')} "
            f"({listed([str(name) for name in self.classes or self.targets])})>"
        )


def _parts(matrix, threads):
    """Yields (index of the first record, records for the engine) in parts, to limit copies and allow Ctrl-C between."""
    for begin in range(0, len(matrix), RECORDS_AT_ONCE):
        part = matrix[begin : begin + RECORDS_AT_ONCE]
        yield begin, part.ranked(int(threads)) if isinstance(part, WideMatrix) else as_floats(part)
