# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The classifier with a scikit-learn-compatible API."""
import pickle
import subprocess
import sys

import fernwood_tables as ft
import numpy as np
import pytest
from fernwood_tables._threads import threads_of

sklearn = pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402


def draw(num_records=400, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 4), dtype=np.float32)
    return values, np.array(["no", "yes"])[(values[:, 0] * values[:, 1] > 0).astype(int)]


@parametrize_with_checks(
    [ft.RecordForestClassifier(trees=10)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "samples of bootstrap depend on the order of records",
        "check_class_weight_classifiers": "weights of classes are whole numbers",
    },
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_grows_the_forest_that_train_grows():
    values, labels = draw()
    model = ft.RecordForestClassifier(trees=9, max_depth=4, seed=7, bootstrap=False).fit(values, labels)
    forest = ft.train(values, labels, trees=9, max_depth=4, seed=7, bootstrap=False)
    assert model.forest_._handle.to_bytes() == forest._handle.to_bytes()
    assert list(model.classes_) == forest.classes and model.training_["records"] == 400
    assert np.array_equal(model.predict(values), forest.predict(values))


@pytest.mark.parametrize("kind", [ft.RecordForestClassifier, ft.RecordForestRegressor])
def test_a_record_of_a_weight_counts_as_often(kind):
    values, labels = draw(100)
    y, weights = (labels == "yes").astype(int), np.arange(100) % 3
    times = np.repeat(np.arange(100), weights)
    weighted, repeated = kind(trees=5).fit(values, y, sample_weight=weights), kind(trees=5).fit(values[times], y[times])
    assert weighted.forest_._handle.to_bytes() == repeated.forest_._handle.to_bytes()
    alike, plain = kind(trees=5).fit(values, y, sample_weight=np.full(100, 0.01)), kind(trees=5).fit(values, y)
    assert alike.forest_._handle.to_bytes() == plain.forest_._handle.to_bytes()
    with pytest.raises(ft.errors.UsageError, match="record 1 has the weight 0.5, and forests of fernwood"):
        kind().fit(values, y, sample_weight=weights / 2)


def test_a_class_of_a_weight_counts_as_often():
    values, labels = draw(100)
    weighted = ft.RecordForestClassifier(trees=5, class_weight={"yes": 3}).fit(values, labels)
    expected = ft.RecordForestClassifier(trees=5).fit(values, labels, sample_weight=np.where(labels == "yes", 3, 1))
    assert weighted.forest_._handle.to_bytes() == expected.forest_._handle.to_bytes()


def test_importances_select_the_attributes_that_decide():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import SelectFromModel

    values, labels = draw()
    model = ft.RecordForestClassifier(trees=50).fit(values, labels)
    theirs = RandomForestClassifier(50, random_state=0).fit(values, labels)
    assert abs(model.feature_importances_ - theirs.feature_importances_).max() < 0.05
    assert SelectFromModel(ft.RecordForestClassifier(trees=20)).fit(values, labels).get_support().tolist() == [True, True, False, False]


def test_works_in_scikit_learns_searches():
    values, labels = draw()
    model = ft.RecordForestClassifier(trees=20)
    assert cross_val_score(model, values, labels, cv=3, n_jobs=2).mean() > 0.85
    search = GridSearchCV(model, {"max_depth": [1, 0]}, cv=2).fit(values, labels)
    assert search.best_params_ == {"max_depth": 0}
    fitted = search.best_estimator_
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(values), fitted.predict_proba(values))
    assert not hasattr(clone(fitted), "forest_")


def test_frames_of_pandas_polars_and_arrow():
    values, labels = draw()
    expected = ft.RecordForestClassifier(trees=5).fit(values, labels).predict(values)
    for library in ("pandas", "polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        make = module.table if library == "pyarrow" else module.DataFrame
        frame = make({name: values[:, i] for i, name in enumerate("abcd")})
        model = ft.RecordForestClassifier(trees=5).fit(frame, labels)
        assert np.array_equal(model.predict(frame), expected)
        if library != "pyarrow":  # scikit-learn does not read names of pyarrow's tables
            assert model.forest_.attributes == list("abcd")


@pytest.mark.parametrize(
    "wrong, error",
    [
        (lambda v, y: ft.RecordForestClassifier().predict(v), NotFittedError),
        (lambda v, y: ft.RecordForestClassifier(trees=0).fit(v, y), ft.errors.UsageError),
        (lambda v, y: ft.RecordForestClassifier(criterion="mse").fit(v, y), ft.errors.UsageError),
        (lambda v, y: ft.RecordForestClassifier(n_jobs=0).fit(v, y), ft.errors.UsageError),
        (lambda v, y: ft.RecordForestClassifier().fit(v, np.linspace(0, 1, len(v))), ValueError),
        (lambda v, y: ft.RecordForestClassifier().fit(np.where(v > 2, np.inf, v), y), ValueError),
        (lambda v, y: ft.RecordForestClassifier(trees=2).fit(v, y).predict(v[:, :2]), ValueError),
    ],
)
def test_what_is_wrong_is_told(wrong, error):
    with pytest.raises(error):
        wrong(*draw())


def test_threads_are_those_that_were_asked_for(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [threads_of(n) for n in (None, 3)] == [0, 3] and threads_of(-1) >= 1 and threads_of(-1000) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert threads_of(None) == 2


def test_scikit_learn_is_imported_when_it_is_used_and_its_absence_names_the_extra():
    code = "import sys, fernwood_tables; assert 'sklearn' not in sys.modules; sys.modules['sklearn'] = None\n"
    code += "try: fernwood_tables.RecordForestClassifier\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "fernwood-tables[sklearn]"' in done.stdout


def test_a_refused_fit_keeps_the_forest_before_with_its_classes():
    values, labels = draw(200)
    estimator = ft.RecordForestClassifier(trees=3).fit(values, labels)
    before = estimator.predict(values)
    with pytest.raises(ft.errors.UsageError):
        estimator.set_params(max_depth=-1).fit(values, np.where(labels == labels[0], "a", "b"))
    assert (estimator.predict(values) == before).all()


@pytest.mark.parametrize("kind", [ft.RecordForestClassifier, ft.RecordForestRegressor])
def test_a_refused_or_interrupted_fit_keeps_the_names_of_columns(kind, monkeypatch):
    pandas = pytest.importorskip("pandas")
    values, labels = draw(200)
    table, targets = pandas.DataFrame(values, columns=list("abcd")), (labels == "yes").astype(int)
    estimator = kind(trees=3).fit(table, targets)
    before, kept = estimator.predict(table), dict(vars(estimator), max_depth=-1)
    with pytest.raises(ft.errors.UsageError, match="max_depth is -1"):
        estimator.set_params(max_depth=-1).fit(table[["d", "c", "b"]], targets)
    assert vars(estimator) == kept

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("fernwood_tables.sklearn_input.train", interrupted)
        estimator.set_params(max_depth=0).fit(table[["d", "c", "b"]], targets)
    assert (estimator.predict(table) == before).all()
    unfitted = kind(trees=0)
    with pytest.raises(ft.errors.UsageError, match="trees is 0"):
        unfitted.fit(table, targets)
    assert vars(unfitted) == vars(kind(trees=0))
