# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The command fernwood-tables installed by the package: the program itself, with its child processes."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import COMMAND

import fernwood_tables as ft


@pytest.fixture
def run(tmp_path):
    """Runs the command in an environment independent of the machine."""
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1"}

    def run_command(*words, code=0) -> subprocess.CompletedProcess:
        command = [COMMAND, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == code, done.stderr
        return done

    return run_command


def test_its_version_is_that_of_the_package(run):
    assert run("--version").stdout == f"fernwood-tables {ft.__version__}\n"
    module = [sys.executable, "-m", "fernwood_tables", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == run("--version").stdout


def test_completion_is_installed_with_it(run):
    share = Path(sys.prefix) / "share"
    for shell, place in {
        "bash": "bash-completion/completions/fernwood-tables",
        "zsh": "zsh/site-functions/_fernwood_tables",
        "fish": "fish/vendor_completions.d/fernwood-tables.fish",
    }.items():
        assert (share / place).read_text() == run("completion", shell).stdout
