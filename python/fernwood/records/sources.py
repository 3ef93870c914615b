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
    for (library, name), reason in REASONS.items():
        if (library, name) in kinds:
            raise ModelError(f"a {type(model).__name__} cannot be accelerated: {reason}")
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
    scale = (
        2.0 if type(model._loss).__name__ == "ExponentialLoss" else 1.0
    )  # of that loss sums are half of the log-odds
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


def _take_best(search):
    return take(_fitted(search, "best_estimator_"))


def _take_pipeline(pipeline):
    if not hasattr(pipeline.steps[-1][1], "classes_"):
        raise ModelError("the Pipeline is not fitted; call its fit() first")
    if any(step not in (None, "passthrough") for _, step in pipeline.steps[:-1]):
        raise ModelError(
            "a Pipeline cannot be accelerated as a whole: only its classifier can; give accelerate(pipeline[-1]), and its "
            "predict what pipeline[:-1].transform(values) gives"
        )
    return take(pipeline.steps[-1][1])


# XGBoost


def _take_xgboost(booster, classes=None, rounds="all"):
    text = bytes(booster.save_raw(raw_format="json"))
    names = booster.feature_names or []
    handle = _fernwood.import_record_text(text, "the Booster", "xgboost", [], names, rounds)
    return Source(handle, np.arange(len(handle.classes)) if classes is None else classes, np.float32)


def _take_xgb_classifier(model):
    if not model.__sklearn_is_fitted__():
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    if model.missing is not None and not np.isnan(model.missing):
        raise ModelError(
            f"the {type(model).__name__} takes {model.missing} for missing; train with missing=numpy.nan, and "
            "numpy.nan in place of that number"
        )
    if callable(model.objective):
        raise ModelError(
            f"the {type(model).__name__} has an objective of its own, of which nothing says what makes probabilities of its "
            "sums; train with binary:logistic or multi:softprob"
        )
    # Its predict() stops at the best iteration, wherever the model comes from.
    return _take_xgboost(model.get_booster(), model.classes_, rounds="best")


# LightGBM


def _take_lightgbm(booster, classes=None):
    # Like the model's own predict(), this ends with the best iteration where there is one.
    text = booster.model_to_string().encode()
    handle = _fernwood.import_record_text(text, "the Booster", "lightgbm", [], [], "auto")
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
    ("sklearn", "BaseSearchCV"): _take_best,
    ("sklearn", "Pipeline"): _take_pipeline,
    ("xgboost", "XGBClassifier"): _take_xgb_classifier,
    ("xgboost", "Booster"): _take_xgboost,
    ("lightgbm", "LGBMClassifier"): _take_lgbm_classifier,
    ("lightgbm", "Booster"): _take_lightgbm,
}

ONE_BY_ONE = "accelerate the classifiers that it is made of, one by one"
NO_CLASSES = "it predicts numbers, not classes; train a classifier"

# Why others cannot be taken, in the same manner.
REASONS = {
    (
        "builtins",
        "str",
    ): "give a model; of a file it is fernwood.records.RecordForest.import_model(path), or load it first",
    (
        "pathlib",
        "PurePath",
    ): "give a model; of a file it is fernwood.records.RecordForest.import_model(path), or load it first",
    ("builtins", "bytes"): "give a model, not its bytes; load it first",
    ("builtins", "type"): "it is a class; give a fitted model of it",
    ("fernwood", "RecordForest"): "it is a model of fernwood already; use it as it is",
    ("fernwood", "AcceleratedClassifier"): "it has been already",
    ("fernwood", "RecordForestClassifier"): "it is a model of fernwood already; use it as it is",
    (
        "treelite",
        "Model",
    ): "write model.dump_as_json() to a file and give that to fernwood.records.RecordForest.import_model",
    ("catboost", "CatBoost"): "fernwood reads no models of CatBoost; train with XGBoost or LightGBM",
    ("sklearn", "RegressorMixin"): NO_CLASSES,
    ("xgboost", "XGBRanker"): "it ranks and knows no classes; train a classifier",
    ("lightgbm", "LGBMRanker"): "it ranks and knows no classes; train a classifier",
    ("lightgbm", "LGBMRegressor"): NO_CLASSES,
    (
        "sklearn",
        "HistGradientBoostingClassifier",
    ): "its trees are not read by fernwood; train with GradientBoostingClassifier, "
    "XGBoost or LightGBM",
    (
        "sklearn",
        "CalibratedClassifierCV",
    ): "it changes the probabilities of other classifiers; accelerate what it calibrates",
    (
        "sklearn",
        "BaseWeightBoosting",
    ): "it weighs whole classifiers, which fernwood cannot hold as one forest; train with "
    "GradientBoostingClassifier, XGBoost or LightGBM",
    (
        "sklearn",
        "BaggingClassifier",
    ): "its estimators may see other attributes each; train a RandomForestClassifier, or "
    + ONE_BY_ONE,
    ("sklearn", "VotingClassifier"): ONE_BY_ONE,
    ("sklearn", "StackingClassifier"): ONE_BY_ONE,
    ("sklearn", "OneVsRestClassifier"): ONE_BY_ONE,
    ("sklearn", "_MultiOutputEstimator"): "it has several outputs; " + ONE_BY_ONE,
}
