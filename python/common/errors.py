# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Exceptions of fernwood. The text is one sentence that names the place, the rule, the values and the remedy.

Each exception also derives from the built-in exception for its case, so that code that does not know fernwood can
handle it: a wrong option is a ``ValueError``, a missing GPU a ``RuntimeError``. An error about a file or folder that
cannot be opened is also the matching subclass of ``OSError``, with ``errno`` and ``filename``: a missing file is a
``FileNotFoundError``, a forbidden one a ``PermissionError``, a folder instead of a file an ``IsADirectoryError``, a
file instead of a folder a ``NotADirectoryError``.
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
    """Base class of all exceptions of fernwood."""


class UsageError(FernwoodError, ValueError):
    """An argument or an option is out of range or contradicts another.

    Attributes
    ----------
    option, value, rule : str or None
        If one option has a wrong value: its name, the value as a string, and a description of valid values.
    options : tuple of str
        If options contradict each other: their names, in the order of the message.
    """

    option: Optional[str] = None
    value: Optional[str] = None
    rule: Optional[str] = None
    options: tuple[str, ...] = ()


class DataError(FernwoodError, ValueError):
    """Frames, tables or streams are invalid."""


class DeviceError(FernwoodError, RuntimeError):
    """A device is missing or failed."""


class ModelError(FernwoodError, ValueError):
    """A model file is damaged, too new or does not fit the data."""


class ResourceError(FernwoodError, MemoryError):
    """Memory or disk space ran out."""


class OperationError(FernwoodError, OSError):
    """Reading, writing or another operation failed."""


class Interrupted(FernwoodError, KeyboardInterrupt):
    """Work was interrupted on request."""


class FernwoodWarning(UserWarning):
    """A condition that is not an error but deserves attention: a class without pixels, an assumed camera."""


class _OfFile:
    """Mixin of errors about a file or folder: the message is a sentence, all else comes from ``OSError``."""

    _kind = ""  #: Name of the exception class, such as "DataError".
    _sentence: str

    def __new__(cls, sentence: str, error_number: int, path: str):
        error = OSError.__new__(cls, error_number, os.strerror(error_number), path)
        error._sentence = sentence
        return error

    def __init__(self, *_: object) -> None:
        """Does nothing: ``__init__`` of a ``ValueError`` would discard the state that ``__new__`` has set."""

    def __str__(self) -> str:
        return self._sentence

    def __repr__(self) -> str:
        return f"{self._kind}({self._sentence!r})"

    def __reduce__(self):
        return made, (self._kind, self._sentence, self.errno, self.filename)


@functools.cache
def _file_error(kind: type, reason: type) -> type:
    """A class that is, for example, both a DataError and a FileNotFoundError. Tracebacks show it as the former."""
    named = {"_kind": kind.__name__, "__module__": __name__, "__doc__": kind.__doc__}
    return type(kind.__name__, (_OfFile, kind, reason), named)


def _did_you_mean(meant: str) -> str:
    return f" (did you mean {meant}?)" if meant else ""


def of_option(option: str, value: str, rule: str, meant: str) -> UsageError:
    """The error for a wrong value of an option. `meant`: the value that was probably intended, or empty."""
    error = UsageError(f"{option} is {value}{_did_you_mean(meant)}; {rule}")
    error.option, error.value, error.rule = option, value, rule
    return error


def of_unknown_option(option: str, meant: str) -> UsageError:
    """The error for an unknown option. `meant`: the option that was probably intended, or empty."""
    return UsageError(f'there is no option "{option}"' + _did_you_mean(meant))


def made(kind: str, sentence: str, error_number: int = 0, path: str = "", options: tuple[str, ...] = ()) -> FernwoodError:
    """The exception for an error of the library.

    `error_number` and `path` describe a file or folder that cannot be opened; 0: none.
    `options`: names of the options that a usage error is about.
    """
    exception = globals()[kind]
    if error_number:
        return _file_error(exception, type(OSError(error_number, "")))(sentence, error_number, path)
    error = exception(sentence)
    if options:
        error.options = options
    return error


def warn(sentence: str) -> None:
    """Issues a warning for the line that called the package."""
    package = os.path.dirname(__file__) + os.sep
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, FernwoodWarning, stacklevel=level)
