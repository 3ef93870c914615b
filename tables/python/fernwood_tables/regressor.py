# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A regressor with a scikit-learn-compatible API; imported when RecordForestRegressor is first used."""

from ._optional import require
from ._threads import threads_of

require("sklearn", "RecordForestRegressor, unlike fernwood_tables.train,")

from sklearn.base import RegressorMixin  # noqa: E402

from .sklearn_input import RecordForestEstimator, checked_regression_data  # noqa: E402

__all__ = ["RecordForestRegressor"]


def __dir__():
    return __all__


class RecordForestRegressor(RegressorMixin, RecordForestEstimator):
    """A random forest that predicts a number (Breiman, Random Forests, 2001), the same as ``fernwood-tables train
    --task regression`` grows: tests minimise the squared error, and leaves hold the mean of their targets.

    Parameters
    ----------
    trees : int, default 100
    max_depth : int, default 0
        Levels below the root; 0: no limit.
    max_leaves : int, default 0
        Maximum number of leaves of a tree; the node whose test gains most is split first; 0: no limit.
    min_samples, min_leaf_samples : int, default 2 and 1
        Minimum number of samples of a node that is split, and of each side of a test.
    attributes_per_split : int, default 0
        Number of attributes tried at each node; 0: a third of all, or all for a single tree.
    bootstrap : bool, optional
        Whether each tree is trained on a sample of the records, of equal size and with replacement; None: if there are
        several trees.
    seed : int, default 4711
        The same seed gives the same forest, on any number of threads.
    n_jobs : int, optional
        Number of threads; None: ``OMP_NUM_THREADS`` if it is set, as in joblib's workers, else as many as the process
        may run on.
    device : {"cpu", "cuda", "cuda:N", "auto"}
        Device of ``predict``; trees are grown on the CPU.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : numpy.ndarray [attribute]
        Names of the columns, if the training table has them.
    feature_importances_ : numpy.ndarray [attribute]
        Share of each attribute in the decrease of impurity.
    forest_ : RecordForest
        The forest, which can be saved for the program.
    training_ : dict
        Report of the training, with ``out_of_bag_r2``: the coefficient of determination where each record is predicted
        by the trees that were not trained on it.

    Notes
    -----
    Values are compared as ``float32``; targets are ``float64``, rounded by less than 2^-31 of their range. NaN is
    unknown: if a node has unknown values, both sides are tried for them. Infinity is rejected, as by scikit-learn's
    forests.

    Examples
    --------
    >>> forest = RecordForestRegressor(trees=50).fit(values, targets)
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
        attributes_per_split=0,
        bootstrap=None,
        seed=4711,
        n_jobs=None,
        device="cpu",
    ):
        self.trees = trees
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples = min_samples
        self.min_leaf_samples = min_leaf_samples
        self.attributes_per_split = attributes_per_split
        self.bootstrap = bootstrap
        self.seed = seed
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X, y, sample_weight=None):
        """Grows the forest.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars or Arrow; NaN is unknown.
        y : sequence [record]
            The number to predict.
        sample_weight : sequence [record], optional
            Whole numbers: a record of weight 3 counts as three, also in bootstrap samples, so that the accuracy out of
            bag is too high. Others are refused unless all are equal.
        """
        self._grow(X, y, sample_weight, checked_regression_data, task="regression")
        return self

    def predict(self, X):
        """The mean over trees for each record; numpy.ndarray [record], float64."""
        X = self._checked(X)
        return self.forest_.predict_values(X, device=self.device, threads=threads_of(self.n_jobs))[:, 0]
