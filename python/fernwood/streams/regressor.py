# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A tree over a stream with a scikit-learn-compatible API; imported when StreamTreeRegressor is first used."""

from ..records.threads import threads_of
from .estimator import StreamTreeEstimator  # first, as it says how to get scikit-learn

from sklearn.base import RegressorMixin  # noqa: E402 I001

from ..records.sklearn_input import checked_regression_data  # noqa: E402

__all__ = ["StreamTreeRegressor"]


def __dir__():
    return __all__


class StreamTreeRegressor(RegressorMixin, StreamTreeEstimator):
    """One tree that predicts a number and grows from records that pass by; the same tree as ``fernwood stream train --task
    regression``: splits make the squared error small, leaves predict the mean.

    Parameters
    ----------
    schedule : {"passes", "fresh", "hoeffding"}
        ``passes`` keeps all records and looks at them again for each level whenever the tree is needed; the others keep
        none. See :class:`fernwood.streams.StreamTree`.
    target_range : str, optional
        ``"LOW:HIGH"``, between which all targets lie; None: with ``fresh`` and ``hoeffding`` up to 1024 times the range of
        the first batch from its lowest one, and a target beyond is an error.
    bins, max_depth, max_leaves, min_samples, min_leaf_samples, min_gain, samples_per_leaf
        As the program's options; None: its defaults, which are those of the schedule.
    batch, grace_period, failure_probability, tie
        Likewise.
    n_jobs : int, optional
        Threads; None: as many as the process may run on, or ``OMP_NUM_THREADS`` where it is set.

    Attributes
    ----------
    prequential_ : fernwood.streams.PrequentialErrors
        Errors on the records of ``partial_fit`` before they were learnt.
    tree_ : fernwood.records.RecordForest
        The tree of all records so far, to be saved for the program.
    n_features_in_ : int

    Notes
    -----
    A pickled regressor keeps its tree, not what its leaves have counted: it predicts, but cannot grow on.
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
        self.n_jobs = n_jobs

    def partial_fit(self, X, y):
        """Grows on by the next records.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars, Arrow; NaN is unknown.
        y : sequence [record]
            The number to predict.
        """
        return self._feed(X, y, reset=self._begin_or_go_on())

    def _checked_training(self, X, y, reset):
        return checked_regression_data(self, X, y, reset)

    def predict(self, X):
        """The mean of the leaf that each record falls to; numpy.ndarray [record], float64."""
        X, tree = self._checked(X), self.tree_
        return tree.predict_values(X, threads=threads_of(self.n_jobs))[:, 0]
