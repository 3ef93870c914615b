# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The command ``fernwood``: hands the process over to the program, which lies in the package, without importing that."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Becomes the program ``fernwood``, with the arguments of this process."""
    package = find_spec("fernwood")
    folders = package.submodule_search_locations if package is not None else None
    program = Path(*list(folders or ["fernwood"])[:1], "bin", "fernwood")
    try:
        os.execv(program, ["fernwood", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"error: {program} cannot be started: {problem.strerror}; install fernwood again")
