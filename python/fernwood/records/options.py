# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Options of the command line as keyword arguments."""


def option_texts(options):
    """Names and values as the engine takes them: ``{"max_depth": 8}`` is ``[("max-depth", "8")]``; None is left out."""
    return [(name.replace("_", "-"), _text_of(value)) for name, value in options.items() if value is not None]


def _text_of(value):
    if value is True or value is False:
        return str(value).lower()
    return str(value)
