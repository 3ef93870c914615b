# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A classifier with a scikit-learn-compatible API; imported when RecordForestClassifier is first used."""

import numpy as np

from ._optional import require
from ._threads import threads_of

require("sklearn", "RecordForestClassifier, unlike fernwood_tables.train,")

from sklearn.base import ClassifierMixin  # noqa: E402

from .sklearn_input import CLASS_WEIGHT, CRITERION, RecordForestEstimator, checked_training_data  # noqa: E402

__all__ = ["RecordForestClassifier"]


def __dir__():
    return __all__


class RecordForestClassifier(ClassifierMixin, RecordForestEstimator):
    """A random forest over records (Breiman, Random Forests, 2001), grown by :func:`fernwood_tables.train`. Parameters
    have the names, values and defaults of scikit-learn's ``RandomForestClassifier``; ``random_state`` differs.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss"}
        "log_loss" is the same as "entropy".
    max_depth : int, optional
        Levels below the root; None: no limit.
    min_samples_split, min_samples_leaf : int or float, default 2 and 1
        Minimum number of samples of a node that is split, and of each side of a test; a float is a share of the records.
    max_features : {"sqrt", "log2"}, int, float or None, default "sqrt"
        Number of attributes tried at each node; a float is a share, None: all.
    max_leaf_nodes : int, optional
        Maximum number of leaves of a tree; the node whose test gains most is split first; None: no limit.
    bootstrap : bool, default True
        Whether each tree is trained on a sample of the records, with replacement.
    oob_score : bool, default False
        Whether ``fit`` sets ``oob_score_``.
    n_jobs : int, optional
        Number of threads; None: ``OMP_NUM_THREADS`` if it is set, as in joblib's workers, else as many as the process
        may run on.
    random_state : int, RandomState or None
        The same number gives the same forest, on any number of threads; None is a number, too: 4711.
    class_weight : dict, "balanced" or None
        Weights of labels, by which those of their records are multiplied.
    device : {"cpu", "cuda", "cuda:N", "auto"}
        Device of ``predict``; trees are grown on the CPU.

    Attributes
    ----------
    classes_ : numpy.ndarray [class]
    n_features_in_ : int
    feature_names_in_ : numpy.ndarray [attribute]
        Names of the columns, if the training table has them.
    feature_importances_ : numpy.ndarray [attribute]
        Share of each attribute in the decrease of impurity.
    oob_score_ : float
        Accuracy where each record is classified by the trees that were not trained on it.
    forest_ : RecordForest
        The forest, which can be saved for the program.
    training_ : dict
        Report of the training.

    Notes
    -----
    Values are compared as ``float32``. NaN is unknown: if a node has unknown values, both sides are tried for them.
    Infinity is rejected, as by scikit-learn's forests. Sparse matrices become dense. Columns of categories (of pandas,
    polars, Arrow) become their numbers in the order of the categories at training, in any order later; unseen ones are
    unknown. The order of records has no effect: samples are drawn from records that are sorted first.

    Examples
    --------
    >>> forest = RecordForestClassifier(n_estimators=50).fit(values, labels)
    >>> forest.predict(values[:3])
    """

    _parameter_constraints = {**RecordForestEstimator._parameter_constraints, "criterion": CRITERION, "class_weight": CLASS_WEIGHT}

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        max_features="sqrt",
        max_leaf_nodes=None,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        class_weight=None,
        device="cpu",
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight
        self.device = device

    def fit(self, X, y, sample_weight=None):
        """Grows the forest.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars, Arrow, or sparse matrices of SciPy; NaN is unknown.
        y : sequence [record]
            Class labels: integers or strings.
        sample_weight : sequence [record], optional
            If weights are integers, a record of weight 3 counts as three; others are relative
            (:func:`fernwood_tables.train`).
        """
        criterion = {"log_loss": "entropy"}.get(self.criterion, self.criterion)
        self.classes_ = np.unique(self._grow(X, y, sample_weight, checked_training_data, criterion=criterion))
        return self

    def predict(self, X):
        """The label of each record; numpy.ndarray [record] of the type of ``classes_``."""
        X = self._checked(X)
        return self.classes_.take(self.forest_.predict_codes(X, device=self.device, threads=threads_of(self.n_jobs)))

    def predict_proba(self, X):
        """The probability of each class, computed on the CPU; numpy.ndarray [record][class], float32."""
        X = self._checked(X)
        return self.forest_.predict_proba(X, threads=threads_of(self.n_jobs))

    def predict_log_proba(self, X):
        """The logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
