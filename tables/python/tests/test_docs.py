# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Runs the code shown on the pages of the documentation, and the examples, unchanged."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import fernwood_tables as ft

ROOT = Path(__file__).parents[2]
pytest.importorskip("sklearn")


def test_the_page_about_python_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs/howto/python.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 2
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ft.FernwoodWarning)
        for block in blocks:
            exec(compile(block, str(page), "exec"), names)
    assert (names["fast"].predict(names["values"]) == names["species"]).mean() > 0.9
    assert {"tree.fernwood", "trees.fernwood"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("script", ["accelerate", "stream"])
def test_an_example_ends_with_a_picture(script, tmp_path):
    pytest.importorskip("matplotlib")
    command = [sys.executable, ROOT / f"examples/python/{script}.py", tmp_path]
    environment = {**os.environ, "PYTHONWARNINGS": "error::UserWarning"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{script}.png").read_bytes().startswith(b"\x89PNG")
