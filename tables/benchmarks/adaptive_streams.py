#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Compares `fernwood-tables stream train --schedule adaptive` with River's Hoeffding adaptive tree on streams that drift.

  tables/benchmarks/adaptive_streams.py [--records 100000] [--seed 42] [--rounds 3] [--program fernwood-tables] [-- OPTIONS]

River's own generators make the streams: SEA with three abrupt changes of its threshold and a tenth of labels wrong, a
rotating hyperplane (2 of 10 weights change by 0.001 a record), and the mixtures Mixed and Agrawal with three abrupt
changes of the concept. Both classify each record before they learn it (River one by one, fernwood a hundred at a time).
River gets its records as dicts in memory; fernwood's seconds are those of the whole process on one thread, which reads
CSV text. Seconds are of the processor, so that others on the machine matter less. The rounds take turns, the fastest of
each counts. What follows `--` are options for fernwood.
"""
import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import river
from river import tree
from river.datasets import synth


def concepts(make, num_records):
    """Records of four concepts, one after another."""
    for k in range(4):
        yield from make(k).take(num_records // 4)


def streams(num_records, seed):
    """Name and records, pairs of values and class."""
    yield "SEA", concepts(lambda k: synth.SEA(variant=k, noise=0.1, seed=seed + k), num_records)
    hyperplane = synth.Hyperplane(
        n_features=10, n_drift_features=2, mag_change=0.001, noise_percentage=0.05, sigma=0.1, seed=seed
    )
    yield "hyperplane", hyperplane.take(num_records)
    yield "Mixed", concepts(lambda k: synth.Mixed(classification_function=k % 2, seed=seed + k), num_records)
    yield "Agrawal", concepts(lambda k: synth.Agrawal(classification_function=k, seed=seed + k), num_records)


def run_river(records):
    """Prequential accuracy and seconds."""
    model, num_right = tree.HoeffdingAdaptiveTreeClassifier(seed=1), 0
    start = time.process_time()
    for values, label in records:
        num_right += model.predict_one(values) == label
        model.learn_one(values, label)
    return num_right / len(records), time.process_time() - start


def run_program(program, path, options):
    """What `fernwood-tables stream train` reports on one thread, and the seconds of its process."""
    command = [program, "stream", "train", "--workers", "1", "--json", "--data", path]
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*command, "--out", f"{folder}/tree", *options], check=True, stdout=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), seconds


def run_fernwood(program, path, options):
    """Prequential accuracy, seconds, leaves, parts replaced."""
    report, seconds = run_program(program, path, ["--schedule", "adaptive", *options])
    return report["prequential"]["accuracy"], seconds, report["leaves"], report["drift"]["replaced"]


def write_csv(records, path):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*(str(name) for name in records[0][0]), "class"])
        for values, label in records:
            writer.writerow([*(repr(value) for value in values.values()), label])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="fernwood-tables")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    print(f"river {river.__version__}, {arguments.records} records, seed {arguments.seed}")
    print(f"{'stream':12}{'river':>8}{'fernwood':>10}{'river/s':>10}{'fernwood/s':>12}{'times':>7}{'leaves':>8}{'replaced':>10}")
    for name, generated in streams(arguments.records, arguments.seed):
        records = [({key: float(value) for key, value in values.items()}, int(label)) for values, label in generated]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "stream.csv")
            write_csv(records, path)
            theirs, ours = [], []
            for _ in range(arguments.rounds):
                theirs.append(run_river(records))
                ours.append(run_fernwood(arguments.program, path, arguments.options))
        their_rate, our_rate = (len(records) / min(run[1] for run in runs) for runs in (theirs, ours))
        accuracy, _, leaves, replaced = ours[0]
        print(
            f"{name:12}{theirs[0][0]:8.4f}{accuracy:10.4f}{their_rate:10.0f}{our_rate:12.0f}{our_rate / their_rate:7.0f}"
            f"{leaves:8}{replaced:10}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
