# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Numbers of threads as scikit-learn and joblib tell them."""

import os
from numbers import Integral

from .._elements import shown
from ..errors import UsageError

_MOST = 2**31 - 1

__all__: list[str] = []  # for users there is nothing in it


def __dir__():
    return __all__


def threads_of(n_jobs):
    """Threads for scikit-learn's ``n_jobs``; 0 stands for all that the process may run on.

    None is all of them, too, unless ``OMP_NUM_THREADS`` says less, as it does in joblib's workers.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdecimal() else 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0 or abs(n_jobs) > _MOST:
        raise UsageError(f"n_jobs is {shown(n_jobs)}; give a number of threads, -1 for all, or None")
    return int(n_jobs) if n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))
