# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Random calls from two threads: each returns the same result as before, or raises an error of fernwood."""

import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fernwood
from fernwood.errors import FernwoodError

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test  # noqa: E402

#: Approximate number of calls.
NUM_CALLS = int(os.environ.get("FERNWOOD_TEST_CALLS", "300"))
#: Seed of the random choices. If unset, each run makes the same calls, unless their number is given.
SEED = os.environ.get("FERNWOOD_TEST_SEED")
STEPS = 30
TIMEOUT_S = 60

OTHER = st.sampled_from(["predict", "next", "close", "stream", "classes", "save", "nothing"])


class Calls(RuleBasedStateMachine):
    folder = model = None  # set by the test
    done = 0

    def __init__(self):
        super().__init__()
        self.forest = fernwood.Forest.load(self.model)
        self.data = fernwood.Dataset(self.folder)
        self.frame = self.data.frame(0)
        self.expected = self.forest.predict(self.frame.color, self.frame.depth, camera=self.frame.camera)
        self.live = self._live()
        self.threads = ThreadPoolExecutor(1)

    def teardown(self):
        self.live.close()
        self.threads.shutdown()

    def _live(self):
        return fernwood.live(self.forest, f"frames:{self.folder}", loop=True, rate=0)

    def both(self, work, other):
        """Runs `work` here and `other` in a second thread at the same time."""
        beside = self.threads.submit(self._try, getattr(self, "_" + other))
        self._try(work)
        beside.result(TIMEOUT_S)

    def _try(self, work):
        Calls.done += 1
        try:
            work()
        except (FernwoodError, IndexError):
            pass

    def _nothing(self):
        pass

    def _predict(self):
        found = self.forest.predict(self.frame.color, self.frame.depth, camera=self.frame.camera)
        assert np.array_equal(found, self.expected)

    def _next(self):
        next(self.live, None)
        assert set(self.live.counts) == {"captured", "dropped", "shown"}

    def _close(self):
        self.live.close()

    def _stream(self):
        assert len(list(self.forest.stream(self.data, threads=2))) == len(self.data)

    def _classes(self):
        assert self.data.classes and self.data.frame(-1).labels is not None

    def _save(self):
        path = f"{self.model}.{threading.get_ident()}"
        self.forest.save(path)
        assert fernwood.Forest.load(path) == self.forest

    @rule(other=OTHER, work=OTHER)
    def call(self, work, other):
        self.both(getattr(self, "_" + work), other)

    @rule(other=OTHER)
    def begin_anew(self, other):
        self.both(self._reopen, other)

    def _reopen(self):
        self.live.close()
        self.live = self._live()

    @rule(other=OTHER, trees=st.integers(-1, 2), depth=st.sampled_from([0, 1, 3, 99]))
    def train(self, other, trees, depth):
        small = {"samples_per_frame": 20, "features": 10, "backbone": "none", "progress": False}
        self.both(lambda: fernwood.train(self.data, trees=trees, max_depth=depth, **small), other)

    @rule(other=OTHER, items=st.lists(st.sampled_from(["frame", None, 3, ("a", None), (None, None)]), max_size=4))
    def stream_of_anything(self, other, items):
        frames = [self.frame if item == "frame" else item for item in items]
        self.both(lambda: list(self.forest.stream(frames)), other)


def test_calls_in_any_order_from_two_threads(model, rooms):
    Calls.folder, Calls.model, Calls.done = str(rooms / "test"), str(model), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_state_machine_as_test(
            Calls if SEED is None else hypothesis.seed(int(SEED))(Calls),
            settings=settings(
                max_examples=max(1, NUM_CALLS // (2 * STEPS)), stateful_step_count=STEPS, deadline=None, database=None,
                derandomize=SEED is None and "FERNWOOD_TEST_CALLS" not in os.environ, suppress_health_check=list(HealthCheck),
            ),
        )
    print(f"{Calls.done} calls")
