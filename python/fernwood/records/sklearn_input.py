# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records and labels as scikit-learn's checks want them; tables are read as everywhere else in the package."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_X_y, validate_data

from .arrays import as_matrix
from .columns import column_labels, column_names, order_columns
from .labels import checked_labels

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__


# What is float32 already is not copied, what is float64 is rounded part by part; all else becomes float32 at once.
RECORDS = {"dtype": [np.float32, np.float64], "ensure_all_finite": "allow-nan"}


def _sklearn_reads_names(X):
    """Whether scikit-learn finds the names of columns, and refuses others and another order itself."""
    labels = column_labels(X)
    is_frame = (
        bool(labels) and hasattr(X, "columns") and not hasattr(X, "column_names") and not isinstance(X, np.ndarray)
    )
    return is_frame and all(isinstance(label, str) for label in labels)


def unread_names(X):
    """Names of columns of which scikit-learn knows nothing: of Arrow, of structured arrays, numbers; else None."""
    return None if _sklearn_reads_names(X) else column_names(X)


def _as_numbers(X):
    """Tables, masked arrays and dates as :func:`as_matrix` takes or refuses them; other arrays are left to scikit-learn."""
    is_odd = isinstance(X, np.ma.MaskedArray) or getattr(getattr(X, "dtype", None), "kind", "f") in "mM"
    return as_matrix(X) if is_odd or column_labels(X) is not None else X


def _checked_pairs(estimator, X, y, reset, **rules):
    """Records and what is known of each."""
    if _sklearn_reads_names(X):
        column_names(X)  # no two are the same
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return check_X_y(as_matrix(X), y, **rules, **RECORDS)
    return validate_data(estimator, _as_numbers(X), y, reset=reset, **rules, **RECORDS)


def checked_regression_data(estimator, X, y, reset=True):
    """Records and numbers to predict, to train on."""
    return _checked_pairs(estimator, X, y, reset, y_numeric=True)


def checked_training_data(estimator, X, y, reset):
    """Records and labels to train on."""
    is_known = isinstance(y, (list, tuple, np.ndarray)) or hasattr(y, "to_numpy") or hasattr(y, "to_pylist")
    if is_known and np.ndim(y) == 1:
        y = checked_labels(y)
    X, y = _checked_pairs(estimator, X, y, reset)
    check_classification_targets(y)
    return X, y


def checked_records(estimator, X, attributes):
    """Records to classify: tables by the names of the attributes."""
    has_names = hasattr(estimator, "feature_names_in_")
    if has_names and _sklearn_reads_names(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return check_array(as_matrix(X), **RECORDS)
    is_table = column_labels(X) is not None
    X = _as_numbers(order_columns(X, attributes))
    if has_names and is_table:  # names were found already, and scikit-learn would warn that there are none
        return check_array(as_matrix(X, len(attributes)), **RECORDS)
    return validate_data(estimator, X, reset=False, **RECORDS)
