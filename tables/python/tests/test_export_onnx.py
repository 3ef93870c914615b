"""Forests exported to ONNX: onnxruntime's results are equal to fernwood's."""

import json

import fernwood_tables as ft
import numpy as np
import pytest
from fernwood_tables import accelerate

onnxruntime = pytest.importorskip("onnxruntime")

N = 2000


def records(seed=5, hostile=True):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(N, 8)).astype(np.float32)
    values[:, 3] = draw.integers(0, 90, N)
    values[:, 4] = draw.integers(0, 5, N)
    if not hostile:
        return values
    values[:200, 3] = draw.choice([-1, -0.5, 0.5, 3.7, 1e9, np.nan, np.inf, -np.inf, 200, 89, 64, 63, -0.0], 200)
    values[:100, 4] = draw.choice([np.nan, 7, -3, 2.5], 100)
    values[200:300, 0] = np.nan
    values[300:350] = np.inf
    values[350:400] = -np.inf
    values[400:450] *= np.float32(1e-42)
    values[450:500] = np.round(values[450:500])
    return values


def targets(values):
    known = np.nan_to_num(values)
    return known[:, 0] * known[:, 1] + np.abs(known[:, 2]) + known[:, 3] % 7


def answers(forest, folder, values):
    forest.save_onnx(folder / "forest.onnx")
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "forest.onnx"), settings)
    values = values.astype(np.float64 if "double" in session.get_inputs()[0].type else np.float32)
    return session.run(None, {"records": values}), session.get_modelmeta().custom_metadata_map


def expect_values(forest, folder, values, ulps=0):
    (found,), notes = answers(forest, folder, values)
    expected = np.asarray(forest.predict_values(values)).reshape(found.shape)
    assert found.dtype == expected.dtype and np.ptp(found) > 0
    assert np.all(np.abs(found - expected) <= ulps * np.spacing(np.abs(expected)))
    assert json.loads(notes["targets"]) == forest.targets and json.loads(notes["attributes"]) == forest.attributes


def expect_classes(forest, folder, values, tolerance):
    (labels, probabilities), notes = answers(forest, folder, values)
    assert json.loads(notes["classes"]) == forest.classes
    expected = forest.predict_proba(values)
    assert np.array_equal(np.asarray(forest.classes)[labels], np.asarray(forest.predict(values)).astype(str))
    assert len(set(labels)) > 1
    assert np.abs(probabilities - expected).max() <= tolerance


@pytest.mark.parametrize("num_classes", [2, 5])
def test_forests_of_fernwood(tmp_path, num_classes):
    values = records(hostile=False)
    classes = np.digitize(targets(values), np.linspace(1, 5, num_classes - 1))
    forest = ft.train(values, [f"class {c}" for c in classes], trees=9, seed=3)
    expect_classes(forest, tmp_path, records(), tolerance=6e-8)
    regression = ft.train(values, targets(values), task="regression", trees=9, seed=3)
    expect_values(regression, tmp_path, records())


def test_scikit_learn(tmp_path):
    ensemble = pytest.importorskip("sklearn.ensemble")
    values = records(hostile=False)
    number = targets(values)
    several = np.stack([number, number**2], axis=1)
    expect_values(accelerate(ensemble.RandomForestRegressor(9, max_depth=7).fit(values, number)).forest, tmp_path, values)
    expect_values(accelerate(ensemble.ExtraTreesRegressor(9, max_depth=7).fit(values, several)).forest, tmp_path, values)
    expect_values(accelerate(ensemble.IsolationForest(n_estimators=9).fit(values)).forest, tmp_path, values, ulps=2)
    boosted = ensemble.HistGradientBoostingRegressor(max_iter=9, categorical_features=[3, 4]).fit(values, number)
    expect_values(accelerate(boosted).forest, tmp_path, records())
    model = ensemble.RandomForestClassifier(9, max_depth=7).fit(values, np.digitize(number, [2, 4]))
    expect_classes(accelerate(model).forest, tmp_path, values, tolerance=0)
    model = ensemble.GradientBoostingClassifier(n_estimators=9).fit(values, np.digitize(number, [2, 4]))
    expect_classes(accelerate(model).forest, tmp_path, values, tolerance=1e-15)


def test_xgboost(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    values = records(hostile=False)
    number = targets(values)
    kinds = ["q", "q", "q", "c", "c", "q", "q", "q"]
    data = xgboost.DMatrix(values, number, feature_types=kinds, enable_categorical=True)
    expect_values(accelerate(xgboost.train({"max_depth": 5}, data, 9)).forest, tmp_path, records())
    unknown = xgboost.XGBRegressor(n_estimators=9, max_depth=4, missing=0.0).fit(np.round(values), number)
    expect_values(accelerate(unknown).forest, tmp_path, records())
    model = xgboost.XGBClassifier(n_estimators=9).fit(values, number > 3)
    expect_classes(accelerate(model).forest, tmp_path, records(), tolerance=3e-7)


@pytest.mark.parametrize("objective", ["regression", "poisson", "cross_entropy_lambda", "regression_l1"])
def test_lightgbm(tmp_path, objective):
    lightgbm = pytest.importorskip("lightgbm")
    values = records(hostile=False)
    number = targets(values)
    if objective != "regression":
        number = np.abs(number) / np.abs(number).max()
    data = lightgbm.Dataset(values, number, categorical_feature=[3, 4])
    model = lightgbm.train({"objective": objective, "verbose": -1, "reg_sqrt": objective == "regression"}, data, 9)
    expect_values(accelerate(model).forest, tmp_path, records(), ulps=4)
