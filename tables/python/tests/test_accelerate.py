# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Other libraries' classifiers: the labels are equal, the probabilities are equal up to rounding."""
import pickle

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.ensemble import (  # noqa: E402
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier  # noqa: E402

MODELS = [
    DecisionTreeClassifier(random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(15, random_state=0),
    RandomForestClassifier(8, max_depth=4, random_state=0),
    ExtraTreesClassifier(15, random_state=0),
    GradientBoostingClassifier(n_estimators=8, random_state=0),
]


def draw(num_records=400, num_classes=3, seed=0, dtype=np.float32):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 6)).astype(dtype)
    score = values[:, 0] + values[:, 1] * values[:, 2] + 0.2 * random.standard_normal(num_records)
    return values, np.digitize(score, np.linspace(-0.7, 0.7, num_classes - 1)) if num_classes > 2 else score > 0


def same_as(model, values):
    fast = ft.accelerate(model)
    expected = model.predict_proba(values)
    found = fast.predict_proba(values)
    assert np.array_equal(fast.classes_, model.classes_)
    assert found.dtype == expected.dtype and np.abs(found - expected).max() < 2e-6
    labels = fast.predict(values)
    assert labels.dtype == model.predict(values[:1]).dtype
    assert np.array_equal(labels, model.predict(values))
    return fast


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("num_classes", [2, 4])
def test_sklearn(model, num_classes):
    values, labels = draw(num_classes=num_classes)
    same_as(model.fit(values, labels), draw(3000, seed=1, dtype=np.float64)[0])


def test_labels_may_be_texts_or_any_numbers():
    values, codes = draw()
    for labels in (np.array(["x", "long name", "y"])[codes], codes * 7 - 3, codes * 2.0, codes > 0):
        same_as(RandomForestClassifier(5, random_state=0).fit(values, labels), values)


def test_unknown_values_go_where_sklearn_sends_them():
    values, labels = draw()
    values[::4, 0] = np.nan
    for model in (RandomForestClassifier(9, random_state=0), DecisionTreeClassifier(random_state=0)):
        fast = same_as(model.fit(values, labels), values)
        fast.score(values, labels)


def test_losses_of_gradient_boosting():
    values, labels = draw(num_classes=2)
    same_as(GradientBoostingClassifier(n_estimators=9, loss="exponential").fit(values, labels), values)
    same_as(GradientBoostingClassifier(n_estimators=9, init="zero").fit(values, labels), values)
    begun = GradientBoostingClassifier(n_estimators=2, init=DecisionTreeClassifier(max_depth=1)).fit(values, labels)
    with pytest.raises(ft.errors.ModelError, match="begins with another model"):
        ft.accelerate(begun)


@pytest.mark.parametrize("objective", ["binary:logistic", "multi:softprob"])
def test_xgboost(objective):
    xgboost = pytest.importorskip("xgboost")
    values, labels = draw(num_classes=2 if objective.startswith("b") else 4)
    values[::3, 1] = np.nan
    model = xgboost.XGBClassifier(n_estimators=12, max_depth=4, n_jobs=1).fit(values, labels.astype(int))
    same_as(model, draw(2000, seed=2)[0])
    fast = ft.accelerate(model.get_booster())
    assert np.array_equal(fast.predict(values), model.predict(values))


def test_xgboost_that_stopped_early():
    xgboost = pytest.importorskip("xgboost")
    values, labels = draw(num_classes=2)
    labels = labels.astype(int)
    model = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, learning_rate=1, n_jobs=1)
    model.fit(values, labels, eval_set=[draw(100, 2, seed=3)], verbose=False)
    assert model.best_iteration < 57
    assert same_as(model, values).forest.num_trees == model.best_iteration + 1


@pytest.mark.parametrize("num_classes", [2, 4])
def test_lightgbm(num_classes):
    lightgbm = pytest.importorskip("lightgbm")
    values, labels = draw(num_classes=num_classes)
    values[::3, 1] = np.nan
    model = lightgbm.LGBMClassifier(n_estimators=12, verbose=-1, n_jobs=1).fit(values, labels)
    same_as(model, draw(2000, seed=2)[0])
    fast = ft.accelerate(model.booster_)
    assert np.array_equal(fast.classes_[fast.predict(values)], np.searchsorted(model.classes_, model.predict(values)))


def test_lightgbm_tells_apart_what_32_bits_do_not():
    lightgbm = pytest.importorskip("lightgbm")
    random = np.random.default_rng(0)
    seconds = 1.7e9 + random.integers(0, 1000, 2000)
    values = np.column_stack([random.standard_normal(2000), seconds])
    model = lightgbm.LGBMClassifier(n_estimators=12, verbose=-1, n_jobs=1).fit(values, (seconds % 100 > 50).astype(int))
    fast = same_as(model, values)
    assert fast.score(values, seconds % 100 > 50) > 0.9
    same_as(model, np.asfortranarray(values)[::-2])
    same_as(model, values.astype(np.float32))
    copy = pickle.loads(pickle.dumps(fast))
    assert np.array_equal(copy.predict(values), fast.predict(values))


def test_frames_are_read_by_the_names_that_the_model_saw():
    pandas = pytest.importorskip("pandas")
    values, labels = draw()
    frame = pandas.DataFrame(values, columns=list("abcdef"))
    model = RandomForestClassifier(5, random_state=0).fit(frame, labels)
    fast = ft.accelerate(model)
    assert np.array_equal(fast.predict(frame[list("fedcba")]), model.predict(frame))
    assert fast.forest.attributes == list("abcdef") and fast.n_features_in_ == 6


def test_labels_may_be_ones_that_a_table_cannot_tell_apart(tmp_path):
    values, labels = draw()
    for texts in (["EU", "NA", "US"], ["1", "1.0", "2"]):
        fast = same_as(RandomForestClassifier(5, random_state=0).fit(values, np.array(texts)[labels]), values)
        assert fast.forest.classes == ["0", "1", "2"]
        fast.forest.save(tmp_path / "m.fernwood")


def test_the_forest_can_be_saved_for_the_program(tmp_path):
    values, labels = draw()
    fast = ft.accelerate(RandomForestClassifier(5, random_state=0).fit(values, labels))
    fast.forest.save(tmp_path / "m.fernwood")
    loaded = ft.RecordForest.load(tmp_path / "m.fernwood")
    assert np.array_equal(loaded.predict_codes(values), fast.predict(values))
    assert loaded.describe().provenance["imported_from"] == "sklearn"


@pytest.mark.parametrize(
    "model, sentence",
    [
        (RandomForestClassifier(), "is not fitted"),
        (RandomForestRegressor(), "is not fitted"),
        (AdaBoostRegressor(LinearRegression(), n_estimators=2).fit([[1], [2]], [1, 3]), "AdaBoost of other models than trees"),
        (AdaBoostClassifier(n_estimators=2).fit([[1], [2]], ["a", "a"]), "the AdaBoostClassifier was trained on records of one class, 'a'; train"),
        (HistGradientBoostingClassifier(max_iter=2).fit([[1], [2]], [3, 3]), "was trained on records of one class, '3'; train with"),
        (LinearRegression().fit([[1], [2]], [1, 2]), "LinearRegression cannot be accelerated; trees, forests"),
        ("forest", "a str cannot be accelerated"),
    ],
    ids=lambda case: str(case)[:20],
)
def test_what_cannot_be_accelerated_says_why(model, sentence):
    with pytest.raises(ft.errors.ModelError, match=sentence):
        ft.accelerate(model)


def test_a_wrong_option_is_told_before_records_come():
    values, labels = draw()
    model = DecisionTreeClassifier().fit(values, labels)
    with pytest.raises(ft.errors.UsageError, match="did you mean layered"):
        ft.accelerate(model, strategy="layerd")
    with pytest.raises(ft.errors.DeviceError):
        ft.accelerate(model, device="cuda:77")
