# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Models of scikit-learn that consist of others: copies with accelerated parts, which return the same results."""

import copy

from ..errors import ModelError, UsageError
from .source import fitted

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def _refuse_fit(*_, **__):
    raise UsageError(
        "the accelerated copy of a fitted model cannot be trained again; train the original, or sklearn.base.clone() of "
        "the copy, and accelerate that"
    )


def _untrainable(double):
    """The same copy, which shares state with the original model and evaluates the trees of its training."""
    for method in ("fit", "fit_predict", "fit_transform", "partial_fit"):
        if hasattr(double, method):
            setattr(double, method, _refuse_fit)
    return double


def standing_in(part, accelerated):
    """A copy of a fitted part with the accelerated model's methods; its type and attributes stay the same."""
    double = copy.copy(part)
    for method in ("predict", "predict_proba", "decision_function", "score_samples"):
        if hasattr(part, method) and hasattr(accelerated, method):
            setattr(double, method, getattr(accelerated, method))
    return _untrainable(double)


def _each(model, attribute, accelerated):
    """A copy of a model with accelerated estimators. @param attribute  Name of the list of estimators."""
    replaced = copy.copy(model)
    parts = fitted(model, attribute)
    setattr(replaced, attribute, [_replaced(part, accelerated) for part in parts])
    return replaced


def _replaced(part, accelerated):
    """The accelerated part; the part itself if it is not supported, such as the final linear model of a stack."""
    try:
        found = accelerated(part)
    except ModelError:
        return part
    return found if type(found) is type(part) else standing_in(part, found)


def _pipeline(pipeline, accelerated):
    last = pipeline.steps[-1][1]
    if last in (None, "passthrough"):
        raise ModelError("the Pipeline does not end with a model; use one that predicts")
    replaced = copy.copy(pipeline)
    found = accelerated(last)
    last_step = pipeline.steps[-1][0], found if type(found) is type(last) else standing_in(last, found)
    replaced.steps = [*pipeline.steps[:-1], last_step]
    return _untrainable(replaced)


def _calibrated(model, accelerated):
    replaced = copy.copy(model)
    replaced.calibrated_classifiers_ = []
    for part in fitted(model, "calibrated_classifiers_"):
        part = copy.copy(part)
        part.estimator = _replaced(part.estimator, accelerated)
        replaced.calibrated_classifiers_.append(part)
    return replaced


def _search(search, accelerated):
    return accelerated(fitted(search, "best_estimator_"))


def _stack(model, accelerated):
    replaced = _each(model, "estimators_", accelerated)
    replaced.final_estimator_ = _replaced(model.final_estimator_, accelerated)
    return replaced


def _single(attribute):
    """Replaces the estimator of this name."""

    def replaced(model, accelerated):
        double = copy.copy(model)
        part = fitted(model, attribute)
        found = accelerated(part)
        setattr(double, attribute, found if type(found) is type(part) else standing_in(part, found))
        return double

    return replaced


def _members(model, accelerated):
    """Of other models than single trees, whose ensembles are one forest; None for these."""
    parts = fitted(model, "estimators_")
    if all(hasattr(part, "tree_") for part in parts):
        return None
    replaced = copy.copy(model)
    replaced.estimators_ = [_replaced(part, accelerated) for part in parts]
    return None if all(a is b for a, b in zip(parts, replaced.estimators_)) else _untrainable(replaced)


REPLACERS = {
    ("sklearn", "BaggingClassifier"): _members,
    ("sklearn", "BaggingRegressor"): _members,
    ("sklearn", "AdaBoostClassifier"): _members,
    ("sklearn", "AdaBoostRegressor"): _members,
    ("sklearn", "FixedThresholdClassifier"): _single("estimator_"),
    ("sklearn", "TunedThresholdClassifierCV"): _single("estimator_"),
    ("sklearn", "TransformedTargetRegressor"): _single("regressor_"),
    ("sklearn", "Pipeline"): _pipeline,
    ("sklearn", "BaseSearchCV"): _search,
    ("sklearn", "CalibratedClassifierCV"): _calibrated,
    ("sklearn", "StackingClassifier"): _stack,
    ("sklearn", "StackingRegressor"): _stack,
    ("sklearn", "VotingClassifier"): lambda model, accelerated: _each(model, "estimators_", accelerated),
    ("sklearn", "VotingRegressor"): lambda model, accelerated: _each(model, "estimators_", accelerated),
    ("sklearn", "OneVsRestClassifier"): lambda model, accelerated: _each(model, "estimators_", accelerated),
    ("sklearn", "MultiOutputRegressor"): lambda model, accelerated: _each(model, "estimators_", accelerated),
    ("sklearn", "MultiOutputClassifier"): lambda model, accelerated: _each(model, "estimators_", accelerated),
}
