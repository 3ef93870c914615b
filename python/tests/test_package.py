# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import subprocess
import sys

import fernwood


def test_knows_its_version_and_the_cpu():
    assert fernwood.__version__.count(".") == 2
    assert fernwood.available_devices()[0] == "cpu"


def test_is_imported_without_what_is_heavy():
    """Its users pay for scikit-learn, pandas and matplotlib when they use them, not when they import fernwood."""
    heavy = "import sys, fernwood; print([m for m in ('sklearn', 'pandas', 'matplotlib', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout == "[]\n"
