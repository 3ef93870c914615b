# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A tree over a stream with a scikit-learn-compatible API; imported when StreamTreeClassifier is first used."""

import numpy as np

from ..errors import DataError
from ..labels import checked_labels
from .._threads import threads_of
from .estimator import StreamTreeEstimator  # first, since its error states how to install scikit-learn

from sklearn.base import ClassifierMixin  # noqa: E402 I001

from ..sklearn_input import checked_training_data  # noqa: E402

__all__ = ["StreamTreeClassifier"]


def __dir__():
    return __all__


class StreamTreeClassifier(ClassifierMixin, StreamTreeEstimator):
    """One decision tree that grows from a stream of records; the same tree as that of ``fernwood-tables stream train``.

    Parameters
    ----------
    schedule : {"passes", "fresh", "hoeffding", "adaptive", "forest"}
        ``passes`` keeps all records, and reads them again for each level whenever the tree is needed; the others do not
        keep records. See :class:`fernwood_tables.streams.StreamTree`.
    criterion, bins, max_depth, max_leaves, min_samples, min_leaf_samples, min_gain, samples_per_leaf, batch, grace_period
        Options of the program; None: its defaults, which depend on the schedule.
    failure_probability, tie, prune, leaf_prediction, drift_delta, switch_significance, drift_window
        Likewise.
    trees, subspace, warning_delta, seed
        Of the schedule ``forest``.
    n_jobs : int, optional
        Number of threads; None: ``OMP_NUM_THREADS`` if it is set, else as many as the process may run on.
    device : {"cpu", "cuda", "cuda:N", "auto"}
        Device that counts records and, with ``passes`` and ``fresh``, classifies them.

    Attributes
    ----------
    classes_ : numpy.ndarray [class]
        The classes passed to ``partial_fit``, or, if none were, the labels so far; sorted.
    feature_importances_ : numpy.ndarray [attribute]
        With the schedule ``forest``: share of an attribute in the decrease of impurity, averaged over trees.
    prequential_ : fernwood_tables.streams.Prequential
        Accuracy on the records of ``partial_fit`` before they were used for training.
    tree_ : fernwood_tables.RecordForest
        The tree of all records so far, which can be saved for the program.
    n_features_in_ : int

    Notes
    -----
    With ``hoeffding`` and ``adaptive``, ``partial_fit`` and ``predict`` of one record take microseconds: ``predict`` and
    ``predict_proba`` read the growing tree, whose leaves learn each record at once. A pickled classifier stores its tree, but not the counts of its leaves: it can predict, but not grow further.
    """

    _task, _kind = "auto", "classifier"

    def __init__(
        self,
        *,
        schedule="passes",
        criterion=None,
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
        prune=False,
        leaf_prediction=None,
        drift_delta=None,
        switch_significance=0.05,
        drift_window=300,
        trees=10,
        subspace="leaf",
        warning_delta=0.01,
        seed=1,
        n_jobs=None,
        device="cpu",
    ):
        self.schedule = schedule
        self.criterion = criterion
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
        self.prune = prune
        self.leaf_prediction = leaf_prediction
        self.drift_delta = drift_delta
        self.switch_significance = switch_significance
        self.drift_window = drift_window
        self.trees = trees
        self.subspace = subspace
        self.warning_delta = warning_delta
        self.seed = seed
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X, y):
        """Starts a new tree and grows it from these records; see :meth:`partial_fit`."""
        self._declared = np.empty(0)
        return super().fit(X, y)

    def partial_fit(self, X, y, classes=None):
        """Continues to grow with the next records.

        Parameters
        ----------
        X : table [record][attribute]
            NumPy, pandas, polars or Arrow; NaN is unknown.
        y : sequence [record]
            Integers or strings.
        classes : sequence, optional
            All labels that may appear, so that ``predict_proba`` has a column for each from the beginning.
        """
        if classes is None and self._feed_few(X, y):
            return self
        begins = self._begin_or_go_on()
        if begins:
            self._declared = np.empty(0)
        before, num_records = self._declared, self._growing.num_records
        if classes is not None:
            self._declared = self._with_declared(checked_labels(classes), begins)
        try:
            return self._feed(X, y, reset=begins)
        finally:
            if self._growing.num_records == num_records:  # refused
                self._declared = before

    def _with_declared(self, classes, begins):
        """All declared classes with more of them, and with the labels that the tree was grown from."""
        known = self._declared if len(self._declared) or begins else self.classes_
        if not len(known):
            return np.unique(classes)
        if (known.dtype.kind == "U") != (classes.dtype.kind == "U"):
            raise DataError(
                f"classes are {classes.tolist()} and those before {known.tolist()}; pass all as strings or all as integers"
            )
        return np.unique(np.concatenate([known, classes]))

    def _checked_training(self, X, y, reset):
        X, y = checked_training_data(self, X, y, reset)
        if len(self._declared) and not np.isin(y, self._declared).all():
            other = y[~np.isin(y, self._declared)].tolist()[0]
            raise DataError(f"y has the label {other!r}, which is not among the classes {self._declared.tolist()}")
        return X, y

    def _note(self, y, reset):
        known = set(self._growing.labels)
        labels = np.unique(y)
        labels = labels[[label in known for label in labels.tolist()]]
        if len(self._declared):
            self.classes_ = self._declared
        else:
            self.classes_ = labels if reset else np.union1d(self.classes_, labels)
        places = {label: place for place, label in enumerate(self.classes_.tolist())}
        self._place_of = np.array([places[label] for label in self._growing.labels])
        self._label_of = self.classes_.take(self._place_of)

    def _places(self):
        """Indices of the tree's classes in ``classes_``."""
        names = [str(label) for label in self._growing.labels]
        return self._place_of.take([names.index(name) for name in self.tree_.classes])

    def predict(self, X):
        """The label of each record; numpy.ndarray [record] of the type of ``classes_``."""
        records = self._at_once(X)
        if records is not None:
            return self._label_of.take(self._growing.classify(records))
        X, tree = self._checked(X), self.tree_
        codes = tree.predict_codes(X, device=self.device, threads=threads_of(self.n_jobs))
        return self.classes_.take(self._places().take(codes))

    def predict_proba(self, X):
        """The probability of each class, 0 if it has not appeared; numpy.ndarray [record][class], float32."""
        records = self._at_once(X)
        if records is not None:
            probabilities = np.zeros((len(records), len(self.classes_)), np.float32)
            probabilities[:, self._place_of] = self._growing.predict(records)
            return probabilities
        X, tree = self._checked(X), self.tree_
        probabilities = np.zeros((len(X), len(self.classes_)), np.float32)
        probabilities[:, self._places()] = tree.predict_proba(X, threads=threads_of(self.n_jobs))
        return probabilities

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # From a few hundred records, each looked at once, `fresh` grows a split or two.
        tags.classifier_tags.poor_score = self.schedule == "fresh"
        return tags
