# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Trees that grow from records that pass by, a few at a time.

:class:`StreamTree` needs NumPy only. ``StreamTreeClassifier`` has a scikit-learn-compatible API (``partial_fit``, ``predict``,
``get_params``) and needs it (``pip install fernwood[sklearn]``); it is imported when the name is first used.
"""

from .tree import Prequential, StreamTree

__all__ = ["Prequential", "StreamTree", "StreamTreeClassifier"]


def __getattr__(name):
    if name != "StreamTreeClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .classifier import StreamTreeClassifier

    return StreamTreeClassifier


def __dir__():
    return __all__
