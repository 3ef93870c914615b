#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Times classifiers of scikit-learn, XGBoost and LightGBM against fernwood.records.accelerate of them, side by side.

  python/benchmarks/accelerate.py [--records 1000000] [--threads 2] [--rounds 5] [--device cpu]

A forest and two boosted models (100 trees of depth 8) are trained on 50,000 drawn records. Everyone gives all records
their labels with predict(), from rows of float32 in memory, on the same number of threads, in turns; the figure is the
median over the rounds of the ratio within a round. Labels and probabilities are compared.
"""
import argparse
import statistics
import time

import lightgbm
import numpy as np
import sklearn
import xgboost
from sklearn.ensemble import RandomForestClassifier

import fernwood.records

TRAINING_RECORDS, ATTRIBUTES, TREES, DEPTH = 50_000, 28, 100, 8


def draw_records(num_records, seed):
    """Values of a normal distribution and two classes, by a rule of some attributes and noise."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES), dtype=np.float32)
    score = values[:, 0] * values[:, 1] + np.sin(3 * values[:, 2]) + 0.5 * values[:, 3] + 0.3 * values[:, 4] ** 2
    return values, (score + 0.3 * random.standard_normal(num_records) > 0.3).astype(int)


def fitted_models(threads):
    """Name and model."""
    training = draw_records(TRAINING_RECORDS, seed=1)
    forest = RandomForestClassifier(TREES, max_depth=DEPTH, n_jobs=threads, random_state=1)
    yield f"scikit-learn {sklearn.__version__} RandomForestClassifier", forest.fit(*training)
    boosted = xgboost.XGBClassifier(n_estimators=TREES, max_depth=DEPTH, n_jobs=threads)
    yield f"XGBoost {xgboost.__version__} XGBClassifier", boosted.fit(*training)
    light = lightgbm.LGBMClassifier(n_estimators=TREES, max_depth=DEPTH, num_leaves=255, n_jobs=threads, verbose=-1)
    yield f"LightGBM {lightgbm.__version__} LGBMClassifier", light.fit(*training)


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def compare(name, model, values, arguments):
    taking, fast = timed(lambda: fernwood.records.accelerate(model, device=arguments.device, threads=arguments.threads))
    fast.predict(values)  # the way to evaluate is chosen
    theirs, ours = [], []
    for _ in range(arguments.rounds):
        seconds, expected = timed(lambda: model.predict(values))
        theirs.append(seconds)
        seconds, found = timed(lambda: fast.predict(values))
        ours.append(seconds)
    ratio = statistics.median(a / b for a, b in zip(theirs, ours))
    sample = values[:100_000]
    their_seconds, expected_shares = timed(lambda: model.predict_proba(sample))
    our_seconds, shares = timed(lambda: fast.predict_proba(sample))
    print(f"{name}: {statistics.median(theirs):.3f} s, accelerated {statistics.median(ours):.3f} s: {ratio:.2f} times")
    print(f"  {int((expected != found).sum())} of {len(values):,} labels differ, probabilities by at most "
          f"{np.abs(expected_shares - shares).max():.1e}, found {their_seconds / our_seconds:.1f} times as fast; "
          f"taken in {taking:.2f} s; {fast.explain().splitlines()[0]}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2, help="of everyone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu", help="where fernwood works")
    arguments = parser.parse_args()
    values, _ = draw_records(arguments.records, seed=2)
    print(f"{arguments.records:,} records of {ATTRIBUTES} attributes, {TREES} trees of depth {DEPTH}, "
          f"{arguments.threads} threads, median of {arguments.rounds} rounds")  # fmt: skip
    for name, model in fitted_models(arguments.threads):
        compare(name, model, values, arguments)


if __name__ == "__main__":
    main()
