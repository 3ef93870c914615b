# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Accelerated models are what users of the libraries expect: boosters predict as boosters, the others are estimators."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.6")

from sklearn import base, calibration, compose, ensemble, frozen, linear_model, metrics, model_selection  # noqa: E402


def draw(num_records=300):
    random = np.random.default_rng(0)
    values = random.normal(size=(num_records, 4)).astype(np.float32)
    score = values[:, 0] + values[:, 1] * values[:, 2]
    return values, score, (score > 0).astype(int), np.digitize(score, [-0.7, 0, 0.7])


VALUES, SCORE, TWO, FOUR = draw()
MULTI = {"num_class": 4}
BOOSTERS = [
    ("xgboost", {"objective": "binary:logistic"}, TWO), ("xgboost", {"objective": "binary:logitraw"}, TWO),
    ("xgboost", {"objective": "binary:hinge"}, TWO), ("xgboost", {"objective": "multi:softprob", **MULTI}, FOUR),
    ("xgboost", {"objective": "multi:softmax", **MULTI}, FOUR), ("xgboost", {"objective": "count:poisson"}, FOUR),
    ("lightgbm", {"objective": "binary"}, TWO), ("lightgbm", {"objective": "multiclass", **MULTI}, FOUR),
    ("lightgbm", {"objective": "poisson"}, FOUR),
    ("catboost", {"loss_function": "Logloss"}, TWO), ("catboost", {"loss_function": "MultiClass"}, FOUR),
    ("catboost", {"loss_function": "Poisson"}, FOUR),
]  # fmt: skip


@pytest.mark.parametrize(("library", "options", "labels"), BOOSTERS, ids=lambda value: str(value)[:40])
def test_a_booster_predicts_what_it_predicts(library, options, labels):
    module = pytest.importorskip(library)
    if library == "catboost":
        booster = module.CatBoost({**options, "iterations": 5, "verbose": False, "allow_writing_files": False}).fit(VALUES, labels)
        expected = booster.predict(VALUES)
    else:
        data = module.DMatrix(VALUES, labels) if library == "xgboost" else module.Dataset(VALUES, labels)
        booster = module.train({**options, "verbosity": -1 if library == "lightgbm" else 0}, data, 5)
        expected = booster.predict(module.DMatrix(VALUES) if library == "xgboost" else VALUES)
    fast = ft.accelerate(booster, check=VALUES)
    found = fast.predict(VALUES)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype) and fast.check.labels_that_differ == 0
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    if "poisson" not in str(options).lower():
        assert (fast.predict_codes(VALUES) == labels).mean() > 0.7
        assert fast.predict_proba(VALUES).shape == (len(VALUES), labels.max() + 1)


def test_hinge_has_the_probabilities_0_and_1():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=5, objective="binary:hinge").fit(VALUES, TWO)
    fast = ft.accelerate(model)
    assert np.array_equal(fast.predict_proba(VALUES), model.predict_proba(VALUES))
    assert np.array_equal(fast.predict(VALUES), model.predict(VALUES))


FOREST, REGRESSOR = ensemble.RandomForestClassifier(4, random_state=0), ensemble.RandomForestRegressor(4, random_state=0)
MADE_OF_OTHERS = [
    (ensemble.BaggingClassifier(FOREST, 3, max_features=3, random_state=0), FOUR),
    (ensemble.BaggingRegressor(REGRESSOR, 3, max_features=3, random_state=0), SCORE),
    (ensemble.AdaBoostClassifier(FOREST, n_estimators=2, random_state=0), FOUR),
    (model_selection.FixedThresholdClassifier(FOREST, threshold=0.3), TWO),
    (model_selection.TunedThresholdClassifierCV(FOREST, cv=2), TWO),
    (compose.TransformedTargetRegressor(REGRESSOR, func=np.sinh, inverse_func=np.arcsinh), SCORE),
]


@pytest.mark.parametrize(("model", "labels"), MADE_OF_OTHERS, ids=[type(model).__name__ for model, _ in MADE_OF_OTHERS])
def test_models_made_of_others_have_accelerated_parts(model, labels):
    model = base.clone(model).fit(VALUES, labels)
    fast = ft.accelerate(model)
    found = vars(fast)
    part = found["estimators_"][0] if "estimators_" in found else found.get("estimator_", found.get("regressor_"))
    assert isinstance(part.predict.__self__, ft.AcceleratedModel)
    assert np.array_equal(fast.predict(VALUES), model.predict(VALUES))
    assert np.array_equal(pickle.loads(pickle.dumps(fast)).predict(VALUES), model.predict(VALUES))
    with pytest.raises(ft.errors.ModelError, match="made of LogisticRegression"):
        ft.accelerate(ensemble.BaggingClassifier(linear_model.LogisticRegression(), 2).fit(VALUES, TWO))


def test_an_accelerated_classifier_is_an_estimator():
    pandas = pytest.importorskip("pandas")
    frame, weights = pandas.DataFrame(VALUES, columns=list("abcd")), np.arange(len(VALUES))
    model = ensemble.RandomForestClassifier(9, random_state=0).fit(frame, FOUR)
    fast = ft.accelerate(model, threads=1)
    assert base.is_classifier(fast) and not base.is_regressor(fast) and base.clone(fast) is fast
    assert list(fast.feature_names_in_) == list("abcd") and fast.n_features_in_ == 4
    assert fast.get_params() == {"device": "cpu", "threads": 1} and fast.set_params(threads=2).get_params()["threads"] == 2
    assert np.array_equal(fast.predict_log_proba(frame), model.predict_log_proba(frame))
    assert fast.score(frame, FOUR, weights) == model.score(frame, FOUR, weights)
    assert metrics.get_scorer("roc_auc_ovr")(fast, frame, FOUR) == metrics.get_scorer("roc_auc_ovr")(model, frame, FOUR)
    calibrated = [calibration.CalibratedClassifierCV(frozen.FrozenEstimator(one)).fit(frame, FOUR) for one in (fast, model)]
    assert np.array_equal(*(one.predict_proba(frame) for one in calibrated))
    with pytest.raises(ft.errors.UsageError, match="train the original model"):
        fast.fit(frame, FOUR)


def test_accelerated_regressors_and_detectors_are_estimators():
    model, weights = ensemble.RandomForestRegressor(5, random_state=0).fit(VALUES, SCORE), np.arange(len(VALUES))
    fast = ft.accelerate(model)
    assert base.is_regressor(fast) and not hasattr(fast, "feature_names_in_")
    assert fast.score(VALUES, SCORE, weights) == pytest.approx(model.score(VALUES, SCORE, weights), rel=1e-12)
    assert base.is_outlier_detector(ft.accelerate(ensemble.IsolationForest(n_estimators=3).fit(VALUES)))


@pytest.mark.parametrize("library", ["sklearn", "xgboost", "lightgbm"])
def test_elements_that_a_sparse_matrix_does_not_store(library):
    sparse = pytest.importorskip("scipy.sparse")
    pytest.importorskip(library)
    values = sparse.random(300, 4, density=0.5, random_state=0, format="csr", dtype=np.float32)
    labels = (values.toarray()[:, 0] > 0.3).astype(int)
    if library == "sklearn":
        model = FOREST
    elif library == "xgboost":
        import xgboost

        model = xgboost.XGBClassifier(n_estimators=4)
    else:
        import lightgbm

        model = lightgbm.LGBMClassifier(n_estimators=4, verbose=-1, min_child_samples=3, n_jobs=1)
    model = base.clone(model).fit(values, labels)
    assert np.array_equal(ft.accelerate(model).predict_proba(values), model.predict_proba(values))
