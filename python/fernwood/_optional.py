# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Packages that fernwood uses where they are, and never needs to be imported."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """The module, or an ImportError that names the extra which brings it. `purpose` begins the sentence."""
    try:
        return importlib.import_module(module)
    except ImportError as failure:
        package = module.partition(".")[0]
        raise ImportError(f'{purpose} needs {package}; pip install "fernwood[{extra}]" brings it') from failure
