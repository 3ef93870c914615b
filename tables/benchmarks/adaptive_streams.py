#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Compares `fernwood-tables stream train` with River's Hoeffding trees on streams.

  tables/benchmarks/adaptive_streams.py [--schedule adaptive] [--data FILE.csv ...] [--records 100000] [--seed 42]
                                        [--rounds 3] [--program fernwood-tables] [--by-record] [-- OPTIONS]

The schedule `hoeffding` is compared with River's Hoeffding tree, `adaptive` with its Hoeffding adaptive tree. Streams are
CSV files whose last column is the class, and without --data those of River's own generators: SEA with three abrupt
changes of its threshold and a tenth of labels wrong, a rotating hyperplane (2 of 10 weights change by 0.001 a record),
and the mixtures Mixed and Agrawal with three abrupt changes of the concept. Both classify each record before they learn
it. River gets its records as dicts in memory; fernwood's seconds are those of the whole process on one thread, which
reads CSV text. Seconds are of the processor, so that others on the machine matter less. The rounds take turns, the
fastest of each counts. --by-record adds fernwood from Python, record by record, by `predict` and `partial_fit` of one
record (the installed package). What follows `--` are options for fernwood.
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


def read_csv(path):
    """Pairs of values and class."""
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            label = row.popitem()[1]
            yield row, label


def run_river(schedule, records):
    """Prequential accuracy and seconds."""
    model = tree.HoeffdingTreeClassifier() if schedule == "hoeffding" else tree.HoeffdingAdaptiveTreeClassifier(seed=1)
    num_right = 0
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


def run_by_record(schedule, records):
    """Prequential accuracy and seconds of fernwood from Python."""
    import numpy as np
    from fernwood_tables.streams import StreamTreeClassifier

    model, num_right = StreamTreeClassifier(schedule=schedule, n_jobs=1), 0
    rows = [np.array([list(values.values())]) for values, _ in records]
    labels = [np.array([label]) for _, label in records]
    model.partial_fit(rows[0], labels[0])
    start = time.process_time()
    for row, label in zip(rows[1:], labels[1:]):
        num_right += int(model.predict(row)[0] == label[0])
        model.partial_fit(row, label)
    return num_right / len(records), time.process_time() - start


def run_fernwood(program, schedule, path, options):
    """Prequential accuracy, seconds, leaves, parts replaced."""
    report, seconds = run_program(program, path, ["--schedule", schedule, *options])
    return report["prequential"]["accuracy"], seconds, report["leaves"], report["drift"]["replaced"]


def write_csv(records, path):
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*(str(name) for name in records[0][0]), "class"])
        for values, label in records:
            writer.writerow([*(repr(value) for value in values.values()), label])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", choices=["hoeffding", "adaptive"], default="adaptive")
    parser.add_argument("--data", nargs="*", default=[])
    parser.add_argument("--by-record", action="store_true")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="fernwood-tables")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    print(f"river {river.__version__}, {arguments.records} records, seed {arguments.seed}, {arguments.schedule}")
    by_record = f"{'by record':>11}{'/s':>9}" if arguments.by_record else ""
    print(f"{'stream':12}{'river':>8}{'fernwood':>10}{'river/s':>10}{'fernwood/s':>12}{'times':>7}{'leaves':>8}{'replaced':>10}" + by_record)
    given = [(Path(path).stem, read_csv(path)) for path in arguments.data]
    for name, generated in given or streams(arguments.records, arguments.seed):
        records = [({key: float(value) for key, value in values.items()}, int(label)) for values, label in generated]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "stream.csv")
            write_csv(records, path)
            theirs, ours, single = [], [], []
            for _ in range(arguments.rounds):
                theirs.append(run_river(arguments.schedule, records))
                ours.append(run_fernwood(arguments.program, arguments.schedule, path, arguments.options))
                single += [run_by_record(arguments.schedule, records)] if arguments.by_record else []
        their_rate, our_rate = (len(records) / min(run[1] for run in runs) for runs in (theirs, ours))
        accuracy, _, leaves, replaced = ours[0]
        line = f"{name:12}{theirs[0][0]:8.4f}{accuracy:10.4f}{their_rate:10.0f}{our_rate:12.0f}{our_rate / their_rate:7.0f}"
        line += f"{leaves:8}{replaced:10}"
        if single:
            line += f"{single[0][0]:11.4f}{len(records) / min(run[1] for run in single):9.0f}"
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
