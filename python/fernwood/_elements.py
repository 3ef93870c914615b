# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Elements of lists that callers give, looked at one by one, so that an error names the one that is wrong."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Number
from typing import Any, TypeVar

import numpy as np

from . import _fernwood
from ._words import a_type
from .errors import UsageError

Element = TypeVar("Element")


def each(values: Iterable[Any], name: str, expected: str, convert: Callable[[Any], Element]) -> list[Element]:
    """What `convert` makes of each element.

    Parameters
    ----------
    name
        Of the argument.
    expected
        What an element is to be.
    convert
        Raises TypeError, ValueError or OverflowError for what is none.

    Raises
    ------
    UsageError
        The argument is not a list, or an element is wrong, which is named by its place.
    """
    converted = []
    for index, element in enumerate(iterated(values, name, expected)):
        try:
            converted.append(convert(element))
        except (TypeError, ValueError, OverflowError):
            raise UsageError(
                f"{name}[{index}] is {shown(element)}, {a_type(element)}; give {expected}"
            ) from None
    return converted


def iterated(values: Iterable[Any], name: str, expected: str) -> Iterator[Any]:
    """The elements one after another. @raises UsageError where there are none, as of a number or a single text."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return iter(values)
    except TypeError:
        raise UsageError(
            f"{name} is {shown(values)}, {a_type(values)}; give a list, of which each element is {expected}"
        ) from None


def shown(element: Any) -> str:
    """A value within a sentence: not longer than one, on one line."""
    text = " ".join(repr(element).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def text(element: Any) -> str:
    """A text; any other object is refused, for its words are seldom meant."""
    if not isinstance(element, str):
        raise TypeError
    return str(element)


def texts(values: Iterable[Any], name: str) -> list[str]:
    """A list of texts. @raises UsageError as `each` does."""
    return each(values, name, "a text", text)


def color(element: Any) -> tuple[int, int, int]:
    """Red, green, blue."""
    red, green, blue = (operator.index(part) for part in element)
    if not all(0 <= part <= 255 for part in (red, green, blue)):
        raise ValueError
    return red, green, blue


def ignored_colors(values: str | Iterable[Any]) -> list[tuple[int, int, int]]:
    """A list of colours, which a text gives as the command line does. @raises UsageError as `each` does."""
    if isinstance(values, str):
        return _fernwood.parse_ignored_colors(values)
    return each(values, "ignored_colors", "a colour (red, green, blue) of whole numbers from 0 to 255", color)


def name(element: Any) -> str:
    """A text or a number as a name."""
    if not isinstance(element, (str, Number, np.generic)):
        raise TypeError
    return str(element)


def mapping(element: Any) -> dict:
    """A dictionary."""
    if not isinstance(element, Mapping):
        raise TypeError
    return dict(element)


def frame_index(element: Any) -> int:
    """A whole number from 0; truth values, as of a mask, are none."""
    if isinstance(element, (bool, np.bool_)) or not 0 <= operator.index(element) < 2**32:
        raise ValueError
    return operator.index(element)


def _index(element: Any) -> int:
    if not -(2**31) <= operator.index(element) < 2**31:
        raise OverflowError
    return operator.index(element)


def whole_numbers(values: Iterable[Any], name: str, count: int, expected: str) -> list[int]:
    """As many whole numbers as there must be. @raises UsageError as `each` does."""
    numbers = each(values, name, "a whole number of at most 32 bits", _index)
    if len(numbers) != count:
        raise UsageError(f"{name} is {values!r}, {len(numbers)} numbers; give {expected}")
    return numbers
