# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Objects shared by Python threads: nothing hangs, aborts or gets lost. Each test has its own process, in case it
hangs."""

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
small = {"trees": 2, "samples_per_frame": 50, "features": 20, "max_depth": 3, "backbone": "none", "progress": False}
work = lambda: found.append(fernwood.train(data, **small))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 4 and all(forest == found[0] for forest in found)
""",
        rooms / "train",
    )


def test_predictors_are_shared(script, model, rooms):
    script(
        """
import sys, threading, fernwood
from fernwood import _fernwood
failed = []
threading.excepthook = lambda args: failed.append(args.exc_value)
frame = fernwood.Dataset(sys.argv[2]).frame(0)
forest = fernwood.Forest.load(sys.argv[1])
shared = _fernwood.LabelStream(forest._native, [("threads", "2")], None, 3)
def work():
    for index in range(100):
        try:
            if shared.num_in_flight() > 0 and shared.is_full(): shared.pop()
            shared.push(frame, index)
        except fernwood.errors.UsageError:
            pass
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
""",
        model,
        rooms / "test",
    )
