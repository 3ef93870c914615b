# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Memory use stays constant."""

import os

#: With oneTBB 2021.8, 20,000 predictors took 57 MB more when each had its own arenas.
NUM_PREDICTORS = int(os.environ.get("FERNWOOD_TEST_PREDICTORS", "2000"))


def test_predictors_that_come_and_go_leave_nothing(script, model, rooms):
    lines = """
import gc, sys, fernwood
forest, frame = fernwood.Forest.load(sys.argv[1]), fernwood.Dataset(sys.argv[2]).frame(0)

def memory_kb():
    gc.collect()
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])

def make(count):
    for _ in range(count):
        list(forest.stream([frame], threads=2))

make(200)
before = memory_kb()
make(int(sys.argv[3]))
print(memory_kb() - before)
"""
    grown_kb = int(script(lines, model, rooms / "test", NUM_PREDICTORS, timeout_s=1200))
    print(f"{NUM_PREDICTORS} predictors: {grown_kb} kB more")
    assert grown_kb < 2048
