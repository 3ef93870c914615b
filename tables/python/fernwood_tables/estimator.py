# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What scikit-learn asks of a fitted estimator, without importing scikit-learn first."""

from .errors import UsageError

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


class FittedEstimator:
    """Base class of accelerated models, whose ``_options`` are the parameters: a clone is the model itself, as of
    ``sklearn.frozen.FrozenEstimator``."""

    #: "classifier", "regressor", "outlier_detector"; None: another one.
    _estimator_type = None

    def get_params(self, deep=True):
        """The options that :func:`accelerate` was given; dict."""
        return dict(self._options)

    def set_params(self, **params):
        """Sets options of :func:`accelerate`, which change the speed and no result."""
        options = {**self._options, **params}
        self.forest._predictor(options)  # reports a wrong option
        self._options, self._rows = options, {}
        return self

    def fit(self, X, y=None, **_):
        """Refuses, since trees are grown by the original model's library."""
        raise UsageError(
            "an accelerated model is fitted already; train the original model again and accelerate it, or wrap this one in "
            "sklearn.frozen.FrozenEstimator"
        )

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_clone__(self):
        return self

    def __sklearn_tags__(self):
        from sklearn import utils

        kind = self._estimator_type
        tags = utils.Tags(kind, utils.TargetTags(required=kind in ("classifier", "regressor")), input_tags=utils.InputTags())
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        tags.input_tags.categorical = bool(self._categories)
        if kind == "classifier":
            tags.classifier_tags = utils.ClassifierTags()
        if kind == "regressor":
            tags.regressor_tags = utils.RegressorTags()
        return tags
