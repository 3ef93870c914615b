# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""64-bit records of models whose libraries compare 64 bits: LightGBM, histogram boosting, some ONNX and Treelite."""

import numpy as np

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


class WideMatrix:
    """Records that are evaluated by their ranks among the thresholds, which 32 bits hold without loss."""

    def __init__(self, matrix, wide):
        """@param wide  A WideForestHandle."""
        self.matrix, self.wide = matrix, wide

    def __len__(self):
        return len(self.matrix)

    def __getitem__(self, some):
        return WideMatrix(self.matrix[some], self.wide)

    def ranked(self, threads):
        matrix = np.require(self.matrix, np.float64, ["ALIGNED"])
        if matrix.strides[0] % matrix.itemsize or matrix.strides[1] % matrix.itemsize:
            matrix = np.ascontiguousarray(matrix)
        return self.wide.rank(matrix, threads)


def is_wide(values, matrix, is_lightgbm):
    """Whether 32 bits would change these records, and the model's library compares them in 64 bits: LightGBM ``float64``
    arrays, and frames of 64-bit numbers or 32-bit integers, the others all."""
    if is_lightgbm and (isinstance(values, np.ndarray) or not hasattr(values, "to_numpy")):
        return matrix.dtype == np.float64
    return not np.can_cast(matrix.dtype, np.float32)
