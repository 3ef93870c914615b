# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Other libraries' classifiers: the labels are equal, the probabilities are equal up to rounding."""
import fernwood_tables as ft
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402


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


def test_labels_may_be_ones_that_a_table_cannot_tell_apart(tmp_path):
    values, labels = draw()
    for texts in (["EU", "NA", "US"], ["1", "1.0", "2"]):
        fast = same_as(RandomForestClassifier(5, random_state=0).fit(values, np.array(texts)[labels]), values)
        assert fast.forest.classes == ["0", "1", "2"]
        fast.forest.save(tmp_path / "m.fernwood")
