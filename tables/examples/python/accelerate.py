#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Accelerates the prediction of a random forest of scikit-learn, and of an XGBoost model if XGBoost is installed:
several times faster, with the same labels.

    python tables/examples/python/accelerate.py [FOLDER]

Writes accelerate.png to FOLDER (default: ./). Requires scikit-learn and matplotlib.
"""

import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import fernwood_tables as ft

RECORDS, ATTRIBUTES = 200_000, 28


def models(values, labels):
    """Fitted classifiers of 100 trees."""
    yield RandomForestClassifier(100, max_depth=8, n_jobs=-1).fit(values, labels)
    try:
        from xgboost import XGBClassifier
    except ImportError:
        return
    yield XGBClassifier(n_estimators=100, max_depth=8).fit(values, labels)


def records_per_second(classifier, values) -> float:
    classifier.predict(values)  # warm-up
    begin = time.perf_counter()
    classifier.predict(values)
    return len(values) / (time.perf_counter() - begin)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    values, labels = make_classification(RECORDS, ATTRIBUTES, n_informative=10, random_state=0)
    values = values.astype(np.float32)
    figure, axes = plt.subplots(layout="constrained")
    for model in models(values[:20_000], labels[:20_000]):
        fast = ft.accelerate(model)
        differing = int((fast.predict(values) != model.predict(values)).sum())
        theirs, ours = records_per_second(model, values), records_per_second(fast, values)
        name = type(model).__name__
        print(f"{name}: {ours / theirs:.1f} times as fast, {differing} of {RECORDS:,} labels differ")
        axes.bar([name, f"{name}\naccelerated"], [theirs / 1e6, ours / 1e6], color=["tab:gray", "tab:green"])
    axes.set_ylabel("million records a second")
    figure.savefig(folder / "accelerate.png", dpi=100)
    print(f"the image is {folder / 'accelerate.png'}")


if __name__ == "__main__":
    main()
