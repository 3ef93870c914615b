# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Comparison of an accelerated model's results with those of the original model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Check"]


def __dir__():
    return __all__


@dataclass(frozen=True)
class Check:
    """Result of the comparison of two models."""

    records: int  #: Number of records that both evaluated.
    labels_that_differ: int  #: Number of different labels; for classifiers and detectors.
    greatest_difference: float  #: Greatest absolute difference of probabilities, values or scores.
    greatest_ulps: int  #: The same in units in the last place of the results' type.

    def __str__(self):
        if self.greatest_difference == 0 and self.labels_that_differ == 0:
            return f"check: all answers to {self.records} records have the same bits as the model's"
        return (
            f"check: of {self.records} records {self.labels_that_differ} labels differ from the model's, numbers by at most "
            f"{self.greatest_difference:.3g} ({self.greatest_ulps} units in the last place)"
        )


def compare(model, accelerated, values) -> Check:
    """The :class:`Check` of two models on the same records."""
    labels, num_records = 0, values.shape[0] if hasattr(values, "shape") else len(values)
    if _is_booster(model):
        theirs, ours = _predict_booster(model, values), accelerated.predict(values)
        if getattr(accelerated.forest, "classes", None):
            labels = _count(_classes_of(theirs, accelerated), accelerated.predict_codes(values))
    else:
        if _has_labels(accelerated):
            labels = _count(np.ravel(model.predict(values)), accelerated.predict(values))
        theirs, ours = _numbers(model, accelerated, values)
    if theirs is None:
        return Check(num_records, labels, 0.0, 0)
    return Check(num_records, labels, *differences(theirs, ours))


def differences(theirs, ours):
    """(greatest absolute difference, greatest distance in units in the last place) of two arrays of numbers.

    Equal infinities, and NaN in both arrays, count as equal.
    """
    ours = np.asarray(ours)
    theirs = np.asarray(theirs, ours.dtype)
    same = (theirs == ours) | (np.isnan(theirs) & np.isnan(ours))
    if same.all():
        return 0.0, 0
    whole = {4: np.int32, 8: np.int64}[ours.dtype.itemsize]
    places = [_place(np.ascontiguousarray(array)[~same].view(whole)) for array in (theirs, ours)]
    apart = max(abs(int(a) - int(b)) for a, b in zip(*places))
    with np.errstate(invalid="ignore"):
        return float(np.abs(theirs.astype(np.float64) - ours)[~same].max()), apart


def _place(bits):
    """Integers in the order of the floating-point numbers with these bits."""
    return np.where(bits < 0, np.iinfo(bits.dtype).min - bits, bits)


def _count(theirs, ours):
    return int(np.count_nonzero(np.ravel(theirs) != np.ravel(ours)))


def _joined(probabilities):
    """@param probabilities  An array, or for several outputs a list of arrays."""
    return np.hstack(probabilities) if isinstance(probabilities, list) else probabilities


def _has_labels(accelerated):
    return any(hasattr(accelerated, name) for name in ("classes_", "predict_proba", "score_samples"))


def _is_booster(model):
    return type(model).__name__ in ("Booster", "CatBoost")


def _predict_booster(model, values):
    if type(model).__module__.startswith("xgboost"):
        import xgboost

        return np.asarray(model.predict(xgboost.DMatrix(values, enable_categorical=True)))
    return np.asarray(model.predict(values))


def _classes_of(predicted, accelerated):
    """Classes from predictions of a booster."""
    if predicted.ndim == 2:
        return np.argmax(predicted, axis=1)
    return predicted if accelerated._form == "class" else predicted > (0 if accelerated._form == "margin" else 0.5)


def _numbers(model, accelerated, values):
    """Numeric results of both models; (None, None) if the original model only returns labels."""
    if hasattr(accelerated, "score_samples") and not hasattr(accelerated, "predict_proba"):
        return model.score_samples(values), accelerated.score_samples(values)
    if not hasattr(accelerated, "predict_proba"):
        return (None, None) if _has_labels(accelerated) else (model.predict(values), accelerated.predict(values))
    if not hasattr(model, "predict_proba"):
        return None, None
    return _joined(model.predict_proba(values)), _joined(accelerated.predict_proba(values))
