#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Times shap's TreeExplainer, LightGBM's pred_contrib and XGBoost's pred_contribs against RecordForest.shap_values.

  tables/benchmarks/shap_values.py [--records 10000] [--trees 100] [--depth 8] [--threads 2] [--rounds 3]

A random forest of scikit-learn and boosted models are trained on 20,000 drawn records. Both sides explain all records
from rows of float32 in memory on the same number of threads (TreeExplainer has one), in turns; the figure is the median
over the rounds of the ratio within a round. Ours is with preparing the forest in the first round. Values are compared.
"""
import argparse
import statistics
import tempfile
import time
from pathlib import Path

import lightgbm
import numpy as np
import shap
import sklearn
import xgboost
from sklearn.ensemble import RandomForestRegressor

import fernwood_tables as ft

TRAINING_RECORDS, ATTRIBUTES = 20_000, 30


def draw_records(num_records, seed):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES), dtype=np.float32)
    target = values[:, 0] * values[:, 1] + np.sin(3 * values[:, 2]) + 0.3 * values[:, 3:10].sum(axis=1)
    return values, target


def explained(arguments, values, folder):
    """Name, forest, and a function that gives the library's values with expected values in the last column."""
    training, target = draw_records(TRAINING_RECORDS, seed=1)
    forest = RandomForestRegressor(arguments.trees, max_depth=arguments.depth, n_jobs=arguments.threads, random_state=1)
    explainer = shap.TreeExplainer(forest.fit(training, target), feature_perturbation="tree_path_dependent")

    def tree_explainer():
        found = explainer.shap_values(values, check_additivity=False)
        return np.column_stack([found, np.full(len(values), np.ravel(explainer.expected_value)[0])])

    name = f"shap {shap.__version__} TreeExplainer, RandomForestRegressor of scikit-learn {sklearn.__version__}"
    yield name, ft.accelerate(forest).forest, tree_explainer
    options = {"num_leaves": 2**arguments.depth, "max_depth": arguments.depth, "num_threads": arguments.threads}
    options.update(objective="regression", min_data_in_leaf=5, verbose=-1)
    light = lightgbm.train(options, lightgbm.Dataset(training, target), arguments.trees)
    light.save_model(folder / "light.txt")
    yield f"LightGBM {lightgbm.__version__} pred_contrib", ft.RecordForest.import_model(folder / "light.txt"), (
        lambda: light.predict(values, pred_contrib=True, num_threads=arguments.threads)
    )
    options = {"max_depth": arguments.depth, "nthread": arguments.threads}
    boosted = xgboost.train(options, xgboost.DMatrix(training, target), arguments.trees)
    boosted.save_model(folder / "boosted.json")
    matrix = xgboost.DMatrix(values)
    yield f"XGBoost {xgboost.__version__} pred_contribs", ft.RecordForest.import_model(folder / "boosted.json"), (
        lambda: boosted.predict(matrix, pred_contribs=True)
    )


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def compare(name, forest, library, values, arguments):
    theirs, ours = [], []
    for _ in range(arguments.rounds):
        seconds, expected = timed(library)
        theirs.append(seconds)
        seconds, found = timed(lambda: forest.shap_values(values, threads=arguments.threads)[:, 0])
        ours.append(seconds)
    ratio = statistics.median(a / b for a, b in zip(theirs, ours))
    print(
        f"{name}: {statistics.median(theirs):.2f} s, fernwood {statistics.median(ours):.3f} s, {ratio:.0f} times; "
        f"largest difference {np.abs(found - expected).max():.1e} of values up to {np.abs(expected).max():.2f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    values, _ = draw_records(arguments.records, seed=2)
    with tempfile.TemporaryDirectory() as folder:
        for name, forest, library in explained(arguments, values, Path(folder)):
            compare(name, forest, library, values, arguments)


if __name__ == "__main__":
    main()
