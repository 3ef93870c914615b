# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records and labels in the form that scikit-learn's checks require, and what the estimators of forests have in common;
tables are read as in the whole package."""

from contextlib import contextmanager
from math import ceil
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_X_y, validate_data

from ._words import offers
from .arrays import as_floats, as_matrix, dense
from .categories import coded, listed_categories
from .columns import column_labels, column_names, order_columns
from .errors import DataError
from .labels import checked_labels
from ._threads import threads_of
from .training import OUT_OF_BAG, train

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


# float32 is not copied, float64 is rounded part by part, and other types are converted to float32 at once.
RECORDS = {"dtype": [np.float32, np.float64], "ensure_all_finite": "allow-nan"}


@contextmanager
def kept_if_refused(estimator):
    """A refused or interrupted fit leaves an estimator as it was: columns are found by names that fit() sets early."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _sklearn_reads_names(X):
    """Whether scikit-learn itself finds the names of columns, and rejects other names and another order."""
    labels = column_labels(X)
    is_frame = (
        bool(labels) and offers(X, "columns") and not offers(X, "column_names") and not isinstance(X, np.ndarray)
    )
    return is_frame and all(isinstance(label, str) for label in labels)


def unread_names(X):
    """Names of columns that scikit-learn does not read: of Arrow, of structured arrays, numbers; else None."""
    return None if _sklearn_reads_names(X) else column_names(X)


def _as_numbers(X):
    """Converts or rejects tables, masked arrays and dates by :func:`as_matrix`; leaves other arrays to scikit-learn."""
    X = dense(X)
    is_odd = isinstance(X, np.ma.MaskedArray) or getattr(getattr(X, "dtype", None), "kind", "f") in "mM"
    return as_matrix(X) if is_odd or column_labels(X) is not None else X


def _checked_pairs(estimator, X, y, reset, **rules):
    """Checked records, and their labels or targets. @param rules  Options of ``check_X_y``."""
    if _sklearn_reads_names(X):
        column_names(X)  # rejects equal names
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return check_X_y(as_matrix(X), y, **rules, **RECORDS)
    return validate_data(estimator, _as_numbers(X), y, reset=reset, **rules, **RECORDS)


def checked_regression_data(estimator, X, y, reset=True):
    """Checked records and targets for training."""
    return _checked_pairs(estimator, X, y, reset, y_numeric=True)


def checked_training_data(estimator, X, y, reset):
    """Checked records and labels for training."""
    is_known = isinstance(y, (list, tuple, np.ndarray)) or hasattr(y, "to_numpy") or hasattr(y, "to_pylist")
    if is_known and np.ndim(y) == 1:
        y = checked_labels(y)
    X, y = _checked_pairs(estimator, X, y, reset)
    check_classification_targets(y)
    return X, y


def checked_records(estimator, X, attributes):
    """Checked records for prediction; columns of tables are found by the names in `attributes`."""
    has_names = hasattr(estimator, "feature_names_in_")
    if has_names and _sklearn_reads_names(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return check_array(as_matrix(X), **RECORDS)
    is_table = column_labels(X) is not None
    X = _as_numbers(order_columns(X, attributes))
    if has_names and is_table:  # columns were found by name already, and scikit-learn would warn of missing names
        return check_array(as_matrix(X, len(attributes)), **RECORDS)
    return validate_data(estimator, X, reset=False, **RECORDS)


def _or_none(*constraints):
    return [*constraints, None]


_COUNT = Interval(Integral, 1, None, closed="left")
_SHARE = Interval(Real, 0, 1, closed="neither")
CRITERION = [StrOptions({"gini", "entropy", "log_loss"})]
CLASS_WEIGHT = _or_none(dict, StrOptions({"balanced"}))


class RecordForestEstimator(BaseEstimator):
    """A forest over records. Derived classes define scikit-learn's parameters in ``__init__``."""

    _parameter_constraints = {
        "n_estimators": [_COUNT],
        "max_depth": _or_none(_COUNT),
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), _SHARE],
        "min_samples_leaf": [_COUNT, _SHARE],
        "max_features": _or_none(StrOptions({"sqrt", "log2"}), _COUNT, Interval(Real, 0, 1, closed="right")),
        "max_leaf_nodes": _or_none(Interval(Integral, 2, None, closed="left")),
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "n_jobs": _or_none(Integral),
        "random_state": ["random_state"],
        "device": [str],
    }

    def _grow(self, X, y, sample_weight, check, **options):
        """Grows the forest; returns the labels or targets. @param check  Returns checked records and their labels."""
        self._validate_params()
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        _refuse_outputs(y, type(self).__name__)
        with kept_if_refused(self):
            names, self._categories = unread_names(X), listed_categories(X)
            X, y = check(self, coded(X, self._categories), y, reset=True)
            weights = _weights(X, y, sample_weight, getattr(self, "class_weight", None))
            if self.bootstrap:  # so that samples depend on neither the order of records nor on who repeats them
                order = _order_of(X, y)
                X, weights = X[order], None if weights is None else weights[order]
            self.forest_ = train(
                X, y[order] if self.bootstrap else y, weights=weights, attributes=getattr(self, "feature_names_in_", names),
                threads=threads_of(self.n_jobs), progress=False, **options, **self._options(*X.shape),
            )  # fmt: skip
            self.training_ = self.forest_.training.data
            if self.oob_score:
                self.oob_score_ = next((self.training_[name] for name in OUT_OF_BAG if name in self.training_), np.nan)
        return y

    def _options(self, num_records, num_attributes):
        """The parameters as options of :func:`train`."""
        seed = self.random_state
        if seed is not None and not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(2**31)
        return {
            "trees": self.n_estimators,
            "max_depth": self.max_depth,
            "max_leaves": self.max_leaf_nodes,
            "min_samples": max(2, _count_of(self.min_samples_split, num_records)),
            "min_leaf_samples": _count_of(self.min_samples_leaf, num_records),
            "attributes_per_split": _features_of(self.max_features, num_attributes),
            "bootstrap": bool(self.bootstrap),
            "seed": seed,
        }

    @property
    def feature_importances_(self):
        """numpy.ndarray [attribute]: share in the decrease of impurity, Gini's or the variance of targets, by all tests."""
        check_is_fitted(self)
        return np.array(self.forest_._handle.importances)

    def _checked(self, X):
        check_is_fitted(self)
        return checked_records(self, coded(X, self._categories), self.forest_.attributes)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def _refuse_outputs(y, name):
    shape = np.shape(y) if hasattr(y, "shape") or isinstance(y, (list, tuple)) else ()
    if len(shape) == 2 and shape[1] > 1:
        raise DataError(
            f"y has {shape[1]} outputs, and a forest of fernwood predicts one; use sklearn.multioutput's "
            f"MultiOutput{name.removeprefix('RecordForest')}({name}())"
        )


def _count_of(samples, num_records):
    return samples if isinstance(samples, Integral) else ceil(samples * num_records)


def _features_of(features, num_attributes):
    if isinstance(features, str):
        return max(1, int(getattr(np, features)(num_attributes)))
    if features is None:
        return num_attributes
    return min(features, num_attributes) if isinstance(features, Integral) else max(1, int(features * num_attributes))


def _weights(X, y, sample_weight, class_weight):
    """[record] Weights; None: all alike."""
    if sample_weight is None and class_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64) * compute_sample_weight(class_weight, y)
    return None if np.ptp(weights) == 0 and weights[0] > 0 else weights


def _order_of(X, y):
    """[record] A permutation that does not depend on the order of the records, but for equal ones."""
    hashed = np.unique(y, return_inverse=True)[1].astype(np.uint64)
    for column in as_floats(X).T:
        bits = np.ascontiguousarray(column + np.float32(0)).view(np.uint32)  # -0 becomes 0
        hashed = (hashed ^ bits ^ (hashed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return np.argsort(hashed ^ (hashed >> np.uint64(32)), kind="stable")
