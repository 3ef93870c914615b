#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Grows a tree from a stream of records, and uses it while it grows.

    python tables/examples/python/stream.py [FOLDER]

Writes stream.png, and the model tree.fernwood for the command-line program, to FOLDER (default: ./). Requires
matplotlib.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import fernwood_tables as ft

PART, PARTS = 5_000, 40


def draw(random, num_records):
    """Sensor values, and whether the machine that they come from is in good condition."""
    values = random.standard_normal((num_records, 8)).astype(np.float32)
    is_well = np.abs(values[:, 0] + values[:, 1]) < 1.2 + 0.5 * values[:, 2]
    return values, np.where(is_well, "well", "worn")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    random = np.random.default_rng(0)
    tree = ft.streams.StreamTree(schedule="hoeffding", leaf_prediction="majority", max_depth=12)
    seen, accuracy, leaves = [], [], []
    for _ in range(PARTS):
        values, labels = draw(random, PART)
        if tree.num_records:  # test-then-train: records are classified before they are used for training
            accuracy.append(np.mean(tree.tree().predict(values) == labels))
            leaves.append(tree.tree().describe().num_leaves)
            seen.append(tree.num_records)
        tree.feed(values, labels)
    tree.tree().save(folder / "tree.fernwood")
    print(f"{tree.num_records:,} records, none of them kept: {100 * accuracy[-1]:.1f} % of the next are told right")

    figure, axes = plt.subplots(layout="constrained")
    axes.plot(seen, accuracy, label="share of the next records told right")
    axes.set_xlabel("records seen")
    axes.set_ylabel("accuracy")
    other = axes.twinx()
    other.step(seen, leaves, color="tab:green", where="post")
    other.set_ylabel("leaves", color="tab:green")
    figure.savefig(folder / "stream.png", dpi=100)
    print(f"the image is {folder / 'stream.png'}")


if __name__ == "__main__":
    main()
