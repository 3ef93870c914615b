# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""CatBoost models with categories: the sums are equal to the last bit, for all kinds of tables that `predict`
accepts."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest

catboost = pytest.importorskip("catboost")
pandas = pytest.importorskip("pandas")

CATEGORIES = ["colour", "city", "code"]
FEW = {"iterations": 30, "depth": 5, "verbose": False, "thread_count": 1, "allow_writing_files": False}
ALL_TYPES = ["Borders", "Buckets", "BinarizedTargetMeanValue", "Counter"]


def draw(num_records=3000, seed=0, is_hostile=False):
    """A table of two numbers and three categories; hostile: with unseen categories of all kinds."""
    random = np.random.default_rng(seed)
    colours = ["red", "green", "", "blau", "ü", "nan"] + ["None", "pink", "\U0001f600" * 30] * is_hostile
    cities = [f"city {i}" for i in range(200)] + ["", "x" * 100] * is_hostile
    codes = random.integers(-20, 20, num_records)
    if is_hostile:
        codes = np.where(random.random(num_records) < 0.3, random.choice([2**62 + 1, -(2**63), 2**63 - 1, 99], num_records), codes)
    table = pandas.DataFrame(
        {
            "width": random.standard_normal(num_records).astype(np.float32),
            "colour": random.choice(colours, num_records),
            "city": random.choice(cities, num_records),
            "code": codes,
            "height": random.standard_normal(num_records),
        }
    )
    table.loc[random.random(num_records) < 0.1, "width"] = np.nan
    return table


def target_of(table, seed=3):
    noise = 0.3 * np.random.default_rng(seed).standard_normal(len(table))
    score = table.width.fillna(1) + table.city.str.len() % 3 + table.city.str[-1:].eq("7") * 2 + (table.code % 5) * 0.3
    return (score + table.colour.eq("red") * table.height + noise).to_numpy()


def fit(model, target=None):
    table = draw()
    return model.fit(table, target_of(table) if target is None else target(target_of(table)), cat_features=CATEGORIES)


def halves(score):
    return (score > np.median(score)).astype(int)


def quarters(score):
    return np.digitize(score, np.quantile(score, [0.25, 0.5, 0.75]))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"one_hot_max_size": 300},
        {"one_hot_max_size": 6, "max_ctr_complexity": 3},
        {"simple_ctr": ALL_TYPES, "combinations_ctr": ALL_TYPES},
        {"simple_ctr": ["Borders:TargetBorderCount=5", "BinarizedTargetMeanValue:TargetBorderCount=5:Prior=0.3/1"]},
        {"simple_ctr": "Buckets:TargetBorderCount=4", "counter_calc_method": "Full"},
        {"nan_mode": "Max"},
        {"grow_policy": "Depthwise"},
        {"grow_policy": "Lossguide", "one_hot_max_size": 6},
    ],
    ids=str,
)
def test_sums_have_the_bits_of_the_models(options):
    model = fit(catboost.CatBoostRegressor(**FEW, **options))
    asked = draw(20000, 1, is_hostile=True)
    fast = ft.accelerate(model, check=asked)
    assert np.array_equal(fast.predict(asked), model.predict(asked, thread_count=1))
    assert fast.check.greatest_ulps == 0


@pytest.mark.parametrize(
    "names, target, loss",
    [
        ([0, 1], halves, "Logloss"),
        (["no", "yes"], halves, "Logloss"),
        ([7, 3, 5, 4], quarters, "MultiClass"),
        (["a", "b", "c", "d"], quarters, "MultiClassOneVsAll"),
    ],
)
def test_labels_and_probabilities_are_the_models(names, target, loss):
    ctrs = {"simple_ctr": ALL_TYPES, "combinations_ctr": ALL_TYPES}
    model = fit(catboost.CatBoostClassifier(loss_function=loss, **ctrs, **FEW), lambda score: np.array(names)[target(score)])
    asked = draw(20000, 1, is_hostile=True)
    fast = ft.accelerate(model)
    assert np.array_equal(fast.predict(asked), np.ravel(model.predict(asked, thread_count=1)))
    raw = model.predict(asked, prediction_type="RawFormulaVal", thread_count=1)
    assert np.array_equal(fast.predict_margin(asked), raw)
    assert np.allclose(fast.predict_proba(asked), model.predict_proba(asked), rtol=1e-14, atol=1e-15)
    assert np.array_equal(fast.apply(asked), fast.forest.apply(asked))


def test_a_probability_threshold_decides_labels(tmp_path):
    model = fit(catboost.CatBoostClassifier(**FEW), lambda score: (score > np.median(score)).astype(int))
    asked = draw(5000, 1, is_hostile=True)
    before = model.predict(asked)
    model.set_probability_threshold(0.2)
    fast = ft.accelerate(model)
    fast.forest.save(tmp_path / "m.fernwood")
    assert np.array_equal(fast.predict(asked), model.predict(asked)) and np.any(model.predict(asked) != before)
    assert np.array_equal(ft.RecordForest.load(tmp_path / "m.fernwood").predict_codes(asked), model.predict(asked))
    assert np.allclose(fast.predict_proba(asked), model.predict_proba(asked), rtol=1e-14, atol=1e-15)


def tables_of(table):
    """The same table in the forms that CatBoost accepts."""
    yield "objects", table.astype(object).to_numpy()
    yield "lists", table.to_numpy().tolist()
    yield "texts", table.astype(str).to_numpy().astype(str)
    yield "categories", table.assign(colour=table.colour.astype("category"), code=table.code.astype("category"))
    yield "strings", table.assign(city=table.city.astype("string"), code=table.code.astype("Int64"))
    yield "bytes", table.assign(city=[city.encode() for city in table.city])


def test_tables_of_all_kinds_give_the_same():
    model = fit(catboost.CatBoostRegressor(one_hot_max_size=6, **FEW))
    asked = draw(500, 1, is_hostile=True)
    fast = ft.accelerate(model)
    expected = model.predict(asked, thread_count=1)
    for kind, table in tables_of(asked):
        if kind not in ("texts",):  # of these, CatBoost parses numbers with fewer digits
            assert np.array_equal(model.predict(table, thread_count=1), expected), kind
        assert np.array_equal(fast.predict(table), expected), kind
    assert np.array_equal(fast.predict(asked[asked.columns[::-1]]), expected)  # columns are matched by name


def test_whole_numbers_are_categories_by_their_decimals():
    random = np.random.default_rng(0)
    values = random.integers(-50, 50, (2000, 3))
    model = catboost.CatBoostRegressor(cat_features=[0, 2], **FEW).fit(values, (values[:, 0] % 7) * (values[:, 2] % 3) + values[:, 1])
    asked = random.integers(-70, 70, (3000, 3))
    fast = ft.accelerate(model)
    assert np.array_equal(fast.predict(asked), model.predict(asked))
    assert np.array_equal(fast.predict(asked.astype(str)), model.predict(asked))
    flags = asked > 0
    assert np.array_equal(fast.predict(flags), model.predict(flags))


def test_a_saved_forest_takes_the_same_tables(tmp_path):
    model = fit(catboost.CatBoostRegressor(one_hot_max_size=6, **FEW))
    asked = draw(300, 1, is_hostile=True)
    fast = ft.accelerate(model)
    fast.forest.save(tmp_path / "model.fernwood")
    expected = model.predict(asked, thread_count=1)
    for forest in (ft.RecordForest.load(tmp_path / "model.fernwood"), pickle.loads(pickle.dumps(fast.forest))):
        assert np.array_equal(forest.predict_values(asked)[:, 0], expected)
    model.save_model(str(tmp_path / "model.json"), format="json")
    imported = ft.RecordForest.import_model(tmp_path / "model.json")
    assert np.array_equal(imported.predict_values(asked)[:, 0], expected)


@pytest.mark.parametrize(
    "value, message",
    [
        (float("nan"), "column 'city' holds a missing value where the model has categories"),
        (1.0, "column 'city' holds 1.0 where the model has categories, which are strings or integers"),
    ],
)
def test_what_is_no_category_is_refused(value, message):
    model = fit(catboost.CatBoostRegressor(**FEW))
    asked = draw(3).astype(object)
    asked.at[1, "city"] = value
    with pytest.raises(Exception):
        model.predict(asked)
    with pytest.raises(ft.errors.DataError, match=message):
        ft.accelerate(model).predict(asked)


def test_statistics_that_the_file_mixes_up_are_refused():
    several = fit(catboost.CatBoostRegressor(loss_function="MultiRMSE", **FEW), lambda score: np.column_stack([score, -score**2]))
    mixed = fit(catboost.CatBoostRegressor(simple_ctr=["Borders:TargetBorderCount=3", "Borders:TargetBorderCount=7"], **FEW))
    for model in (several, mixed):
        with pytest.raises(ft.errors.ModelError, match="which CatBoost's JSON does not tell apart"):
            ft.accelerate(model)
    counted = {"simple_ctr": "Counter", "combinations_ctr": "Counter"}
    model = fit(catboost.CatBoostRegressor(loss_function="MultiRMSE", **counted, **FEW), lambda score: np.column_stack([score, -score]))
    asked = draw(2000, 1, is_hostile=True)
    assert np.array_equal(ft.accelerate(model).predict(asked), model.predict(asked, thread_count=1))
