# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Every importer with every kind of model of its library: the labels are equal, and so are the probabilities.

A cell is a library's model of one training method and one storage format, applied to records of one kind, and compared
with the library's own results. Combinations that the library refuses are left out.
"""

import pickle
from pathlib import Path

import fernwood_tables as ft
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
pytest.importorskip("sklearn")
xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")
treelite = pytest.importorskip("treelite")

from sklearn import ensemble, linear_model, model_selection  # noqa: E402

TOLERANCE = 2e-6  # leaf values are rounded to integers of at least 24 bits
NAMES = ["wide", "tall", "deep", "f0"]


def draw(num_classes=2, num_records=240, seed=0, unknown=False):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 4)).astype(np.float32)
    score = values[:, 0] + values[:, 1] * values[:, 2] + 0.3 * random.standard_normal(num_records)
    labels = np.digitize(score, np.linspace(-0.6, 0.6, num_classes - 1))
    if unknown:
        values[random.random(values.shape) < 0.2] = np.nan
    return values, labels


def same(found_labels, found, expected_labels, expected):
    expected = np.column_stack([1 - expected, expected]) if expected.ndim == 1 else expected
    assert np.abs(found - expected).max() < TOLERANCE
    sure = np.sort(expected, axis=1)[:, -1] - np.sort(expected, axis=1)[:, -2] > 4 * TOLERANCE
    assert np.array_equal(np.asarray(found_labels)[sure], np.asarray(expected_labels)[sure])


def accelerates(model, values):
    fast = ft.accelerate(model)
    same(fast.predict(values), fast.predict_proba(values), model.predict(values), model.predict_proba(values))
    return fast


def imports(path, values, labels, probabilities, **options):
    forest = ft.RecordForest.import_model(path, **options)
    same(forest.predict_codes(values), forest.predict_proba(values), labels, probabilities)
    return forest


# XGBoost

XGB = {
    "plain": {},
    "dart": {"booster": "dart", "rate_drop": 0.4},
    "parallel trees": {"num_parallel_tree": 3, "subsample": 0.7, "learning_rate": 0.5},
    "base_score": {"base_score": 0.3},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 5, "max_depth": 0},
    "weights": {"scale_pos_weight": 3, "max_delta_step": 1},
    "softmax": {"objective": "multi:softmax"},
}
CLASSES = [2, 4]


def xgb(num_classes, way="plain", stops=False, unknown=False, named=False, **more):
    values, labels = draw(num_classes, unknown=unknown)
    options = {"n_estimators": 24, "max_depth": 3, "learning_rate": 1, "n_jobs": 1, "random_state": 0, **XGB[way], **more}
    if stops:
        options.setdefault("early_stopping_rounds", 8)
    table = pandas.DataFrame(values, columns=NAMES) if named else values
    other = draw(num_classes, 120, seed=1)
    if named:
        other = (pandas.DataFrame(other[0], columns=NAMES), other[1])
    fit = {"eval_set": [other], "verbose": False} if stops else {}
    model = xgboost.XGBClassifier(**options).fit(table, labels, **fit)
    return model, draw(num_classes, 300, seed=2, unknown=unknown)[0]


def reloaded(model, path):
    model.save_model(path)
    other = xgboost.XGBClassifier()
    other.load_model(path)
    return other


XGB_HELD = {
    "fitted": lambda model, folder: model,
    "reloaded from JSON": lambda model, folder: reloaded(model, folder / "m.json"),
    "pickled": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "parameters changed": lambda model, folder: model.set_params(early_stopping_rounds=None, n_estimators=3),
}


@pytest.mark.parametrize("held", XGB_HELD)
@pytest.mark.parametrize("stops", [False, True], ids=["full", "stopped"])
@pytest.mark.parametrize("way", ["plain", "dart", "parallel trees"])
def test_xgb_classifiers(way, stops, held, tmp_path):
    model, values = xgb(4, way, stops)
    accelerates(XGB_HELD[held](model, tmp_path), values)


@pytest.mark.parametrize("num_classes", CLASSES)
@pytest.mark.parametrize("way", XGB)
def test_xgb_classifiers_trained_in_every_way(way, num_classes):
    if (way == "softmax" and num_classes == 2) or (way in ("base_score", "weights") and num_classes > 2):
        pytest.skip("XGBoost has no such model")
    model, values = xgb(num_classes, way, unknown=True)
    accelerates(model, values)


BOOSTERS = {
    "whole": lambda booster: booster,
    "slice": lambda booster: booster[2:5],
    "every second": lambda booster: booster[0:8:2],
    "from bytes": lambda booster: xgboost.Booster(model_file=booster.save_raw("ubj")),
}


@pytest.mark.parametrize("held", BOOSTERS)
@pytest.mark.parametrize("stops", [False, True], ids=["full", "stopped"])
@pytest.mark.parametrize("num_classes", CLASSES)
def test_xgb_boosters_take_all_rounds_as_their_predict_does(num_classes, stops, held, tmp_path):
    model, values = xgb(num_classes, stops=stops)
    booster = BOOSTERS[held](model.get_booster())
    expected = booster.predict(xgboost.DMatrix(values))
    labels = (expected > 0.5).astype(int) if expected.ndim == 1 else expected.argmax(axis=1)
    fast = ft.accelerate(booster)
    same(fast.predict_codes(values), fast.predict_proba(values), labels, expected)
    booster.save_model(tmp_path / "b.json")
    imports(tmp_path / "b.json", values, labels, expected)


@pytest.mark.parametrize("stops", [False, True], ids=["full", "stopped"])
@pytest.mark.parametrize("num_classes", CLASSES)
def test_xgb_json_of_a_classifier_stops_where_its_predict_does(num_classes, stops, tmp_path):
    model, values = xgb(num_classes, stops=stops)
    model.save_model(tmp_path / "m.json")
    imports(tmp_path / "m.json", values, model.predict(values), model.predict_proba(values))
    imports(tmp_path / "m.json", values, model.predict(values), model.predict_proba(values), rounds="best")
    if stops:
        everything = model.predict_proba(values, iteration_range=(0, model.get_booster().num_boosted_rounds()))
        imports(tmp_path / "m.json", values, everything.argmax(axis=1), everything, rounds="all")


# LightGBM

LGBM = {
    "plain": {},
    "rf": {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
    "dart": {"boosting_type": "dart", "drop_rate": 0.5},
    "unbalanced": {"is_unbalance": True},
    "no missing": {"use_missing": False},
    "sigmoid": {"sigmoid": 0.7},
}


def lgbm(num_classes, way="plain", stops=False, unknown=False, names=None, texts=False):
    values, labels = draw(num_classes, unknown=unknown)
    labels = np.array(["ash", "beech", "cedar", "oak"])[labels] if texts else labels
    table = pandas.DataFrame(values, columns=names) if names else values
    options = {"n_estimators": 16, "num_leaves": 7, "learning_rate": 0.8, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    model = lightgbm.LGBMClassifier(random_state=0, **options, **LGBM[way])
    fit = {}
    if stops:
        other, truth = draw(num_classes, 120, seed=1)
        other = pandas.DataFrame(other, columns=names) if names else other
        truth = np.array(["ash", "beech", "cedar", "oak"])[truth] if texts else truth
        fit = {"eval_set": [(other, truth)], "callbacks": [lightgbm.early_stopping(4, verbose=False)]}
    return model.fit(table, labels, **fit), draw(num_classes, 300, seed=2, unknown=unknown)[0].astype(np.float64)


@pytest.mark.parametrize("way", ["plain", "rf"])
def test_lgbm_classifiers(way):
    model, values = lgbm(4, way, stops=True)
    accelerates(pickle.loads(pickle.dumps(model)), values)
    accelerates(model.set_params(n_estimators=3), values)


@pytest.mark.parametrize("num_classes", CLASSES)
@pytest.mark.parametrize("way", LGBM)
def test_lgbm_classifiers_trained_in_every_way(way, num_classes):
    accelerates(*lgbm(num_classes, way, unknown=True))


LGBM_TEXTS = {"default": {}, "all": {"num_iteration": -1}, "first 3": {"num_iteration": 3}, "from 2": {"start_iteration": 2}}


@pytest.mark.parametrize("text", LGBM_TEXTS)
@pytest.mark.parametrize("stops", [False, True], ids=["full", "stopped"])
@pytest.mark.parametrize("num_classes", CLASSES)
def test_lgbm_text_from_disk(num_classes, stops, text, tmp_path):
    model, values = lgbm(num_classes, stops=stops)
    model.booster_.save_model(tmp_path / "m.txt", **LGBM_TEXTS[text])
    booster = lightgbm.Booster(model_file=tmp_path / "m.txt")
    expected = booster.predict(values)
    labels = (expected > 0.5).astype(int) if expected.ndim == 1 else expected.argmax(axis=1)
    fast = ft.accelerate(booster)
    same(fast.predict_codes(values), fast.predict_proba(values), labels, expected)
    narrow = values.astype(np.float32)
    expected = booster.predict(narrow)
    imports(tmp_path / "m.txt", narrow, labels, expected)


@pytest.mark.parametrize("names", [NAMES, ["a b", "c", "d  e", "a_c"]], ids=["plain names", "spaces"])
@pytest.mark.parametrize("num_classes", CLASSES)
def test_lgbm_frames_and_texts(num_classes, names):
    model, values = lgbm(num_classes, names=names, texts=True)
    frame = pandas.DataFrame(values, columns=names)
    fast = accelerates(model, frame)
    turned = frame.assign(extra=1.0)[[*names[::-1], "extra"]]
    same(fast.predict(turned), fast.predict_proba(turned), model.predict(frame), model.predict_proba(frame))


# scikit-learn

SKLEARN = {
    "RandomForest": lambda: ensemble.RandomForestClassifier(7, random_state=0),
    "max_leaf_nodes": lambda: ensemble.RandomForestClassifier(7, max_leaf_nodes=6, criterion="entropy", random_state=0),
    "ExtraTrees": lambda: ensemble.ExtraTreesClassifier(7, random_state=0),
    "GradientBoosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0),
    "GridSearchCV": lambda: model_selection.GridSearchCV(ensemble.RandomForestClassifier(3, random_state=0), {"max_depth": [2, 4]}, cv=2),
}  # fmt: skip


# Treelite

TREELITE = {
    "xgb": lambda n: (xgb(n)[0], lambda m: treelite.frontend.from_xgboost(m.get_booster())),
    "xgb dart": lambda n: (xgb(n, "dart")[0], lambda m: treelite.frontend.from_xgboost(m.get_booster())),
    "xgb parallel trees": lambda n: (xgb(n, "parallel trees")[0], lambda m: treelite.frontend.from_xgboost(m.get_booster())),
    "lgbm": lambda n: (lgbm(n)[0], lambda m: treelite.frontend.from_lightgbm(m.booster_)),
    "lgbm rf": lambda n: (lgbm(n, "rf")[0], lambda m: treelite.frontend.from_lightgbm(m.booster_)),
    "lgbm sigmoid": lambda n: (lgbm(n, "sigmoid")[0], lambda m: treelite.frontend.from_lightgbm(m.booster_)),
    **{
        f"sklearn {kind}": lambda n, kind=kind: (SKLEARN[kind]().fit(*draw(n)), treelite.sklearn.import_model)
        for kind in ["RandomForest", "max_leaf_nodes", "ExtraTrees", "GradientBoosting"]  # Treelite 4.8 crashes on "stopped"
    },
}  # fmt: skip


@pytest.mark.parametrize("num_classes", CLASSES)
@pytest.mark.parametrize("kind", TREELITE)
def test_treelite(kind, num_classes, tmp_path):
    model, convert = TREELITE[kind](num_classes)
    path = tmp_path / "treelite.json"
    path.write_text(convert(model).dump_as_json())
    # Treelite takes no unknown values from scikit-learn.
    values = draw(num_classes, 300, seed=2, unknown=not kind.startswith("sklearn"))[0]
    imports(path, values, model.predict(values), model.predict_proba(values))


# Refusals: valid models of unsupported kinds, with the correct reason


def refusals():
    values, labels = draw()
    several = np.stack([labels, 1 - labels], axis=1)
    own = lambda t, p: (1 / (1 + np.exp(-p)) - t, np.full(len(t), 0.25))  # noqa: E731
    xgb_own = lambda t, p: own(t, p)  # noqa: E731
    few = {"n_estimators": 2, "n_jobs": 1}
    quiet = {**few, "verbose": -1}
    lgbm_c, xgb_c = lightgbm.LGBMClassifier, xgboost.XGBClassifier
    return {
        "xgb multi-label": (xgb_c(**few).fit(values, several), "several outputs"),
        "xgb own objective": (xgb_c(objective=xgb_own, **few).fit(values, labels), "objective"),
        "xgb gblinear": (xgb_c(booster="gblinear", **few).fit(values, labels), "no trees"),
        "xgb unfitted": (xgb_c(), "not fitted"),
        "lgbm own objective": (lgbm_c(objective=own, **quiet).fit(values, labels), "objective of its own"),
        "lgbm unfitted": (lgbm_c(), "not fitted"),
        "sklearn unfitted search": (SKLEARN["GridSearchCV"](), "not fitted"),
        "no trees": (linear_model.LinearRegression().fit(values, labels), "LinearRegression cannot be accelerated"),
        "a path": (Path("model.pkl"), "import_model"),
        "a class": (ensemble.RandomForestClassifier, "fitted model"),
        "fernwood's own": (ft.train(values, labels, trees=1), "already"),
    }  # fmt: skip


def test_what_cannot_be_taken_says_why():
    for name, (model, reason) in refusals().items():
        with pytest.raises(ft.errors.ModelError, match=reason) as refused:
            ft.accelerate(model)
        assert "damaged" not in str(refused.value), name
