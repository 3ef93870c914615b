# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""LightGBM models with linear functions in their leaves: the sums are equal to the last bit."""

import fernwood_tables as ft
import numpy as np
import pytest

lightgbm = pytest.importorskip("lightgbm")

STRANGE = [0, -0.0, 1e-42, -1e-36, 1e-35, 1.1e-35, 3e38, -3e38, np.inf, -np.inf, np.nan]
WAYS = {
    "plain": {},
    "no missing values": {"use_missing": False},
    "dart": {"boosting": "dart", "drop_rate": 0.3},
    "categories": {"min_data_per_group": 5, "cat_smooth": 1},
}


def draw(num_records=2000, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 5))
    values[:, 4] = random.integers(0, 9, num_records)
    score = 2 * values[:, 0] + values[:, 1] * values[:, 2] + np.sin(3 * values[:, 4])
    values[random.random(values.shape) < 0.05] = np.nan
    return values, score


def hostile(num_records=20000, seed=1):
    values = draw(num_records, seed)[0]
    random = np.random.default_rng(seed)
    chosen = random.random(values.shape) < 0.2
    values[chosen] = random.choice(STRANGE, chosen.sum())
    return values


def train(way="plain", num_classes=0, **more):
    values, score = draw()
    objective = {0: {}, 2: {"objective": "binary"}}.get(num_classes, {"objective": "multiclass", "num_class": num_classes})
    options = {"linear_tree": True, "verbose": -1, "num_threads": 1, **objective, **WAYS[way], **more}
    target = score if num_classes == 0 else np.digitize(score, np.linspace(-1, 1, num_classes - 1))
    categories = [4] if way == "categories" else []
    data = lightgbm.Dataset(values, target, params={"linear_tree": True}, categorical_feature=categories)
    return lightgbm.train(options, data, 12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("way", WAYS)
def test_raw_scores_have_their_bits(way, dtype):
    model, asked = train(way), hostile().astype(dtype)
    expected = model.predict(asked, raw_score=True)
    assert np.isfinite(expected).mean() > 0.3
    found = ft.accelerate(model).predict_margin(asked)
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("num_classes", [2, 4])
def test_classes_are_those_of_the_sums(num_classes, dtype):
    model, asked = train(num_classes=num_classes), hostile().astype(dtype)
    fast = ft.accelerate(model)
    margins = model.predict(asked, raw_score=True)
    assert np.array_equal(fast.predict_margin(asked), margins, equal_nan=True)
    known = np.isfinite(margins.reshape(len(asked), -1)).all(axis=1)
    classes = (margins > 0).astype(int) if num_classes == 2 else margins.argmax(axis=1)
    assert np.array_equal(fast.predict_codes(asked)[known], classes[known])
