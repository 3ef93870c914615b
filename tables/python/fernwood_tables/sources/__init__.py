# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Import of fitted models of scikit-learn, XGBoost, LightGBM and CatBoost from memory."""

from .._words import a_type
from ..errors import ModelError
from . import boosters, histogram, parts, trees
from .source import Source

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def names_of(model):
    """(library, class) of a model's class, and then of its base classes."""
    return [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(model).__mro__]


def take(model) -> Source:
    """The :class:`Source` of a fitted model. Raises ModelError, with the reason, if the model is not supported."""
    names = names_of(model)
    for name in names:
        if name in TAKERS:
            return TAKERS[name](model)
    for name in names:
        if name in REASONS:
            raise ModelError(f"{a_type(model)} cannot be accelerated: {REASONS[name]}")
    raise ModelError(
        f"{a_type(model)} cannot be accelerated; trees, forests, boosting, bagging and isolation forests of "
        "scikit-learn, and models of XGBoost, LightGBM and CatBoost can"
    )


def replace_parts(model, accelerated):
    """A copy of a model with accelerated parts, such as the last step of a pipeline; None if it does not have parts.

    Parameters
    ----------
    accelerated : callable
        Returns the accelerated model for a part.
    """
    for name in names_of(model):
        if name in parts.REPLACERS:
            return parts.REPLACERS[name](model, accelerated)
    return None


# By name, so that libraries that are not installed are not imported.
TAKERS = {**trees.TAKERS, **histogram.TAKERS, **boosters.TAKERS}

FROM_FILE = "pass a model; of a file it is fernwood_tables.RecordForest.import_model(path), or load it first"
ALREADY = "it is a model of fernwood already; use it as it is"

# Reasons why other objects cannot be accelerated, also by name.
REASONS = {
    ("builtins", "str"): FROM_FILE,
    ("pathlib", "PurePath"): FROM_FILE,
    ("builtins", "bytes"): "pass a model, not its bytes; load it first",
    ("builtins", "type"): "it is a class; pass a fitted model of it",
    ("fernwood_tables", "RecordForest"): ALREADY,
    ("fernwood_tables", "RecordForestClassifier"): ALREADY,
    ("fernwood_tables", "AcceleratedModel"): "it is already accelerated",
    (
        "treelite",
        "Model",
    ): "write model.dump_as_json() to a file and give that to fernwood_tables.RecordForest.import_model",
    ("sklearn", "_MultiOutputEstimator"): "it has several outputs; accelerate the models that it is made of, one by one",
}
