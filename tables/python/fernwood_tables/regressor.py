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
    """A random forest that predicts a number (Breiman, Random Forests, 2001), grown by :func:`fernwood_tables.train`:
    tests minimise the squared error, and leaves hold the mean of their targets. Parameters have the names and values of
    scikit-learn's ``RandomForestRegressor``, and its defaults except of ``max_features`` and ``random_state``.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    max_depth : int, optional
        Levels below the root; None: no limit.
    min_samples_split, min_samples_leaf : int or float, default 2 and 1
        Minimum number of samples of a node that is split, and of each side of a test; a float is a share of the records.
    max_features : {"sqrt", "log2"}, int, float or None, default 1/3
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
    device : {"cpu", "cuda", "cuda:N", "auto"}
        Device of ``predict``; trees are grown on the CPU.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : numpy.ndarray [attribute]
        Names of the columns, if the training table has them.
    feature_importances_ : numpy.ndarray [attribute]
        Share of each attribute in the decrease of the variance.
    oob_score_ : float
        Coefficient of determination where each record is predicted by the trees that were not trained on it.
    forest_ : RecordForest
        The forest, which can be saved for the program.
    training_ : dict
        Report of the training.

    Notes
    -----
    Values are compared as ``float32``; targets are ``float64``, rounded by less than 2^-31 of their range. Unknown and
    infinite values, sparse matrices, categories and the order of records: see :class:`RecordForestClassifier`.

    Examples
    --------
    >>> forest = RecordForestRegressor(n_estimators=50).fit(values, targets)
    >>> forest.predict(values[:3])
    """

    def __init__(
        self,
        n_estimators=100,
        *,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        max_features=1 / 3,
        max_leaf_nodes=None,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        device="cpu",
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.device = device

    def fit(self, X, y, sample_weight=None):
        """Grows the forest.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars, Arrow, or sparse matrices of SciPy; NaN is unknown.
        y : sequence [record]
            The number to predict.
        sample_weight : sequence [record], optional
            If weights are integers, a record of weight 3 counts as three; others are relative
            (:func:`fernwood_tables.train`).
        """
        self._grow(X, y, sample_weight, checked_regression_data, task="regression")
        return self

    def predict(self, X):
        """The mean over trees for each record; numpy.ndarray [record], float64."""
        X = self._checked(X)
        return self.forest_.predict_values(X, device=self.device, threads=threads_of(self.n_jobs))[:, 0]
