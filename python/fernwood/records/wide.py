# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Models of LightGBM and histogram boosting on 64-bit records, which they compare with 64-bit thresholds."""

import numpy as np

from .. import _fernwood
from .arrays import RECORDS_AT_ONCE
from .forest import RecordForest

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


class WideForest(RecordForest):
    """A forest that tests the ranks of values among its thresholds, which 32 bits hold without loss."""

    def __init__(self, model, threads=0):
        """@param model  LightGBM's text, or the arrays that sources.source.take_arrays() collects."""
        self._model = model
        self._wide = _fernwood.WideForestHandle(model, "the model", threads)
        super().__init__(self._wide.forest)

    def _parts(self, matrix):
        for begin, part in _wide_parts(matrix):
            ranks = np.empty((part.shape[1], part.shape[0]), np.float32)
            self._wide.rank(part, ranks)
            yield begin, ranks.T

    def _values(self, what, matrix, options):
        if not self._wide.is_linear:
            return super()._values(what, matrix, options)
        width = self._handle.num_outputs if what == "margins" else len(self.classes or self.targets)
        found = np.empty((len(matrix), width), np.float64)
        for begin, part in _wide_parts(matrix):  # linear functions use the values, not their ranks
            leaves = self._leaves(part, options)
            self._wide.sum_leaves(part, leaves, what == "margins", found[begin : begin + len(part)])
        return found

    def _codes(self, matrix, options):
        if not self._wide.is_linear:
            return super()._codes(matrix, options)
        return self._values("predicted", matrix, options).argmax(axis=1).astype(np.int32)

    def __getstate__(self):
        return self._model

    def __setstate__(self, state):
        self.__init__(state)


def _wide_parts(matrix):
    """Yields (index of the first record, 64-bit records that the engine can read) in parts."""
    for begin in range(0, len(matrix), RECORDS_AT_ONCE):
        part = np.require(matrix[begin : begin + RECORDS_AT_ONCE], np.float64, ["ALIGNED"])
        if part.strides[0] % part.itemsize or part.strides[1] % part.itemsize:
            part = np.ascontiguousarray(part)
        yield begin, part


def is_wide(model, values, matrix):
    """Whether 32 bits would change these records, and the model's library compares them in 64 bits: scikit-learn all,
    LightGBM ``float64`` arrays, and frames of 64-bit numbers or 32-bit integers.

    Parameters
    ----------
    model : bytes or dict
        As for :class:`WideForest`: LightGBM's text, or scikit-learn's arrays.
    """
    if not isinstance(model, dict) and (isinstance(values, np.ndarray) or not hasattr(values, "to_numpy")):
        return matrix.dtype == np.float64
    return not np.can_cast(matrix.dtype, np.float32)
