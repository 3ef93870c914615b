# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Checks of the elements of list arguments, one by one, so that an error names the wrong element."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Number
from typing import Any, TypeVar

import numpy as np

from ._words import a_type, is_utf8
from .errors import UsageError

Element = TypeVar("Element")


def each(values: Iterable[Any], name: str, expected: str, convert: Callable[[Any], Element]) -> list[Element]:
    """Converts each element.

    Parameters
    ----------
    name
        Name of the argument.
    expected
        Description of a valid element, for messages.
    convert
        Raises TypeError, ValueError or OverflowError for an invalid element.

    Raises
    ------
    UsageError
        The argument is not a list, or an element is wrong; the message has its index.
    """
    converted = []
    for index, element in enumerate(iterated(values, name, expected)):
        try:
            converted.append(convert(element))
        except (TypeError, ValueError, OverflowError):
            raise UsageError(
                f"{name}[{index}] is {shown(element)}, {a_type(element)}; pass {expected}"
            ) from None
    return converted


def iterated(values: Iterable[Any], name: str, expected: str) -> Iterator[Any]:
    """An iterator over the elements. @raises UsageError for a value that is not iterable, and for a single text."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return iter(values)
    except TypeError:
        raise UsageError(
            f"{name} is {shown(values)}, {a_type(values)}; pass a list, of which each element is {expected}"
        ) from None


def shown(element: Any) -> str:
    """The `repr` of a value for a message: on one line, at most 60 characters."""
    text = " ".join(repr(element).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def text(element: Any) -> str:
    """A string; other objects are rejected, since their `str` is seldom intended."""
    if not isinstance(element, str) or not is_utf8(element):
        raise TypeError
    return str(element)


def texts(values: Iterable[Any], name: str) -> list[str]:
    """A list of strings. @raises UsageError as `each`."""
    return each(values, name, "a string", text)


def color(element: Any) -> tuple[int, int, int]:
    """A colour (red, green, blue), each from 0 to 255."""
    red, green, blue = (operator.index(part) for part in element)
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError
    return red, green, blue


def name(element: Any) -> str:
    """A string or a number as a name."""
    if not isinstance(element, (str, Number, np.generic)):
        raise TypeError
    return str(element)


def mapping(element: Any) -> dict:
    """A dictionary."""
    if not isinstance(element, Mapping):
        raise TypeError
    return dict(element)


def frame_index(element: Any) -> int:
    """An integer from 0 to 2^32 - 1; booleans, such as elements of a mask, are rejected."""
    if isinstance(element, (bool, np.bool_)) or not 0 <= operator.index(element) < 2**32:
        raise ValueError
    return operator.index(element)


def _index(element: Any) -> int:
    if not -(2**31) <= operator.index(element) < 2**31:
        raise OverflowError
    return operator.index(element)


def whole_numbers(values: Iterable[Any], name: str, count: int, expected: str) -> list[int]:
    """A list of `count` integers. @raises UsageError as `each`, and if their number differs."""
    numbers = each(values, name, "an integer of at most 32 bits", _index)
    if len(numbers) != count:
        raise UsageError(f"{name} is {values!r}, {len(numbers)} numbers; pass {expected}")
    return numbers
