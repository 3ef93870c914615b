# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Objects shared by threads, processes that exit or fork: nothing hangs, aborts or gets lost. Each test has its own
process, in case it hangs."""

import os

import pytest


def test_a_stream_tree_counts_each_record_of_all_threads(script):
    script(
        """
import sys, threading, numpy as np
from fernwood_tables.streams import StreamTree
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


WORKS = {
    "feeding a tree": """
tree, values = ft.streams.StreamTree(schedule="fresh"), rng.random((5000, 10), np.float32)
def work():
    tree.feed(values, np.arange(5000) % 5)
    tree.num_records
""",
    "records": """
values = rng.random((5000, 10), np.float32)
records = ft.train(values, np.arange(5000) % 5, trees=5)
def work():
    records.predict_codes(values)
    ft.train(values, np.arange(5000) % 5, trees=20)
""",
}


@pytest.mark.parametrize("what", WORKS)
def test_threads_within_fernwood_do_not_disturb_the_end(script, what):
    lines = """
import sys, threading, time
import numpy as np, fernwood_tables as ft
rng = np.random.default_rng(1)
began = threading.Event()
""" + WORKS[what] + """
def repeat():
    while True:
        work()
        began.set()
for _ in range(2):
    threading.Thread(target=repeat, daemon=True).start()
began.wait()
time.sleep(float(sys.argv[1]))
print("end")
"""
    for pause_s in (0, 0.013, 0.05):
        assert script(lines, pause_s) == "end\n"


SETUP = """
import os, signal, sys, fernwood_tables as ft, numpy as np
random = np.random.default_rng(1)
values, labels = random.random((300, 3), np.float32), random.integers(0, 3, 300)
"""
USES = {
    "record forest": (
        "thing = ft.train(values, labels, trees=3, progress=False); thing.predict_proba(values)",
        "thing.predict_proba(values)",
    ),
    "stream tree": ("thing = ft.streams.StreamTree(batch=50); thing.feed(values, labels)", "thing.feed(values, labels)"),
}
CHILD = """
{begin}
child = os.fork()
if child == 0:
    signal.alarm(15)  # a hang is an end by this signal
    try:
        {use}
        found = 1
    except ft.errors.OperationError as error:
        found = 0 if "forked" in str(error) else 2
    {leave}
    sys.exit(found)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, os.waitstatus_to_exitcode(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("leave", ["del thing", "pass"])
@pytest.mark.parametrize("kind", USES)
def test_a_child_is_told_and_ends(script, kind, leave):
    begin, use = USES[kind]
    script(SETUP + CHILD.format(begin=begin, use=use, leave=leave))
