#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Times models of scikit-learn, XGBoost, LightGBM, CatBoost and ONNX Runtime against fernwood_tables.accelerate of them.

  tables/benchmarks/accelerate.py [--records 1000000] [--threads 2] [--rounds 5] [--device cpu] [--trees 100]
                                  [--compilers] [--onnx FILE] [NAME ...]

Models are trained on 50,000 drawn records by all processors, those whose names begin with a NAME. Everyone answers for
all records, from rows of float32 in memory (CatBoost from its own Pool), on the same processors, as many as threads, in
turns; the figure is the median over the rounds of the ratio within a round. Then single records, one at a time on one
thread, as rows of float32 and float64: the fastest of many turns; with --records 1 only these. With --compilers also by
ONNX Runtime and, for LightGBM, lleaves. Answers are compared. With --onnx ONNX Runtime and fernwood answer by the trees
of a regressor's file, and no other models.
"""
import argparse
import os
import statistics
import tempfile
import time

import numpy as np

import fernwood_tables

TRAINING_RECORDS, ATTRIBUTES, DEPTH = 50_000, 28, 8
TURNS, CALLS = 60, 50  # of single records


def draw_records(num_records, seed):
    """Values of a normal distribution, a score by a rule of some attributes and noise."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, ATTRIBUTES), dtype=np.float32)
    score = values[:, 0] * values[:, 1] + np.sin(3 * values[:, 2]) + 0.5 * values[:, 3] + 0.3 * values[:, 4] ** 2
    return values, score + 0.3 * random.standard_normal(num_records)


def sklearn_models(trees):
    from sklearn import ensemble

    values, score = draw_records(TRAINING_RECORDS, seed=1)
    classes = (score > 0.3).astype(int)
    common = {"n_estimators": trees, "n_jobs": -1, "random_state": 1}
    histogram = {"max_iter": trees, "max_leaf_nodes": 31, "early_stopping": False}
    for name, model, target in (
        ("RandomForestClassifier depth 8", ensemble.RandomForestClassifier(max_depth=DEPTH, **common), classes),
        ("RandomForestRegressor depth 8", ensemble.RandomForestRegressor(max_depth=DEPTH, **common), score),
        ("RandomForestRegressor unlimited", ensemble.RandomForestRegressor(**common), score),
        ("ExtraTreesRegressor depth 8", ensemble.ExtraTreesRegressor(max_depth=DEPTH, **common), score),
        ("HistGradientBoostingRegressor 31 leaves", ensemble.HistGradientBoostingRegressor(**histogram), score),
        ("HistGradientBoostingClassifier 31 leaves", ensemble.HistGradientBoostingClassifier(**histogram), classes),
        ("IsolationForest", ensemble.IsolationForest(**common), None),
    ):
        method = "score_samples" if target is None else "predict"
        yield "scikit-learn " + name, lambda model=model, target=target: model.fit(values, target), method


def booster_models(trees):
    values, score = draw_records(TRAINING_RECORDS, seed=1)
    classes = (score > 0.3).astype(int)

    def xgboost(kind, target):
        import xgboost

        return getattr(xgboost, kind)(n_estimators=trees, max_depth=DEPTH, n_jobs=-1).fit(values, target)

    def lightgbm(kind, target, **shape):
        import lightgbm

        return getattr(lightgbm, kind)(n_estimators=trees, n_jobs=-1, verbose=-1, **shape).fit(values, target)

    def catboost(kind, target):
        import catboost

        model = getattr(catboost, kind)(iterations=trees, depth=6, verbose=False)
        return model.fit(values, target)

    yield "XGBoost XGBClassifier depth 8", lambda: xgboost("XGBClassifier", classes), "predict"
    yield "XGBoost XGBRegressor depth 8", lambda: xgboost("XGBRegressor", score), "predict"
    deep = {"max_depth": DEPTH, "num_leaves": 255}
    yield "LightGBM LGBMClassifier depth 8", lambda: lightgbm("LGBMClassifier", classes, **deep), "predict"
    yield "LightGBM LGBMRegressor 31 leaves", lambda: lightgbm("LGBMRegressor", score, num_leaves=31), "predict"
    yield "CatBoost CatBoostRegressor depth 6", lambda: catboost("CatBoostRegressor", score), "predict"


def models(trees):
    """Name, what trains it, and the method that is timed."""
    yield from sklearn_models(trees)
    yield from booster_models(trees)


def trained(train, threads):
    """The model, which answers on some threads from now on."""
    model = train()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=threads)
    return model


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def in_turns(theirs, ours, rounds):
    """Seconds of each, and the median ratio of a round."""
    seconds = [(timed(theirs)[0], timed(ours)[0]) for _ in range(rounds)]
    return *(statistics.median(s) for s in zip(*seconds)), statistics.median(a / b for a, b in seconds)


def native_call(model, values, threads, method):
    """The library's fastest call for many records."""
    if type(model).__module__.startswith("catboost"):
        from catboost import Pool

        pool = Pool(values)
        return lambda: model.predict(pool, prediction_type="RawFormulaVal", thread_count=threads)
    return lambda: getattr(model, method)(values)


def compare(model, method, values, arguments):
    taking, fast = timed(lambda: fernwood_tables.accelerate(model, device=arguments.device, threads=arguments.threads))
    answer = getattr(fast, method)
    answer(values)  # the way to evaluate is chosen
    theirs, ours, ratio = in_turns(
        native_call(model, values, arguments.threads, method), lambda: answer(values), arguments.rounds
    )
    found = fernwood_tables.checking.compare(model, fast, values[:100_000])
    print(f"  {theirs:.3f} s, accelerated {ours:.3f} s: {ratio:.2f} times")
    print(f"  {found}; taken in {taking:.2f} s; {fast.explain().splitlines()[0]}")


def onnx_of(model):
    """The model in an ONNX file, by the library's own converter."""
    module = type(model).__module__
    if module.startswith("catboost"):
        path = os.path.join(tempfile.mkdtemp(), "model.onnx")
        model.save_model(path, format="onnx")
        return path
    if module.startswith("sklearn"):
        from skl2onnx import to_onnx

        options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
        return to_onnx(model, np.zeros((1, ATTRIBUTES), np.float32), options=options).SerializeToString()
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    convert = onnxmltools.convert_xgboost if module.startswith("xgboost") else onnxmltools.convert_lightgbm
    return convert(model, initial_types=[("records", FloatTensorType([None, ATTRIBUTES]))]).SerializeToString()


def onnx_call(model):
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx_of(model), settings)
    name, outputs = session.get_inputs()[0].name, [session.get_outputs()[0].name]
    return lambda row: session.run(outputs, {name: row})


def lleaves_call(model):
    import lleaves

    path = os.path.join(tempfile.mkdtemp(), "model.txt")
    model.booster_.save_model(path)
    compiled = lleaves.Model(model_file=path)
    compiled.compile()
    return lambda row: compiled.predict(row, n_jobs=1)


def compare_single(model, method, arguments):
    """Time of single records, the fastest of many turns in which everyone answers a few."""
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=1)
    one = getattr(fernwood_tables.accelerate(model, device="cpu", threads=1), method)
    library = getattr(model, method)
    for kind in (np.float32, np.float64):
        rows = list(draw_records(CALLS, seed=2)[0].astype(kind)[:, None, :])
        calls = {"library": library, "accelerated": one}
        if arguments.compilers and kind == np.float32:  # the files compare 32 bits
            calls["onnxruntime"] = onnx_call(model)
        if arguments.compilers and type(model).__module__.startswith("lightgbm"):
            calls["lleaves"] = lleaves_call(model)
        found = {who: [] for who in calls}
        for turn in range(TURNS):
            for who, call in calls.items():
                if who != "library" or turn < 3:  # which takes long
                    found[who].append(timed(lambda: [call(row) for row in rows])[0])
        micros = {who: 1e6 * min(seconds) / CALLS for who, seconds in found.items()}
        print(f"  one record of {np.dtype(kind).name}: "
              + ", ".join(f"{who} {time:.1f} us ({time / micros['accelerated']:.2f})" for who, time in micros.items()))  # fmt: skip


def compare_onnx(path, values, arguments):
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = arguments.threads
    session = onnxruntime.InferenceSession(path, settings)
    (records,) = session.get_inputs()
    forest = fernwood_tables.RecordForest.import_model(path)
    options = {"device": arguments.device, "threads": arguments.threads}
    found = forest.predict_values(values, **options)  # the way to evaluate is chosen
    expected = session.run(None, {records.name: values})[0]
    theirs, ours, ratio = in_turns(lambda: session.run(None, {records.name: values}),
                                   lambda: forest.predict_values(values, **options), arguments.rounds)  # fmt: skip
    print(f"ONNX Runtime {os.path.basename(path)}: {theirs:.3f} s, fernwood {ours:.3f} s: {ratio:.2f} times")
    print(f"  {(found != expected).sum()} of {found.size} values differ, at most by {np.abs(found - expected).max():.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2, help="of everyone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu", help="where fernwood works")
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--compilers", action="store_true", help="single records also by ONNX Runtime and lleaves")
    parser.add_argument("--onnx", metavar="FILE", help="of a regressor")
    parser.add_argument("names", nargs="*", help="of models, or what they begin with; all unless given")
    arguments = parser.parse_args()
    values, _ = draw_records(arguments.records, seed=2)
    print(f"{arguments.records:,} records of {ATTRIBUTES} attributes, {arguments.trees} trees, "
          f"{arguments.threads} threads, median of {arguments.rounds} rounds")  # fmt: skip
    every, some = os.sched_getaffinity(0), sorted(os.sched_getaffinity(0))[: arguments.threads]
    if arguments.onnx:
        os.sched_setaffinity(0, some)
        return compare_onnx(arguments.onnx, values, arguments)
    for name, train, method in models(arguments.trees):
        if not arguments.names or any(name.startswith(wanted) for wanted in arguments.names):
            os.sched_setaffinity(0, every)
            model = trained(train, arguments.threads)
            os.sched_setaffinity(0, some)
            print(name)
            if arguments.records > 1:
                compare(model, method, values, arguments)
            compare_single(model, method, arguments)


if __name__ == "__main__":
    main()
