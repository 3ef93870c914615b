# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Records on GPUs: refusals on any machine, and answers on machines with a GPU."""

import numpy as np
import pytest
from array_elsewhere import there

import fernwood_tables as ft


def test_records_on_a_gpu_are_refused_where_the_cpu_computes():
    values = np.arange(60, dtype=np.float32).reshape(20, 3)
    labels = (values[:, 0] > 30).astype(int)
    forest = ft.train(values, labels, trees=2)
    on_gpu = there(values)
    accelerated = pytest.importorskip("sklearn.ensemble").RandomForestClassifier(2, random_state=0).fit(values, labels)
    for compute in (
        lambda: ft.train(on_gpu, labels),
        lambda: forest.shap_values(on_gpu),
        lambda: forest.predict_trees(on_gpu),
        lambda: ft.accelerate(accelerated).apply(on_gpu),
        lambda: ft.accelerate(accelerated).predict_trees(on_gpu),
        lambda: ft.streams.StreamTree().feed(on_gpu, labels),
    ):
        with pytest.raises(ft.errors.DataError, match=r"on cuda:0, and this is computed from memory of the CPU; .*\.cpu\(\)"):
            compute()
    with pytest.raises(ft.errors.DataError, match=r"on cuda:0, and names of classes are strings.*ask predict_codes\(\)"):
        forest.predict(on_gpu)


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    return torch


def test_records_on_a_gpu_are_evaluated_there(torch):
    if ft.available_devices() == ["cpu"]:
        pytest.skip("no GPU that fernwood can use")
    sklearn = pytest.importorskip("sklearn.ensemble")
    random = np.random.default_rng(0)
    values = random.standard_normal((5000, 6)).astype(np.float32)
    score = values[:, 0] + values[:, 1] * values[:, 2]
    there = torch.from_numpy(values).cuda()
    regressor = sklearn.RandomForestRegressor(9, max_depth=6, random_state=0).fit(values, score)
    fast = ft.accelerate(regressor)
    for records in (there, torch.from_numpy(np.asfortranarray(values).T.copy()).cuda().T):  # row-major and column-major
        found = fast.predict(records)
        assert found.is_cuda and np.array_equal(found.cpu().numpy(), regressor.predict(values))
    classes = sklearn.RandomForestClassifier(9, max_depth=6, random_state=0).fit(values, (score > 0).astype(int))
    fast = ft.accelerate(classes)
    assert np.array_equal(fast.predict(there).cpu().numpy(), classes.predict(values))
    with pytest.raises(ft.errors.DataError, match="pass float32"):
        fast.predict(there.double())
