# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Models with categorical splits, or with special rules for missing values: the sums are equal to the last bit."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest

CATEGORICAL = [0, 2]
#: Values that are not categories: negative, fractional, too large, or unseen.
STRANGE = [-1, -2, -0.5, -0.999, 0.5, 1.5, 59.75, 250, 1e5, 2**24 - 1, 2**24, 3e9, -1e30, 1e-36, -1e-36, -0.0]


def draw(num_records=2000, seed=0):
    """Records with two categorical attributes, and a score."""
    random = np.random.default_rng(seed)
    values = np.stack(
        [random.integers(0, 60, num_records), random.standard_normal(num_records), random.integers(0, 5, num_records)]
        + [random.integers(-2, 3, num_records)],
        axis=1,
    ).astype(np.float64)
    score = np.sin(3 * values[:, 0]) + 0.3 * values[:, 1] + (values[:, 2] == 2) + (values[:, 3] == 0)
    values[random.random(values.shape) < 0.08] = np.nan
    return values, score


def hostile(num_records=20000, seed=1):
    values = draw(num_records, seed)[0]
    random = np.random.default_rng(seed)
    chosen = random.random(values.shape) < 0.25
    values[chosen] = random.choice(STRANGE, chosen.sum())
    return values


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"max_cat_to_onehot": 100}, {"zero_as_missing": True}, {"use_missing": False}], ids=str)
def test_lightgbm(dtype, options):
    lightgbm = pytest.importorskip("lightgbm")
    values, score = draw()
    given = {"verbose": -1, "num_threads": 1, "min_data_per_group": 5, "cat_smooth": 1, **options}
    model = lightgbm.train(given, lightgbm.Dataset(values, score, categorical_feature=CATEGORICAL), 20)
    asked = hostile().astype(dtype)
    assert np.array_equal(ft.accelerate(model).predict_margin(asked), model.predict(asked, raw_score=True))


@pytest.mark.parametrize("options", [{}, {"max_cat_to_onehot": 1}, {"max_cat_to_onehot": 100}], ids=str)
@pytest.mark.parametrize("missing", [np.nan, 2, -2])
def test_xgboost(options, missing):
    xgboost = pytest.importorskip("xgboost")
    values, score = draw()
    kinds = ["c" if attribute in CATEGORICAL else "q" for attribute in range(values.shape[1])]
    model = xgboost.XGBRegressor(
        n_estimators=20, missing=missing, enable_categorical=True, feature_types=kinds, n_jobs=1, **options
    ).fit(values, score)
    asked = hostile().astype(np.float32)
    expected = model.predict(asked, output_margin=True)
    assert np.array_equal(ft.accelerate(model).predict_margin(asked), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("categorical", [CATEGORICAL, [2]], ids=str)
def test_histogram_boosting(dtype, categorical):
    ensemble = pytest.importorskip("sklearn.ensemble")
    values, score = draw()
    model = ensemble.HistGradientBoostingRegressor(max_iter=20, categorical_features=categorical).fit(values, score)
    asked = hostile().astype(dtype)
    assert np.array_equal(ft.accelerate(model).predict_margin(asked), model._raw_predict(asked)[:, 0])


NAMES = np.array(["red", "green", "blue", "black"])


def colours(order, unseen=None, num_records=400):
    """A table whose columns `c`, strings, and `d`, integers, are categories in an order, and its classes."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    place, x = random.integers(0, 4, num_records), random.normal(size=num_records)
    numbers = np.array([7, 3, 9, 4])[random.integers(0, 4, num_records)]
    texts = pandas.Series(NAMES[place], dtype=object)
    texts[:20] = [None, unseen or None] * 10
    table = pandas.DataFrame({
        "x": x, "c": pandas.Categorical(texts, categories=[*NAMES[order], *([unseen] if unseen else [])]),
        "d": pandas.Categorical(numbers, categories=np.array([7, 3, 9, 4])[order]),
    })  # fmt: skip
    return table, ((place == 1) | ((place == 3) & (x > 0)) | (numbers == 9)).astype(int)


MODELS = {
    "XGBClassifier": ("xgboost", {"n_estimators": 5, "max_depth": 3, "enable_categorical": True}),
    "XGBRFClassifier": ("xgboost", {"n_estimators": 5, "enable_categorical": True}),
    "LGBMClassifier": ("lightgbm", {"n_estimators": 5, "verbose": -1, "min_child_samples": 5, "n_jobs": 1}),
    "HistGradientBoostingClassifier": ("sklearn.ensemble", {"max_iter": 5}),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    library, options = MODELS[request.param]
    return getattr(pytest.importorskip(library), request.param)(**options).fit(*colours([0, 1, 2, 3]))


def test_categories_are_those_of_training_in_any_order(model):
    fast = ft.accelerate(model)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        table = colours(order)[0]
        for given in (table, table[["d", "x", "c"]]):
            assert np.array_equal(fast.predict_proba(given), model.predict_proba(table))
        assert np.array_equal(pickle.loads(pickle.dumps(fast)).predict(table), model.predict(table))
    unseen = colours([0, 1, 2, 3], "violet")[0]
    if "XGB" in type(model).__name__:
        with pytest.raises(ft.errors.DataError, match="'violet'.*'red', 'green'"):
            fast.predict(unseen)
    else:
        assert np.array_equal(fast.predict_proba(unseen), model.predict_proba(unseen))
    with pytest.raises(ft.errors.DataError, match="1 columns of categories, and the model was trained on 2"):
        fast.predict(table.assign(d=1.0))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_categories_of_any_table_are_found_by_name(library):
    xgboost, module = pytest.importorskip("xgboost", minversion="3.1"), pytest.importorskip(library)
    frame = colours([0, 1, 2, 3])[0].drop(columns="d")

    def made(order):
        table = colours(order)[0].drop(columns="d")
        if library == "polars":
            texts = [text if isinstance(text, str) else None for text in table.c]
            return module.DataFrame({"x": table.x.to_numpy(), "c": module.Series(texts, dtype=module.Enum(NAMES[order]))})
        return module.Table.from_pandas(table) if library == "pyarrow" else table

    labels = colours([0, 1, 2, 3])[1]
    model = xgboost.XGBClassifier(n_estimators=5, enable_categorical=True).fit(frame, labels)
    expected = model.predict_proba(frame)
    fast = ft.accelerate(model)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        assert np.array_equal(fast.predict_proba(made(order)), expected)
