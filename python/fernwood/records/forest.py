# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A forest over attributes: load, save, import, predict."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Union

import numpy as np

from .. import _elements, _fernwood, _gpu
from .._arguments import checked
from .._option_types import RecordPredictOptions, Unpack
from .._options import option_texts
from .._words import counted, listed
from ..errors import DataError, UsageError
from ..results import Result
from .arrays import as_floats, as_matrix, float_parts
from .categories import category_matrix
from .columns import column_names, given_names, order_columns

if TYPE_CHECKING:
    from .training import RecordTraining

__all__ = ["RecordDescription", "RecordForest"]


MOST_PREDICTORS = 16  # Kept of a forest: there is one for each number of iterations that is asked for.


def __dir__():
    return __all__


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
    @checked
    def load(cls, path: Union[str, os.PathLike]) -> RecordForest:
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
    @checked
    def import_model(cls, path: Union[str, os.PathLike], format=None, classes=(), attributes=(), rounds=None, missing=None) -> RecordForest:
        """A forest that another library wrote to a file.

        Parameters
        ----------
        path : str or os.PathLike
            XGBoost's ``save_model("m.json")`` or ``.ubj``, LightGBM's ``save_model("m.txt")``, CatBoost's JSON, ONNX or
            Treelite's ``dump_as_json()``. Models of scikit-learn come from memory: :func:`accelerate`.
        format : {"auto", "xgboost", "lightgbm", "treelite", "catboost", "onnx"}, optional
        classes, attributes : sequence of str
            Names, where the file has none.
        rounds : {"auto", "all", "best"}, optional
            Of an XGBoost model that stopped early: all, or those up to its ``best_iteration``; "auto" takes those that
            ``predict`` of the file's writer takes, ``XGBClassifier``'s the best and ``Booster``'s all.
        missing : float, optional
            A number that stands for unknown values, besides NaN: ``missing`` of an ``XGBModel``, which is in no file.
        """
        names = _elements.texts(classes, "classes"), _elements.texts(attributes, "attributes")
        texts = option_texts({"format": format, "rounds": rounds, "missing": missing})
        return cls(_fernwood.import_record_file(os.fspath(path), texts, *names))

    @checked
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the file that the program reads; it appears whole or not at all."""
        self._handle.save(os.fspath(path))

    @checked
    def save_onnx(self, path: Union[str, os.PathLike]) -> None:
        """Writes an ONNX file for onnxruntime 1.20 or newer; it appears whole or not at all.

        The input ``records`` is a float32 matrix with a row a record. Outputs are ``label``, the numbers of classes, and
        ``probabilities``, or ``values``. Labels are those of :meth:`predict`; values have the bits of :meth:`predict_values`
        where leaves hold one number, the forest has no link and onnxruntime runs on one thread, and are some units of the
        last place away else. Names are in the file's ``metadata_props``, as JSON.

        Raises
        ------
        ModelError
            The forest has no tree, or needs more than the 2 GiB of an ONNX file.
        """
        self._handle.write_source(os.fspath(path), None)

    @checked
    def save_cpp(self, path: Union[str, os.PathLike], namespace: str = "forest") -> None:
        """Writes a C++17 header that needs nothing else; it appears whole or not at all.

        It has ``NAMESPACE::classify``, or ``predict`` of a forest without classes.

        Raises
        ------
        UsageError
            The namespace is no name of C++.
        """
        self._handle.write_source(os.fspath(path), namespace)

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

    @property
    def num_iterations(self):
        """Of boosting, of an averaged forest the number of trees.

        Raises
        ------
        fernwood.errors.UsageError
            The file of which the model was imported does not say it.
        """
        return self._handle.num_iterations

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
        iterations : int, default 0
            Only the first iterations of boosting are asked, of an averaged forest the first trees; 0: all.

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
            return self._ask_on_gpu("codes", values, options)
        return self._codes(self._matrix(values), options)

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
            Of records on a GPU an array there, float64; of a forest that fernwood grew, and where sums have a link, by
            way of the CPU.

        Raises
        ------
        fernwood.errors.UsageError
            The forest predicts values and has no classes.
        """
        if not self.classes:
            raise UsageError("the forest predicts values and has no classes; ask predict_values()")
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("predicted", values, options)
        return self._values("predicted", self._matrix(values), options)

    def predict_values(self, values, **options: Unpack[RecordPredictOptions]):
        """What a forest of a regressor predicts. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][target], float32 or float64, as the model adds
            Of records on a GPU an array there, float64; where sums have a link, by way of the CPU.

        Raises
        ------
        fernwood.errors.UsageError
            The forest has classes.
        """
        if self.classes:
            raise UsageError("the forest has classes and predicts no values; ask predict() or predict_proba()")
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("predicted", values, options)
        return self._values("predicted", self._matrix(values), options)

    def predict_margin(self, values, **options: Unpack[RecordPredictOptions]):
        """Sums over trees: log-odds, logarithms, values before their link. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][output], float32 or float64, as the model adds
            Of records on a GPU an array there, float64.
        """
        if _gpu.device_of(values) is not None:
            return self._ask_on_gpu("margins", values, options)
        return self._values("margins", self._matrix(values), options)

    def apply(self, values, **options: Unpack[RecordPredictOptions]):
        """The number of the leaf, of each tree, that each record ends in. Options as of :meth:`predict_codes`.

        Of a model that another library trained it is the number that the library calls the leaf by, see
        docs/reference/accelerate_models.md.

        Returns
        -------
        numpy.ndarray [record][tree], int32
        """
        return self._leaves(self._matrix(values), options)

    def predict_trees(self, values, **options: Unpack[RecordPredictOptions]):
        """What each tree by itself answers: what the leaf that a record ends in adds to the sums over trees, before they
        are divided by the number of trees or the like. Options as of :meth:`predict_codes`.

        Returns
        -------
        numpy.ndarray [record][tree], or [record][tree][output] of trees that add to several, float32 or float64
            Of forests that average classes the tree's probability of each class.

        Raises
        ------
        fernwood.errors.UsageError
            Some trees add to more outputs than others.
        """
        return self._tree_values(self._matrix(values), options)

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

    def _ask_on_gpu(self, what, values, options):
        """Of records on a GPU, in the order of the stream that they belong to.

        @param what  "codes", "margins" or "predicted".
        """
        device = _gpu.device_of(values)
        if self._handle.text_attributes:
            raise DataError(
                f"the records are numbers on {device}, and the model has categories that are texts or whole numbers; give a "
                "table in memory of the CPU, which is evaluated on the GPU with device='cuda'"
            )
        if len(values.shape) != 2 or str(values.dtype).rpartition(".")[2] != "float32":
            raise DataError(
                f"the records on {device} have the shape {tuple(values.shape)} and the type {values.dtype}; give float32 "
                "[record][attribute]"
            )
        stream = _gpu.stream_for(values, None, None)
        predictor = self._predictor({**options, "device": device})
        return _gpu.like(predictor.ask_on_gpu(values, what, stream), values)

    def _codes(self, matrix, options):
        predictor = self._predictor(options)
        codes = np.empty(len(matrix), np.int32)
        for begin, part in self._parts(matrix):
            predictor.classify(part, codes[begin : begin + len(part)])
        return codes

    def _leaves(self, matrix, options):
        predictor = self._predictor(options)
        leaves = np.empty((len(matrix), predictor.num_trees), np.int32)
        for begin, part in self._parts(matrix):
            predictor.find_leaves(part, leaves[begin : begin + len(part)])
        return leaves

    def _tree_values(self, matrix, options):
        predictor = self._predictor(options)
        shape = predictor.num_trees, predictor.tree_width
        found = np.empty((len(matrix), shape[0] * shape[1]))
        for begin, part in self._parts(matrix):
            predictor.find_tree_values(part, found[begin : begin + len(part)])
        found = found.reshape(len(matrix), *(shape if shape[1] > 1 else shape[:1]))
        return found.astype(np.float32) if self._handle.is_single else found

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
        if self._handle.text_attributes:
            return category_matrix(ordered, self._handle.text_attributes, len(self.attributes))
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
        found = self._predictors.get(key)
        if found is None:
            found = self._predictors[key] = _fernwood.RecordPredictorHandle(self._handle, texts)
            for oldest in list(self._predictors)[:-MOST_PREDICTORS]:
                self._predictors.pop(oldest, None)
        return found

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
