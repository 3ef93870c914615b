# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""dir() lists exactly the public names."""

import importlib
import pkgutil
import types

import pytest

import fernwood


def public_modules():
    """All modules whose names do not begin with an underscore."""
    for found in pkgutil.iter_modules(fernwood.__path__):
        if not found.name.startswith("_"):
            yield f"fernwood.{found.name}"


@pytest.mark.parametrize("name", ["fernwood", *public_modules()])
def test_a_module_shows_its_public_names(name):
    module = importlib.import_module(name)
    shown = [each for each in dir(module) if not each.startswith("__")]
    assert set(shown) == set(module.__all__)
    for each in shown:
        thing = getattr(module, each)
        home = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", "fernwood")
        assert home.startswith(("fernwood", "builtins")), f"{name}.{each} is of {home}"


def test_the_package_shows_what_its_page_names():
    assert {"Dataset", "Forest", "Predictor", "evaluate", "train", "verify"} <= set(dir(fernwood))
    assert not {"annotations", "np", "os", "cameras", "searching", "_fernwood"} & set(dir(fernwood))


def test_objects_show_what_is_documented(forest, train_set, tmp_path):
    objects = [
        forest, forest.predictor(device="cpu"), train_set, train_set.frame(0), forest.training,
        fernwood.evaluate(forest, train_set, pictures=0), fernwood.PixelForest(trees=1),
    ]
    for thing in objects:
        for name in dir(thing):
            if not name.startswith("_"):
                assert "native" not in type(getattr(thing, name)).__module__, name
                documented = getattr(type(thing), name, None)
                known = documented is not None or name in getattr(thing, "data", ()) or name == "training"
                assert known or name in thing.get_params(), f"{type(thing).__name__}.{name}"
