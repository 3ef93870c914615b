# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Fitted classifiers of scikit-learn, XGBoost and LightGBM, handed to the engine from memory."""

import numpy as np

from .. import _fernwood
from ..errors import ModelError

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__


class Source:
    """What is taken from another library's model.

    Attributes
    ----------
    handle : the engine's forest
    classes : numpy.ndarray [class]
        What the model's ``predict`` gives.
    probability_type : numpy.dtype
        Of the model's ``predict_proba``.
    wide_text : bytes, optional
        The model, where records of 64 bits mean something else than their nearest ones of 32 bits.
    """

    def __init__(self, handle, classes, probability_type, wide_text=None):
        self.handle, self.classes, self.probability_type = handle, np.asarray(classes), np.dtype(probability_type)
        self.wide_text = wide_text


def take(model):
    """The :class:`Source` of a fitted model. Raises ModelError for what cannot be taken, saying why."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(model).__mro__}
    for (library, name), taker in TAKERS.items():
        if (library, name) in kinds:
            return taker(model)
    raise ModelError(
        f"a {type(model).__name__} cannot be accelerated; decision trees, random forests, extra trees and gradient "
        "boosting of scikit-learn, and classifiers and boosters of XGBoost and LightGBM can"
    )


def _fitted(model, attribute):
    if not hasattr(model, attribute):
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    return getattr(model, attribute)


# scikit-learn


def _tree_arrays(tree, first_output, values):
    nan_left = getattr(tree, "missing_go_to_left", None)
    return {
        "left": np.asarray(tree.children_left, np.int64),
        "right": np.asarray(tree.children_right, np.int64),
        "attribute": np.asarray(tree.feature, np.int64),
        "threshold": np.asarray(tree.threshold, np.float64),
        "nan_left": np.empty(0, np.uint8) if nan_left is None else np.asarray(nan_left).astype(np.uint8),
        "values": np.ascontiguousarray(values, np.float64),
        "first_output": first_output,
    }


def _averaged(model, trees):
    """Trees whose leaves hold shares of the classes (counts before version 1.3), to be averaged."""
    arrays = []
    for tree in trees:
        shares = tree.value[:, 0, :]
        arrays.append(_tree_arrays(tree, 0, shares / shares.sum(axis=1, keepdims=True)))
    return {"link": "mean", "base": [0.0] * len(model.classes_), "trees": arrays}


def _boosted(model):
    """Trees whose leaves add up to log-odds or to logarithms of probabilities."""
    if model.init_ not in (None, "zero") and type(model.init_).__name__ != "DummyClassifier":
        raise ModelError("gradient boosting that begins with another model (init=...) cannot be taken; train without")
    base = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0]
    scale = 2.0 if model.loss == "exponential" else 1.0  # of that loss sums are half of the log-odds
    factor = model.learning_rate * scale
    trees = [
        _tree_arrays(stage[k].tree_, k, factor * stage[k].tree_.value[:, 0, :])
        for stage in model.estimators_
        for k in range(model.estimators_.shape[1])
    ]
    return {"link": "logistic" if len(base) == 1 else "softmax", "base": list(scale * base), "trees": trees}


def _take_sklearn(model, forest_of):
    import sklearn

    classes = _fitted(model, "classes_")
    if getattr(model, "n_outputs_", 1) != 1:
        raise ModelError(f"the {type(model).__name__} has several outputs; train one model for each")
    forest = forest_of(model)
    forest["num_classes"] = len(classes)
    forest["num_attributes"] = int(model.n_features_in_)
    forest["estimator"] = type(model).__name__
    forest["library_version"] = sklearn.__version__
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    handle = _fernwood.import_record_arrays(forest, f"the {type(model).__name__}", [str(c) for c in classes], names)
    return Source(handle, classes, np.float64)


def _take_tree(model):
    return _take_sklearn(model, lambda m: _averaged(m, [m.tree_]))


def _take_forest(model):
    return _take_sklearn(model, lambda m: _averaged(m, [tree.tree_ for tree in m.estimators_]))


def _take_boosting(model):
    return _take_sklearn(model, _boosted)


# XGBoost


def _take_xgboost(booster, classes=None):
    text = bytes(booster.save_raw(raw_format="json"))
    handle = _fernwood.import_record_text(text, "the Booster", "xgboost", [], booster.feature_names or [])
    return Source(handle, np.arange(len(handle.classes)) if classes is None else classes, np.float32)


def _take_xgb_classifier(model):
    if not model.__sklearn_is_fitted__():
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    if model.missing is not None and not np.isnan(model.missing):
        raise ModelError(
            f"the {type(model).__name__} takes {model.missing} for missing; train with missing=numpy.nan, and "
            "numpy.nan in place of that number"
        )
    booster = model.get_booster()
    best = booster.attributes().get("best_iteration")
    if best is not None and model.early_stopping_rounds is not None:  # its predict() stops there, too
        booster = booster[: int(best) + 1]
    return _take_xgboost(booster, model.classes_)


# LightGBM


def _take_lightgbm(booster, classes=None):
    # Like the model's own predict(), this ends with the best iteration where there is one.
    text = booster.model_to_string().encode()
    handle = _fernwood.import_record_text(text, "the Booster", "lightgbm", [], [])
    return Source(handle, np.arange(len(handle.classes)) if classes is None else classes, np.float64, text)


def _take_lgbm_classifier(model):
    if not getattr(model, "fitted_", True) or getattr(model, "_Booster", None) is None:
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    return _take_lightgbm(model.booster_, model.classes_)


# By name, so that no library is imported which is not there: the first that a model's class is or derives from.
TAKERS = {
    ("sklearn", "DecisionTreeClassifier"): _take_tree,
    ("sklearn", "RandomForestClassifier"): _take_forest,
    ("sklearn", "ExtraTreesClassifier"): _take_forest,
    ("sklearn", "GradientBoostingClassifier"): _take_boosting,
    ("xgboost", "XGBClassifier"): _take_xgb_classifier,
    ("xgboost", "Booster"): _take_xgboost,
    ("lightgbm", "LGBMClassifier"): _take_lgbm_classifier,
    ("lightgbm", "Booster"): _take_lightgbm,
}
