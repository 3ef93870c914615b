# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Arguments that are not options of the library, checked against their annotations when a function is called."""

from __future__ import annotations

import functools
import inspect
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, Optional, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from . import _elements
from ._words import a_type, is_utf8
from .errors import UsageError, of_option

Function = TypeVar("Function", bound=Callable[..., Any])

_LARGEST = 2**31 - 1
_LARGEST_SEED = 2**64 - 1

#: Converts an argument; raises TypeError, ValueError or OverflowError to reject it.
_Conversion = Callable[[Any], Any]


def checked(function: Function) -> Function:
    """Decorator of public functions: converts arguments that are strings, paths, numbers, booleans or lists of strings, or
    rejects them with a UsageError that names the argument.

    The function itself checks arguments with other annotations (arrays, forests, options). Integers are at least 0.
    """
    positional = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]

    @functools.cache
    def rules() -> dict[str, Callable[[Any], Any]]:
        # At the first call, when all names in the annotations are defined.
        found = {name: _rule(name, hint) for name, hint in get_type_hints(function).items() if name != "return"}
        return {name: rule for name, rule in found.items() if rule is not None}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        known = rules()
        given = [known[name](value) if name in known else value for name, value in zip(positional, args)]
        named = {name: known[name](value) if name in known else value for name, value in kwargs.items()}
        return function(*given, *args[len(given) :], **named)

    return call  # type: ignore[return-value]


def _rule(name: str, hint: Any) -> Optional[Callable[[Any], Any]]:
    """The function that converts an argument with this name and type; None if its type is not checked here."""
    members = get_args(hint) if get_origin(hint) is Union or _is_new_union(hint) else (hint,)
    may_be_none = type(None) in members
    wanted = [member for member in members if member is not type(None)]
    if any(_is_path(member) for member in wanted):
        wanted = [member for member in wanted if member is not str]  # a string is also a path
    conversions = [_conversion(name, member) for member in wanted]
    if None in conversions:
        return None
    expected = " or ".join(dict.fromkeys(words for _, words in conversions))
    if may_be_none:
        expected += ", or None"

    def convert(value: Any) -> Any:
        if value is None and may_be_none:
            return None
        for conversion, _ in conversions:
            try:
                return conversion(value)
            except UsageError:
                raise
            except (TypeError, ValueError, OverflowError):
                continue
        raise _refusal(name, value, f"pass {expected}")

    return convert


def _refusal(name: str, value: Any, rule: str) -> UsageError:
    """A UsageError with the same attributes as the error of an option."""
    shown = _elements.shown(value)
    error = UsageError(f"{name} is {shown}, {a_type(value)}; {rule}")
    error.option, error.value, error.rule = name, value if isinstance(value, str) else shown, rule
    return error


def _is_new_union(hint: Any) -> bool:
    """Whether a type has the form ``int | None``."""
    return type(hint).__name__ == "UnionType"


def _is_path(hint: Any) -> bool:
    return hint is os.PathLike or get_origin(hint) is os.PathLike


def _conversion(name: str, hint: Any) -> Optional[tuple[_Conversion, str]]:
    """The conversion to a type, and the name of such values in messages; None if the type is not checked here."""
    if hint is bool:
        return _truth, "True or False"
    if hint is int:
        return functools.partial(_whole, name), "an integer"
    if hint is float:
        return _number, "a number"
    if hint is str:
        return _elements.text, "a string"
    if _is_path(hint):
        return functools.partial(_path, name), "a path"
    if get_origin(hint) in (Sequence, Iterable) and get_args(hint) == (str,):
        return functools.partial(_elements.texts, name=name), "a list of strings"
    return None


def _truth(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError
    largest = _LARGEST_SEED if name == "seed" else _LARGEST
    if not 0 <= value <= largest:
        raise of_option(name, str(value), "use at least 0" if value < 0 else f"use at most {largest}", "")
    return operator.index(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise TypeError
    return float(value)


def _path(name: str, value: Any) -> str:
    path = os.fspath(value)
    if not isinstance(path, str):  # bytes
        raise TypeError
    if not path:
        raise UsageError(f"{name} is empty; name a file or a folder")
    if not is_utf8(path):
        raise UsageError(f"{name} is {path!r}, which is not UTF-8; rename the file or folder")
    return path
