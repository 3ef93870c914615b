# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What fernwood raises. The text is one sentence that names the place, the rule, the values and the remedy.

Each exception is also one that Python's own functions raise in such a case, so that code which knows nothing of
fernwood handles it: a wrong option is a ``ValueError``, a missing GPU a ``RuntimeError``. An error about a file or
folder that cannot be opened is also the ``OSError`` of its reason, with ``errno`` and ``filename``: a missing file is a
``FileNotFoundError``, a forbidden one a ``PermissionError``, a folder in place of a file an ``IsADirectoryError``, a
file in place of a folder a ``NotADirectoryError``.
"""

import functools
import os
import sys
import warnings
from typing import Optional

__all__ = [
    "DataError",
    "DeviceError",
    "FernwoodError",
    "FernwoodWarning",
    "Interrupted",
    "ModelError",
    "OperationError",
    "ResourceError",
    "UsageError",
]


def __dir__():
    return __all__


class FernwoodError(Exception):
    """The base of all that fernwood raises."""


class UsageError(FernwoodError, ValueError):
    """An argument or an option is out of its range or contradicts another.

    Attributes
    ----------
    option, value, rule : str or None
        Where one option has a wrong value: its name, the value as a text, and what to give in its place.
    options : tuple of str
        Where options contradict each other: their names, in the order in which the sentence names them.
    """

    option: Optional[str] = None
    value: Optional[str] = None
    rule: Optional[str] = None
    options: tuple[str, ...] = ()


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


class _OfFile:
    """What errors about a file or folder have besides their kind: a sentence as text, the rest is ``OSError``'s."""

    _kind = ""  #: The name of the kind.
    _sentence: str

    def __new__(cls, sentence: str, error_number: int, path: str):
        error = OSError.__new__(cls, error_number, os.strerror(error_number), path)
        error._sentence = sentence
        return error

    def __init__(self, *_: object) -> None:
        """All is done: ``__init__`` of a ``ValueError`` would forget it."""

    def __str__(self) -> str:
        return self._sentence

    def __repr__(self) -> str:
        return f"{self._kind}({self._sentence!r})"

    def __reduce__(self):
        return made, (self._kind, self._sentence, self.errno, self.filename)


@functools.cache
def _file_error(kind: type, reason: type) -> type:
    """The class of a DataError, say, that is a FileNotFoundError, too. Tracebacks show it as the former."""
    named = {"_kind": kind.__name__, "__module__": __name__, "__doc__": kind.__doc__}
    return type(kind.__name__, (_OfFile, kind, reason), named)


def _did_you_mean(meant: str) -> str:
    return f" (did you mean {meant}?)" if meant else ""


def of_option(option: str, value: str, rule: str, meant: str) -> UsageError:
    """The error of an option whose value is wrong. `meant`: the one that probably was meant, or empty."""
    error = UsageError(f"{option} is {value}{_did_you_mean(meant)}; {rule}")
    error.option, error.value, error.rule = option, value, rule
    return error


def of_unknown_option(option: str, meant: str) -> UsageError:
    """The error of an option that is not there. `meant`: the one that probably was meant, or empty."""
    return UsageError(f'there is no option "{option}"' + _did_you_mean(meant))


def made(kind: str, sentence: str, error_number: int = 0, path: str = "", options: tuple[str, ...] = ()) -> FernwoodError:
    """The exception of a kind, for what the library says.

    `error_number` and `path` are those of a file or folder that the system does not provide; 0: there is none.
    `options`: names of those that a wrong usage is about.
    """
    exception = globals()[kind]
    if error_number:
        return _file_error(exception, type(OSError(error_number, "")))(sentence, error_number, path)
    error = exception(sentence)
    if options:
        error.options = options
    return error


def warn(sentence: str) -> None:
    """Warns of something, at the line that called the package."""
    package = os.path.dirname(__file__) + os.sep
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, FernwoodWarning, stacklevel=level)
