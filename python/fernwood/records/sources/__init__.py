# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Fitted models of scikit-learn, XGBoost, LightGBM and CatBoost, handed to the engine from memory."""

from ..._words import a_type
from ...errors import ModelError
from . import boosters, histogram, parts, trees
from .source import Source

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__


def names_of(model):
    """(library, class) of what a model's class is or derives from, itself first."""
    return [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(model).__mro__]


def take(model) -> Source:
    """The :class:`Source` of a fitted model. Raises ModelError for what cannot be taken, saying why."""
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
    """A copy of a model whose parts, such as the last step of a pipeline, are accelerated; None for others.

    Parameters
    ----------
    accelerated : callable
        Gives what answers in place of a part.
    """
    for name in names_of(model):
        if name in parts.REPLACERS:
            return parts.REPLACERS[name](model, accelerated)
    return None


# By name, so that no library is imported which is not there.
TAKERS = {**trees.TAKERS, **histogram.TAKERS, **boosters.TAKERS}

FROM_FILE = "give a model; of a file it is fernwood.records.RecordForest.import_model(path), or load it first"
ALREADY = "it is a model of fernwood already; use it as it is"

# Why others cannot be taken, in the same manner.
REASONS = {
    ("builtins", "str"): FROM_FILE,
    ("pathlib", "PurePath"): FROM_FILE,
    ("builtins", "bytes"): "give a model, not its bytes; load it first",
    ("builtins", "type"): "it is a class; give a fitted model of it",
    ("fernwood", "RecordForest"): ALREADY,
    ("fernwood", "RecordForestClassifier"): ALREADY,
    ("fernwood", "AcceleratedModel"): "it has been already",
    (
        "treelite",
        "Model",
    ): "write model.dump_as_json() to a file and give that to fernwood.records.RecordForest.import_model",
    ("sklearn", "_MultiOutputEstimator"): "it has several outputs; accelerate the models that it is made of, one by one",
}
