# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What fernwood raises. The text is one sentence that names the place, the rule, the values and the remedy.

Each exception is also one that Python's own functions raise in such a case, so that code which knows nothing of
fernwood handles it: a wrong option is a ``ValueError``, a missing GPU a ``RuntimeError``.
"""


class FernwoodError(Exception):
    """The base of all that fernwood raises."""


class UsageError(FernwoodError, ValueError):
    """An argument or an option is out of its range or contradicts another."""


class DataError(FernwoodError, ValueError):
    """Frames, tables or streams break a rule."""


class DeviceError(FernwoodError, RuntimeError):
    """A device is missing or refused to work."""


class ModelError(FernwoodError, ValueError):
    """A model file is damaged, too new or does not fit the data."""


class ResourceError(FernwoodError, MemoryError):
    """Memory or disk space ran out."""


class OperationError(FernwoodError, OSError):
    """Reading, writing or another operation failed."""


class Interrupted(FernwoodError, KeyboardInterrupt):
    """Work was asked to stop."""
