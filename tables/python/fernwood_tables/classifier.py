# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A classifier with a scikit-learn-compatible API; imported when RecordForestClassifier is first used."""

import numpy as np

from ._optional import require
from ._threads import threads_of

require("sklearn", "RecordForestClassifier, unlike fernwood_tables.train,")

from sklearn.base import ClassifierMixin  # noqa: E402

from .sklearn_input import RecordForestEstimator, checked_training_data  # noqa: E402

__all__ = ["RecordForestClassifier"]


def __dir__():
    return __all__


class RecordForestClassifier(ClassifierMixin, RecordForestEstimator):
    """A random forest over records (Breiman, Random Forests, 2001), the same as ``fernwood-tables train`` grows.

    Parameters
    ----------
    trees : int, default 100
    max_depth : int, default 0
        Levels below the root; 0: no limit.
    max_leaves : int, default 0
        Maximum number of leaves of a tree; the node whose test gains most is split first; 0: no limit.
    min_samples, min_leaf_samples : int, default 2 and 1
        Minimum number of samples of a node that is split, and of each side of a test.
    criterion : {"gini", "entropy"}
    attributes_per_split : int, default 0
        Number of attributes tried at each node; 0: the square root of their number, or all for a single tree.
    bootstrap : bool, optional
        Whether each tree is trained on a sample of the records, of equal size and with replacement; None: if there are
        several trees.
    seed : int, default 4711
        The same seed gives the same forest, on any number of threads.
    class_weight : dict, optional
        A whole number for each label, by which the weights of its records are multiplied.
    n_jobs : int, optional
        Number of threads; None: ``OMP_NUM_THREADS`` if it is set, as in joblib's workers, else as many as the process
        may run on.
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
    forest_ : RecordForest
        The forest, which can be saved for the program.
    training_ : dict
        Report of the training, with ``out_of_bag_accuracy``: the accuracy where each record is classified by the trees
        that were not trained on it.

    Notes
    -----
    Values are compared as ``float32``. NaN is unknown: if a node has unknown values, both sides are tried for them.
    Infinity is rejected, as by scikit-learn's forests.

    Examples
    --------
    >>> forest = RecordForestClassifier(trees=50).fit(values, labels)
    >>> forest.predict(values[:3])
    """

    def __init__(
        self,
        *,
        trees=100,
        max_depth=0,
        max_leaves=0,
        min_samples=2,
        min_leaf_samples=1,
        criterion="gini",
        attributes_per_split=0,
        bootstrap=None,
        seed=4711,
        class_weight=None,
        n_jobs=None,
        device="cpu",
    ):
        self.trees = trees
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples = min_samples
        self.min_leaf_samples = min_leaf_samples
        self.criterion = criterion
        self.attributes_per_split = attributes_per_split
        self.bootstrap = bootstrap
        self.seed = seed
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X, y, sample_weight=None):
        """Grows the forest.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars or Arrow; NaN is unknown.
        y : sequence [record]
            Class labels: whole numbers or texts.
        sample_weight : sequence [record], optional
            Whole numbers: a record of weight 3 counts as three, also in bootstrap samples, so that the accuracy out of
            bag is too high. Others are refused unless all are equal.
        """
        self.classes_ = np.unique(self._grow(X, y, sample_weight, checked_training_data))
        return self

    def predict(self, X):
        """The label of each record; numpy.ndarray [record] of the type of ``classes_``."""
        X = self._checked(X)
        return self.classes_.take(self.forest_.predict_codes(X, device=self.device, threads=threads_of(self.n_jobs)))

    def predict_proba(self, X):
        """The probability of each class, computed on the CPU; numpy.ndarray [record][class], float32."""
        X = self._checked(X)
        return self.forest_.predict_proba(X, threads=threads_of(self.n_jobs))
