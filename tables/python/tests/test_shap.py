# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""SHAP values, compared with those of the libraries that trained the models."""
import fernwood_tables as ft
import numpy as np
import pytest

ATTRIBUTES = 12


def draw(num_records, seed=0):
    """Values, some of them unknown, and a target that depends on them."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES)).astype(np.float32)
    target = values[:, 0] * values[:, 1] + np.sin(3 * values[:, 2]) + 0.5 * values[:, 3]
    values[random.random(values.shape) < 0.05] = np.nan
    return values, target


def classes_of(target):
    return np.digitize(target, [-0.6, 0.6])


def check(found, expected, margins):
    """Checks that `found` equals `expected` [record][output][attribute + 1] to 1e-6 and sums to the margins."""
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1, np.abs(expected).max()))
    np.testing.assert_allclose(found.sum(axis=2), margins, rtol=0, atol=1e-6 * max(1, np.abs(margins).max()))


@pytest.mark.parametrize("kind", ["RMSE", "Logloss", "MultiClass"])
def test_gives_catboosts_values(kind):
    catboost = pytest.importorskip("catboost")
    values, target = draw(1500)
    labels = {"RMSE": target, "Logloss": target > 0, "MultiClass": classes_of(target)}[kind]
    options = {"iterations": 12, "depth": 5, "verbose": 0, "allow_writing_files": False}
    model = (catboost.CatBoostRegressor if kind == "RMSE" else catboost.CatBoostClassifier)(loss_function=kind, **options).fit(values, labels)
    fresh = draw(200, 1)[0]
    expected = model.get_feature_importance(catboost.Pool(fresh), type="ShapValues").reshape(len(fresh), -1, ATTRIBUTES + 1)
    raw = model.predict(fresh, prediction_type="RawFormulaVal").reshape(len(fresh), -1)
    check(ft.accelerate(model).forest.shap_values(fresh), expected, raw)


@pytest.mark.parametrize("objective", ["regression", "binary", "multiclass"])
def test_gives_lightgbms_contributions(objective, tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    values, target = draw(1500)
    labels = {"regression": target, "binary": target > 0, "multiclass": classes_of(target)}[objective]
    options = {"objective": objective, "num_leaves": 40, "verbose": -1, "num_threads": 2}
    if objective == "multiclass":
        options["num_class"] = 3
    model = lightgbm.train(options, lightgbm.Dataset(values, labels), 15)
    model.save_model(tmp_path / "model.txt")
    forest = ft.RecordForest.import_model(tmp_path / "model.txt")
    fresh, _ = draw(200, seed=1)
    expected = model.predict(fresh, pred_contrib=True).reshape(len(fresh), -1, ATTRIBUTES + 1)
    check(forest.shap_values(fresh), expected, model.predict(fresh, raw_score=True).reshape(len(fresh), -1))


@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:logistic", "multi:softprob"])
def test_gives_xgboosts_contributions(objective, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    values, target = draw(1500)
    labels = {"reg:squarederror": target, "binary:logistic": target > 0, "multi:softprob": classes_of(target)}[objective]
    options = {"objective": objective, "max_depth": 6, "nthread": 2}
    if objective == "multi:softprob":
        options["num_class"] = 3
    model = xgboost.train(options, xgboost.DMatrix(values, labels), 15)
    model.save_model(tmp_path / "model.json")
    forest = ft.RecordForest.import_model(tmp_path / "model.json")
    fresh, _ = draw(200, seed=1)
    matrix = xgboost.DMatrix(fresh)
    expected = model.predict(matrix, pred_contribs=True).reshape(len(fresh), -1, ATTRIBUTES + 1)
    # XGBoost sums in 32 bits, so its values deviate from the margins by more than check() permits.
    found = forest.shap_values(fresh)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    margins = model.predict(matrix, output_margin=True).reshape(len(fresh), -1)
    np.testing.assert_allclose(found.sum(axis=2), margins, rtol=0, atol=1e-5 * np.abs(margins).max())


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "RandomForestClassifier", "ExtraTreesRegressor"])
def test_gives_the_values_of_shaps_tree_explainer(kind):
    shap = pytest.importorskip("shap")
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, target = draw(1500)
    values = np.nan_to_num(values)  # not supported by that explainer
    fresh = np.nan_to_num(draw(200, seed=1)[0])
    labels = classes_of(target) if kind.endswith("Classifier") else target
    model = getattr(ensemble, kind)(15, max_depth=8, random_state=1).fit(values, labels)
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    theirs = explainer.shap_values(fresh, check_additivity=False).reshape(len(fresh), ATTRIBUTES, -1)
    bias = np.broadcast_to(np.ravel(explainer.expected_value), (len(fresh), 1, theirs.shape[2]))
    expected = np.concatenate([theirs, bias], axis=1).transpose(0, 2, 1)
    answers = model.predict_proba(fresh) if kind.endswith("Classifier") else model.predict(fresh)
    check(ft.accelerate(model).forest.shap_values(fresh), expected, answers.reshape(len(fresh), -1))
