# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Accelerated models that stand in for a part of another model, such as the last step of a pipeline."""

import pickle

import fernwood_tables as ft
import numpy as np
import pytest
from fernwood_tables.errors import UsageError

sklearn = pytest.importorskip("sklearn")

from sklearn import base, ensemble, pipeline, preprocessing  # noqa: E402

try:
    from xgboost import XGBClassifier
except ImportError:
    pass
else:

    class OwnClassifier(XGBClassifier):
        """A class of another module, to which pickled models refer."""


def draw(num_records=300):
    random = np.random.default_rng(0)
    values = random.integers(0, 9, (num_records, 3))
    return values, (values[:, 0] * values[:, 1] > 16).astype(int)


def test_an_accelerated_pipeline_refuses_training_and_leaves_the_original():
    values, labels = draw()
    forest = ensemble.RandomForestClassifier(5, random_state=0)
    scaled = pipeline.make_pipeline(preprocessing.StandardScaler(), forest).fit(values, labels)
    expected = scaled.predict_proba(values)
    fast = ft.accelerate(scaled)
    for untrainable in (fast, fast.steps[-1][1], pickle.loads(pickle.dumps(fast))):
        with pytest.raises(UsageError, match="cannot be trained again; train the original"):
            untrainable.fit(5 * values + 100, 1 - labels)
    assert np.array_equal(scaled.predict_proba(values), expected)
    again = base.clone(fast).fit(values, 1 - labels)
    assert np.array_equal(again.predict(values), base.clone(scaled).fit(values, 1 - labels).predict(values))


def final_models():
    yield ensemble.RandomForestClassifier(5, random_state=0)
    yield ensemble.GradientBoostingClassifier(n_estimators=5)
    yield ensemble.VotingClassifier([("a", ensemble.ExtraTreesClassifier(5, random_state=0))], voting="soft")
    for library, name in (("xgboost", "XGBClassifier"), ("lightgbm", "LGBMClassifier"), ("catboost", "CatBoostClassifier")):
        try:
            model = getattr(__import__(library), name)
        except ImportError:
            continue
        quiet = {"verbose": False, "allow_writing_files": False} if library == "catboost" else {}
        yield model(n_estimators=5, **quiet)
        if library == "xgboost":
            yield OwnClassifier(n_estimators=5)


@pytest.mark.parametrize("model", list(final_models()), ids=lambda model: type(model).__name__)
def test_encoders_may_return_sparse_matrices(model):
    values, labels = draw()
    encoded = pipeline.make_pipeline(preprocessing.OneHotEncoder(), model).fit(values, labels)
    fast = ft.accelerate(encoded, check=values)
    assert fast.check.labels_that_differ == 0 and fast.check.greatest_difference < 1e-6
    assert np.array_equal(pickle.loads(pickle.dumps(fast)).predict(values), encoded.predict(values))
