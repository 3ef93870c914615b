# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Objects shared by Python threads: nothing hangs, aborts or gets lost. Each test has its own process, in case it
hangs."""

import pytest

LIVE = """
import sys, threading, fernwood
forest = fernwood.Forest.load(sys.argv[1])
live = fernwood.live(forest, "frames:" + sys.argv[2], loop=True, rate=0)
"""


def test_live_is_closed_while_others_iterate_and_close(script, model, rooms):
    """Regression test: two threads joined the same thread, which hung forever."""
    script(
        LIVE
        + """
began = threading.Barrier(5)

def iterate():
    began.wait()
    for frame in live:
        live.counts

def close():
    began.wait()
    next(live, None)
    live.close()

for round in range(20):
    threads = [threading.Thread(target=work) for work in (iterate, iterate, close, close)]
    for thread in threads:
        thread.start()
    began.wait()
    next(live, None)
    live.close()
    for thread in threads:
        thread.join()
    assert next(live, None) is None and live.counts["shown"] > 0
    live = fernwood.live(forest, "frames:" + sys.argv[2], loop=True, rate=0)
with live:
    live.close()
""",
        model,
        rooms / "test",
    )


def test_live_goes_while_a_thread_iterates(script, model, rooms):
    script(
        LIVE
        + """
import gc
thread = threading.Thread(target=lambda live: [None for _ in zip(range(50), live)], args=(live,))
thread.start()
del live
thread.join()
gc.collect()
""",
        model,
        rooms / "test",
    )


def test_classes_are_found_once_by_threads_that_read_frames(script, rooms, tmp_path):
    """Regression test: one thread replaced the classes while another one read labels with them."""
    script(
        """
import pathlib, shutil, sys, threading, fernwood
shutil.copytree(sys.argv[1], sys.argv[2])
(pathlib.Path(sys.argv[2]) / "dataset.toml").unlink(missing_ok=True)
expected = fernwood.Dataset(sys.argv[2]).frame(0).labels
for round in range(30):
    data, began = fernwood.Dataset(sys.argv[2]), threading.Barrier(4)
    def read():
        began.wait()
        for index in range(4):
            found = data.frame(0).labels
            assert (found == expected).all(), "labels differ"
            assert len(data.classes) == found[found < 65535].max() + 1
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
""",
        rooms / "test",
        tmp_path / "unnamed",
    )


def test_a_data_set_is_learned_from_by_several_threads(script, rooms):
    script(
        """
import sys, threading, fernwood
data, found = fernwood.Dataset(sys.argv[1]), []
small = {"trees": 2, "samples_per_frame": 50, "features": 20, "max_depth": 3, "progress": False}
work = lambda: found.append(fernwood.train(data, **small))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 4 and all(forest == found[0] for forest in found)
""",
        rooms / "train",
    )


def test_a_stream_tree_counts_each_record_of_all_threads(script):
    script(
        """
import sys, threading, numpy as np
from fernwood.streams import StreamTree
sys.setswitchinterval(1e-5)
tree, random = StreamTree(batch=50, schedule="fresh"), np.random.default_rng(1)
values = random.random((200, 3), np.float32)

def feed(first):
    for part in range(10):
        labels = [f"class {(first + part + i) % 12}" for i in range(20)]
        tree.feed(values[:20], labels)
        tree.tree()
        assert tree.num_records > 0

threads = [threading.Thread(target=feed, args=(3 * first,)) for first in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert tree.num_records == 800, tree.num_records
assert len(set(tree.labels)) == 12 and sorted(tree._codes.values()) == list(range(12)), tree._codes
assert sorted(tree.tree().classes) == sorted(tree.labels)
"""
    )


def test_a_growing_tree_that_is_asked_lets_others_work(script):
    """Regression test: reading its number of records waited for the training while holding the GIL."""
    script(
        """
import threading, time, numpy as np
from fernwood.streams import StreamTree
tree, random = StreamTree(workers=1, max_depth=24), np.random.default_rng(1)
values = random.random((60_000, 20), np.float32)
tree.feed(values, random.integers(0, 5, len(values)))
worst, done = 0.0, False

def ask():
    while not done:
        tree.num_records

def beat():
    global worst
    while not done:
        at = time.monotonic()
        time.sleep(0.001)
        worst = max(worst, time.monotonic() - at)

threads = [threading.Thread(target=work) for work in (ask, beat)]
for thread in threads: thread.start()
began = time.monotonic()
tree.tree()
took, done = time.monotonic() - began, True
for thread in threads: thread.join()
assert worst < max(0.5, took / 2), (worst, took)
"""
    )


@pytest.mark.parametrize("what", ["records", "label_stream"])
def test_predictors_are_shared(script, what, model, rooms):
    lines = {
        "records": """
values = np.random.default_rng(1).random((500, 4), np.float32)
shared = fernwood.records.train(values, (values[:, 0] * 3).astype(int), trees=5)
expected = shared.predict_codes(values)
def work():
    for _ in range(20):
        assert (shared.predict_codes(values) == expected).all()
        assert shared.predict_proba(values).shape == (500, 3) and shared.explain()
""",
        "label_stream": """
from fernwood import _fernwood
frame = fernwood.Dataset(sys.argv[2]).frame(0)
forest = fernwood.Forest.load(sys.argv[1])
shared = _fernwood.LabelStream(forest._native, [("threads", "2")], 3)
def work():
    for index in range(100):
        try:
            if shared.num_in_flight() > 0 and shared.is_full(): shared.pop()
            shared.push(frame, index)
        except fernwood.errors.UsageError:
            pass
""",
    }[what]
    script(
        "import sys, threading, numpy as np, fernwood\nfailed = []\n"
        "threading.excepthook = lambda args: failed.append(args.exc_value)\n"
        + lines
        + """
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
""",
        model,
        rooms / "test",
    )
