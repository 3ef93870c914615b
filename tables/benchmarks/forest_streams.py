#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Compares `fernwood-tables stream train --schedule forest` with CapyMOA's adaptive random forest on streams that drift.

  tables/benchmarks/forest_streams.py [--records 100000] [--seed 42] [--trees 10] [--program fernwood-tables]
                                      [--csv FILE...] [-- OPTIONS]

River's generators make the streams, see adaptive_streams.py; --csv adds files whose last column is the class, such as
elec.csv and weather.csv of scikit-multiflow 0.4.1. Both test each record before they learn it, on one thread.
fernwood's rate uses the processor time of the whole process, which reads CSV text, CapyMOA's the time of its evaluation.
"""
import argparse
import csv
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from adaptive_streams import run_program, write_csv
from capymoa.classifier import AdaptiveRandomForestClassifier
from capymoa.evaluation import prequential_evaluation
from capymoa.stream import NumpyStream
from river.datasets import synth


def parts(make, num_records):
    for k in range(4):
        yield from make(k).take(num_records // 4)


def streams(num_records, seed):
    """Name and records, pairs of values and class."""
    yield "SEA", parts(lambda k: synth.SEA(variant=k, noise=0.1, seed=seed + k), num_records)
    yield "Agrawal", parts(lambda k: synth.Agrawal(classification_function=k, seed=seed + k), num_records)
    rbf = synth.RandomRBFDrift(
        seed_model=seed, seed_sample=seed, n_classes=4, n_features=10, n_centroids=30, change_speed=0.0003, n_drift_centroids=30
    )
    yield "RBF", rbf.take(num_records)
    led = lambda k: synth.LEDDrift(  # noqa: E731
        seed=seed + k, noise_percentage=0.1, irrelevant_features=True, n_drift_features=[0, 3, 5, 7][k]
    )
    yield "LED", parts(led, num_records)
    hyperplane = synth.Hyperplane(
        n_features=10, n_drift_features=2, mag_change=0.001, noise_percentage=0.05, sigma=0.1, seed=seed
    )
    yield "hyperplane", hyperplane.take(num_records)


def files(paths):
    for path in paths:
        with open(path) as lines:
            rows = list(csv.reader(lines))[1:]
        yield Path(path).stem, [(dict(enumerate(map(float, row[:-1]))), row[-1]) for row in rows]


def run_capymoa(records, num_trees):
    """Prequential accuracy and seconds."""
    values = np.array([list(values.values()) for values, _ in records], float)
    labels = np.unique([str(label) for _, label in records], return_inverse=True)[1]
    stream = NumpyStream(values, labels)
    model = AdaptiveRandomForestClassifier(schema=stream.get_schema(), ensemble_size=num_trees)
    start = time.perf_counter()
    accuracy = prequential_evaluation(stream, model, window_size=10000).cumulative.accuracy()
    return accuracy / 100, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--program", default="fernwood-tables")
    parser.add_argument("--csv", nargs="*", default=[])
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    print(f"{'stream':12}{'capymoa':>9}{'fernwood':>10}{'capymoa/s':>11}{'fernwood/s':>12}")
    for name, generated in [*files(arguments.csv), *streams(arguments.records, arguments.seed)]:
        records = [({str(key): float(value) for key, value in values.items()}, label) for values, label in generated]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "stream.csv")
            write_csv(records, path)
            options = ["--schedule", "forest", "--trees", str(arguments.trees), *arguments.options]
            report, seconds = run_program(arguments.program, path, options)
        theirs, their_seconds = run_capymoa(records, arguments.trees)
        print(
            f"{name:12}{theirs:9.4f}{report['prequential']['accuracy']:10.4f}{len(records) / their_seconds:11.0f}"
            f"{len(records) / seconds:12.0f}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
