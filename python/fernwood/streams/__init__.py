# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Trees that grow from records that pass by, a few at a time.

:class:`StreamTree` needs NumPy only. ``StreamTreeClassifier`` and ``StreamTreeRegressor`` have a scikit-learn-compatible API
(``partial_fit``, ``predict``, ``get_params``) and need it (``pip install fernwood[sklearn]``); they are imported when a name
is first used.
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
