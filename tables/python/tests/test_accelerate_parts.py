# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Results of parts of a model: leaves in the library's numbering, the first trees, single trees."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn import ensemble, tree  # noqa: E402
from test_accelerate_exactly import SHALLOW, draw, expect_same, hostile  # noqa: E402


def same(found, expected):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert np.array_equal(found, expected)


STUMPS = tree.DecisionTreeClassifier(max_depth=2)
FORESTS = [
    tree.DecisionTreeClassifier(max_depth=6),
    tree.ExtraTreeRegressor(random_state=0),
    ensemble.RandomForestClassifier(**SHALLOW),
    ensemble.ExtraTreesClassifier(7, random_state=0),
    ensemble.RandomForestRegressor(**SHALLOW),
    ensemble.ExtraTreesRegressor(7, random_state=0),
    ensemble.GradientBoostingClassifier(**SHALLOW),
    ensemble.GradientBoostingRegressor(**SHALLOW),
]
OF_OTHERS = [
    ensemble.BaggingClassifier(n_estimators=7, max_features=0.7, random_state=0),
    ensemble.BaggingRegressor(n_estimators=7, max_samples=0.4, random_state=0),
    ensemble.AdaBoostClassifier(STUMPS, n_estimators=9, random_state=0),
    ensemble.AdaBoostRegressor(n_estimators=9, random_state=0),
    ensemble.IsolationForest(n_estimators=9, max_features=0.5, random_state=0),
]


def fit(model, classes=4):
    values, score, two, four = draw()
    labels = (two if classes == 2 else four) if hasattr(model, "predict_proba") else score
    return model.fit(values, labels)


# Leaves


@pytest.mark.parametrize("model", FORESTS, ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_leaves_of_sklearn(model, classes):
    model, values = fit(model, classes), hostile()
    same(ft.accelerate(model).apply(values), model.apply(values))


@pytest.mark.parametrize("model", OF_OTHERS, ids=str)
def test_leaves_of_models_whose_estimators_number_them(model):
    model, values = fit(model), hostile()
    features = getattr(model, "estimators_features_", [np.arange(6)] * len(model.estimators_))
    expected = [part.apply(values[:, seen]) for part, seen in zip(model.estimators_, features)]
    same(ft.accelerate(model).apply(values), np.column_stack(expected))


def test_leaves_of_histogram_boosting_are_its_nodes():
    values, score, *_ = draw()
    model = ensemble.HistGradientBoostingRegressor(max_iter=5).fit(values, score)
    fast = ft.accelerate(model)
    for found in (hostile(unknown=True), hostile(unknown=True).astype(np.float64) + 1e-9):
        leaves, answers = fast.apply(found), fast.predict_trees(found)
        for index, (predictor,) in enumerate(model._predictors):
            assert np.array_equal(predictor.nodes["value"][leaves[:, index]], answers[:, index])


def xgboost_models():
    xgboost = pytest.importorskip("xgboost")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    options = {"n_estimators": 8, "max_depth": 4, "n_jobs": 1}
    both = np.column_stack([score, -score])
    yield xgboost.XGBClassifier(**options).fit(values, two)
    yield xgboost.XGBClassifier(num_parallel_tree=3, subsample=0.6, **options).fit(values, four)
    yield xgboost.XGBRFClassifier(**options).fit(values, two)
    yield xgboost.XGBClassifier(booster="dart", rate_drop=0.4, **options).fit(values, two)
    yield xgboost.XGBRegressor(gamma=1.5, **options).fit(values, score)
    yield xgboost.XGBRegressor(tree_method="exact", gamma=1.5, **options).fit(values, score)
    yield xgboost.XGBRegressor(grow_policy="lossguide", max_leaves=9, **options).fit(values, score)
    yield xgboost.XGBRegressor(**options).fit(values, both)
    yield xgboost.XGBRegressor(multi_strategy="multi_output_tree", tree_method="hist", **options).fit(values, both)
    stopped = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, learning_rate=1, n_jobs=1)
    yield stopped.fit(values, two, eval_set=[(draw(seed=3)[0], draw(seed=3)[2])], verbose=False)


def test_leaves_of_xgboost(tmp_path):
    hard = hostile(unknown=True)
    for model in xgboost_models():
        same(ft.accelerate(model).apply(hard), model.apply(hard))
        model.save_model(tmp_path / "m.json")
        imported = ft.RecordForest.import_model(tmp_path / "m.json")
        assert np.array_equal(imported.apply(hard), model.apply(hard))


def lightgbm_models():
    lightgbm = pytest.importorskip("lightgbm")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    options = {"n_estimators": 8, "verbose": -1, "n_jobs": 1}
    bagged = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}
    yield lightgbm.LGBMClassifier(**options).fit(values, two)
    yield lightgbm.LGBMClassifier(**options).fit(values, four)
    yield lightgbm.LGBMRegressor(**options).fit(values, score)
    yield lightgbm.LGBMRegressor(**options, **bagged).fit(values, score)
    yield lightgbm.LGBMClassifier(**options, **bagged).fit(values, four)
    yield lightgbm.LGBMRegressor(boosting_type="dart", **options).fit(values, score)


def test_leaves_of_lightgbm():
    for model in lightgbm_models():
        fast = ft.accelerate(model)
        for hard in (hostile(unknown=True), hostile(unknown=True).astype(np.float64) + 1e-9):
            same(fast.apply(hard), model.predict(hard, pred_leaf=True))
        same(ft.accelerate(model.booster_).apply(hard), model.booster_.predict(hard, pred_leaf=True))


def catboost_models():
    catboost = pytest.importorskip("catboost")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    options = {"iterations": 12, "depth": 4, "verbose": False, "thread_count": 1, "allow_writing_files": False}
    for policy in ("SymmetricTree", "Depthwise", "Lossguide"):
        yield catboost.CatBoostRegressor(grow_policy=policy, **options).fit(values, score)
        yield catboost.CatBoostClassifier(grow_policy=policy, **options).fit(values, two)
        yield catboost.CatBoostClassifier(grow_policy=policy, **options).fit(values, four)


def test_leaves_of_catboost():
    hard = hostile(unknown=True)
    for model in catboost_models():
        same(ft.accelerate(model).apply(hard), model.calc_leaf_indexes(hard))


# The first trees


def first(model, count):
    """A copy of an averaging model with its first `count` trees."""
    import copy

    part = copy.copy(model)
    for name in ("estimators_", "estimators_features_", "estimator_weights_"):
        if hasattr(model, name) and not isinstance(getattr(type(model), name, None), property):
            setattr(part, name, getattr(model, name)[:count])
    part.n_estimators = count
    return part


@pytest.mark.parametrize("model", [m for m in FORESTS + OF_OTHERS[:-1] if hasattr(m, "n_estimators")], ids=str)
def test_the_first_trees_of_sklearn(model):
    model, values = fit(model), hostile()
    fast = ft.accelerate(model)
    for count in (1, 5):
        if hasattr(model, "staged_predict"):
            staged = list(model.staged_predict(values))[count - 1]
            same(fast.predict(values, iterations=count), staged)
            if hasattr(model, "staged_decision_function"):
                staged = list(model.staged_decision_function(values))[count - 1]
                if isinstance(model, ensemble.GradientBoostingClassifier):
                    same(fast.decision_function(values, iterations=count), staged)
            if hasattr(model, "staged_predict_proba"):
                staged = list(model.staged_predict_proba(values))[count - 1]
                assert np.abs(fast.predict_proba(values, iterations=count) - staged).max() < 1e-14
        else:
            same(fast.predict(values, iterations=count), first(model, count).predict(values))
            if hasattr(model, "predict_proba"):
                same(fast.predict_proba(values, iterations=count), first(model, count).predict_proba(values))
        assert fast.apply(values, iterations=count).shape[1] == count
    last = fast.forest.num_iterations
    same(fast.predict(values, iterations=last), fast.predict(values))


def test_the_first_iterations_of_histogram_boosting():
    values, score, two, four = draw()
    hard = hostile(unknown=True)
    for labels in (score, four):
        kind = ensemble.HistGradientBoostingRegressor if labels is score else ensemble.HistGradientBoostingClassifier
        model = kind(max_iter=8).fit(values, labels)
        fast = ft.accelerate(model)
        for records_asked in (hard, hard.astype(np.float64) + 1e-9):
            staged = list(model._staged_raw_predict(records_asked))
            for count in (1, 3, 8):
                same(fast.predict_margin(records_asked, iterations=count), np.squeeze(staged[count - 1]))
        same(fast.predict(hard, iterations=3), list(model.staged_predict(hard))[2])


def test_the_first_iterations_of_xgboost():
    import_skip = pytest.importorskip("xgboost")
    hard = hostile(unknown=True)
    matrix = import_skip.DMatrix(hard)
    for model in xgboost_models():
        fast = ft.accelerate(model)
        for count in {1, 2, fast.forest.num_iterations} - ({2} if fast.forest.num_iterations == 1 else set()):
            asked = {"iteration_range": (0, count)}
            margins = model.get_booster().predict(matrix, output_margin=True, **asked)
            same(fast.predict_margin(hard, iterations=count), margins)
            if model.get_params()["booster"] != "dart":
                same(fast.predict(hard, iterations=count), model.predict(hard, **asked))
            same(fast.apply(hard, iterations=count), model.apply(hard, **asked))


def test_the_first_iterations_of_lightgbm():
    for model in lightgbm_models():
        fast = ft.accelerate(model)
        for hard in (hostile(unknown=True), hostile(unknown=True).astype(np.float64) + 1e-9):
            for count in (1, 3, 8):
                same(fast.predict(hard, iterations=count), model.predict(hard, num_iteration=count))
                if model.boosting_type != "rf":  # LightGBM does not average the raw scores of random forests
                    raw = model.predict(hard, raw_score=True, num_iteration=count)
                    same(fast.predict_margin(hard, iterations=count), raw)
                same(fast.apply(hard, iterations=count), model.predict(hard, pred_leaf=True, num_iteration=count))


def test_the_first_iterations_of_catboost():
    hard = hostile(unknown=True)
    for model in catboost_models():
        fast = ft.accelerate(model)
        for count in (1, 5, fast.forest.num_iterations):
            raw = model.predict(hard, prediction_type="RawFormulaVal", ntree_end=count, thread_count=1)
            same(fast.predict_margin(hard, iterations=count), raw)
            assert np.array_equal(np.ravel(model.predict(hard, ntree_end=count)), fast.predict(hard, iterations=count))
            same(fast.apply(hard, iterations=count), model.calc_leaf_indexes(hard, ntree_end=count))


# Single trees


@pytest.mark.parametrize("model", [m for m in FORESTS + OF_OTHERS if not isinstance(m, ensemble.IsolationForest)], ids=str)
def test_trees_by_themselves_of_sklearn(model):
    model, values = fit(model), hostile()
    fast = ft.accelerate(model)
    if isinstance(model, (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor)):
        expected = [0.1 * part.predict(values) for part in model.estimators_.ravel()]
    elif isinstance(model, ensemble.AdaBoostClassifier):
        answers = fast.predict_trees(values)
        expected = [part.predict(values) for part in model.estimators_]
        assert np.array_equal(model.classes_[answers.argmax(axis=2)], np.column_stack(expected))
        return
    else:
        features = getattr(model, "estimators_features_", None)
        parts = getattr(model, "estimators_", [model])
        expected = [
            (part.predict_proba if hasattr(part, "predict_proba") else part.predict)(
                values if features is None else values[:, features[index]]
            )
            for index, part in enumerate(parts)
        ]
    same(fast.predict_trees(values), np.stack(expected, axis=1))
    if len(expected) > 2:
        same(fast.predict_trees(values, iterations=2), np.stack(expected[: 2 * (fast.forest.num_trees // fast.forest.num_iterations)], axis=1))


# Medians and several outputs


def test_adaboost_regressors_give_the_weighted_median(tmp_path):
    values, score, *_ = draw()
    for loss in ("linear", "square", "exponential"):
        for depth in (1, 4):
            stump = tree.DecisionTreeRegressor(max_depth=depth)
            model = ensemble.AdaBoostRegressor(stump, n_estimators=20, loss=loss, random_state=0).fit(values, np.round(score, 1))
            fast = expect_same(model)
            staged = list(model.staged_predict(hostile()))
            for count in (1, 2, 7):
                same(fast.predict(hostile(), iterations=count), staged[count - 1])
    same(pickle.loads(pickle.dumps(fast)).predict(hostile()), model.predict(hostile()))
    for refused in (fast.forest.save, fast.forest.save_onnx, fast.forest.save_cpp):
        with pytest.raises(ft.errors.UsageError, match="no weighted median"):
            refused(tmp_path / "m")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ft.errors.UsageError, match="PermutationExplainer"):
        fast.forest.shap_values(values)
    with pytest.raises(ft.errors.UsageError, match="is not a sum; ask predict_trees"):
        fast.predict_margin(values)


@pytest.mark.parametrize(
    "model",
    [
        tree.DecisionTreeClassifier(max_depth=6),
        ensemble.RandomForestClassifier(**SHALLOW),
        ensemble.ExtraTreesClassifier(7, random_state=0),
    ],
    ids=str,
)
def test_classifiers_with_several_outputs(model):
    values, _, two, four = draw()
    labels = np.column_stack([four, two, 2 - four // 2])
    for given in (labels, labels.astype(str)):
        fast = expect_same(model.fit(values, given))
        assert isinstance(fast, ft.AcceleratedMultiOutputClassifier) and fast.n_outputs_ == 3
        assert all(np.array_equal(a, b) for a, b in zip(fast.classes_, model.classes_))
        same(fast.predict(hostile()), model.predict(hostile()))
        for found, expected in zip(fast.predict_proba(hostile()), model.predict_proba(hostile())):
            same(found, expected)
        same(fast.apply(hostile()), model.apply(hostile()))
    if hasattr(model, "estimators_"):
        same(fast.predict(hostile(), iterations=3), first(model, 3).predict(hostile()))
