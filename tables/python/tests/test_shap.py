# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""SHAP values, compared with those of the libraries that trained the models."""
import math

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


def draw_categories(num_records, seed=0):
    """Numbers, of which attributes 0 and 1 are categories, and a target that depends on them."""
    values, target = draw(num_records, seed)
    random = np.random.default_rng(seed + 100)
    values[:, 0], values[:, 1] = random.integers(0, 12, num_records), random.integers(0, 5, num_records)
    target += np.isin(values[:, 0], (2, 3, 7, 11)) + 0.5 * (values[:, 1] % 2) * (values[:, 0] % 3)
    return values, target


def check_exact_sums(found, margins):
    """Checks that the exact sum of each row, rounded to the type of the margins, is the margin."""
    sums = [math.fsum(row) for row in found.reshape(-1, found.shape[-1]).tolist()]
    np.testing.assert_array_equal(sums, np.ravel(margins))


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


def test_gives_lightgbms_contributions_of_categories():
    lightgbm = pytest.importorskip("lightgbm")
    values, target = draw_categories(2000)
    options = {"objective": "regression", "num_leaves": 40, "verbose": -1, "num_threads": 2, "max_cat_to_onehot": 4}
    model = lightgbm.train(options, lightgbm.Dataset(values, target, categorical_feature=[0, 1]), 15)
    fresh, _ = draw_categories(2000, seed=1)
    fresh[::50, 0] = 99  # not seen in training
    fast = ft.accelerate(model)
    found = fast.shap_values(fresh)
    check(found, model.predict(fresh, pred_contrib=True)[:, None], model.predict(fresh)[:, None])
    check_exact_sums(found, fast.predict_margin(fresh))


def test_gives_xgboosts_contributions_and_interactions_of_categories():
    xgboost = pytest.importorskip("xgboost")
    values, target = draw_categories(2000)
    kinds = ["c"] * 2 + ["float"] * (ATTRIBUTES - 2)
    options = {"max_depth": 6, "nthread": 2, "max_cat_to_onehot": 4}
    model = xgboost.train(options, xgboost.DMatrix(values, target, feature_types=kinds, enable_categorical=True), 15)
    fresh, _ = draw_categories(2000, seed=1)
    matrix = xgboost.DMatrix(fresh, feature_types=kinds, enable_categorical=True)
    fast = ft.accelerate(model)
    found = fast.shap_values(fresh)
    expected = model.predict(matrix, pred_contribs=True)
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    check_exact_sums(found, model.predict(matrix, output_margin=True))
    few = fresh[:100]
    matrix = xgboost.DMatrix(few, feature_types=kinds, enable_categorical=True)
    expected = model.predict(matrix, pred_interactions=True)
    pairs = fast.shap_interaction_values(few)
    np.testing.assert_allclose(pairs[:, 0], expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    check_exact_sums(pairs.reshape(len(few), -1), model.predict(matrix, output_margin=True))
    np.testing.assert_allclose(pairs.sum(axis=3), found[:100], rtol=0, atol=1e-12)


@pytest.mark.parametrize("one_hot", [2, 20])
def test_gives_catboosts_values_of_categories_and_their_combinations(one_hot):
    catboost = pytest.importorskip("catboost")
    values, target = draw_categories(2000)

    def table(numbers):
        frame = numbers.astype(object)
        frame[:, :2] = [[f"a{a:.0f}", f"b{b:.0f}"] for a, b in numbers[:, :2]]
        return frame

    options = {"iterations": 20, "depth": 5, "verbose": 0, "allow_writing_files": False, "one_hot_max_size": one_hot}
    model = catboost.CatBoostRegressor(**options, max_ctr_complexity=3).fit(table(values), target, cat_features=[0, 1])
    fresh = table(draw_categories(500, seed=1)[0])
    pool = catboost.Pool(fresh, cat_features=[0, 1])
    fast = ft.accelerate(model)
    found = fast.shap_values(fresh)
    check(found, model.get_feature_importance(pool, type="ShapValues")[:, None], model.predict(pool)[:, None])
    check_exact_sums(found, fast.predict_margin(fresh))


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "HistGradientBoostingRegressor", "GradientBoostingClassifier"])
def test_gives_the_values_of_shaps_interventional_explainer(kind):
    shap = pytest.importorskip("shap")
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, target = draw(1500)
    values, fresh = (np.nan_to_num(each).astype(np.float64) for each in (values, draw(100, seed=1)[0]))
    model = getattr(ensemble, kind)(random_state=1).set_params(**{"max_iter" if "Hist" in kind else "n_estimators": 15})
    model.fit(values, target > 0 if kind.endswith("Classifier") else target)
    explainer = shap.TreeExplainer(model, values[:60], feature_perturbation="interventional")
    fast = ft.accelerate(model)
    found = fast.shap_values(fresh, values[:60])
    margins = fast.predict_margin(fresh)
    np.testing.assert_allclose(found[:, 0, :-1], explainer.shap_values(fresh), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[:, 0, -1], fast.predict_margin(values[:60]).mean(), rtol=1e-12)
    check_exact_sums(found, margins)
    # Records of 32 bits with a background of 64, and the reverse.
    np.testing.assert_allclose(fast.shap_values(fresh.astype(np.float32), values[:60]), found, rtol=0, atol=1e-3)
    np.testing.assert_allclose(fast.shap_values(fresh, values[:60].astype(np.float32)), found, rtol=0, atol=1e-3)


def test_sums_of_linear_leaves_are_exact():
    lightgbm = pytest.importorskip("lightgbm")
    values, target = draw_categories(2000)
    values = values.astype(np.float64)
    options = {"linear_tree": True, "num_leaves": 15, "verbose": -1, "num_threads": 2}
    data = lightgbm.Dataset(values, target, categorical_feature=[0], params={"linear_tree": True})
    model = lightgbm.train(options, data, 10)
    fresh = draw_categories(1000, seed=1)[0].astype(np.float64)
    fast = ft.accelerate(model)
    margins = model.predict(fresh)
    check_exact_sums(fast.shap_values(fresh), margins)
    check_exact_sums(fast.shap_values(fresh[:50], values[:20]), margins[:50])
    # A single attribute has all that does not come from the base.
    only = lightgbm.train(options, lightgbm.Dataset(values[:, 2:3], target, params={"linear_tree": True}), 10)
    found = ft.accelerate(only).shap_values(fresh[:, 2:3], values[:20, 2:3])
    np.testing.assert_allclose(found[:, 0, 1], only.predict(values[:20, 2:3]).mean(), rtol=1e-12)


def test_explanation_is_that_of_shap():
    shap = pytest.importorskip("shap")
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, target = draw(500)
    values = np.nan_to_num(values)
    model = ensemble.RandomForestClassifier(5, max_depth=4, random_state=1).fit(values, classes_of(target))
    theirs = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")(values[:20])
    ours = ft.accelerate(model).shap_explanation(values[:20])
    assert isinstance(ours, shap.Explanation)
    np.testing.assert_allclose(ours.values, theirs.values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.base_values, theirs.base_values, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(ours.data, theirs.data)
    regressor = ensemble.RandomForestRegressor(5, max_depth=4, random_state=1).fit(values, target)
    assert ft.accelerate(regressor).shap_explanation(values[:20]).values.shape == (20, ATTRIBUTES)


def test_refuses_a_background_without_records():
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, target = draw(200)
    values = np.nan_to_num(values)
    fast = ft.accelerate(ensemble.RandomForestRegressor(3).fit(values, target))
    with pytest.raises(ft.errors.DataError, match="pass at least one"):
        fast.shap_values(values, values[:0])
