# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

pytest_plugins = ["processes"]

#: The command installed by the package.
COMMAND = Path(sysconfig.get_path("scripts")) / "fernwood-tables"


@pytest.fixture(scope="session")
def program():
    """Runs the program: the one named by FERNWOOD_TABLES_PROGRAM, which may be of another build, or the package's
    command."""
    path = os.environ.get("FERNWOOD_TABLES_PROGRAM") or str(COMMAND)

    def run(*arguments) -> str:
        command = [path, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run
