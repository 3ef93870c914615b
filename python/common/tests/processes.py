# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A fixture for tests that need a process of their own."""

import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def script():
    """Runs lines of Python in a separate process, which may hang or abort; returns its standard output if it
    succeeds."""

    def run(lines, *arguments, timeout_s=120) -> str:
        command = [sys.executable, "-W", "ignore", "-c", lines, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
        assert done.returncode == 0 and not done.stderr, f"{done.returncode}: {done.stderr[-3000:]}"
        return done.stdout

    return run
