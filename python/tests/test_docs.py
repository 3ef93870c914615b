# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What pages show runs as it stands."""

import importlib.util
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import fernwood

ROOT = Path(__file__).parents[2]


def blocks_of(page):
    """The Python code of a page, at the lines where it stands there."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield "\n" * text.count("\n", 0, block.start(1)) + block[1]


def run(page, code, names):
    exec(compile(code, str(ROOT / page), "exec"), names)


def test_the_python_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    for needed in ("sklearn", "optuna", "matplotlib", "pandas"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    blocks, names = list(blocks_of("docs/python.md")), {}
    assert len(blocks) >= 10
    with warnings.catch_warnings():
        warnings.simplefilter("error", fernwood.FernwoodWarning)
        for block in blocks:
            if "import rerun" not in block or importlib.util.find_spec("rerun"):  # which is too large for the tests' extra
                run("docs/python.md", block, names)
    assert names["found"].pixel_accuracy > 0.3 and names["labels"][0].shape == (120, 160)
    written = {"arrays.json", "best.fernwood", "report.html", "rooms.fernwood", "tree.fernwood", "trees.fernwood"}
    assert written <= {path.name for path in tmp_path.iterdir()}


def test_the_readmes_block_runs(rooms, test_set, monkeypatch):
    sklearn_ensemble = pytest.importorskip("sklearn.ensemble")
    monkeypatch.chdir(rooms.parent)
    (block,) = blocks_of("README.md")
    assert block.count('preset="best"') == 1  # which takes minutes: fewer and smaller trees of it do here
    block = block.replace('preset="best"', 'preset="best", trees=2, features=20, samples_per_frame=50')
    model = sklearn_ensemble.RandomForestClassifier(3).fit(np.eye(4), [0, 0, 1, 1])
    names = {"color": test_set[0].color, "depth": test_set[0].depth, "model": model}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fernwood.FernwoodWarning)  # about a camera that nobody named
        run("README.md", block, names)
    assert names["labels"].shape == test_set[0].depth.shape and names["fast"].predict(np.eye(4)).shape == (4,)
