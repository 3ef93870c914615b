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


def test_options_in_sentences_are_those_of_python():
    assert errors.in_python("--max-depth is 0; give 1 to 64") == "max_depth is 0; give 1 to 64"
    assert errors.in_python("give --cascade 1, or --gpu-memory 400MB") == "give cascade=1, or gpu_memory='400MB'"
    assert errors.in_python("give --no-mirror-augmentation, --rate 0.5.") == "give mirror_augmentation=False, rate=0.5."
    assert errors.in_python("/data/a--b/x: no file - see there") == "/data/a--b/x: no file - see there"
    with pytest.raises(errors.UsageError, match="^max_leaves is 1; give at least 2"):
        fernwood.records.train([[0.0], [1.0]], [0, 1], max_leaves=1)
