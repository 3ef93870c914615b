# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""SHAP values: the methods that forests and accelerated models have in common."""

from __future__ import annotations

import time

import numpy as np

from . import _fernwood_tables
from ._arguments import checked
from .arrays import as_floats
from .errors import DataError, OperationError
from .wide import WideMatrix

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


_SECONDS_AT_ONCE = 1  # a signal is handled between two calls


class ShapMethods:
    """Needs ``_matrix(values)`` and, of a model, its ``forest``."""

    @checked
    def shap_values(self, values, background=None, threads: int = 0, device: str = "cpu"):
        """The contribution of each attribute to the sums over trees, for each record: SHAP values.

        These are exact Shapley values (Lundberg et al., Nature Machine Intelligence 2, 2020). Without a background they
        are those of path-dependent TreeSHAP, as computed by shap's ``TreeExplainer``, LightGBM's
        ``pred_contrib``, XGBoost's ``pred_contribs`` and CatBoost's ``ShapValues``; with one, those of interventional
        TreeSHAP. The bytes are the same for any number of threads and on every device.

        Parameters
        ----------
        values : table [record][attribute]
            As for ``predict``, in CPU memory.
        background : table [record][attribute], optional
            Records, often about 100, whose values stand for attributes that are not known. None: a test of such an
            attribute follows both branches by the shares of training records.
        threads : int
            Number of CPU threads; 0: as many as the process may run on.
        device : {"cpu", "cuda", "cuda:N", "auto"}
            Where the trees are evaluated; a background needs "cpu".

        Returns
        -------
        numpy.ndarray [record][output][attribute + 1], float64
            The last element of each row is the expected value, the sum over trees if no attribute is known. The exact
            sum of a row, ``math.fsum``, is ``predict_margin`` for its record and output: what rounding leaves is added
            to the largest contribution.

        Raises
        ------
        fernwood_tables.errors.ModelError
            The forest does not store how many training records reached its nodes, and there is no background.
        fernwood_tables.errors.DataError
            The records are not a table of numbers, or their attributes differ from the model's.
        """
        return _found(*_explainer(self, values, background, threads, device), False)

    @checked
    def shap_interaction_values(self, values, threads: int = 0, device: str = "cpu"):
        """SHAP values divided into main effects of attributes and interactions of two (Lundberg, Erion, Lee, arXiv
        1802.03888, 2018, on SHAP interaction values), as computed by shap's ``TreeExplainer`` and XGBoost's
        ``pred_interactions``.

        Parameters are those of :meth:`shap_values`.

        Returns
        -------
        numpy.ndarray [record][output][attribute + 1][attribute + 1], float64
            Symmetric; half of the interaction of two attributes is in each of their two places, and the last element is
            the expected value. Rows add up to :meth:`shap_values`, up to rounding; the exact sum of a matrix is
            ``predict_margin``.
        """
        return _found(*_explainer(self, values, None, threads, device), True)

    @checked
    def shap_explanation(self, values, background=None, threads: int = 0, device: str = "cpu"):
        """:meth:`shap_values` as a ``shap.Explanation``, for the plots of the library shap, which must be installed.

        Parameters are those of :meth:`shap_values`.

        Returns
        -------
        shap.Explanation
            With ``values`` [record][attribute], or [record][attribute][output] for several outputs.
        """
        try:
            from shap import Explanation
        except ImportError as failure:
            raise OperationError(f"shap cannot be imported ({failure}); install it: pip install shap") from None
        forest = getattr(self, "forest", self)
        found = self.shap_values(values, background, threads, device)
        is_single = found.shape[1] == 1
        return Explanation(
            found[:, 0, :-1] if is_single else found[:, :, :-1].transpose(0, 2, 1),
            base_values=found[:, 0, -1] if is_single else found[:, :, -1],
            data=np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values),
            feature_names=list(forest.attributes),
            output_names=None if is_single else list(forest.classes or forest.targets),
        )


def _explainer(model, values, background, threads, device):
    """(The records, an engine for them, its threads, the forest)."""
    forest, matrix = getattr(model, "forest", model), model._matrix(values)
    if background is None:
        return matrix, forest._shap_handle(forest._handle_for(matrix), threads, device), threads, forest
    others = model._matrix(background)
    if len(others) == 0:
        raise DataError("the background has no records; pass at least one, or None")
    wide = next((each.wide for each in (matrix, others) if isinstance(each, WideMatrix)), None)
    if wide is not None:
        matrix, others = (each if isinstance(each, WideMatrix) else WideMatrix(each, wide) for each in (matrix, others))
    handle = forest._handle_for(matrix)
    return matrix, forest._shap_handle(handle, threads, device, _engine_records(others, threads)), threads, forest


def _engine_records(part, threads):
    return part.ranked(threads) if isinstance(part, WideMatrix) else as_floats(part)


def _found(matrix, handle, threads, forest, asks_pairs):
    row = (len(forest.attributes) + 1,)
    found = np.empty((len(matrix), forest._handle.num_outputs, *(row * 2 if asks_pairs else row)))
    find = handle.find_interactions if asks_pairs else handle.find
    begin, at_once = 0, 4096  # large parts are the fastest
    while begin < len(matrix):
        part, start = matrix[begin : begin + at_once], time.perf_counter()
        find(_engine_records(part, threads), found[begin : begin + len(part)])
        begin += len(part)
        rate = len(part) / max(time.perf_counter() - start, 1e-6)
        at_once = int(min(max(rate * _SECONDS_AT_ONCE, 256), 1 << 16))
    return found
