# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Conversion of scikit-learn's ``n_jobs`` to a number of threads."""

import os
from numbers import Integral

from . import _native
from ._elements import shown
from .errors import UsageError

_MOST = 2**31 - 1

__all__: list[str] = []  # not part of the public API


def __dir__():
    return __all__


def threads_of(n_jobs):
    """Number of threads for scikit-learn's ``n_jobs``; 0: as many as the process may run on.

    None is the value of ``OMP_NUM_THREADS`` if it is set, as in joblib's workers, else 0.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdecimal() else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0 or abs(n_jobs) > _MOST:
        raise UsageError(f"n_jobs is {shown(n_jobs)}; use a number of threads, -1 for all, or None")
    return int(n_jobs) if n_jobs > 0 else max(1, _native.usable_threads() + 1 + int(n_jobs))
