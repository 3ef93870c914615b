# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What is taken from another library's model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from ... import _fernwood
from ...errors import ModelError

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__


@dataclass
class Source:
    """A forest of the engine, and how the library answers."""

    handle: Any  #: The engine's forest.
    number_type: Any  #: Of the model's probabilities or values.
    classes: Optional[np.ndarray] = None  #: [class] What the model's ``predict`` gives; None: it predicts values.
    single_target: bool = True  #: ``predict`` gives an array of one dimension.
    offset: Optional[float] = None  #: Of an anomaly detector: what its decision subtracts from the scores.
    #: The model, where records of 64 bits mean something else than their nearest ones of 32 bits: a text or arrays.
    wide: Any = None
    decides: bool = False  #: The classifier has a ``decision_function``.
    outputs: Optional[list[np.ndarray]] = None  #: [output][class] Of a classifier with several outputs.
    median_weights: Optional[np.ndarray] = None  #: [tree] ``predict`` gives the weighted median of the trees' answers.
    leaf_type: Any = np.int32  #: Of what the library's ``apply`` or the like gives,
    #: and how it shapes the leaves of a record; (): a single tree has no axis.
    leaf_shape: tuple[int, ...] = (-1,)
    names: list[str] = field(default_factory=list)  #: Of attributes, where the model knows them.


def fitted(model, attribute):
    """An attribute that fit() sets."""
    if not hasattr(model, attribute):
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    return getattr(model, attribute)


#: Of a tree whose tests ask no sets of categories.
NO_SETS = {"set": np.zeros(0, np.int64), "set_words": np.zeros((0, 0), np.uint64)}


def take_arrays(model, forest, wide=False, **facts) -> Source:
    """The Source of trees that scikit-learn holds.

    Parameters
    ----------
    forest : dict
        ``link``, ``base``, ``trees``; ``num_classes`` or ``num_targets``; ``divisor``, ``slope`` and ``trees_per_iteration``
        where they are not 1; ``class_rule`` where classes follow from sums; ``divisors``, of the first trees, where they are not as many parts of ``divisor``.
    wide : bool
        Records of 64 bits are compared as such.
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
        "num_attributes": int(model.n_features_in_),
        "estimator": type(model).__name__,
        "library_version": sklearn.__version__,
        **forest,
    }
    if classes is not None:
        given["num_classes"] = len(classes)
    given["trees"] = [{**NO_SETS, **tree} for tree in given["trees"]]
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    class_names = [] if classes is None else [str(name) for name in classes]
    handle = _fernwood.import_record_arrays(given, f"the {type(model).__name__}", class_names, names)
    return Source(handle, np.float64, names=names, wide=given if wide else None, **facts)
