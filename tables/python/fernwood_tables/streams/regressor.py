# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A tree over a stream with a scikit-learn-compatible API; imported when StreamTreeRegressor is first used."""

from .._threads import threads_of
from .estimator import StreamTreeEstimator  # first, since its error states how to install scikit-learn

from sklearn.base import RegressorMixin  # noqa: E402 I001

from ..sklearn_input import checked_regression_data  # noqa: E402

__all__ = ["StreamTreeRegressor"]


def __dir__():
    return __all__


class StreamTreeRegressor(RegressorMixin, StreamTreeEstimator):
    """One tree that predicts a number and grows from a stream of records; the same tree as that of
    ``fernwood-tables stream train --task regression``: splits reduce the squared error, and leaves predict the mean.

    Parameters
    ----------
    schedule : {"passes", "fresh", "hoeffding", "forest"}
        ``passes`` keeps all records, and reads them again for each level whenever the tree is needed; the others do not
        keep records. See :class:`fernwood_tables.streams.StreamTree`.
    target_range : str, optional
        ``"LOW:HIGH"``, the range of all targets; None: with ``fresh`` and ``hoeffding``, at most 1024 times the range
        of the first batch away from its lowest target. A target outside is an error.
    bins, max_depth, max_leaves, min_samples, min_leaf_samples, min_gain, samples_per_leaf
        Options of the program; None: its defaults, which depend on the schedule.
    batch, grace_period, failure_probability, tie
        Likewise.
    drift_delta, trees, subspace, warning_delta, seed
        Of the schedule ``forest``.
    n_jobs : int, optional
        Number of threads; None: ``OMP_NUM_THREADS`` if it is set, else as many as the process may run on.

    Attributes
    ----------
    feature_importances_ : numpy.ndarray [attribute]
        With the schedule ``forest``: share of an attribute in the decrease of impurity, averaged over trees.
    prequential_ : fernwood_tables.streams.PrequentialErrors
        Errors on the records of ``partial_fit`` before they were used for training.
    tree_ : fernwood_tables.RecordForest
        The tree of all records so far, which can be saved for the program.
    n_features_in_ : int

    Notes
    -----
    With ``hoeffding``, ``partial_fit`` and ``predict`` of one record take microseconds, as for the classifier. A pickled
    regressor stores its tree, but not the counts of its leaves: it can predict, but not grow further.
    """

    _task, _kind = "regression", "regressor"

    def __init__(
        self,
        *,
        schedule="passes",
        target_range=None,
        bins=None,
        max_depth=24,
        max_leaves=0,
        min_samples=2,
        min_leaf_samples=1,
        min_gain=0.0,
        samples_per_leaf=200,
        batch=None,
        grace_period=None,
        failure_probability=None,
        tie=None,
        drift_delta=None,
        trees=10,
        subspace="leaf",
        warning_delta=0.01,
        seed=1,
        n_jobs=None,
    ):
        self.schedule = schedule
        self.target_range = target_range
        self.bins = bins
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples = min_samples
        self.min_leaf_samples = min_leaf_samples
        self.min_gain = min_gain
        self.samples_per_leaf = samples_per_leaf
        self.batch = batch
        self.grace_period = grace_period
        self.failure_probability = failure_probability
        self.tie = tie
        self.drift_delta = drift_delta
        self.trees = trees
        self.subspace = subspace
        self.warning_delta = warning_delta
        self.seed = seed
        self.n_jobs = n_jobs

    def partial_fit(self, X, y):
        """Continues to grow with the next records.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars or Arrow; NaN is unknown.
        y : sequence [record]
            The number to predict.
        """
        if self._feed_few(X, y):
            return self
        return self._feed(X, y, reset=self._begin_or_go_on())

    def _checked_training(self, X, y, reset):
        return checked_regression_data(self, X, y, reset)

    def predict(self, X):
        """The mean target of the leaf that each record reaches; numpy.ndarray [record], float64."""
        records = self._at_once(X)
        if records is not None:
            return self._growing.predict(records)[:, 0]
        X, tree = self._checked(X), self.tree_
        return tree.predict_values(X, threads=threads_of(self.n_jobs))[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # From a few hundred records, each looked at once, a split or two are grown.
        tags.regressor_tags.poor_score = self.schedule != "passes"
        return tags
