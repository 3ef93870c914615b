# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What fernwood raises. The text is one sentence that names the place, the rule, the values and the remedy.

Each exception is also one that Python's own functions raise in such a case, so that code which knows nothing of
fernwood handles it: a wrong option is a ``ValueError``, a missing GPU a ``RuntimeError``.
"""

import os
import re
import sys
import warnings


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


class FernwoodWarning(UserWarning):
    """What is no error, but should be looked at: a class without a pixel, a camera that is assumed."""


_OPTION = re.compile(r"(?<![\w-])--(no-)?([a-z](?:[a-z-]*[a-z])?)(?: (\d+(?:\.\d+)?(?:[kKMGT]B)?)(?!\w))?")


def in_python(sentence: str) -> str:
    """Names options in a sentence of the library as they are written here: ``--max-depth 8`` is ``max_depth=8``."""

    def written(option: re.Match) -> str:
        negated, name, number = option.groups()
        name = name.replace("-", "_")
        if negated:
            return f"{name}=False"
        if number and not number.replace(".", "", 1).isdigit():
            number = repr(number)
        return f"{name}={number}" if number else name

    return _OPTION.sub(written, sentence)


def made(name: str, sentence: str) -> FernwoodError:
    """The exception of a name, for what the library says."""
    return globals()[name](in_python(sentence))


def warn(sentence: str) -> None:
    """Warns of something, at the line that called the package."""
    package = os.path.dirname(__file__) + os.sep
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(in_python(sentence), FernwoodWarning, stacklevel=level)
