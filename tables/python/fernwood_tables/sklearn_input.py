# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records and labels in the form that scikit-learn's checks require, and what the estimators of forests have in common;
tables are read as in the whole package."""

from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_X_y, validate_data

from ._words import offers
from .arrays import as_matrix
from .columns import column_labels, column_names, order_columns
from .errors import UsageError
from .labels import checked_labels
from ._threads import threads_of
from .training import train

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


class RecordForestEstimator(BaseEstimator):
    """A forest over records. Derived classes define the options as parameters of ``__init__``."""

    def _grow(self, X, y, sample_weight, check, **task):
        """Grows the forest; returns the labels or targets. @param check  Returns checked records and their labels."""
        with kept_if_refused(self):
            names = unread_names(X)
            X, y = check(self, X, y, reset=True)
            options = self.get_params(deep=False)
            del options["n_jobs"], options["device"]
            copies = _copies(X, y, sample_weight, options.pop("class_weight", None))
            if copies is not None:
                X, y = np.repeat(X, copies, axis=0), np.repeat(y, copies)
            names, threads = getattr(self, "feature_names_in_", names), threads_of(self.n_jobs)
            self.forest_ = train(X, y, attributes=names, threads=threads, progress=False, **task, **options)
            self.training_ = self.forest_.training.data
        return y

    @property
    def feature_importances_(self):
        """numpy.ndarray [attribute]: share in the decrease of impurity, Gini's or the variance of targets, by all tests."""
        check_is_fitted(self)
        return np.array(self.forest_._handle.importances)

    def _checked(self, X):
        check_is_fitted(self)
        return checked_records(self, X, self.forest_.attributes)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _copies(X, y, sample_weight, class_weight):
    """[record] How often a record counts; None: all alike."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64) * compute_sample_weight(class_weight, y)
    if np.ptp(weights) == 0 and weights[0] > 0:
        return None
    odd = np.flatnonzero((weights < 0) | (weights != np.floor(weights)))
    if len(odd):
        raise UsageError(
            f"record {odd[0]} has the weight {weights[odd[0]]:g}, and forests of fernwood count records; give whole numbers, "
            "such as numpy.rint(10 * sample_weight / sample_weight.max())"
        )
    return weights.astype(np.int64)
