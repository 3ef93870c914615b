# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Optional packages, which are imported only when a function needs them."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Imports a module, or raises an ImportError that names the extra to install. `purpose` begins the message."""
    try:
        return importlib.import_module(module)
    except ImportError as failure:
        package = module.partition(".")[0]
        own = __package__.replace("_", "-")
        raise ImportError(f'{purpose} needs {package}; pip install "{own}[{extra}]" brings it') from failure
