# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Another library's classifier with this engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .forest import RecordForest
from .labels import checked_labels
from .sources import take
from .wide import WideForest, is_wide

if TYPE_CHECKING:
    from .._option_types import RecordStrategyOptions, Unpack

__all__ = ["AcceleratedClassifier", "accelerate"]


def __dir__():
    return __all__


def accelerate(model, *, device="cpu", threads=0, **options: Unpack[RecordStrategyOptions]) -> AcceleratedClassifier:
    """Gives a fitted classifier an engine that answers the same, several times faster.

    Every record ends in the leaves to which the library takes it: those of scikit-learn and XGBoost are rounded to
    ``float32`` there as here, LightGBM's ``float64`` are compared as such. Leaf values are rounded to whole numbers as fine as
    32 bits have room for, so probabilities agree to about 1e-6, and labels differ only where two classes are as good as
    equal. The model may be thrown away afterwards.

    Parameters
    ----------
    model : fitted classifier
        scikit-learn's ``DecisionTreeClassifier``, ``ExtraTreeClassifier``, ``RandomForestClassifier``,
        ``ExtraTreesClassifier`` and ``GradientBoostingClassifier``; XGBoost's ``XGBClassifier`` and ``Booster``;
        LightGBM's ``LGBMClassifier`` and ``Booster``.
    device : {"auto", "cpu", "cuda", "cuda:N"}
        Where ``predict`` works.
    threads : int
        Of the CPU; 0: as many as the process may run on.
    **options
        Those of :meth:`RecordForest.predict_codes`.

    Returns
    -------
    AcceleratedClassifier

    Raises
    ------
    fernwood.errors.ModelError
        For models that are not fitted or cannot be taken (categorical splits, linear leaves, regressors), saying why.

    Examples
    --------
    >>> fast = fernwood.records.accelerate(forest)
    >>> labels = fast.predict(values)
    """
    return AcceleratedClassifier(take(model), {"device": device, "threads": threads, **options})


class AcceleratedClassifier:
    """What :func:`accelerate` gives: ``predict``, ``predict_proba`` and ``classes_`` of the model that was taken.

    Attributes
    ----------
    classes_ : numpy.ndarray [class]
        The model's; of a ``Booster``, which knows no labels, 0, 1 ...
    n_features_in_ : int
    forest : RecordForest
        To be saved for the program, or evaluated in other ways.
    """

    def __init__(self, source, options):
        self.classes_ = source.classes
        self.forest = RecordForest(source.handle)
        self._wide_text, self._wide_forest = source.wide_text, None
        self.n_features_in_ = len(self.forest.attributes)
        self._probability_type = source.probability_type
        self._options = options
        self.forest._predictor(options)  # a wrong option is told now, not with the first records

    def predict(self, values):
        """The label of each record, as the model's ``predict`` gives them; of a ``Booster`` the number of its class.

        Parameters
        ----------
        values : table [record][attribute]
            See :mod:`fernwood.records.arrays`.

        Returns
        -------
        numpy.ndarray [record], of the type of ``classes_``
        """
        forest, records = self._forest_for(values)
        return self.classes_.take(forest.predict_codes(records, **self._options))

    def predict_proba(self, values):
        """The probability of each class; numpy.ndarray [record][class] of the type that the model gives.

        Found on the CPU, whatever the device.
        """
        forest, records = self._forest_for(values)
        return forest.predict_proba(records, **self._options).astype(self._probability_type, copy=False)

    def _forest_for(self, values):
        matrix = self.forest._matrix(values)
        if self._wide_text is None or not is_wide(values, matrix):
            return self.forest, matrix
        if self._wide_forest is None:
            self._wide_forest = WideForest(self._wide_text, self._options["threads"])
        return self._wide_forest, matrix

    def score(self, values, labels):
        """The share of records whose label is the predicted one."""
        return float(np.mean(self.predict(values) == checked_labels(labels, len(values))))

    def explain(self):
        """How :meth:`predict` evaluates, and what else was timed; str for people."""
        return self.forest.explain(**self._options)

    def __repr__(self):
        return f"<fernwood.records.AcceleratedClassifier of {self.forest!r}>"
