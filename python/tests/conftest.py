# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Frames and a forest shared by several tests; small, so that all kinds of tests take less than a minute together."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import fernwood

pytest_plugins = ["processes"]

#: The command installed by the package.
COMMAND = Path(sysconfig.get_path("scripts")) / "fernwood"
#: Options of a forest that trains in a tenth of a second and is sufficient for tests.
SMALL = {"trees": 3, "samples_per_frame": 100, "features": 60, "max_depth": 4, "backbone": "none"}


@pytest.fixture(scope="session")
def rooms(tmp_path_factory) -> Path:
    """A folder with 8 frames to train on and 4 to test on, of 96 x 72 pixels."""
    folder = tmp_path_factory.mktemp("data") / "rooms"
    fernwood.dataset.generate(folder, frames=8, test_frames=4, seed=3, size=(96, 72), progress=False)
    return folder


@pytest.fixture(scope="session")
def train_set(rooms) -> fernwood.Dataset:
    return fernwood.Dataset(rooms, split="train")


@pytest.fixture(scope="session")
def test_set(rooms) -> fernwood.Dataset:
    return fernwood.Dataset(rooms, split="test")


@pytest.fixture(scope="session")
def forest(train_set) -> fernwood.Forest:
    return fernwood.train(train_set, progress=False, **SMALL)


@pytest.fixture(scope="session")
def program():
    """Runs the program fernwood: the one named by FERNWOOD_PROGRAM, which may be of another build, or the package's
    command."""
    path = os.environ.get("FERNWOOD_PROGRAM") or str(COMMAND)

    def run(*arguments) -> str:
        command = [path, *map(str, arguments)]
        environment = {**os.environ, "FERNWOOD_PYTHON": sys.executable}  # for encoders, by a program of another build
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    return run


@pytest.fixture(scope="session")
def model(forest, tmp_path_factory) -> Path:
    """Path of the forest's model file."""
    path = tmp_path_factory.mktemp("model") / "model"
    forest.save(path)
    return path
