# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Training of forests for regression, and the regressor with a scikit-learn-compatible API."""
import os
import subprocess

import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.6")

from sklearn.tree import DecisionTreeRegressor  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

PROGRAM = os.environ.get("FERNWOOD_TABLES_PROGRAM")


def draw(num_records=400, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 4), dtype=np.float32)
    return values, values[:, 0] * values[:, 1] + np.sin(2.0 * values[:, 2]) + 0.2 * random.standard_normal(num_records)


@parametrize_with_checks([ft.RecordForestRegressor(n_estimators=5)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"max_leaves": 30}, {"min_leaf_samples": 7}, {"min_samples": 25}])
def test_a_tree_is_that_of_scikit_learn(limits):
    """Where no two splits are equally good, both libraries choose the same ones."""
    names = {"max_leaves": "max_leaf_nodes", "min_leaf_samples": "min_samples_leaf", "min_samples": "min_samples_split"}
    values, targets = draw(500, seed=3)
    unseen, _ = draw(2000, seed=4)
    theirs = DecisionTreeRegressor(**{names.get(name, name): limit for name, limit in limits.items()})
    theirs.fit(values, targets)
    ours = ft.train(values, targets, task="regression", trees=1, **limits)
    assert ours.describe().data["num_leaves"] == theirs.get_n_leaves()
    found, expected = ours.predict_values(values)[:, 0], theirs.predict(values)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert ((found - targets) ** 2).mean() == pytest.approx(((expected - targets) ** 2).mean(), rel=1e-9, abs=1e-24)
    if "min_leaf_samples" not in limits:  # else any attribute splits two samples, and scikit-learn draws one
        return
    # Both use midpoints as thresholds, but scikit-learn's have 64 bits.
    assert (np.abs(ours.predict_values(unseen)[:, 0] - theirs.predict(unseen)) < 1e-12).mean() > 0.999


def test_grows_the_forest_that_train_grows_and_tells_what_it_took():
    values, targets = draw()
    options = {"trees": 30, "max_depth": 6, "attributes_per_split": 4, "seed": 7}
    model = ft.RecordForestRegressor(30, max_depth=6, max_features=4, random_state=7, bootstrap=False).fit(values, targets)
    forest = ft.train(values, targets, task="regression", bootstrap=False, **options)
    assert model.forest_._handle.to_bytes() == forest._handle.to_bytes()
    assert np.array_equal(model.predict(values), forest.predict_values(values)[:, 0])
    forest = ft.train(values, targets, task="regression", threads=1, **options)
    assert forest.classes == [] and forest.targets == ["target"]
    assert 0.3 < ft.RecordForestRegressor(30, oob_score=True).fit(values, targets).oob_score_ < 1
    assert "R² out of bag 0." in repr(forest.training) + str(forest.training)


def test_targets_of_any_type_are_numbers_and_a_series_names_them():
    pandas = pytest.importorskip("pandas")
    values, targets = draw(50)
    whole = np.round(10 * targets).astype(np.int16)
    expected = ft.train(values, whole.astype(float), task="regression", trees=3).predict_values(values)
    for given in (whole, whole.tolist(), whole.astype(np.float32), whole.astype(object)):
        assert np.array_equal(ft.train(values, given, task="regression", trees=3).predict_values(values), expected)
    frame = pandas.DataFrame(values, columns=list("abcd"))
    forest = ft.train(frame, pandas.Series(whole, name="price"), task="regression", trees=3)
    assert forest.targets == ["price"] and forest.attributes == list("abcd")
    model = ft.RecordForestRegressor(3).fit(frame, whole)
    assert list(model.feature_names_in_) == list("abcd") == model.forest_.attributes
    assert np.array_equal(model.predict(frame[list("abcd")]), model.forest_.predict_values(frame)[:, 0])


@pytest.mark.skipif(not PROGRAM, reason="FERNWOOD_TABLES_PROGRAM names no program to compare with")
def test_the_program_grows_the_same_bytes(tmp_path):
    values, targets = draw(400, seed=5)
    lines = [",".join([*(f"{v:.9g}" for v in row), repr(float(y))]) for row, y in zip(values, targets)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    words = ["--task", "regression", "--trees", "6", "--max-depth", "5", "--seed", "9"]
    command = [PROGRAM, "train", "--data", "t.csv", "--header", "no", "--out", "p.fernwood", *words]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ft.train(values, targets, task="regression", trees=6, max_depth=5, seed=9).save(tmp_path / "m.fernwood")
    assert (tmp_path / "p.fernwood").read_bytes() == (tmp_path / "m.fernwood").read_bytes()
