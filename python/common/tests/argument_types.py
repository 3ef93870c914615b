# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Wrong types for all public functions of a package."""

import collections.abc
import inspect
import os
import re
import typing
from pathlib import Path

import numpy as np
import pytest


def public_functions(modules):
    for module in modules:
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            members = [(name, thing)] if inspect.isfunction(thing) else []
            if inspect.isclass(thing):
                members = [(f"{name}.{key}", value) for key, value in inspect.getmembers(thing)
                           if key == "__init__" or not key.startswith("_")]
            for label, function in members:
                if (inspect.isfunction(function) or inspect.ismethod(function)) and function.__module__.startswith("fernwood"):
                    yield label, inspect.unwrap(getattr(function, "__func__", function)), function


def types_of(hint) -> set:
    is_union = typing.get_origin(hint) is typing.Union or type(hint).__name__ == "UnionType"
    return set(typing.get_args(hint)) if is_union else {hint}


TEXT_LISTS = {collections.abc.Sequence[str], collections.abc.Iterable[str], typing.Sequence[str]}
PATHS = {os.PathLike, os.PathLike[str]}
CHECKED = {int, float, bool, str, type(None), *TEXT_LISTS, *PATHS}

def cases_of(modules, others):
    """(name of the case, function, parameter, types of the parameter) for all parameters that the package checks.

    `others`: names of classes and methods that are left out.
    """
    return sorted({
        (f"{label}({name})", function, name, frozenset(types_of(hint)))
        for label, bare, function in public_functions(modules)
        if label not in others and label.split(".")[0] not in others
        for name, hint in typing.get_type_hints(bare).items()
        if name != "return" and types_of(hint) <= CHECKED
    }, key=lambda case: case[0])


def wrong_values(types: frozenset):
    yield object()
    if not types & TEXT_LISTS:
        yield {"a": 1}
    if not types & PATHS:
        yield Path("a")
    if not types & (PATHS | {str}):
        yield "6"
        yield b"6"
    if type(None) not in types:
        yield None
    if int in types:
        yield from (-1, 2**70, True, 1.5, np.int64(-1), np.zeros(2))
    if float in types and str not in types:
        yield from (float("nan"), True, "0.5")
    if bool in types:
        yield from (1, "yes", 0.0)
    if types & TEXT_LISTS:
        yield from ("abc", [1], 3)
    if types & PATHS:
        yield ""
    if types <= {str, type(None), *PATHS}:
        yield from (3, b"a")


def expect_refusals(function, name, types, usage_error):
    """Wrong values of a parameter are refused by its name, with the rule."""
    is_method = "self" in inspect.signature(function).parameters
    for wrong in wrong_values(types):
        with pytest.raises(usage_error, match=rf"^{name}(\[0\])? is (.*; (?:add|give|pass|use)|empty; name) ") as raised:
            function(*[None] * is_method, **{name: wrong})
        sentence = str(raised.value)
        assert raised.value.option in (name, None)
        assert raised.value.rule or "[0]" in sentence or " is empty; " in sentence or "pass a list" in sentence, sentence
        assert not re.search(r"nanobind|incompatible|\n| a int\b", sentence), sentence
        assert len(sentence) < 250
