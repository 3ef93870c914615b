# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The classifier with a scikit-learn-compatible API."""
import subprocess
import sys

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.6")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402


def draw(num_records=400, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 4), dtype=np.float32)
    return values, np.array(["no", "yes"])[(values[:, 0] * values[:, 1] > 0).astype(int)]


@parametrize_with_checks([ft.RecordForestClassifier(n_estimators=5)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_grows_the_forest_that_train_grows():
    values, labels = draw()
    model = ft.RecordForestClassifier(
        9, max_depth=4, random_state=7, bootstrap=False, min_samples_leaf=0.01, max_features=0.8, criterion="log_loss"
    ).fit(values, labels)
    options = {"trees": 9, "max_depth": 4, "seed": 7, "min_leaf_samples": 4, "attributes_per_split": 3, "criterion": "entropy"}
    forest = ft.train(values, labels, bootstrap=False, **options)
    assert model.forest_._handle.to_bytes() == forest._handle.to_bytes()
    assert list(model.classes_) == forest.classes and model.training_["records"] == 400
    assert np.array_equal(model.predict(values), forest.predict(values))


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("kind", [ft.RecordForestClassifier, ft.RecordForestRegressor])
def test_a_record_of_a_whole_weight_counts_as_often_in_any_order(kind, bootstrap):
    values, labels = draw(100)
    y, weights = (labels == "yes").astype(int), np.arange(100) % 3
    times, order = np.repeat(np.arange(100), weights), np.random.default_rng(1).permutation(100)

    def answers(rows, sample_weight=None):
        model = kind(5, bootstrap=bootstrap, random_state=3).fit(values[rows], y[rows], sample_weight=sample_weight)
        return getattr(model, "predict_proba", model.predict)(values)

    assert np.array_equal(answers(order, weights[order]), answers(times))
    assert np.array_equal(answers(order, np.full(100, 0.01)), answers(slice(None)))
    parts = answers(order, weights[order] / 8)
    assert bootstrap or np.array_equal(parts, answers(times))
    assert not np.array_equal(parts, answers(order))


def test_classes_have_weights_and_boosting_gives_fractions():
    from sklearn.ensemble import AdaBoostClassifier

    values, labels = draw(200)
    weighted = ft.RecordForestClassifier(5, class_weight={"yes": 3}).fit(values, labels)
    expected = ft.RecordForestClassifier(5).fit(values, labels, sample_weight=np.where(labels == "yes", 3, 1))
    assert weighted.forest_._handle.to_bytes() == expected.forest_._handle.to_bytes()
    rare = np.arange(200) % 10 == 0
    shares = [ft.RecordForestClassifier(20, max_depth=1, class_weight=weight).fit(values, rare).predict_proba(values)[:, 1].mean()
              for weight in (None, "balanced")]  # fmt: skip
    assert shares[0] < 0.2 < 0.35 < shares[1]
    stump = ft.RecordForestClassifier(1, max_depth=2, bootstrap=False, max_features=None)
    boosted = AdaBoostClassifier(stump, n_estimators=20, random_state=0).fit(values, labels)
    assert boosted.score(values, labels) > stump.fit(values, labels).score(values, labels) + 0.02


def test_reads_as_an_estimator_of_scikit_learn():
    from sklearn.feature_selection import SelectFromModel
    from sklearn.model_selection import GridSearchCV
    from sklearn.utils._param_validation import InvalidParameterError

    values, labels = draw(200)
    search = GridSearchCV(ft.RecordForestClassifier(5), {"max_depth": [None, 1], "max_features": ["sqrt", 1.0]}, cv=2)
    assert search.fit(values, labels).best_params_["max_depth"] is None
    assert SelectFromModel(ft.RecordForestClassifier(9), max_features=2).fit(values, labels).get_support()[:2].all()
    model = ft.RecordForestClassifier(9, oob_score=True, random_state=np.random.RandomState(0)).fit(values, labels)
    assert 0.5 < model.oob_score_ == model.training_["out_of_bag_accuracy"] < 1
    assert not hasattr(ft.RecordForestClassifier(2).fit(values, labels), "oob_score_")
    for wrong, sentence in (({"warm_start": True}, "Invalid parameter 'warm_start'"), ({"n_estimators": 0}, "must be an int")):
        with pytest.raises(ValueError, match=sentence):
            ft.RecordForestClassifier().set_params(**wrong).fit(values, labels)
    assert issubclass(InvalidParameterError, ValueError)
    with pytest.raises(ft.errors.DataError, match=r"y has 2 outputs.*MultiOutputClassifier\(RecordForestClassifier"):
        ft.RecordForestClassifier().fit(values, np.stack([labels, labels], axis=1))


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64, bool, "<U3", object])
def test_labels_come_back_as_they_were_given(dtype):
    values, labels = draw(50)
    y = labels.astype(object) if dtype is object else np.array(labels == "yes").astype(dtype)
    model = ft.RecordForestClassifier(3).fit(values, y)
    assert model.predict(values).dtype == np.unique(y if dtype is not object else labels).dtype
    assert set(model.predict(values)) <= set(y)


def test_sparse_matrices_are_dense_and_categories_are_found_by_name():
    pandas, polars, pyarrow, sparse = map(pytest.importorskip, ("pandas", "polars", "pyarrow", "scipy.sparse"))
    values, labels = draw(100)
    values[values < 0.3] = 0
    dense, thin = (ft.RecordForestClassifier(3).fit(kind(values), labels) for kind in (np.array, sparse.csr_matrix))
    assert np.array_equal(thin.predict_proba(sparse.coo_matrix(values)), dense.predict_proba(values))
    names = np.array(["red", "green", "blue"])
    texts = names[np.arange(100) % 3]
    y = texts == "green"

    def frame(order, unseen="red"):
        return pandas.DataFrame({"x": values[:, 0], "c": pandas.Categorical([unseen, *texts[1:]], categories=order)})

    model = ft.RecordForestClassifier(3, max_features=None).fit(frame(names), y)
    assert list(model.feature_names_in_) == ["x", "c"]
    other = frame(names[::-1])
    for table in (other, polars.DataFrame(other), pyarrow.Table.from_pandas(other)):
        assert np.array_equal(model.predict(table), y)
    assert np.array_equal(model.predict(frame([*names, "violet"], "violet"))[1:], y[1:])


def test_scikit_learn_is_imported_when_it_is_used_and_its_absence_names_it():
    code = "import sys, fernwood_tables; assert 'sklearn' not in sys.modules; sys.modules['sklearn'] = None\n"
    code += "try: fernwood_tables.RecordForestClassifier\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("needs scikit-learn; pip install scikit-learn\n")
