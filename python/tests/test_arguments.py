# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Every public function reports which argument has a wrong type, and the expected type."""

import collections.abc
import inspect
import os
import re
import typing
from pathlib import Path

import numpy as np
import pytest

import fernwood
from fernwood import _arguments, backbones, dataset, optuna, records, results, streams
from fernwood.errors import UsageError

MODULES = (fernwood, backbones, dataset, optuna, records, results, streams)
#: scikit-learn's estimators check their parameters in fit(); frames may have any type of index; the others are created
#: by the package.
OTHERS = {"PixelForest", "Dataset.__getitem__", "Dataset.frame", "Check", "Search.__init__"}


def public_functions():
    for module in MODULES:
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

CASES = sorted({
    (f"{label}({name})", function, name, frozenset(types_of(hint)))
    for label, bare, function in public_functions()
    if label not in OTHERS and label.split(".")[0] not in OTHERS
    for name, hint in typing.get_type_hints(bare).items()
    if name != "return" and types_of(hint) <= CHECKED
}, key=lambda case: case[0])


def test_types_can_be_asked_for():
    """Tools that generate forms and checks evaluate the type hints."""
    for _, bare, _ in public_functions():
        typing.get_type_hints(bare)
    assert len(CASES) > 80


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


@pytest.mark.parametrize(("case", "function", "name", "types"), CASES, ids=[case[0] for case in CASES])
def test_a_wrong_type_is_told_by_its_argument(case, function, name, types):
    is_method = "self" in inspect.signature(function).parameters
    for wrong in wrong_values(types):
        with pytest.raises(UsageError, match=rf"^{name}(\[0\])? is (.*; give|empty; name) ") as raised:
            function(*[None] * is_method, **{name: wrong})
        sentence = str(raised.value)
        assert raised.value.option in (name, None)
        assert raised.value.rule or "[0]" in sentence or " is empty; " in sentence or "give a list" in sentence, sentence
        assert not re.search(r"nanobind|incompatible|\n| a int\b", sentence), sentence
        assert len(sentence) < 250


def test_what_is_meant_is_taken(tmp_path):
    def called(path: typing.Union[str, os.PathLike], count: int = 0, share: float = 0, flag: bool = False,
               names: collections.abc.Sequence[str] = (), word: typing.Optional[str] = None, seed: int = 0, *rest, **more):
        return path, count, share, flag, names, word, seed, rest, more

    function = _arguments.checked(called)
    assert function(tmp_path, np.uint8(3), np.float32(0.5), np.bool_(True), ("a", "b"), None, 2**64 - 1, 7, x="y") == (
        str(tmp_path), 3, 0.5, True, ["a", "b"], None, 2**64 - 1, (7,), {"x": "y"})
    assert [type(value) for value in function("a", count=np.int64(1), share=2)[:4]] == [str, int, float, bool]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'path'"):
        function()
    assert inspect.signature(function) == inspect.signature(called) and function.__doc__ == called.__doc__


def test_numbers_of_threads_of_estimators_are_checked():
    values, labels = np.random.default_rng(1).random((20, 2)), np.arange(20) % 2
    for estimator in (records.RecordForestClassifier, records.RecordForestRegressor, streams.StreamTreeClassifier):
        for wrong in ("x", 0, 1.5, True, [1], 2**40, object()):
            with pytest.raises(UsageError, match="^n_jobs is .*; give a number of threads"):
                estimator(n_jobs=wrong).fit(values, labels)


def test_other_types_are_told_too(forest, rooms, tmp_path):
    with pytest.raises(UsageError, match="maps is an int; give a function"):
        fernwood.live(forest, rooms / "test", maps=3)
    with pytest.raises(UsageError, match="frames is an int; give a Dataset"):
        backbones.import_weights(tmp_path / "w", tmp_path / "b", frames=3)
    for empty in ([], ()):
        with pytest.raises(UsageError, match="channels is .*; name at least one, or leave it out"):
            fernwood.train(rooms, channels=empty)


def test_a_search_space_that_cannot_be_read_is_told(train_set, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.toml: cannot be read"):
        fernwood.search(train_set, space=tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\x89PNG\n\xff")
    for space in (tmp_path, tmp_path / "bytes.toml"):
        with pytest.raises(fernwood.FernwoodError, match=str(space)):
            optuna.search_space(train_set, space=space)
