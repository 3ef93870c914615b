# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A process that exits while its threads are inside fernwood ends quickly and without messages."""

import pytest

BEGIN = """
import sys, threading, time
import numpy as np, fernwood
forest, folder = fernwood.Forest.load(sys.argv[1]), sys.argv[2]
data = fernwood.Dataset(folder)
frame = data.frame(0)
rng = np.random.default_rng(1)
began = threading.Event()
"""
WORKS = {
    "predicting": """
predictor = fernwood.Predictor(forest, threads=2)
def work():
    predictor.predict(frame.color, frame.depth)
""",
    "making predictors": """
def work():
    fernwood.Predictor(forest, threads=2).predict(frame.color, frame.depth)
""",
    "reading images of lists": """
color = frame.color.tolist()
def work():
    forest.predict(color, frame.depth)
""",
    "training": """
def work():
    began.set()
    fernwood.train(data, trees=100, progress=False)
""",
    "training on frames that Python makes": """
class Frames:
    def __len__(self): return len(data)
    def __getitem__(self, index):
        began.set()
        frame = data.frame(index)
        sum(range(20000))
        return fernwood.Frame(frame.color, frame.depth, frame.camera)
labels = [f.labels for f in data]
def work():
    fernwood.train(Frames(), labels, trees=100, progress=lambda step: sum(range(1000)))
""",
    "reading frames whose images Python makes when they are asked for": """
class Lazy:
    @property
    def color(self):
        began.set()
        sum(map(int, range(20000)))
        return frame.color
    @property
    def depth(self):
        time.sleep(0.002)
        return frame.depth
def work():
    for _ in forest.stream([Lazy()] * 5, threads=2): pass
""",
    "reading arrays that Python makes when they are asked for": """
class Lazy:
    @property
    def __array_interface__(self):
        began.set()
        sum(map(int, range(20000)))
        return frame.color.__array_interface__
    def __getattr__(self, name):
        time.sleep(0.001)
        raise AttributeError(name)
def work():
    forest.predict(Lazy(), frame.depth)
""",
    "labelling live": """
live = fernwood.live(forest, "frames:" + folder, loop=True, rate=0)
def work():
    next(live)
""",
    "a stream of frames": """
def work():
    for labels in forest.stream(data, threads=2): began.set()
""",
    "evaluating": """
def work():
    began.set()
    fernwood.evaluate(forest, data, progress=False)
""",
}
END = """
def repeat():
    while True:
        work()
        began.set()
for _ in range(2):
    threading.Thread(target=repeat, daemon=True).start()
began.wait()
time.sleep(float(sys.argv[3]))
print("end")
"""


@pytest.mark.parametrize("what", WORKS)
def test_threads_within_fernwood_do_not_disturb_the_end(script, what, model, rooms):
    for pause_s in (0, 0.013, 0.05):
        assert script(BEGIN + WORKS[what] + END, model, rooms / "test", pause_s) == "end\n"


def test_work_at_exit_is_done(script, model, rooms):
    """Exit handlers that were registered before fernwood was imported may still use it."""
    lines = """
import atexit, sys
atexit.register(lambda: print(len(fernwood.train(sys.argv[1], trees=2, max_depth=3, progress=False).classes)))
import fernwood
"""
    assert script(lines, rooms / "train") == "9\n"
