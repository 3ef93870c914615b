# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Histogram-based gradient boosting of scikit-learn, whose records and thresholds have 64 bits."""

import numpy as np

from ..errors import ModelError
from .source import boosted_classes, fitted, take_arrays

__all__: list[str] = []  # not part of the public API

MOST_CATEGORIES = 65536  # bounds the memory of sets


def __dir__():
    return __all__


def _categories(model):
    """The columns of the records in the order of the model's trees; for each the numbers of its categories, or None for
    numbers; and `Source.categories`. The sets of trees contain indices into the numbers."""
    remapped = getattr(model, "_is_categorical_remapped", None)
    columns = np.arange(model.n_features_in_)
    if remapped is None:
        return columns, [None] * len(columns), None
    is_category = np.asarray(model.is_categorical_, bool)
    values = model._preprocessor.named_transformers_["encoder"].categories_
    listed = [_checked(some, column) for some, column in zip(values, columns[is_category])]
    known = [dict(zip(some.tolist(), numbers.tolist())) for some, numbers in zip(values, listed)]
    ordered = np.concatenate([columns[is_category], columns[~is_category]])
    return ordered, [*listed, *([None] * (~is_category).sum())], known


def _checked(values, column):
    """The numbers of categories: integers are their own, strings are counted."""
    if any(isinstance(value, str) for value in values.tolist()):
        return np.arange(sum(isinstance(value, str) for value in values.tolist()))
    if values.dtype.kind in "fiub":
        known = values[~np.isnan(values.astype(np.float64))].astype(np.float64)
        if np.all((known >= 0) & (known < MOST_CATEGORIES) & (known == np.floor(known))):
            return known.astype(np.int64)
    raise ModelError(
        f"its column {column} has categories that are not integers from 0 to {MOST_CATEGORIES - 1}; number them, such as "
        "by sklearn.preprocessing.OrdinalEncoder, and train again"
    )


def _has(bits, place):
    return bool(bits[place // 32] >> np.uint32(place % 32) & np.uint32(1))


def _set_words(values, left, unknown_left, num_words):
    """Bits of the values that go left: those in the set and, if unknown values go left, all that are not categories."""
    is_left = np.full(64 * num_words, unknown_left)
    is_left[values] = [_has(left, place) for place in range(len(values))]
    return np.packbits(is_left, bitorder="little").view("<u8")


def _tree_arrays(predictor, first_output, columns, categories):
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    asks_set = nodes["is_categorical"].astype(bool) & ~leaf
    arrays = {
        "left": np.where(leaf, -1, nodes["left"].astype(np.int64)),
        "right": np.where(leaf, -1, nodes["right"].astype(np.int64)),
        "attribute": columns[np.where(leaf, 0, nodes["feature_idx"].astype(np.int64))],
        "threshold": np.where(leaf | asks_set, 0.0, nodes["num_threshold"]).astype(np.float64),
        "nan_left": nodes["missing_go_to_left"].astype(np.uint8),
        "values": nodes["value"].astype(np.float64)[:, None],
        "covers": nodes["count"].astype(np.float64),
        "first_output": first_output,
    }
    if not asks_set.any():
        return arrays
    most = max(int(values.max(initial=0)) for values in categories if values is not None)
    words = [
        _set_words(
            categories[node["feature_idx"]],
            predictor.raw_left_cat_bitsets[node["bitset_idx"]],
            bool(node["missing_go_to_left"]),
            most // 64 + 1,
        )
        for node in nodes[asks_set]
    ]
    return {**arrays, "set": np.where(asks_set, np.cumsum(asks_set) - 1, -1), "set_words": np.array(words, np.uint64)}


def _forest_of(model):
    stages = fitted(model, "_predictors")
    columns, categories, known = _categories(model)
    trees = [
        _tree_arrays(predictor, k, columns, categories) for stage in stages for k, predictor in enumerate(stage)
    ]
    base = [float(base) for base in np.ravel(model._baseline_prediction)]
    return {"base": base, "trees": trees, "trees_per_iteration": len(base), "is_wide": True}, known


def _take_classes(model):
    classes, (forest, known) = boosted_classes(model), _forest_of(model)
    forest |= {"link": "logistic" if len(forest["base"]) == 1 else "softmax", "class_rule": "sum"}
    return take_arrays(model, forest, classes=classes, decision_scale=1, categories=known)


def _take_values(model):
    fitted(model, "_predictors")
    links = {"IdentityLink": "identity", "LogLink": "exponential"}
    link = links.get(type(model._loss.link).__name__)
    if link is None:
        raise ModelError(f"its loss {model.loss!r} has a link that is not known; train with squared_error or another loss")
    forest, known = _forest_of(model)
    return take_arrays(model, {**forest, "link": link, "num_targets": 1}, categories=known)


TAKERS = {
    ("sklearn", "HistGradientBoostingClassifier"): _take_classes,
    ("sklearn", "HistGradientBoostingRegressor"): _take_values,
}
