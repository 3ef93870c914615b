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


def test_scikit_learn_is_imported_when_it_is_used_and_its_absence_names_it():
    code = "import sys, fernwood_tables; assert 'sklearn' not in sys.modules; sys.modules['sklearn'] = None\n"
    code += "try: fernwood_tables.RecordForestClassifier\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("needs scikit-learn; pip install scikit-learn\n")
