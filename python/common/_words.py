# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Text for `repr` and error messages."""

from __future__ import annotations

from typing import Any


def counted(count: int, noun: str) -> str:
    """A number with its noun: 1 tree, 3 trees, 2 classes."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:,} {noun if count == 1 else plural}".replace(",", " ")


def listed(names: list[str], most: int = 4) -> str:
    """The first few names, and the number of others: floor, wall, table and 6 more."""
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} more"


def percent(share: float | None) -> str:
    """91.4 %, or unknown for None and NaN."""
    return "unknown" if share is None or share != share else f"{100 * share:.1f} %"


def is_utf8(text: str) -> bool:
    """Whether a string can be encoded; file names of other encodings have lone surrogates in Python."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def offers(value: Any, *names: str) -> bool:
    """Whether the type of a value has these attributes. Instances of pandas also have their columns as attributes."""
    return all(hasattr(type(value), name) for name in names)


def a_type(value: Any) -> str:
    """The type of a value, with its article: an int, a str."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeio' or name == 'ndarray' else 'a'} {name}"
