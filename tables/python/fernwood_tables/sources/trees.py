# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Trees, forests, gradient boosting, bagging, AdaBoost and isolation forests of scikit-learn.

The number of a leaf is that of its node, as in the trees' own ``apply``.
"""

import numpy as np

from ..errors import ModelError
from .source import boosted_classes, fitted, take_arrays

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def tree_arrays(tree, values, first_output=0, attributes=None):
    """The arrays of a tree that the engine imports.

    Parameters
    ----------
    values : numpy.ndarray [node][width]
        Summands of a leaf for the outputs from `first_output` on.
    attributes : numpy.ndarray, optional
        Indices of the model's attributes that the tree uses; None: all.
    """
    nan_left = getattr(tree, "missing_go_to_left", None)
    asked = np.asarray(tree.feature, np.int64)
    if attributes is not None:
        asked = np.where(asked >= 0, np.asarray(attributes, np.int64)[np.maximum(asked, 0)], asked)
    return {
        "left": np.asarray(tree.children_left, np.int64),
        "right": np.asarray(tree.children_right, np.int64),
        "attribute": asked,
        "threshold": np.asarray(tree.threshold, np.float64),
        "nan_left": np.empty(0, np.uint8) if nan_left is None else np.asarray(nan_left).astype(np.uint8),
        "values": np.ascontiguousarray(values, np.float64),
        "covers": np.ascontiguousarray(tree.weighted_n_node_samples, np.float64),
        "first_output": first_output,
    }


def shares_of(tree, output=0, num_classes=None):
    """[node][class] Class shares for an output; before version 1.3 of scikit-learn, trees store counts."""
    values = tree.value[:, output, :num_classes]
    totals = values.sum(axis=1, keepdims=True)
    return values if np.allclose(totals, 1) else values / totals


def members(model):
    """(tree, indices of the attributes that it uses; None: all) of each estimator of a bagging model."""
    found = []
    for estimator, attributes in zip(fitted(model, "estimators_"), model.estimators_features_):
        if not hasattr(estimator, "tree_"):
            raise ModelError(
                f"the {type(model).__name__} is made of {type(estimator).__name__}, and only those of trees can be "
                "accelerated; accelerate its estimators_ one by one"
            )
        every = len(attributes) == model.n_features_in_ and np.array_equal(attributes, np.arange(len(attributes)))
        found.append((estimator, None if every else attributes))
    return found


def _averaged_classes(model, trees, **facts):
    """@param trees  [(estimator, attributes)], as from members()."""
    classes = fitted(model, "classes_")
    if getattr(model, "n_outputs_", 1) != 1:
        return _averaged_outputs(model, trees, **facts)
    arrays = []
    for estimator, attributes in trees:
        shares = shares_of(estimator.tree_)
        if estimator.n_classes_ != len(classes):  # its sample may lack classes
            every = np.zeros((len(shares), len(classes)))
            every[:, estimator.classes_.astype(int)] = shares
            shares = every
        arrays.append(tree_arrays(estimator.tree_, shares, 0, attributes))
    forest = {"link": "mean", "base": [0.0] * len(classes), "trees": arrays, "divisor": float(len(arrays))}
    return take_arrays(model, forest, classes=np.asarray(classes), leaf_type=np.int64, **facts)


def _averaged_outputs(model, trees, **facts):
    """Classifiers with several outputs: the class shares of all outputs are averaged as values."""
    arrays = [
        tree_arrays(
            tree.tree_,
            np.hstack([shares_of(tree.tree_, output, len(classes)) for output, classes in enumerate(model.classes_)]),
        )
        for tree, _ in trees
    ]
    width = arrays[0]["values"].shape[1]
    forest = {"link": "identity", "base": [0.0] * width, "trees": arrays, "divisor": float(len(arrays))}
    outputs = [np.asarray(classes) for classes in model.classes_]
    return take_arrays(model, {**forest, "num_targets": width}, outputs=outputs, leaf_type=np.int64, **facts)


def _averaged_values(model, trees, **facts):
    arrays = [tree_arrays(tree.tree_, tree.tree_.value[:, :, 0], 0, attributes) for tree, attributes in trees]
    width = arrays[0]["values"].shape[1]
    forest = {"link": "identity", "base": [0.0] * width, "trees": arrays, "divisor": float(len(arrays))}
    forest = {**forest, "num_targets": width}
    return take_arrays(model, forest, single_target=width == 1, leaf_type=np.int64, **facts)


def _alone(take):
    """Takes a decision tree as a forest of one tree, whose ``apply`` returns one number for each record."""

    def taken(model):
        fitted(model, "tree_")
        return take(model, [(model, None)], leaf_shape=())

    return taken


def _forest(model):
    return [(tree, None) for tree in fitted(model, "estimators_")]


def _boosting_of(model):
    """``base``, ``trees`` and ``trees_per_iteration`` of gradient boosting."""
    estimators = fitted(model, "estimators_")
    if model.init_ not in (None, "zero") and type(model.init_).__name__ not in ("DummyClassifier", "DummyRegressor"):
        raise ModelError("gradient boosting that begins with another model (init=...) cannot be taken; train without")
    base = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0]
    trees = [
        tree_arrays(stage[k].tree_, model.learning_rate * stage[k].tree_.value[:, 0, :], k)
        for stage in estimators
        for k in range(estimators.shape[1])
    ]
    return {"base": list(base), "trees": trees, "trees_per_iteration": len(base)}


def _take_boosted_classes(model):
    forest = _boosting_of(model)
    # With the exponential loss, sums are half of the log-odds.
    slope = 2.0 if type(model._loss).__name__ == "ExponentialLoss" else 1.0
    link = "logistic" if len(forest["base"]) == 1 else "softmax"
    facts = {"classes": np.asarray(model.classes_), "decision_scale": 1, "leaf_shape": (-1, len(forest["base"]))}
    return take_arrays(model, {**forest, "link": link, "slope": slope, "class_rule": "sum_from_zero"}, leaf_type=np.float64, **facts)


def _take_boosted_values(model):
    return take_arrays(model, {**_boosting_of(model), "link": "identity", "num_targets": 1}, leaf_type=np.float64)


def _trees_of_adaboost(model):
    estimators = fitted(model, "estimators_")
    if any(not hasattr(tree, "tree_") for tree in estimators):
        raise ModelError("AdaBoost of other models than trees cannot be accelerated; accelerate its estimators_ one by one")
    return estimators, np.asarray(model.estimator_weights_, np.float64)[: len(estimators)]


def _take_adaboost_classes(model):
    """Each tree adds its weight to its class, and subtracts it evenly from the others (SAMME: Zhu et al., 2009)."""
    classes = boosted_classes(model)
    estimators, weights = _trees_of_adaboost(model)
    num_classes = len(classes)
    trees = []
    for tree, weight in zip(estimators, weights):
        chosen = tree.classes_.take(np.argmax(tree.tree_.value[:, 0, :], axis=1))
        votes = np.where(chosen[:, None] == classes[None, :], weight, -1 / (num_classes - 1) * weight)
        trees.append(tree_arrays(tree.tree_, votes[:, 1:] if num_classes == 2 else votes))
    forest = {"trees": trees, "divisor": float(weights.sum()), "divisors": np.cumsum(weights).tolist(), "class_rule": "sum"}
    if num_classes == 2:  # both sums differ only in sign; the link's argument is their difference
        forest = {**forest, "link": "logistic", "base": [0.0], "slope": 2.0}
    else:
        forest = {**forest, "link": "softmax", "base": [0.0] * num_classes, "slope": 1 / (num_classes - 1)}
    scale = 2 if num_classes == 2 else 1
    return take_arrays(model, forest, classes=np.asarray(classes), leaf_type=np.int64, decision_scale=scale)


def _take_adaboost_values(model):
    """The weighted median of the trees' predictions (AdaBoost.R2: Drucker, 1997)."""
    estimators, weights = _trees_of_adaboost(model)
    return _averaged_values(model, [(tree, None) for tree in estimators], median_weights=weights)


def _take_isolation_forest(model):
    """Path lengths, each with the expected rest below its leaf, divided by the expected length for a tree's sample."""
    trees = []
    for index, (tree, attributes) in enumerate(members(model)):
        lengths = (model._decision_path_lengths[index] + model._average_path_length_per_tree[index]) - 1.0
        trees.append(tree_arrays(tree.tree_, np.asarray(lengths)[:, None], 0, attributes))
    from sklearn.ensemble._iforest import _average_path_length

    length = float(_average_path_length([model._max_samples])[0])
    forest = {"link": "isolation", "base": [0.0], "trees": trees, "num_targets": 1}
    # With samples of one record all lengths are 0, and the score is that of the expected length.
    if length > 0:
        forest["divisors"] = [count * length for count in range(1, len(trees) + 1)]
        forest["divisor"] = forest["divisors"][-1]
    else:
        forest["base"] = [1.0]
    return take_arrays(model, forest, offset=float(model.offset_), leaf_type=np.int64)


TAKERS = {
    ("sklearn", "DecisionTreeClassifier"): _alone(_averaged_classes),
    ("sklearn", "RandomForestClassifier"): lambda model: _averaged_classes(model, _forest(model)),
    ("sklearn", "ExtraTreesClassifier"): lambda model: _averaged_classes(model, _forest(model)),
    ("sklearn", "BaggingClassifier"): lambda model: _averaged_classes(model, members(model)),
    ("sklearn", "DecisionTreeRegressor"): _alone(_averaged_values),
    ("sklearn", "RandomForestRegressor"): lambda model: _averaged_values(model, _forest(model)),
    ("sklearn", "ExtraTreesRegressor"): lambda model: _averaged_values(model, _forest(model)),
    ("sklearn", "BaggingRegressor"): lambda model: _averaged_values(model, members(model)),
    ("sklearn", "GradientBoostingClassifier"): _take_boosted_classes,
    ("sklearn", "GradientBoostingRegressor"): _take_boosted_values,
    ("sklearn", "AdaBoostClassifier"): _take_adaboost_classes,
    ("sklearn", "AdaBoostRegressor"): _take_adaboost_values,
    ("sklearn", "IsolationForest"): _take_isolation_forest,
}
