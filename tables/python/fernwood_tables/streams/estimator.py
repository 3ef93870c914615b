# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Base class of the estimators of trees over streams."""

import numpy as np

from .. import _fernwood_tables
from .._optional import require
from ..columns import order_columns
from ..errors import UsageError
from .._threads import threads_of
from .tree import StreamTree

require("sklearn", "an estimator, unlike fernwood_tables.streams.StreamTree,")

from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

from ..sklearn_input import checked_records, unread_names  # noqa: E402

has_infinite = _fernwood_tables.has_infinite

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


class GrownTree:
    """The parts of a growing tree that a pickle stores."""

    def __init__(self, growing):
        self._tree, self.labels, self.prequential = growing.tree(), growing.labels, growing.prequential
        self.importances = growing.importances

    def tree(self):
        return self._tree


class StreamTreeEstimator(BaseEstimator):
    """A tree that grows. Derived classes define the options as parameters of ``__init__``, ``_task``, ``_kind`` for
    messages, and ``_checked_training``, which returns checked records and their labels or targets."""

    def fit(self, X, y):
        """Starts a new tree and grows it from these records; see :meth:`partial_fit`."""
        self._begin()
        return self._feed(X, y, reset=True)

    def _begin(self):
        options = self.get_params(deep=False)
        workers = threads_of(options.pop("n_jobs"))
        self._growing = StreamTree(workers=workers, task=self._task, **options)

    def _begin_or_go_on(self):
        """Starts a tree if no records were fed before, and returns whether it did."""
        begins = not self.__sklearn_is_fitted__()
        if begins:
            self._begin()
        elif not isinstance(self._growing, StreamTree):
            raise UsageError(
                f"a {self._kind} that was pickled or copied keeps its tree only, and cannot grow on; begin a new one"
            )
        return begins

    def _few(self, X):
        """A few records of the tree that grows, if scikit-learn would not refuse them; else None."""
        growing = self.__dict__.get("_growing")
        if type(growing) is not StreamTree or "feature_names_in_" in self.__dict__:
            return None
        few = growing._few(X)
        return None if few is None or has_infinite(few) else few

    def _feed_few(self, X, y):
        """Feeds a few records without names or labels that are new, microseconds each; returns whether it did."""
        few = self._few(X)
        return few is not None and self._growing._feed_few(few, y)

    def _at_once(self, X):
        """Records for a tree that predicts while it grows; None: for ``tree_``."""
        few = self._few(X)
        if few is not None:
            return few if self._growing._predicts_at_once else None
        check_is_fitted(self)
        if not isinstance(self._growing, StreamTree) or not self._growing._predicts_at_once:
            return None
        return checked_records(self, X, self._growing.attributes)

    def _feed(self, X, y, reset):
        names = unread_names(X)
        if not reset and not hasattr(self, "feature_names_in_"):
            X = order_columns(X, self._growing.attributes)
        X, y = self._checked_training(X, y, reset)
        before = self._growing.num_records
        try:
            self._growing.feed(X, y, attributes=getattr(self, "feature_names_in_", names))
        finally:  # an interrupted call leaves records in the stream
            if self._growing.num_records > before:
                self._note(y, reset)
        return self

    def _note(self, y, reset):
        """Called after the tree has grown from records with these labels or targets."""

    @property
    def prequential_(self):
        check_is_fitted(self)
        return self._growing.prequential

    @property
    def tree_(self):
        check_is_fitted(self)
        return self._growing.tree()

    @property
    def feature_importances_(self):
        check_is_fitted(self)
        if self.schedule != "forest":
            raise AttributeError(f"feature_importances_ needs schedule='forest'; schedule is {self.schedule!r}")
        return np.array(self._growing.importances)

    def _checked(self, X):
        check_is_fitted(self)
        return checked_records(self, X, self.tree_.attributes)

    def __sklearn_is_fitted__(self):
        growing = getattr(self, "_growing", None)
        return isinstance(growing, GrownTree) or (growing is not None and growing.num_records > 0)

    def __getstate__(self):
        state = super().__getstate__().copy()
        growing = state.pop("_growing", None)
        if self.__sklearn_is_fitted__():
            state["_growing"] = growing if isinstance(growing, GrownTree) else GrownTree(growing)
        return state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags
