# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import subprocess
import sys

import pytest

import fernwood
from fernwood import errors


def test_knows_its_version_and_the_cpu():
    assert fernwood.__version__.count(".") == 2
    assert fernwood.available_devices()[0] == "cpu"


def test_is_imported_without_what_is_heavy():
    """Its users pay for scikit-learn, pandas and matplotlib when they use them, not when they import fernwood."""
    heavy = "import sys, fernwood; print([m for m in ('sklearn', 'pandas', 'matplotlib', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_options_in_sentences_are_those_of_python(tmp_path):
    """Of errors of each kind, and what only looks like an option stays as it is."""
    with pytest.raises(errors.ResourceError, match="give a larger memory_budget, fewer trees, max_leaves or max_depth$"):
        fernwood.records.train([[float(i)] for i in range(4000)], [float(i) for i in range(4000)], task="regression",
                               trees=50, memory_budget="1MB")
    with pytest.raises(FileNotFoundError, match="/data/a--b/x: "):
        fernwood.load("/data/a--b/x")
    if fernwood.available_devices() == ["cpu"]:
        with pytest.raises(errors.DeviceError, match="or give device='cpu'$"):
            fernwood.records.train([[0.0], [1.0]], [0, 1], device="cuda")
    table = tmp_path / "--label.csv"
    table.write_text("kind\na\nb\n")
    with pytest.raises(errors.DataError, match="/--label.csv: has a class alone; .* check separator and label$"):
        fernwood.records.read_table(table)
    with pytest.raises(errors.UsageError, match="^max_leaves is 1; give at least 2"):
        fernwood.records.train([[0.0], [1.0]], [0, 1], max_leaves=1)
