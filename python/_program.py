# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A package's command: hands the process over to the program, which lies in the package, without importing that.

Installed as ``_PACKAGE_program``, a module of its own for each package; the program has the package's name, with dashes.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = __name__.removeprefix("_").removesuffix("_program")
PROGRAM = PACKAGE.replace("_", "-")


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    package = find_spec(PACKAGE)
    folders = package.submodule_search_locations if package is not None else None
    os.environ.setdefault("FERNWOOD_PYTHON", sys.executable)  # for encoders, which the program runs in Python
    program = Path(*list(folders or [PACKAGE])[:1], "bin", PROGRAM)
    try:
        os.execv(program, [PROGRAM, *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"error: {program} cannot be started: {problem.strerror}; install {PROGRAM} again")
