# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Every public function reports which argument has a wrong type, and the expected type."""

import collections.abc
import inspect
import os
import typing

import numpy as np
import pytest
from argument_types import cases_of, expect_refusals, public_functions

import fernwood
from fernwood import _arguments, backbones, dataset, results
from fernwood.errors import UsageError

MODULES = (fernwood, backbones, dataset, results)
#: scikit-learn's estimators check their parameters in fit(); frames may have any type of index; the others are created
#: by the package.
OTHERS = {"PixelForest", "Dataset.__getitem__", "Dataset.frame", "Search.__init__", "FrameObjects.__init__"}


CASES = cases_of(MODULES, OTHERS)


def test_types_can_be_asked_for():
    """Tools that generate forms and checks evaluate the type hints."""
    for _, bare, _ in public_functions(MODULES):
        typing.get_type_hints(bare)
    assert len(CASES) > 60


@pytest.mark.parametrize(("case", "function", "name", "types"), CASES, ids=[case[0] for case in CASES])
def test_a_wrong_type_is_told_by_its_argument(case, function, name, types):
    expect_refusals(function, name, types, UsageError)


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


def test_other_types_are_told_too(forest, rooms, tmp_path):
    with pytest.raises(UsageError, match="encoder is an int; pass an ONNX file"):
        fernwood.live(forest, rooms / "test", encoder=3)
    with pytest.raises(UsageError, match="frames is an int; use a Dataset"):
        backbones.import_weights(tmp_path / "w", tmp_path / "b", frames=3)
    for empty in ([], ()):
        with pytest.raises(UsageError, match="channels is .*; name at least one, or leave it out"):
            fernwood.train(rooms, channels=empty)


def test_a_search_space_that_cannot_be_read_is_told(train_set, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.toml cannot be read"):
        fernwood.search(train_set, space=tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\x89PNG\n\xff")
    for space in (tmp_path, tmp_path / "bytes.toml"):
        with pytest.raises(fernwood.FernwoodError, match=str(space)):
            fernwood.search(train_set, space=space)
