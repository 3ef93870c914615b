# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Other libraries' models of every kind: the labels are equal, and numbers are equal to the last bit, or to 1 ulp where
exp() is involved."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn import calibration, ensemble, model_selection, multiclass, multioutput, pipeline, preprocessing, tree  # noqa: E402


def draw(num_records=1500, seed=0):
    """Records, a score, classes of two and of four."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 6)).astype(np.float32)
    values[:, 5] = random.integers(-3, 4, num_records)  # ties
    score = values[:, 0] + values[:, 1] * values[:, 2] + 0.2 * random.standard_normal(num_records)
    return values, score, (score > 0).astype(int), np.digitize(score, [-0.7, 0, 0.7])


def hostile(seed=1, unknown=False, num_records=4000):
    """Records between, at and beyond the training values."""
    random = np.random.default_rng(seed)
    values = draw(num_records, seed)[0]
    known = draw()[0].ravel()
    chosen = random.random(values.shape)
    values = np.where(chosen < 0.2, random.choice(known, values.shape), values)
    values = np.where((chosen > 0.2) & (chosen < 0.25), np.nextafter(values, np.float32(np.inf)), values)
    for low, value in ((0.25, 0.0), (0.26, -0.0), (0.27, 1e-42), (0.28, 3e38), (0.29, -3e38)):
        values = np.where((chosen > low) & (chosen < low + 0.01), value, values)
    if unknown:
        values = np.where((chosen > 0.3) & (chosen < 0.4), np.nan, values)
    return values.astype(np.float32)


def expect_same(model, unknown=False, ulps=0):
    """@param ulps  Permitted difference between numbers."""
    values = hostile(unknown=unknown)
    fast = ft.accelerate(model, check=values)
    assert fast.check.records == len(values) and fast.check.labels_that_differ == 0, fast.check
    assert fast.check.greatest_ulps <= ulps, fast.check
    return fast


SHALLOW = {"n_estimators": 9, "max_depth": 5, "random_state": 0}


@pytest.mark.parametrize(
    "model",
    [
        tree.DecisionTreeRegressor(max_depth=6),
        tree.ExtraTreeRegressor(random_state=0),
        ensemble.RandomForestRegressor(**SHALLOW),
        ensemble.RandomForestRegressor(7, random_state=0),
        ensemble.ExtraTreesRegressor(**SHALLOW),
        ensemble.GradientBoostingRegressor(**SHALLOW, loss="huber"),
        ensemble.GradientBoostingRegressor(**SHALLOW, init="zero"),
        ensemble.BaggingRegressor(n_estimators=7, max_features=0.7, random_state=0),
    ],
    ids=str,
)
def test_regressors_of_sklearn(model):
    values, score, *_ = draw()
    assert isinstance(expect_same(model.fit(values, score)), ft.AcceleratedRegressor)


def test_regressors_with_several_targets():
    values, score, *_ = draw()
    fast = expect_same(ensemble.RandomForestRegressor(**SHALLOW).fit(values, np.column_stack([score, values[:, 0], -score])))
    assert fast.predict(values).shape == (len(values), 3)
    assert 0.5 < fast.score(values, np.column_stack([score, values[:, 0], -score])) <= 1


@pytest.mark.parametrize(
    "model",
    [
        ensemble.RandomForestClassifier(**SHALLOW),
        ensemble.ExtraTreesClassifier(7, random_state=0),
        ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=4), 7, max_samples=0.3, max_features=0.7, random_state=0),
        ensemble.GradientBoostingClassifier(**SHALLOW),
        ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=2), n_estimators=9, random_state=0),
    ],
    ids=str,
)
def test_classifiers_of_sklearn(model):
    values, _, two, four = draw()
    for classes in (two, four):
        averaged = not isinstance(model, (ensemble.GradientBoostingClassifier, ensemble.AdaBoostClassifier))
        fast = expect_same(model.fit(values, classes), ulps=0 if averaged else 8)
        if hasattr(model, "decision_function"):
            assert np.array_equal(fast.decision_function(values), model.decision_function(values))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma", "quantile"])
def test_histogram_boosting_of_values(loss):
    values, score, *_ = draw()
    values[::5, 0] = np.nan
    options = {"quantile": 0.3} if loss == "quantile" else {}
    model = ensemble.HistGradientBoostingRegressor(loss=loss, max_iter=12, **options).fit(values, np.abs(score) + 0.1)
    fast = expect_same(model, unknown=True, ulps=1)
    wide = hostile(unknown=True).astype(np.float64) + 1e-9
    assert np.array_equal(fast.predict_margin(wide), model._raw_predict(wide)[:, 0])


def test_histogram_boosting_of_classes():
    values, _, two, four = draw()
    for classes in (two, four):
        model = ensemble.HistGradientBoostingClassifier(max_iter=12).fit(values, classes)
        expect_same(model, unknown=True, ulps=4)


def test_isolation_forests():
    values, *_ = draw()
    for features in (1.0, 0.5):
        model = ensemble.IsolationForest(n_estimators=20, max_features=features, random_state=0).fit(values)
        fast = expect_same(model, ulps=1)
        assert np.abs(fast.decision_function(values) - model.decision_function(values)).max() < 1e-15
    assert isinstance(fast, ft.AcceleratedDetector)


XGB_OBJECTIVES = [
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:logistic",
    "count:poisson",
    "reg:gamma",
    "reg:tweedie",
    "binary:logistic",
    "multi:softprob",
    "rank:pairwise",
]


@pytest.mark.parametrize("objective", XGB_OBJECTIVES)
def test_xgboost(objective):
    xgboost = pytest.importorskip("xgboost")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    options = {"n_estimators": 12, "max_depth": 4, "n_jobs": 1}
    if objective.startswith(("binary", "multi")):
        model = xgboost.XGBClassifier(**options).fit(values, two if objective.startswith("b") else four)
    elif objective.startswith("rank"):
        model = xgboost.XGBRanker(objective=objective, **options).fit(values, four, qid=np.arange(len(values)) // 10)
    else:
        target = two * 0.8 + 0.1 if objective == "reg:logistic" else np.abs(score) + 0.1
        model = xgboost.XGBRegressor(objective=objective, **options).fit(values, target)
    fast = expect_same(model, unknown=True, ulps=2)
    margins = model.get_booster().predict(xgboost.DMatrix(hostile(unknown=True)), output_margin=True)
    assert np.array_equal(fast.predict_margin(hostile(unknown=True)), margins)


@pytest.mark.parametrize("objective", ["regression", "poisson", "tweedie", "quantile", "binary", "multiclass", "cross_entropy"])
def test_lightgbm(objective):
    lightgbm = pytest.importorskip("lightgbm")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    target = {"binary": two, "multiclass": four, "cross_entropy": two * 0.8 + 0.1}.get(objective, np.abs(score) + 0.1)
    options = {"objective": objective, "verbose": -1, "num_threads": 1, "num_class": 4 if objective == "multiclass" else 1}
    booster = lightgbm.train(options, lightgbm.Dataset(values, target), 12)
    fast = expect_same(booster, unknown=True, ulps=4)
    hard = hostile(unknown=True)
    assert np.array_equal(fast.predict_margin(hard), booster.predict(hard, raw_score=True))


@pytest.mark.parametrize("kind", ["CatBoostRegressor", "CatBoostClassifier"])
def test_catboost(kind):
    catboost = pytest.importorskip("catboost")
    values, score, two, four = draw()
    values[::5, 0] = np.nan
    for target in (score,) if kind.endswith("Regressor") else (two, four):
        model = getattr(catboost, kind)(iterations=25, depth=4, verbose=False, thread_count=1, allow_writing_files=False)
        fast = expect_same(model.fit(values, target), unknown=True, ulps=32)  # relative to 1 - p near 0
        raw = model.predict(hostile(unknown=True), prediction_type="RawFormulaVal")
        assert ft.checking.differences(raw, fast.predict_margin(hostile(unknown=True)))[1] <= 1


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, list])
def test_histogram_boosting_compares_whole_numbers_in_64_bits(dtype):
    values = 2**24 + np.random.default_rng(0).integers(0, 8, (400, 2))
    model = ensemble.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5).fit(values, values[:, 0] % 2)
    given = values.tolist() if dtype is list else values.astype(dtype)
    assert np.array_equal(ft.accelerate(model).predict_proba(given), model.predict_proba(given))


def test_models_made_of_others_keep_all_but_their_trees():
    values, score, two, four = draw()
    forest = ensemble.RandomForestClassifier(**SHALLOW)
    scaled = pipeline.make_pipeline(preprocessing.StandardScaler(), forest).fit(values, two)
    fast = ft.accelerate(scaled, check=values)
    assert type(fast) is pipeline.Pipeline and type(fast.steps[0][1]) is preprocessing.StandardScaler
    assert fast.check.labels_that_differ == 0 and fast.check.greatest_difference == 0
    for model in (
        calibration.CalibratedClassifierCV(forest, cv=2),
        ensemble.VotingClassifier([("a", forest), ("b", ensemble.GradientBoostingClassifier(n_estimators=3))], voting="soft"),
        ensemble.StackingClassifier([("a", forest)], cv=2),
        multiclass.OneVsRestClassifier(forest),
        model_selection.GridSearchCV(forest, {"max_depth": [3]}, cv=2),
    ):
        fast = ft.accelerate(model.fit(values, four), check=values)
        assert fast.check.labels_that_differ == 0 and fast.check.greatest_difference < 1e-12, model
    texts = np.array(["a", "b", "c", "d"])[np.asarray(four, int)]
    voting = ensemble.VotingClassifier([("a", forest)], voting="hard").fit(values, texts)
    assert ft.accelerate(voting, check=values).check.labels_that_differ == 0
    several = multioutput.MultiOutputRegressor(ensemble.RandomForestRegressor(**SHALLOW)).fit(values, np.column_stack([score, -score]))
    assert np.array_equal(ft.accelerate(several).predict(values), several.predict(values))


def library_of_64_bits(name, values, labels):
    if name == "histogram":
        return ensemble.HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5).fit(values, labels)
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1, n_jobs=1).fit(values, labels)


@pytest.mark.parametrize("library", ["lightgbm", "histogram"])
def test_whatever_becomes_of_a_model_compares_64_bits(library, tmp_path, program):
    random = np.random.default_rng(0)  # days, numbers near 10^8, seconds
    values = np.column_stack([20240000 + random.integers(0, 99, 2000), 10**8 + random.integers(0, 60, 2000), 1.7e9 + random.random(2000)])
    labels = (values[:, 0] + values[:, 1] + (values[:, 2] > 1.7e9 + 0.5)).astype(np.int64) % 2
    model = library_of_64_bits(library, values, labels)
    expected, forest = model.predict(values), ft.accelerate(model).forest
    assert np.count_nonzero(forest.predict_codes(values.astype(np.float32)) != expected) > 100  # 32 bits are not enough
    forest.save(tmp_path / "m.fernwood")
    for same in (forest, ft.RecordForest.load(tmp_path / "m.fernwood"), pickle.loads(pickle.dumps(forest))):
        assert np.array_equal(same.predict_codes(values), expected)
        assert np.array_equal(same.predict_codes(np.asfortranarray(values)[::2], threads=1), expected[::2])
        assert np.allclose(same.shap_values(values[:50]).sum(axis=2), same.predict_margin(values[:50]))
    np.savetxt(tmp_path / "x.csv", values, delimiter=",", fmt="%.17g", header=",".join(forest.attributes), comments="")
    program("predict", "--model", tmp_path / "m.fernwood", "--data", tmp_path / "x.csv", "--label", "none", "--out", tmp_path / "y.csv")
    assert np.array_equal(np.loadtxt(tmp_path / "y.csv", skiprows=1), expected)


def single_rows(values):
    """The first records by themselves, as arrays of several types and layouts."""
    for i in range(20):
        row = values[i : i + 1]
        yield i, row
        yield i, row.astype(np.float64)
        yield i, np.repeat(row, 2, axis=1)[:, ::2]
        yield i, np.asfortranarray(values)[i : i + 1]
        yield i, row.tolist()


@pytest.mark.parametrize("library", ["sklearn", "histogram", "xgboost", "lightgbm"])
def test_a_single_record_has_the_answers_that_it_has_among_others(library):
    values, score, two, four = draw()
    if library == "sklearn":
        regressor, classifier = ensemble.RandomForestRegressor(9, random_state=0), ensemble.RandomForestClassifier(**SHALLOW)
    elif library == "histogram":
        regressor = ensemble.HistGradientBoostingRegressor(max_iter=9)
        classifier = ensemble.HistGradientBoostingClassifier(max_iter=9)
    elif library == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        regressor, classifier = xgboost.XGBRegressor(n_estimators=9), xgboost.XGBClassifier(n_estimators=9)
    else:
        lightgbm = pytest.importorskip("lightgbm")
        regressor = lightgbm.LGBMRegressor(n_estimators=9, verbose=-1)
        classifier = lightgbm.LGBMClassifier(n_estimators=9, verbose=-1)
    records = hostile(unknown=library != "sklearn", num_records=20)
    for model, methods in (
        (regressor.fit(values, score), ["predict", "predict_margin"]),
        (classifier.fit(values, two if library == "sklearn" else four), ["predict", "predict_proba", "predict_margin"]),
    ):
        fast = pickle.loads(pickle.dumps(ft.accelerate(model)))
        for method in methods:
            ask = getattr(fast, method)
            expected = ask(records)
            kept = [(i, ask(row)) for i, row in single_rows(records)]
            for i, found in kept:  # after all calls: answers are not overwritten
                assert found.dtype == expected.dtype and np.array_equal(found, expected[i : i + 1]), (method, i)
        fast = pickle.loads(pickle.dumps(fast))
        with pytest.raises(ft.errors.DataError, match="the records have 5 attributes"):
            fast.predict(records[:1, :5])
        assert np.array_equal(fast.predict(records[:1], iterations=3), fast.predict(records, iterations=3)[:1])


def test_a_single_record_is_compared_in_64_bits_where_the_library_does():
    values = np.random.default_rng(0).integers(0, 1000, (400, 3)) + 1.7e9  # neighbours that are one number in 32 bits
    model = ensemble.HistGradientBoostingRegressor(max_iter=5).fit(values, values[:, 0] - 1.7e9)
    fast = ft.accelerate(model)
    for i in range(20):
        assert fast.predict(values[i : i + 1]) == model.predict(values[i : i + 1])
