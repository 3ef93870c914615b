# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Settings of the host program change no result, and are restored afterwards."""

import pytest
from hosts import HOSTS, expect_the_usual, results_of

WORK = """
import fernwood_tables as ft
numbers = np.random.default_rng(1).random((400, 5)).astype(np.float32)  # made before anything is changed
strings = ["abcd"[int(value * 4)] for value in numbers[:, 0]]


def results():
    forest = ft.train(numbers, strings, trees=5, threads=2)
    forest.save(os.path.join(out, "forest"))
    yield bytes_of(os.path.join(out, "forest"))
    yield forest.predict_proba(numbers).tobytes() + forest.predict_codes(numbers).tobytes()
    tree = ft.streams.StreamTree(workers=2)
    tree.feed(numbers, strings)
    tree.tree().save(os.path.join(out, "tree"))
    yield bytes_of(os.path.join(out, "tree"))
"""


@pytest.fixture(scope="module")
def usual(script, tmp_path_factory):
    found = results_of(script, WORK, "usual", tmp_path_factory.mktemp("usual")).split()
    assert len(found) == 3
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_hosts_change_nothing(script, usual, host, tmp_path, monkeypatch):
    expect_the_usual(script, WORK, usual, host, tmp_path, monkeypatch)
