# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Evaluation of other libraries' models by fernwood."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _gpu, checking
from ._arguments import checked
from ._option_types import RecordStrategyOptions, Unpack
from .arrays import dense
from .columns import has_default_names
from .errors import UsageError
from .estimator import FittedEstimator
from .forest import RecordForest
from .labels import checked_labels
from .median import MedianForest
from .shapley import ShapMethods
from .sources import replace_parts, take

__all__ = [
    "AcceleratedBooster",
    "AcceleratedClassifier",
    "AcceleratedDetector",
    "AcceleratedModel",
    "AcceleratedMultiOutputClassifier",
    "AcceleratedRegressor",
    "accelerate",
]


def __dir__():
    return __all__


@checked
def accelerate(
    model, *, check=None, device: str = "cpu", threads: int = 0, **options: Unpack[RecordStrategyOptions]
) -> Any:
    """Converts a fitted model of trees to one that returns the same results several times faster.

    Every record reaches the same leaves as in the library, and values of leaves are added in the library's order and
    precision (measured differences: tables/docs/reference/exactness.md). The original model is not needed afterwards.

    Parameters
    ----------
    model : fitted model
        scikit-learn's decision trees, random forests, extra trees, gradient boosting (also histogram-based), bagging of
        trees, ``AdaBoost…`` of trees and ``IsolationForest``; models and boosters of XGBoost, LightGBM and CatBoost. In
        a ``Pipeline``, a search, and calibrated, voting, stacking, bagging, one-vs-rest and multi-output models, and
        those with a threshold or a transformed target, the parts.
    check : table [record][attribute], optional
        Records on which to compare both models at once; the attribute ``check`` of the result has their differences.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        Device of ``predict``.
    threads : int
        Number of CPU threads; 0: as many as the process may run on.
    **options
        ``strategy``, ``values_as`` and ``remember`` of :meth:`RecordForest.predict_codes`.

    Returns
    -------
    AcceleratedClassifier, AcceleratedMultiOutputClassifier, AcceleratedRegressor, AcceleratedDetector,
    AcceleratedBooster, or a copy of a model that consists of others

    Raises
    ------
    fernwood_tables.errors.ModelError
        The model is not fitted, or not supported (strings and embeddings of CatBoost); the message has the reason.

    Examples
    --------
    >>> fast = fernwood_tables.accelerate(forest, check=values[:1000])
    >>> answers = fast.predict(values)
    """
    given = {"device": device, "threads": threads, **options}
    accelerated = replace_parts(model, lambda part: accelerate(part, **given))
    if accelerated is None:
        source = take(model)
        accelerated = _kind_of(source)(source, given)
    if check is not None:
        accelerated.check = checking.compare(model, accelerated, check)
    return accelerated


def _kind_of(source):
    if source.booster_form is not None:
        return AcceleratedBooster
    if source.classes is not None:
        return AcceleratedClassifier
    if source.outputs is not None:
        return AcceleratedMultiOutputClassifier
    return AcceleratedRegressor if source.offset is None else AcceleratedDetector


class AcceleratedModel(ShapMethods, FittedEstimator):
    """Base class of the results of :func:`accelerate`, which are fitted estimators of scikit-learn.

    All methods that evaluate records, except ``score``, accept ``iterations``: the number of first iterations of
    boosting to evaluate, counted as in the library (with a tree for each class, XGBoost's ``num_parallel_tree``), or of
    first trees of an averaged forest; 0: all.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : numpy.ndarray [attribute]
        Names of attributes, if the model has them.
    forest : RecordForest
        The forest, which can be saved for the program, or evaluated with other options.
    check : Check, optional
        Comparison with the original model, if :func:`accelerate` received records for it.
    """

    def __init__(self, source, options):
        weights = source.median_weights
        self.forest = RecordForest(source.handle) if weights is None else MedianForest(source.handle, weights)
        self.forest._warn_of_version()
        self.n_features_in_ = len(self.forest.attributes)
        if not has_default_names(self.forest.attributes):
            self.feature_names_in_ = np.array(self.forest.attributes, object)
        self._categories = source.categories
        self._absent = source.absent
        self._number_type = source.number_type
        self._leaf_type, self._leaf_shape = source.leaf_type, source.leaf_shape
        self._options = options
        self._rows = {}  # RecordRowHandle by result and type of values
        self.forest._predictor(options)  # reports a wrong option now, not with the first records

    def predict_margin(self, values, iterations=0):
        """Sums over trees, before they become probabilities or values: XGBoost's ``output_margin``, LightGBM's
        ``raw_score`` and CatBoost's ``RawFormulaVal``.

        Returns
        -------
        numpy.ndarray [record], or [record][output] for several outputs
            For records on a GPU an array there, float64.
        """
        if _gpu.device_of(values) is not None:
            return _single(self.forest.predict_margin(values, **self._with(iterations)))
        return _single(self._ask("margins", values, iterations))

    def apply(self, values, iterations=0):
        """The library's number of the leaf that each record reaches in each tree.

        Returns
        -------
        numpy.ndarray [record][tree], or another shape of the library
            The result of scikit-learn's and XGBoost's ``apply``, LightGBM's ``pred_leaf=True`` or CatBoost's
            ``calc_leaf_indexes``, with its shape and type.
        """
        leaves = self.forest._leaves(self._matrix(values), self._with(iterations))
        return _shaped(leaves.astype(self._leaf_type, copy=False), self._leaf_shape)

    def predict_trees(self, values, iterations=0):
        """The result of each single tree: in averaged forests its prediction, in boosted ones its summand of
        :meth:`predict_margin`.

        Returns
        -------
        numpy.ndarray [record][tree], or [record][tree][output] if trees have several outputs
            The outputs of averaged classifiers are class probabilities.
        """
        found = self.forest._tree_values(self._matrix(values), self._with(iterations))
        return found.astype(self._number_type, copy=False)

    def explain(self):
        """Describes the evaluation by ``predict``, the times of alternatives, and the check; str."""
        text = self.forest.explain(**self._options)
        found = getattr(self, "check", None)
        return text if found is None else f"{text}{found}\n"

    def _with(self, iterations):
        """The options, with this number of iterations; 0: all."""
        is_all = isinstance(iterations, int) and iterations == 0
        return self._options if is_all else {**self._options, "iterations": iterations}

    def _predict_values(self, values, iterations):
        if _gpu.device_of(values) is not None:
            return self.forest.predict_values(values, **self._with(iterations))
        return self._ask("predicted", values, iterations)

    def _ask(self, what, values, iterations):
        found = self._ask_row(what, values, iterations)
        if found is not None:
            return found
        found = self.forest._values(what, self._matrix(values), self._with(iterations))
        return found.astype(self._number_type, copy=False)

    def _ask_row(self, what, values, iterations):
        """The answer to a single record that is the row of an array of floats, without the work for tables of any kind;
        None for other tables. For "codes" an int, else as of `_ask`."""
        if type(values) is not np.ndarray or type(iterations) is not int or iterations or self._categories:
            return None
        kind = what, values.dtype.char
        try:
            row = self._rows[kind]
        except KeyError:
            row = self._rows[kind] = self.forest._row(*kind, self._options, self._number_type)
        return row and row.find(values)

    def __getstate__(self):
        return {**self.__dict__, "_rows": {}}

    def _matrix(self, values):
        return self.forest._matrix(dense(values, self._absent), self._categories)

    def __repr__(self):
        return f"<fernwood_tables.{type(self).__name__} of {self.forest!r}>"


class AcceleratedClassifier(AcceleratedModel):
    """``predict``, ``predict_proba`` and ``classes_`` of the original classifier.

    Attributes
    ----------
    classes_ : numpy.ndarray [class]
        The model's labels.
    """

    _estimator_type = "classifier"

    def __init__(self, source, options):
        super().__init__(source, options)
        self.classes_ = source.classes
        self._is_hinge = source.is_hinge
        self._decision_scale = source.decision_scale
        if self._decision_scale is not None:
            self.decision_function = self._decide

    def predict(self, values, iterations=0):
        """The label of each record, as from the model's ``predict``.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood_tables.arrays`.

        Returns
        -------
        numpy.ndarray [record], of the type of ``classes_``
            For records on a GPU an array there, of class indices.
        """
        code = self._ask_row("codes", values, iterations)
        if code is not None:
            return self.classes_[code : code + 1].copy()
        if _gpu.device_of(values) is not None:
            return self.forest.predict_codes(values, **self._with(iterations))
        return self.classes_.take(self.forest._codes(self._matrix(values), self._with(iterations)))

    def predict_proba(self, values, iterations=0):
        """The probability of each class; numpy.ndarray [record][class] of the model's type.

        For records on a GPU an array there, float64. XGBoost's ``binary:hinge`` has the probabilities 0 and 1.
        """
        if _gpu.device_of(values) is not None:
            return self.forest.predict_proba(values, **self._with(iterations))
        if self._is_hinge:
            return np.eye(2, dtype=self._number_type)[self.forest._codes(self._matrix(values), self._with(iterations))]
        return self._ask("predicted", values, iterations)

    def predict_log_proba(self, values, iterations=0):
        """The logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(values, iterations))

    def _decide(self, values, iterations=0):
        margins = self.predict_margin(values, iterations)
        return margins if self._decision_scale == 1 else self._decision_scale * margins

    def score(self, values, labels, sample_weight=None):
        """The accuracy: the share of records whose label was predicted."""
        predicted = self.predict(values)
        return float(np.average(predicted == checked_labels(labels, len(predicted)), weights=sample_weight))


class AcceleratedBooster(AcceleratedModel):
    """``predict`` of a ``Booster`` of XGBoost or LightGBM that tells classes apart, or of the class ``CatBoost``."""

    def __init__(self, source, options):
        super().__init__(source, options)
        self._form = source.booster_form

    def predict(self, values, iterations=0):
        """The booster's own prediction: the probability of class 1, or of each class; for XGBoost's ``multi:softmax`` and
        ``binary:hinge`` the class; for ``binary:logitraw`` and CatBoost the sums over trees.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood_tables.arrays`.

        Returns
        -------
        numpy.ndarray [record] or [record][class], of the booster's type
            For records on a GPU an array there, float64.
        """
        if self._form == "margin":
            return self.predict_margin(values, iterations)
        if self._form == "class":
            codes = self.predict_codes(values, iterations)
            return codes.astype(self._number_type) if isinstance(codes, np.ndarray) else codes
        shares = self.predict_proba(values, iterations)
        return shares[:, 1] if self._form == "probability" else shares

    def predict_codes(self, values, iterations=0):
        """The class of each record; numpy.ndarray [record], int32. For records on a GPU an array there."""
        if _gpu.device_of(values) is not None:
            return self.forest.predict_codes(values, **self._with(iterations))
        return self.forest._codes(self._matrix(values), self._with(iterations))

    def predict_proba(self, values, iterations=0):
        """The probability of each class; numpy.ndarray [record][class]. For records on a GPU an array there."""
        if _gpu.device_of(values) is not None:
            return self.forest.predict_proba(values, **self._with(iterations))
        return self._ask("predicted", values, iterations)


class AcceleratedMultiOutputClassifier(AcceleratedModel):
    """``predict``, ``predict_proba`` and ``classes_`` of a classifier of scikit-learn with several outputs.

    Its ``forest`` predicts the class probabilities of all outputs as values.

    Attributes
    ----------
    classes_ : list of numpy.ndarray [class]
        Labels of each output.
    n_outputs_ : int
    """

    _estimator_type = "classifier"

    def __init__(self, source, options):
        super().__init__(source, options)
        self.classes_ = source.outputs
        self.n_outputs_ = len(source.outputs)

    def predict(self, values, iterations=0):
        """The label of each output of each record; numpy.ndarray [record][output]."""
        of_outputs = self.predict_proba(values, iterations)
        labels = np.empty((len(of_outputs[0]), self.n_outputs_), self.classes_[0].dtype)
        for output, (classes, shares) in enumerate(zip(self.classes_, of_outputs)):
            labels[:, output] = classes.take(np.argmax(shares, axis=1))
        return labels

    def predict_proba(self, values, iterations=0):
        """The probability of each class; list [output] of numpy.ndarray [record][class], float64."""
        ends = np.cumsum([len(classes) for classes in self.classes_])
        return np.split(self._ask("predicted", values, iterations), ends[:-1], axis=1)


class AcceleratedRegressor(AcceleratedModel):
    """``predict`` of the original regressor, ranker or booster of values."""

    _estimator_type = "regressor"

    def __init__(self, source, options):
        super().__init__(source, options)
        self._single_target = source.single_target

    def predict(self, values, iterations=0):
        """The value of each record, as from the model's ``predict``.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood_tables.arrays`.

        Returns
        -------
        numpy.ndarray [record], or [record][target] for several targets, of the model's type
            For records on a GPU an array there, float64.
        """
        predicted = self._predict_values(values, iterations)
        return predicted[:, 0] if self._single_target else predicted

    def score(self, values, targets, sample_weight=None):
        """The coefficient of determination, as in scikit-learn's regressors; for several targets, their mean.

        Raises
        ------
        fernwood_tables.errors.UsageError
            The shape of the targets differs from that of the predictions.
        """
        predicted, known = self.predict(values), np.asarray(targets, np.float64)
        if known.shape != predicted.shape:
            raise UsageError(f"there are targets of shape {known.shape} for predictions of shape {predicted.shape}")
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        mean = np.average(known, axis=0, weights=weights)
        spread = np.atleast_1d(np.average((known - mean) ** 2, axis=0, weights=weights))
        missed = np.atleast_1d(np.average((known - predicted) ** 2, axis=0, weights=weights))
        # Of constant targets it is 1 if all are predicted exactly, else 0, as in scikit-learn.
        constant = spread == 0
        return float(np.mean(np.where(constant, missed == 0, 1 - missed / np.where(constant, 1, spread))))


class AcceleratedDetector(AcceleratedModel):
    """``score_samples``, ``decision_function`` and ``predict`` of the original isolation forest."""

    _estimator_type = "outlier_detector"

    def __init__(self, source, options):
        super().__init__(source, options)
        self.offset_ = source.offset

    def score_samples(self, values, iterations=0):
        """The negative anomaly score, which is lower for more anomalous records; numpy.ndarray [record].

        For records on a GPU an array there, float64; the other methods also return arrays there.
        """
        return -self._predict_values(values, iterations)[:, 0]

    def decision_function(self, values, iterations=0):
        """score_samples() minus ``offset_``: negative for outliers."""
        return self.score_samples(values, iterations) - self.offset_

    def predict(self, values, iterations=0):
        """1 for inliers, -1 for outliers; numpy.ndarray [record], int64."""
        decision = self.decision_function(values, iterations)
        return np.where(decision < 0, -1, 1) if isinstance(decision, np.ndarray) else 1 - 2 * (decision < 0)


def _shaped(leaves, shape):
    if not shape:
        return leaves[:, 0] if leaves.shape[1] == 1 else leaves
    return leaves.reshape(len(leaves), leaves.shape[1] // math.prod(shape[1:]), *shape[1:])


def _single(numbers):
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers
