# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Objects with threads in a forked process: their use is an error, and their destruction does not hang."""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

SETUP = """
import itertools, os, signal, sys, fernwood
model, rooms = sys.argv[1], sys.argv[2]
forest = fernwood.Forest.load(model)
frame = fernwood.Dataset(rooms, split="test").frame(0)
"""
USES = {
    "live": (
        'thing = fernwood.live(forest, "frames:" + rooms + "/train", loop=True, rate=0); next(thing)',
        "for _ in thing: pass",
    ),
    "map": (
        'thing = fernwood.map(forest, "frames:" + rooms + "/train", frames=1, device="cpu", progress=False); thing.points',
        "thing.class_probabilities()",
    ),
    "predictor": (
        "thing = forest.predictor(); thing.predict(frame.color, frame.depth, camera=frame.camera)",
        "thing.predict(frame.color, frame.depth, camera=frame.camera)",
    ),
    "stream": ("thing = forest.stream(itertools.repeat(frame)); next(thing)", "next(thing)"),
}
CHILD = """
{begin}
child = os.fork()
if child == 0:
    signal.alarm(15)  # a hang is an end by this signal
    try:
        {use}
        found = 1
    except fernwood.errors.OperationError as error:
        found = 0 if "forked" in str(error) else 2
    {leave}
    sys.exit(found)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, os.waitstatus_to_exitcode(status)
"""


@pytest.mark.parametrize("leave", ["del thing", "thing.close() if hasattr(thing, 'close') else None", "pass"])
@pytest.mark.parametrize("kind", USES)
def test_a_child_is_told_and_ends(script, model, rooms, kind, leave):
    begin, use = USES[kind]
    script(SETUP + CHILD.format(begin=begin, use=use, leave=leave), model, rooms)
