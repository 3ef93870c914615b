# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Runs the code shown on the pages of the documentation, unchanged."""

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

import fernwood

ROOT = Path(__file__).parents[2]


def blocks_of(page):
    """The Python code of a page, at its original line numbers."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield "\n" * text.count("\n", 0, block.start(1)) + block[1]


def run(page, code, names):
    exec(compile(code, str(ROOT / page), "exec"), names)


def run_page(page, folder, monkeypatch):
    """Runs all code blocks of a page in a folder, with warnings as errors. Returns the variables that they define."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", fernwood.FernwoodWarning)
        for block in blocks_of(page):
            if "import rerun" not in block or importlib.util.find_spec("rerun"):  # too large for the test extra
                run(page, block, names)
    return names


def test_the_python_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    for needed in ("sklearn", "optuna", "matplotlib", "pandas"):
        pytest.importorskip(needed)
    assert len(list(blocks_of("docs/howto/python.md"))) >= 10
    names = run_page("docs/howto/python.md", tmp_path, monkeypatch)
    assert names["found"].pixel_accuracy > 0.3 and names["labels"][0].shape == (120, 160)
    written = {"arrays.json", "best.fernwood", "report.html", "rooms.fernwood"}
    assert written <= {path.name for path in tmp_path.iterdir()}
