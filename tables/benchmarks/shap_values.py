#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Times the SHAP values of shap's TreeExplainer, LightGBM, XGBoost and CatBoost against those of accelerated models.

  tables/benchmarks/shap_values.py [--records 10000] [--trees 100] [--depth 8] [--threads 2] [--rounds 3]
                                  [--only {scikit-learn,lightgbm,xgboost,catboost} ...]

A random forest of scikit-learn and boosted models are trained on 20,000 drawn records, with and without categories.
Both sides explain all records from rows of float32 in memory on the same number of threads (TreeExplainer has one), in
turns; the figures are the medians over the rounds of the ratios within a round, of time and of processor time. Ours is
with preparing the forest in the first round. Values are compared, and the exact sums with the margins. The background
has 100 records. Only a hundredth of the records is explained by interaction values.
"""
import argparse
import math
import time

import catboost
import lightgbm
import numpy as np
import pandas
import shap
import sklearn
import xgboost
from sklearn.ensemble import RandomForestRegressor

import fernwood_tables as ft

TRAINING_RECORDS, ATTRIBUTES, CATEGORIES = 20_000, 30, 5


def draw_records(num_records, seed, categories=False):
    """Values and targets; with categories, attributes 0 ... 4 have one of 40."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES), dtype=np.float32)
    target = values[:, 0] * values[:, 1] + np.sin(3 * values[:, 2]) + 0.3 * values[:, 3:10].sum(axis=1)
    if categories:
        codes = random.integers(0, 40, (num_records, CATEGORIES))
        values[:, :CATEGORIES] = codes
        target = np.sin(codes * codes).sum(axis=1) + 0.3 * values[:, CATEGORIES:10].sum(axis=1)
    return values, target


def of_scikit_learn(arguments):
    """Yields name, model, and a function that gives the library's values [record][attribute + 1]."""
    training, target = draw_records(TRAINING_RECORDS, seed=1)
    values, _ = draw_records(arguments.records, seed=2)
    forest = RandomForestRegressor(arguments.trees, max_depth=arguments.depth, n_jobs=arguments.threads, random_state=1)
    forest.fit(training, target)
    library = f"shap {shap.__version__} TreeExplainer"
    model = f"RandomForestRegressor of scikit-learn {sklearn.__version__}"

    def with_expected(explainer, records):
        found = explainer.shap_values(records, check_additivity=False)
        return np.column_stack([found, np.full(len(records), np.ravel(explainer.expected_value)[0])])

    dependent = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    yield f"{library}, {model}", forest, values, lambda: with_expected(dependent, values), {}
    background = training[:100]
    intervening = shap.TreeExplainer(forest, background, feature_perturbation="interventional")
    options = {"background": background}
    yield f"{library} (interventional), {model}", forest, values, lambda: with_expected(intervening, values), options


def of_lightgbm(arguments):
    for categories in (False, True):
        training, target = draw_records(TRAINING_RECORDS, 1, categories)
        values, _ = draw_records(arguments.records, 2, categories)
        options = {"num_leaves": 2**arguments.depth, "max_depth": arguments.depth, "num_threads": arguments.threads}
        options.update(objective="regression", min_data_in_leaf=5, verbose=-1)
        columns = list(range(CATEGORIES)) if categories else []
        model = lightgbm.train(options, lightgbm.Dataset(training, target, categorical_feature=columns), arguments.trees)
        name = f"LightGBM {lightgbm.__version__} pred_contrib{', categories' * categories}"
        yield name, model, values, lambda: model.predict(values, pred_contrib=True, num_threads=arguments.threads), {}


def of_xgboost(arguments):
    for categories in (False, True):
        training, target = draw_records(TRAINING_RECORDS, 1, categories)
        values, _ = draw_records(arguments.records, 2, categories)
        few = values[: arguments.records // 100]
        kinds = ["c" if categories and a < CATEGORIES else "float" for a in range(ATTRIBUTES)]

        def matrix(records, labels=None):
            return xgboost.DMatrix(records, labels, feature_types=kinds, enable_categorical=True, nthread=arguments.threads)

        options = {"max_depth": arguments.depth, "nthread": arguments.threads}
        model = xgboost.train(options, matrix(training, target), arguments.trees)
        name = f"XGBoost {xgboost.__version__}"
        all_records, few_records, suffix = matrix(values), matrix(few), ", categories" * categories
        contributions, interactions = f"{name} pred_contribs{suffix}", f"{name} pred_interactions{suffix}"
        yield contributions, model, values, lambda: model.predict(all_records, pred_contribs=True), {}
        yield interactions, model, few, lambda: model.predict(few_records, pred_interactions=True), {}


def of_catboost(arguments):
    for categories in (False, True):
        training, target = draw_records(TRAINING_RECORDS, 1, categories)
        values, _ = draw_records(arguments.records, 2, categories)
        columns = list(range(CATEGORIES)) if categories else []

        def table(records):
            frame = pandas.DataFrame(records)
            return frame.astype({column: int for column in columns})

        options = {"iterations": arguments.trees, "depth": arguments.depth, "thread_count": arguments.threads}
        model = catboost.CatBoostRegressor(**options, verbose=0, allow_writing_files=False)
        model.fit(table(training), target, cat_features=columns)
        frame = table(values)
        pool = catboost.Pool(frame, cat_features=columns)

        def explain():
            return model.get_feature_importance(pool, type="ShapValues", thread_count=arguments.threads)

        yield f"CatBoost {catboost.__version__} ShapValues{', categories' * categories}", model, frame, explain, {}


LIBRARIES = {"scikit-learn": of_scikit_learn, "lightgbm": of_lightgbm, "xgboost": of_xgboost, "catboost": of_catboost}


def timed(work):
    """Seconds, of time and of processor time, and the result."""
    begin = np.array([time.perf_counter(), time.process_time()])
    result = work()
    return [time.perf_counter(), time.process_time()] - begin, result


def compare(name, model, values, library, options, arguments):
    fast = ft.accelerate(model, threads=arguments.threads)

    def ours_of():
        if "interactions" in name:
            return fast.shap_interaction_values(values, threads=arguments.threads)[:, 0]
        return fast.shap_values(values, threads=arguments.threads, **options)[:, 0]

    theirs, ours = [], []
    for _ in range(arguments.rounds):
        seconds, expected = timed(library)
        theirs.append(seconds)
        seconds, found = timed(ours_of)
        ours.append(seconds)
    ratios = np.median(np.array(theirs) / ours, axis=0)
    theirs, ours = np.median(theirs, axis=0), np.median(ours, axis=0)
    sums = [math.fsum(row) for row in found.reshape(len(found), -1).tolist()]
    print(
        f"{name}: {len(values)} records, {theirs[0]:.2f} s ({theirs[1]:.2f} s of processors), fernwood {ours[0]:.3f} s "
        f"({ours[1]:.3f}), {ratios[0]:.0f} times ({ratios[1]:.0f}); largest difference "
        f"{np.abs(found - expected).max():.1e} of values up to {np.abs(expected).max():.2f}; "
        f"{np.sum(sums != fast.predict_margin(values))} sums differ from margins",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    arguments = parser.parse_args()
    for library in arguments.only:
        for compared in LIBRARIES[library](arguments):
            compare(*compared, arguments)


if __name__ == "__main__":
    main()
