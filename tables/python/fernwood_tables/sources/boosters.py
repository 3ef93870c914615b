# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Models of XGBoost, LightGBM and CatBoost, imported from the text that they save."""

import json
import tempfile
from pathlib import Path

import numpy as np

from .. import _fernwood_tables
from .._options import option_texts
from ..categories import Known
from ..errors import ModelError
from .source import Source, boosted_classes, class_names_of

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def _import(text, library, names, class_names=(), **options):
    """@param options  Further import options: ``rounds``, ``missing``."""
    texts = option_texts({"format": library, **options})
    return _fernwood_tables.import_record_text(text, "the Booster", texts, list(class_names), names)


def _source(handle, number_type, classes, **facts):
    """@param classes  The model's labels; None: 0, 1 ... for a classifier."""
    if handle.classes and classes is None:
        classes = np.arange(len(handle.classes))
    return Source(
        handle,
        np.dtype(number_type),
        classes=None if not handle.classes else np.asarray(classes),
        single_target=len(handle.targets) <= 1,
        **facts,
    )


def _checked(source, model):
    """Rejects an estimator if the forest cannot return the results of its ``predict``."""
    name, has_classes = type(model).__name__, source.classes is not None
    if hasattr(model, "predict_proba") and not has_classes:
        raise ModelError(
            f"the {name} has several outputs or an objective of its own, so that its labels are not those of one forest; "
            "accelerate its booster, whose answers are numbers"
        )
    if not hasattr(model, "predict_proba") and has_classes:
        raise ModelError(
            f"the {name} predicts probabilities of two classes, and not labels; accelerate its booster, or train a classifier"
        )
    return source


# XGBoost


def _numbers_of(categories, kind=dict):
    return kind((category, number) for number, category in enumerate(categories))


def _xgboost_categories(document):
    """The categories that XGBoost 3.1 and later write: strings in one piece, or numbers."""
    trees = document["gradient_booster"]
    for column in trees.get("gbtree", trees)["model"].get("cats", {}).get("enc", ()):
        ends, values = column.get("offsets", ()), column["values"]
        if values:
            yield _numbers_of([bytes(values[a:b]).decode() for a, b in zip(ends, ends[1:])] if ends else values, Known)


#: Objectives of XGBoost whose boosters do not predict probabilities of classes.
_XGBOOST_FORMS = {"multi:softmax": "class", "binary:hinge": "class", "binary:logitraw": "margin"}


def _form_of(handle, special=None):
    """`Source.booster_form`."""
    if not handle.classes:
        return None
    return special or ("probability" if handle.num_outputs == 1 else "probabilities")


def _take_xgboost(booster, classes=None, rounds="all", missing=None):
    text = bytes(booster.save_raw(raw_format="json"))
    document = json.loads(text)["learner"]
    objective = document["objective"]["name"]
    handle = _import(text, "xgboost", booster.feature_names or [], rounds=rounds, missing=missing)
    categories = list(_xgboost_categories(document)) if "c" in (booster.feature_types or ()) else None
    return _source(
        handle, np.float32, classes, leaf_type=np.float32, leaf_shape=(), categories=categories, absent=np.nan,
        is_hinge=objective == "binary:hinge",
        booster_form=_form_of(handle, _XGBOOST_FORMS.get(objective)) if classes is None else None,
    )  # fmt: skip


def _take_xgboost_model(model):
    name = type(model).__name__
    if not model.__sklearn_is_fitted__():
        raise ModelError(f"the {name} is not fitted; call its fit() first")
    missing = None if model.missing is None or np.isnan(model.missing) else float(np.float32(model.missing))
    if missing is not None and np.isinf(missing):
        raise ModelError(
            f"the {name} takes {missing} for missing; train with missing=numpy.nan, and numpy.nan instead of that number"
        )
    if callable(model.objective):
        raise ModelError(
            f"the {name} has an objective of its own, of which nothing says what its sums mean; train with one of XGBoost's"
        )
    if model.objective == "binary:logitraw":
        raise ModelError(
            f"the {name} takes the sums of binary:logitraw for probabilities in predict() and predict_proba(); train with "
            "binary:logistic, or accelerate its booster"
        )
    # Its predict() ends at the best iteration, also in a model that was loaded.
    classes = boosted_classes(model) if hasattr(model, "classes_") else None
    source = _take_xgboost(model.get_booster(), classes, rounds="best", missing=missing)
    return _checked(source, model)


# LightGBM


def _take_lightgbm(booster, classes=None):
    # Like the model's own predict(), the text ends with the best iteration, if the model has one.
    categories = [_numbers_of(some) for some in booster.pandas_categorical or ()]
    handle = _import(booster.model_to_string().encode(), "lightgbm", [])
    form = _form_of(handle) if classes is None else None
    return _source(handle, np.float64, classes, categories=categories, booster_form=form)


def _take_lightgbm_model(model):
    if not getattr(model, "fitted_", True) or getattr(model, "_Booster", None) is None:
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    return _checked(_take_lightgbm(model.booster_, getattr(model, "classes_", None)), model)


# CatBoost


def _take_catboost(model):
    if not model.is_fitted():
        raise ModelError(f"the {type(model).__name__} is not fitted; call its fit() first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        text = path.read_bytes()
    names = [str(name) for name in model.feature_names_ or []]
    classes = model.classes_ if len(model.classes_) > 0 else None
    texts = [str(label) for label in model.classes_]
    usable = class_names_of(texts)
    handle = _import(text, "catboost", names, [] if usable == texts else usable)
    form = "margin" if type(model).__name__ == "CatBoost" and handle.link != "identity" else None
    source = _source(handle, np.float64, classes, leaf_type=np.uint32, booster_form=form)
    return source if form else _checked(source, model)


TAKERS = {
    ("xgboost", "XGBModel"): _take_xgboost_model,
    ("xgboost", "Booster"): _take_xgboost,
    ("lightgbm", "LGBMModel"): _take_lightgbm_model,
    ("lightgbm", "Booster"): _take_lightgbm,
    ("catboost", "CatBoost"): _take_catboost,
}
