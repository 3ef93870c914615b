# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests that predict the weighted median of their trees' predictions, as AdaBoostRegressor (Drucker, 1997)."""

import numpy as np

from . import _fernwood_tables
from .errors import UsageError
from .forest import RecordForest

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


class MedianForest(RecordForest):
    """A forest whose prediction is a weighted median of its trees, not a sum."""

    def __init__(self, handle, weights):
        """@param weights  [tree] Weights of the trees' predictions."""
        super().__init__(handle)
        self._weights = weights

    def save(self, path):
        raise UsageError("a model file has no weighted median of trees; pickle the accelerated model")

    def save_onnx(self, path):
        raise UsageError("an ONNX file has no weighted median of trees; pickle the accelerated model")

    def save_cpp(self, path, namespace="forest"):
        raise UsageError("a C++ header has no weighted median of trees; pickle the accelerated model")

    def _shap_handle(self, handle, threads, device, background=None):
        raise UsageError(
            "the model takes the weighted median of its trees, which is not a sum over trees as SHAP values of trees need it; "
            "explain predict() by shap.PermutationExplainer"
        )

    def _values(self, what, matrix, options):
        if what == "margins":
            raise UsageError("the model takes the weighted median of its trees, which is not a sum; ask predict_trees()")
        return weighted_median(self._tree_values(matrix, options), self._weights)[:, None]

    def _row(self, what, kind, options, number_type):
        return None

    def _ask_on_gpu(self, what, values, options):
        raise UsageError("the weighted median of trees is found on the CPU; pass records in the host's memory")

    def __getstate__(self):
        return super().__getstate__(), self._weights

    def __setstate__(self, state):
        self.__init__(_fernwood_tables.record_forest_of_bytes(state[0]), state[1])


def weighted_median(answers, weights):
    """The smallest prediction such that it and the smaller ones have at least half of the total weight.

    Parameters
    ----------
    answers : numpy.ndarray [record][tree]
        Predictions of the trees.
    weights : numpy.ndarray [tree]
        Weights of the trees; further elements are ignored.
    """
    order = np.argsort(answers, axis=1)
    reached = np.cumsum(weights[order], axis=1)
    place = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)
    chosen = np.take_along_axis(order, place[:, None], axis=1)
    return np.take_along_axis(answers, chosen, axis=1)[:, 0]
