# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The package as it is imported: its names, and what it imports."""

import importlib
import pkgutil
import subprocess
import sys
import types

import pytest

import fernwood_tables as ft


def public_modules():
    """All modules whose names do not begin with an underscore."""
    for found in pkgutil.iter_modules(ft.__path__):
        if not found.name.startswith("_"):
            yield f"fernwood_tables.{found.name}"


@pytest.mark.parametrize("name", ["fernwood_tables", *public_modules()])
def test_a_module_shows_its_public_names(name):
    module = importlib.import_module(name)
    shown = [each for each in dir(module) if not each.startswith("__")]
    assert set(shown) == set(module.__all__)
    for each in shown:
        thing = getattr(module, each)
        home = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", "fernwood_tables")
        assert home.startswith(("fernwood_tables", "builtins")), f"{name}.{each} is of {home}"


def test_is_imported_without_what_is_heavy():
    """scikit-learn and pandas are imported when they are first used."""
    heavy = "import sys, fernwood_tables; print([m for m in ('sklearn', 'pandas', 'torch', 'fernwood') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_it_lives_beside_the_package_for_images():
    """Neither sees the other's library; each has its own types and exceptions."""
    pytest.importorskip("fernwood")
    lines = """
import sys, warnings
warnings.simplefilter("error", RuntimeWarning)  # as of nanobind, about a type that two modules share
import fernwood, fernwood_tables as ft
for load, errors in ((fernwood.Forest.load, fernwood.errors), (ft.RecordForest.load, ft.errors)):
    try:
        load("/nowhere")
    except errors.OperationError as error:
        assert type(error).__module__ == errors.__name__
assert fernwood.errors.FernwoodError is not ft.errors.FernwoodError
assert fernwood.results.Result is not ft.forest.Result
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_missing_is_a_file_not_found(tmp_path):
    for load in (ft.RecordForest.load, ft.RecordForest.import_model):
        with pytest.raises(FileNotFoundError, match="nowhere") as caught:
            load(tmp_path / "nowhere")
        assert isinstance(caught.value, ft.errors.OperationError) and caught.value.errno == 2
    with pytest.raises(IsADirectoryError):
        ft.RecordForest.load(tmp_path)
