# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Conversion of keyword arguments to options of the library: names of the command line, and values as strings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._words import a_type, is_utf8
from .errors import UsageError


def option_texts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and strings of options, in their order; options with the value None are omitted.

    Lists become strings with commas, True and False the words of a configuration file. The library checks names and
    values.
    """
    return [(name, _text(name, value)) for name, value in options.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if not isinstance(text, str) or not is_utf8(text):
            raise UsageError(f"{name} is {value!r}, which is not UTF-8; pass a string that is")
        return text
    if isinstance(value, Mapping):  # class_weights={"floor": 0.5}
        return ",".join(f"{key}={_text(f'{name}[{key!r}]', item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        if not value:
            raise UsageError(f"{name} is {value!r}; name at least one, or leave it out")
        return ",".join(_text(f"{name}[{index}]", item) for index, item in enumerate(value))
    if getattr(value, "ndim", 0) > 0:  # an array of NumPy
        return _text(name, value.tolist())
    if hasattr(value, "item"):  # a scalar of NumPy
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    raise UsageError(f"{name} is {value!r}, {a_type(value)}; pass a string, a number, True or False, or a list")
