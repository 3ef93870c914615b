# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Optional packages, which are imported only when a function needs them."""

from __future__ import annotations

import importlib
from types import ModuleType


#: Packages that are not named like their modules.
PACKAGES = {"sklearn": "scikit-learn", "PIL": "pillow", "rerun": "rerun-sdk"}


def require(module: str, purpose: str) -> ModuleType:
    """Imports a module, or raises an ImportError that names the package to install. `purpose` begins the message."""
    try:
        return importlib.import_module(module)
    except ImportError as failure:
        name = module.partition(".")[0]
        package = PACKAGES.get(name, name)
        raise ImportError(f"{purpose} needs {package}; pip install {package}") from failure
