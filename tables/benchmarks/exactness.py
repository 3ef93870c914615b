#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The table of tables/docs/reference/exactness.md: how far accelerated models are from the libraries' own answers.

  tables/benchmarks/exactness.py [--records 100000]

A model of each kind is trained on 4000 drawn records and asked for 100,000: drawn ones, and among their values those that were
trained on and their neighbours (ties with thresholds), zeros of both signs, denormal, huge and, where the library takes them,
infinite and unknown ones. Everyone runs on one thread, where the libraries add in a stated order.
"""
import argparse
import copy
import itertools

import numpy as np

import fernwood_tables
from fernwood_tables.checking import compare, differences

TRAINING_RECORDS, ATTRIBUTES = 4000, 8


def draw(num_records, seed):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES)).astype(np.float32)
    values[:, -1] = random.integers(-3, 4, num_records)
    return values, values[:, 0] + values[:, 1] * values[:, 2] + 0.2 * random.standard_normal(num_records)


def hostile(num_records, known, unknown, infinite):
    """Drawn records with values of all kinds among theirs."""
    random = np.random.default_rng(7)
    values, chosen = draw(num_records, 2)[0], random.random((num_records, ATTRIBUTES))
    trained = random.choice(known.ravel()[~np.isnan(known.ravel())], values.shape)
    choices = [trained, np.nextafter(trained, np.inf), np.nextafter(trained, -np.inf), 0.0, -0.0, 1e-42, 3e38, -3e38]
    choices += [np.inf, -np.inf] if infinite else []
    choices += [np.nan] * 3 if unknown else []
    for place, choice in enumerate(choices):
        values = np.where((chosen > place * 0.03) & (chosen < (place + 1) * 0.03), choice, values)
    return values.astype(np.float32)


def sklearn_models(score, two, four):
    from sklearn import ensemble, tree

    few = {"n_estimators": 20, "max_depth": 6, "random_state": 0}
    histogram = {"max_iter": 20, "early_stopping": False}
    positive = np.abs(score) + 0.1
    yield "DecisionTreeClassifier", tree.DecisionTreeClassifier(max_depth=8), four
    yield "RandomForestClassifier", ensemble.RandomForestClassifier(**few), four
    yield "ExtraTreesClassifier", ensemble.ExtraTreesClassifier(**few), two
    yield "BaggingClassifier", ensemble.BaggingClassifier(n_estimators=9, max_features=0.6, random_state=0), four
    yield "GradientBoostingClassifier, two classes", ensemble.GradientBoostingClassifier(**few), two
    yield "GradientBoostingClassifier, four classes", ensemble.GradientBoostingClassifier(**few), four
    stumps = tree.DecisionTreeClassifier(max_depth=2)
    yield "AdaBoostClassifier, two classes", ensemble.AdaBoostClassifier(stumps, n_estimators=20, random_state=0), two
    yield "AdaBoostClassifier, four classes", ensemble.AdaBoostClassifier(stumps, n_estimators=20, random_state=0), four
    yield "HistGradientBoostingClassifier, two classes", ensemble.HistGradientBoostingClassifier(**histogram), two
    yield "HistGradientBoostingClassifier, four classes", ensemble.HistGradientBoostingClassifier(**histogram), four
    several = np.column_stack([four, two])
    yield "DecisionTreeClassifier, two outputs", tree.DecisionTreeClassifier(max_depth=8), several
    yield "RandomForestClassifier, two outputs", ensemble.RandomForestClassifier(**few), several
    yield "ExtraTreesClassifier, two outputs", ensemble.ExtraTreesClassifier(**few), several
    yield "RandomForestRegressor", ensemble.RandomForestRegressor(**few), score
    yield "RandomForestRegressor, two targets", ensemble.RandomForestRegressor(**few), np.column_stack([score, -score])
    yield "ExtraTreesRegressor", ensemble.ExtraTreesRegressor(**few), score
    yield "BaggingRegressor", ensemble.BaggingRegressor(n_estimators=9, max_features=0.6, random_state=0), score
    yield "AdaBoostRegressor", ensemble.AdaBoostRegressor(n_estimators=20, random_state=0), score
    yield "GradientBoostingRegressor", ensemble.GradientBoostingRegressor(**few), score
    for loss in ("squared_error", "absolute_error", "poisson", "gamma"):
        model = ensemble.HistGradientBoostingRegressor(loss=loss, **histogram)
        yield f"HistGradientBoostingRegressor, {loss}", model, positive
    yield "IsolationForest", ensemble.IsolationForest(n_estimators=20, random_state=0), None


def xgboost_models(score, two, four):
    import xgboost

    few = {"n_estimators": 20, "max_depth": 6, "n_jobs": 1}
    positive = np.abs(score) + 0.1
    yield "XGBClassifier, two classes", xgboost.XGBClassifier(**few), two
    yield "XGBClassifier, four classes", xgboost.XGBClassifier(**few), four
    yield "XGBClassifier, dart", xgboost.XGBClassifier(booster="dart", rate_drop=0.2, **few), two
    yield "XGBRFClassifier", xgboost.XGBRFClassifier(**few), two
    yield "XGBClassifier, binary:hinge", xgboost.XGBClassifier(objective="binary:hinge", **few), two
    for objective in ("squarederror", "absoluteerror", "pseudohubererror", "gamma", "tweedie"):
        yield f"XGBRegressor, reg:{objective}", xgboost.XGBRegressor(objective=f"reg:{objective}", **few), positive
    if tuple(map(int, xgboost.__version__.split(".")[:2])) >= (3, 3):
        yield "XGBRegressor, reg:expectileerror", xgboost.XGBRegressor(objective="reg:expectileerror", expectile_alpha=0.7, **few), score
    yield "XGBRegressor, count:poisson", xgboost.XGBRegressor(objective="count:poisson", **few), positive
    logistic = xgboost.XGBRegressor(objective="reg:logistic", **few)
    yield "XGBRegressor, reg:logistic", logistic, two * 0.8 + 0.1
    several = np.column_stack([score, -score, score * 2])
    yield "XGBRegressor, three targets", xgboost.XGBRegressor(**few), several
    vectors = xgboost.XGBRegressor(multi_strategy="multi_output_tree", tree_method="hist", **few)
    yield "XGBRegressor, vectors in leaves", vectors, several


def lightgbm_models(score, two, four):
    import lightgbm

    few = {"n_estimators": 20, "verbose": -1, "n_jobs": 1}
    yield "LGBMClassifier, two classes", lightgbm.LGBMClassifier(**few), two
    yield "LGBMClassifier, four classes", lightgbm.LGBMClassifier(**few), four
    yield "LGBMClassifier, multiclassova", lightgbm.LGBMClassifier(objective="multiclassova", **few), four
    forest = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}
    yield "LGBMClassifier, rf", lightgbm.LGBMClassifier(**few, **forest), two
    for objective in ("regression", "regression_l1", "huber", "quantile", "poisson", "gamma", "tweedie"):
        yield f"LGBMRegressor, {objective}", lightgbm.LGBMRegressor(objective=objective, **few), np.abs(score) + 0.1
    yield "LGBMRegressor, reg_sqrt", lightgbm.LGBMRegressor(reg_sqrt=True, **few), score
    yield "LGBMRegressor, linear leaves", lightgbm.LGBMRegressor(linear_tree=True, **few), score
    yield "LGBMClassifier, linear leaves", lightgbm.LGBMClassifier(linear_tree=True, **few), four


def catboost_models(score, two, four):
    import catboost

    few = {"iterations": 50, "depth": 6, "verbose": False, "thread_count": 1, "allow_writing_files": False}
    yield "CatBoostClassifier, two classes", catboost.CatBoostClassifier(**few), two
    yield "CatBoostClassifier, four classes", catboost.CatBoostClassifier(**few), four
    yield "CatBoostRegressor", catboost.CatBoostRegressor(**few), score
    yield "CatBoostRegressor, Poisson", catboost.CatBoostRegressor(loss_function="Poisson", **few), np.abs(score) + 0.1
    several = catboost.CatBoostRegressor(loss_function="MultiRMSE", **few)
    yield "CatBoostRegressor, two targets", several, np.column_stack([score, -score])


#: Statistics of categories of all types that CatBoost finds on CPUs.
CTR_TYPES = ["Borders", "Buckets", "BinarizedTargetMeanValue", "Counter"]


def categorical_models(score, two, four):
    """Models of tables as categorical_table() makes them."""
    import catboost

    few = {"iterations": 50, "depth": 6, "verbose": False, "thread_count": 1, "allow_writing_files": False}
    few["cat_features"] = ["colour", "city", "code"]
    several = {"simple_ctr": CTR_TYPES, "combinations_ctr": CTR_TYPES, "max_ctr_complexity": 3}
    yield "CatBoostClassifier, categories", catboost.CatBoostClassifier(**few), two
    yield "CatBoostClassifier, four classes, categories", catboost.CatBoostClassifier(**several, **few), four
    yield "CatBoostRegressor, categories", catboost.CatBoostRegressor(**few), score
    yield "CatBoostRegressor, categories one by one", catboost.CatBoostRegressor(one_hot_max_size=300, **few), score
    yield "CatBoostRegressor, all statistics of categories", catboost.CatBoostRegressor(**several, **few), score


def categorical_table(values, seed, extra=()):
    """Numbers and three columns of categories: texts, many texts and whole numbers. @param extra  More texts."""
    import pandas

    random = np.random.default_rng(seed)
    table = pandas.DataFrame(values[:, :4], columns=["a", "b", "c", "d"])
    table["colour"] = random.choice(["red", "green", "", "blau", "\u00fc", *extra], len(table))
    table["city"] = random.choice([f"city {i}" for i in range(300)] + list(extra), len(table))
    table["code"] = random.integers(-20, 20, len(table)) * (1 if not extra else random.choice([1, 2**58 + 1], len(table)))
    return table


def margins(library, model, fast, values):
    """Units in the last place between sums over trees; None where the library has none of them."""
    if library == "XGBoost":
        theirs = model.predict(values, output_margin=True)
    elif library == "LightGBM":
        theirs = model.predict(values, raw_score=True)
    elif library == "CatBoost":
        theirs = model.predict(values, prediction_type="RawFormulaVal", thread_count=1)
    elif hasattr(model, "_raw_predict"):
        theirs = model._raw_predict(values)
    else:
        return None
    return differences(np.squeeze(theirs), np.squeeze(fast.predict_margin(values)))[1]


def leaves(library, model, values):
    """The numbers of leaves by the library; None where it gives none."""
    if library == "LightGBM":
        return model.predict(values, pred_leaf=True)
    if library == "CatBoost":
        return model.calc_leaf_indexes(values)
    if hasattr(model, "apply"):
        return model.apply(values)
    features = getattr(model, "estimators_features_", None)
    trees = getattr(model, "estimators_", [])
    return np.column_stack([t.apply(values if features is None else values[:, features[i]]) for i, t in enumerate(trees)]) if trees else None


def leaves_that_differ(library, model, fast, values):
    theirs = leaves(library, model, values)
    return "" if theirs is None else int(np.count_nonzero(theirs != fast.apply(values)))


def first_answers(library, model, method, values, count):
    """What the library answers by so many iterations."""
    if library != "scikit-learn":
        asked = {"XGBoost": {"iteration_range": (0, count)}, "LightGBM": {"num_iteration": count}, "CatBoost": {"ntree_end": count}}
        return getattr(model, method)(values, **asked[library])
    if hasattr(model, "staged_" + method):
        return next(itertools.islice(getattr(model, "staged_" + method)(values), count - 1, None))
    part = copy.copy(model)
    part.estimators_, part.n_estimators = model.estimators_[:count], count
    if hasattr(model, "estimators_features_"):
        part.estimators_features_ = model.estimators_features_[:count]
    return getattr(part, method)(values)


def first_half(library, model, fast, values):
    """Units in the last place between the answers of the first half of the iterations."""
    count = fast.forest.num_iterations // 2
    if count == 0:
        return ""
    method = next(name for name in ("score_samples", "predict_proba", "predict") if hasattr(fast, name))
    theirs, ours = first_answers(library, model, method, values, count), getattr(fast, method)(values, iterations=count)
    if isinstance(ours, list):
        theirs, ours = np.hstack(theirs), np.hstack(ours)
    return differences(theirs, ours)[1]


def check_model(library, name, model, values):
    fast = fernwood_tables.accelerate(model, threads=1, remember=False)
    found, sums = compare(model, fast, values), margins(library, model, fast, values)
    answers = f"{found.greatest_ulps} ({found.greatest_difference:.1g})" if found.greatest_ulps else "0"
    row = [library, name, found.labels_that_differ, "" if sums is None else sums, answers]
    row += [leaves_that_differ(library, model, fast, values), first_half(library, model, fast, values)]
    print(f"| {' | '.join(map(str, row))} |", flush=True)


def check_categories(num_records):
    training, score = draw(TRAINING_RECORDS, 1)
    training[::5, 0] = np.nan
    table = categorical_table(training, 3)
    score = score + table["city"].str[5:].astype(int) % 7 * 0.4 + (table["colour"] == "red") + table["code"] % 5 * 0.3
    score = (score - score.median()).to_numpy()
    two, four = (score > 0).astype(int), np.digitize(score, [-0.7, 0, 0.7])
    asked = categorical_table(hostile(num_records, training, True, True), 4, ["nan", "never seen", "\U0001f600", "x" * 100])
    for name, model, target in categorical_models(score, two, four):
        check_model("CatBoost", name, model.fit(table, target), asked)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    arguments = parser.parse_args()
    titles = ["library", "model", "labels that differ", "sums over trees, ulp", "answers, ulp (absolute)", "leaves that differ"]
    titles.append("half of the iterations, ulp")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for library, models in (
        ("scikit-learn", sklearn_models),
        ("XGBoost", xgboost_models),
        ("LightGBM", lightgbm_models),
        ("CatBoost", catboost_models),
    ):
        training, score = draw(TRAINING_RECORDS, 1)
        two, four = (score > 0).astype(int), np.digitize(score, [-0.7, 0, 0.7])
        for name, model, target in models(score, two, four):
            takes_unknown = library != "scikit-learn" or name.startswith("Hist")
            known = training.copy()
            if takes_unknown:
                known[::5, 0] = np.nan
            model.fit(known, target)
            values = hostile(arguments.records, known, takes_unknown, library in ("LightGBM", "CatBoost"))
            check_model(library, name, model, values)
    check_categories(arguments.records)


if __name__ == "__main__":
    main()
