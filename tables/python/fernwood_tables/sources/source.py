# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The imported form of another library's model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from .. import _fernwood_tables
from ..errors import ModelError

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


@dataclass
class Source:
    """An imported forest, and the form of the library's results."""

    handle: Any  #: The imported forest.
    number_type: Any  #: Type of the model's probabilities or values.
    classes: Optional[np.ndarray] = None  #: [class] Labels that ``predict`` returns; None: it predicts values.
    single_target: bool = True  #: Whether ``predict`` returns a one-dimensional array.
    offset: Optional[float] = None  #: Number that an anomaly detector's decision subtracts from scores.
    #: Factor of the sums over trees in the classifier's ``decision_function``; None: it does not have one.
    decision_scale: Optional[float] = None
    #: Result of the ``predict`` of a booster: "probability" of class 1, "probabilities", "class" or "margin"; None: the
    #: model is not a booster of classes.
    booster_form: Optional[str] = None
    is_hinge: bool = False  #: Whether probabilities are 0 and 1.
    absent: float = 0  #: Value of an element that a sparse matrix does not store.
    outputs: Optional[list[np.ndarray]] = None  #: [output][class] Labels, for several outputs.
    median_weights: Optional[np.ndarray] = None  #: [tree] Weights, if ``predict`` is a weighted median over trees.
    leaf_type: Any = np.int32  #: Type of the result of the library's ``apply`` or equivalent method.
    #: Shape of this result for one record; (): a single tree has no axis.
    leaf_shape: tuple[int, ...] = (-1,)
    names: list[str] = field(default_factory=list)  #: Names of attributes, if the model has them.
    categories: Any = None  #: [column of categories] {category: number}, if the model was trained on such columns.


def fitted(model, attribute):
    """An attribute that fit() sets. Raises ModelError if the model does not have it."""
    if not hasattr(model, attribute):
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    return getattr(model, attribute)


def boosted_classes(model):
    """The labels of a boosted classifier. Raises ModelError for a single one, for which its sums are not defined."""
    classes = np.asarray(fitted(model, "classes_"))
    if len(classes) < 2:
        raise ModelError(
            f"the {type(model).__name__} was trained on records of one class, {str(classes[0])!r}; train with two classes or more"
        )
    return classes


def class_names_of(classes):
    """The forest's names for a model's labels: strings, or numbers if a table could not tell the strings apart."""
    texts = [str(label) for label in classes]
    return [str(number) for number in range(len(texts))] if _fernwood_tables.ambiguity_of([], texts) else texts


#: Arrays of a tree without tests for sets of categories.
NO_SETS = {"set": np.zeros(0, np.int64), "set_words": np.zeros((0, 0), np.uint64)}


def take_arrays(model, forest, **facts) -> Source:
    """The Source of a model of scikit-learn.

    Parameters
    ----------
    forest : dict
        ``link``, ``base``, ``trees``; ``num_classes`` or ``num_targets``; ``divisor``, ``slope`` and
        ``trees_per_iteration`` if they are not 1; ``class_rule`` if classes follow from sums; ``divisors`` [iteration]
        if the divisor of the first trees is not proportional to their number; ``is_wide`` if 64-bit values are compared.
    """
    import sklearn

    classes = facts.get("classes")
    given = {
        "num_classes": 0,
        "num_targets": 0,
        "divisor": 1.0,
        "divisors": [],
        "trees_per_iteration": 1,
        "slope": 1.0,
        "class_rule": "probability",
        "is_wide": False,
        "num_attributes": int(model.n_features_in_),
        "estimator": type(model).__name__,
        "library_version": sklearn.__version__,
        **forest,
    }
    if classes is not None:
        given["num_classes"] = len(classes)
    given["trees"] = [{**NO_SETS, **tree} for tree in given["trees"]]
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    if _fernwood_tables.ambiguity_of(names, []):
        names = []
    class_names = class_names_of([] if classes is None else classes)
    handle = _fernwood_tables.import_record_arrays(given, f"the {type(model).__name__}", class_names, names)
    return Source(handle, np.float64, names=names, **facts)
