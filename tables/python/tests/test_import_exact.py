# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Imported models return the numbers of their libraries; sums are equal to the last bit."""

import json
import platform

import numpy as np
import pytest
from fernwood_tables import RecordForest

NUM_ATTRIBUTES = 4


def training_records(num_records=400, missing=True):
    random = np.random.default_rng(1)
    values = random.normal(size=(num_records, NUM_ATTRIBUTES)).astype(np.float32)
    if missing:
        values[random.random(values.shape) < 0.1] = np.nan
    known = np.nan_to_num(values)
    return values, known[:, 0] * 1.3 + np.sin(known[:, 1] * 2) + known[:, 2] * known[:, 3] / 2


def tricky_records(thresholds, num_records=3000, infinite=True, missing=True):
    """Thresholds and their neighbouring floats, unknown values, denormals, zeros of both signs, the largest floats."""
    random = np.random.default_rng(2)
    values = random.normal(size=(num_records, NUM_ATTRIBUTES)).astype(np.float32)
    for column, ties in zip(values.T, thresholds, strict=True):
        if len(ties):
            picked = random.random(num_records) < 0.4
            column[picked] = random.choice(np.asarray(ties, np.float32), picked.sum())
        for towards in (np.inf, -np.inf):
            picked = random.random(num_records) < 0.1
            with np.errstate(over="ignore"):
                column[picked] = np.nextafter(column[picked], np.float32(towards))
        largest = float(np.finfo(np.float32).max)
        odd = [1e-42, -1e-42, 0.0, -0.0, largest, -largest]
        odd += [np.nan] if missing else []
        odd += [np.inf, -np.inf] if infinite else []
        for value in odd:
            column[random.random(num_records) < 0.02] = value
    return values


def expect_equal_bits(found, expected):
    expected = np.asarray(expected).reshape(found.shape)
    assert found.dtype == expected.dtype
    whole = np.int32 if found.dtype == np.float32 else np.int64
    assert np.array_equal(found.view(whole), expected.view(whole))


def columns_of(pairs):
    thresholds = [[] for _ in range(NUM_ATTRIBUTES)]
    for attribute, threshold in pairs:
        thresholds[attribute].append(threshold)
    return thresholds


XGBOOST = {
    "reg:squarederror": {},
    "reg:absoluteerror": {},
    "reg:pseudohubererror": {},
    "reg:quantileerror": {"quantile_alpha": [0.1, 0.5, 0.9]},
    "reg:logistic": {},
    "reg:tweedie": {},
    "reg:gamma": {},
    "count:poisson": {},
    "survival:cox": {},
    "rank:pairwise": {},
    "binary:logistic": {},
    "multi:softprob": {"num_class": 3},
}


def xgboost_target(objective, target):
    if objective in ("binary:logistic", "reg:logistic"):
        return (target > 0.3).astype(int)
    if objective == "multi:softprob":
        return np.digitize(target, [-1, 1])
    if objective in ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror"):
        return target
    return np.digitize(target, [-1, 0, 1]) + 1


@pytest.mark.parametrize("objective", XGBOOST)
@pytest.mark.parametrize("booster", ["gbtree", "dart"])
@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_xgboost_margins(tmp_path, objective, booster, ending):
    xgboost = pytest.importorskip("xgboost")
    values, target = training_records()
    data = xgboost.DMatrix(values, label=xgboost_target(objective, target))
    if objective == "rank:pairwise":
        data.set_group([100] * 4)
    options = {"objective": objective, "booster": booster, "max_depth": 3, **XGBOOST[objective]}
    if booster == "dart":
        options["rate_drop"] = 0.3
    booster = xgboost.train(options, data, 8)
    booster.save_model(tmp_path / f"model.{ending}")
    frame = booster.trees_to_dataframe()
    frame = frame[frame.Feature != "Leaf"]
    records = tricky_records(
        columns_of(zip(frame.Feature.str[1:].astype(int), frame.Split, strict=True)), infinite=False
    )
    forest = RecordForest.import_model(tmp_path / f"model.{ending}")
    ours = forest.predict_margin(records)
    theirs = booster.predict(xgboost.DMatrix(records), output_margin=True)
    if options["booster"] == "dart" and platform.machine() != "x86_64":
        # XGBoost's package for ARM rounds a weighted sum once (fused multiply-add); fernwood's bytes are those of x86.
        np.testing.assert_allclose(ours, theirs.reshape(ours.shape), rtol=1e-5, atol=1e-6)
    else:
        expect_equal_bits(ours, theirs)


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_xgboost_several_targets(tmp_path, strategy):
    xgboost = pytest.importorskip("xgboost")
    values, target = training_records()
    data = xgboost.DMatrix(values, label=np.stack([target, 5 - target], 1))
    booster = xgboost.train({"multi_strategy": strategy, "tree_method": "hist", "max_depth": 3}, data, 8)
    booster.save_model(tmp_path / "model.ubj")
    records = tricky_records([[]] * NUM_ATTRIBUTES, infinite=False)
    forest = RecordForest.import_model(tmp_path / "model.ubj")
    expect_equal_bits(forest.predict_values(records), booster.predict(xgboost.DMatrix(records)))


LIGHTGBM = ["regression", "regression_l1", "huber", "quantile", "poisson", "gamma", "cross_entropy"]
LIGHTGBM += ["cross_entropy_lambda", "lambdarank", "binary", "multiclass", "multiclassova", "none"]


@pytest.mark.parametrize("objective", LIGHTGBM)
def test_lightgbm_raw_scores(tmp_path, objective):
    lightgbm = pytest.importorskip("lightgbm")
    values, target = training_records()
    labels, options = target, {}
    if objective.startswith("multiclass"):
        labels, options = np.digitize(target, [-1, 1]), {"num_class": 3}
    elif objective in ("binary", "cross_entropy", "cross_entropy_lambda"):
        labels = (target > 0.3).astype(int)
    elif objective in ("poisson", "gamma", "lambdarank"):
        labels = np.digitize(target, [-1, 0, 1]) + 1
    if objective == "none":
        options["objective"] = lambda found, data: (found - data.get_label(), np.ones_like(found))
    else:
        options["objective"] = objective
    group = [100] * 4 if objective == "lambdarank" else None
    data = lightgbm.Dataset(values, label=labels, group=group)
    booster = lightgbm.train({"num_leaves": 7, "verbosity": -1, **options}, data, 8)
    booster.save_model(tmp_path / "model.txt")
    frame = booster.trees_to_dataframe().dropna(subset=["split_feature"])
    places = frame.split_feature.str.removeprefix("Column_").astype(int)
    records = tricky_records(columns_of(zip(places, frame.threshold, strict=True)))
    forest = RecordForest.import_model(tmp_path / "model.txt")
    wide = records.astype(np.float64)
    expect_equal_bits(forest.predict_margin(records), booster.predict(wide, raw_score=True))
    predicted = forest.predict_proba(records) if forest.classes else forest.predict_values(records)
    expected = booster.predict(wide)
    predicted = predicted[:, 1] if objective == "binary" else predicted.reshape(expected.shape)
    np.testing.assert_allclose(predicted, expected, rtol=1e-6, atol=2e-6)


CATBOOST = ["RMSE", "MAE", "Poisson", "MultiRMSE", "Logloss", "MultiClass", "MultiClassOneVsAll"]


@pytest.mark.parametrize("loss", CATBOOST)
@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise"])
def test_catboost_raw_values(tmp_path, loss, policy):
    catboost = pytest.importorskip("catboost")
    values, target = training_records()
    labels = target
    if loss == "MultiRMSE":
        labels = np.stack([target, 5 - target], 1)
    elif loss == "Logloss":
        labels = (target > 0.3).astype(int)
    elif loss != "RMSE" and loss != "MAE":
        labels = np.digitize(target, [-1, 1])
    model = catboost.CatBoost(
        {
            "loss_function": loss,
            "grow_policy": policy,
            "iterations": 8,
            "depth": 3,
            "verbose": 0,
            "allow_writing_files": False,
        }
    )
    model.fit(values, labels)
    model.save_model(str(tmp_path / "model.json"), format="json")
    features = json.loads((tmp_path / "model.json").read_text())["features_info"]["float_features"]
    records = tricky_records([feature["borders"] or [] for feature in features])
    forest = RecordForest.import_model(tmp_path / "model.json")
    expect_equal_bits(forest.predict_margin(records), model.predict(records, prediction_type="RawFormulaVal"))


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "GradientBoostingRegressor", "RandomForestClassifier"])
def test_onnx_values(tmp_path, kind):
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, target = training_records(missing=False)
    labels = np.digitize(target, [-1, 1]) if kind.endswith("Classifier") else target
    model = getattr(ensemble, kind)(n_estimators=8, max_depth=4, random_state=0).fit(values, labels)
    options = {"zipmap": False} if kind.endswith("Classifier") else None
    (tmp_path / "model.onnx").write_bytes(skl2onnx.to_onnx(model, values[:1], options=options).SerializeToString())
    records = tricky_records([[]] * NUM_ATTRIBUTES)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1  # otherwise the threads determine the order of summation
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), settings)
    forest = RecordForest.import_model(tmp_path / "model.onnx")
    expected = session.run(None, {session.get_inputs()[0].name: records})[-1]
    expect_equal_bits(forest.predict_margin(records), expected)


def onnx_tree(mode, value, members=None, missing=0):
    """A model with one test, true 1 and false 0, as TreeEnsembleRegressor; with `members`, as TreeEnsemble."""
    onnx = pytest.importorskip("onnx")
    helper, arrays = onnx.helper, onnx.numpy_helper
    if members is None:
        node = helper.make_node(
            "TreeEnsembleRegressor", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=1, nodes_treeids=[0] * 3, nodes_nodeids=[0, 1, 2],
            nodes_featureids=[0] * 3, nodes_values=[float(value), 0.0, 0.0], nodes_modes=[mode, "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0],
            nodes_falsenodeids=[2, 0, 0], nodes_missing_value_tracks_true=[missing, 0, 0], target_treeids=[0, 0], target_nodeids=[1, 2],
            target_ids=[0, 0], target_weights=[1.0, 0.0],
        )  # fmt: skip
    else:
        floats = lambda values: arrays.from_array(np.array(values, np.float32))  # noqa: E731
        node = helper.make_node(
            "TreeEnsemble", ["X"], ["Y"], domain="ai.onnx.ml", n_targets=1, post_transform=0, aggregate_function=1, nodes_featureids=[0],
            nodes_modes=arrays.from_array(np.array([6], np.uint8)), nodes_splits=floats([0]), membership_values=floats([*members, np.nan]),
            nodes_truenodeids=[0], nodes_trueleafs=[1], nodes_falsenodeids=[1], nodes_falseleafs=[1], tree_roots=[0],
            nodes_missing_value_tracks_true=[missing], leaf_targetids=[0, 0], leaf_weights=floats([1, 0]),
        )  # fmt: skip
    inputs = [helper.make_tensor_value_info("X", onnx.TensorProto.FLOAT, [None, 1])]
    outputs = [helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, [None, 1])]
    sets = [helper.make_opsetid("ai.onnx.ml", 3 if members is None else 5), helper.make_opsetid("", 18)]
    graph = helper.make_graph([node], "trees", inputs, outputs)
    return helper.make_model(graph, opset_imports=sets, ir_version=9).SerializeToString()


TINY = [0, -0.0, 1e-42, -1e-42, np.inf, -np.inf, np.nan, 3e9, -3e9, 2**24, 2**31, 2**32 + 64, 1e30]
ONNX_TESTS = [(mode, value, None) for mode in ("BRANCH_EQ", "BRANCH_NEQ") for value in (0, -0.0, 2, 33, 64, 104)]
ONNX_TESTS += [(mode, value, None) for mode in ("BRANCH_LT", "BRANCH_GT", "BRANCH_GTE") for value in (0, 1.5, -1)]
ONNX_TESTS += [("BRANCH_MEMBER", 0, members) for members in ([0], [1, 3], [30], [31], [0, 64], [3, 1, 2, 33], [100, 65535], [*range(31)], [*range(0, 60, 2)])]


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("test", ONNX_TESTS, ids=str)
def test_onnx_tests_of_equality_and_sets(test, missing, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx_tree(*test, missing=missing))
    random = np.random.default_rng(0)
    asked = np.concatenate([np.arange(-70, 140) / 2, np.arange(-3, 105), random.uniform(-2, 110, 2000), TINY])
    records = np.concatenate([asked, np.nextafter(asked.astype(np.float32), np.float32(np.inf))]).astype(np.float32)[:, None]
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    expected = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"]).run(None, {"X": records})[0]
    assert 0 < expected.mean() < 1
    expect_equal_bits(RecordForest.import_model(path).predict_margin(records), expected)


@pytest.mark.parametrize("one_hot", [1, 100])
def test_treelite_categories(one_hot, tmp_path):
    treelite, xgboost = pytest.importorskip("treelite"), pytest.importorskip("xgboost")
    random = np.random.default_rng(0)
    values = np.stack([random.integers(0, 40, 3000), random.standard_normal(3000)], axis=1).astype(np.float32)
    score = np.sin(values[:, 0]) + 0.3 * values[:, 1]
    model = xgboost.XGBRegressor(
        n_estimators=20, enable_categorical=True, feature_types=["c", "q"], max_cat_to_onehot=one_hot, n_jobs=1
    ).fit(values, score)
    converted = treelite.frontend.from_xgboost(model.get_booster())
    path = tmp_path / "treelite.json"
    path.write_text(converted.dump_as_json())
    assert "categorical_test_node" in path.read_text()
    asked = np.stack([random.integers(-3, 80, 20000), random.standard_normal(20000)], axis=1)
    strange = random.random(len(asked)) < 0.3
    asked[strange, 0] = random.choice([np.nan, -0.5, 0.5, 1.5, 1e9, -1e9, np.inf, -np.inf, 2**24, 1e-42], strange.sum())
    asked = asked.astype(np.float32)
    expect_equal_bits(RecordForest.import_model(path).predict_margin(asked), treelite.gtil.predict(converted, asked, nthread=1).reshape(-1, 1))
