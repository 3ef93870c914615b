# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Decision trees that grow from streams of records, part by part.

:class:`StreamTree` only needs NumPy. ``StreamTreeClassifier`` and ``StreamTreeRegressor`` have a
scikit-learn-compatible API (``partial_fit``, ``predict``, ``get_params``) and need scikit-learn; each is imported when
it is first used.
"""

import importlib

from .tree import Prequential, PrequentialErrors, StreamTree

__all__ = ["Prequential", "PrequentialErrors", "StreamTree", "StreamTreeClassifier", "StreamTreeRegressor"]

_ESTIMATORS = {"StreamTreeClassifier": ".classifier", "StreamTreeRegressor": ".regressor"}


def __getattr__(name):
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_ESTIMATORS[name], __name__), name)


def __dir__():
    return __all__
