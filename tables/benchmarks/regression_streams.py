#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Compares `fernwood-tables stream train --task regression` with River's Hoeffding tree regressor, test-then-train.

  tables/benchmarks/regression_streams.py [--records 100000] [--seed 42] [--rounds 3] [--program fernwood-tables] [-- OPTIONS]

River's own generators make the streams: Friedman's function of five of ten attributes, and Mv, whose target is a piecewise
function of ten attributes, some of them categories, numbered here. Both predict each record before they learn it, River with
its defaults (1e-7, ties at 0.05, a grace period of 200), fernwood with those of `--schedule hoeffding`. River runs with the
mean in its leaves, as fernwood, and with its default, a linear model where that has been better. River gets its records as
dicts in memory; fernwood's seconds are those of the whole process on one thread, which reads CSV text. Seconds are of the
processor. The rounds take turns, the fastest of each counts. What follows `--` are options for fernwood.
"""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import river
from adaptive_streams import run_program, write_csv
from river import tree
from river.datasets import synth


def streams(num_records, seed):
    """Name and records, pairs of values and target."""
    yield "Friedman", synth.Friedman(seed=seed).take(num_records)
    yield "Mv", synth.Mv(seed=seed).take(num_records)


def as_numbers(values, codes):
    """Categories by the order in which they come."""
    return {
        key: float(codes.setdefault((key, value), len(codes))) if isinstance(value, str) else float(value)
        for key, value in values.items()
    }


def r2_of(pairs):
    mean = sum(target for target, _ in pairs) / len(pairs)
    return 1 - sum((t - p) ** 2 for t, p in pairs) / sum((t - mean) ** 2 for t, _ in pairs)


def run_river(records, leaf_prediction):
    """Prequential R², that of the last 10,000 records, seconds, leaves."""
    model, pairs = tree.HoeffdingTreeRegressor(leaf_prediction=leaf_prediction), []
    start = time.process_time()
    for values, target in records:
        pairs.append((target, model.predict_one(values)))
        model.learn_one(values, target)
    seconds = time.process_time() - start
    return r2_of(pairs[200:]), r2_of(pairs[-10000:]), seconds, model.n_leaves


def run_fernwood(program, path, options):
    """The same."""
    report, seconds = run_program(program, path, ["--task", "regression", "--schedule", "hoeffding", *options])
    return report["prequential"]["r2"], report["prequential"]["recent_r2"], seconds, report["leaves"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="fernwood-tables")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    print(f"river {river.__version__}, {arguments.records} records, seed {arguments.seed}")
    print(f"{'stream':10}{'tree':14}{'R2':>8}{'last 10,000':>13}{'records/s':>11}{'leaves':>8}")
    for name, generated in streams(arguments.records, arguments.seed):
        codes = {}
        records = [(as_numbers(values, codes), float(target)) for values, target in generated]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "stream.csv")
            write_csv(records, path)
            runs = {"river, mean": [], "river, model": [], "fernwood": []}
            for _ in range(arguments.rounds):
                runs["river, mean"].append(run_river(records, "mean"))
                runs["river, model"].append(run_river(records, "adaptive"))
                runs["fernwood"].append(run_fernwood(arguments.program, path, arguments.options))
        for what, done in runs.items():
            r2, recent_r2, _, leaves = done[0]
            rate = len(records) / min(run[2] for run in done)
            print(f"{name:10}{what:14}{r2:8.4f}{recent_r2:13.4f}{rate:11.0f}{leaves:8}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
