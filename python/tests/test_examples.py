# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"


def run_example(script, out):
    """Returns the output of an example."""
    for package in ("matplotlib", "sklearn"):
        pytest.importorskip(package)
    command = [sys.executable, EXAMPLES / f"{script}.py", out]
    environment = {**os.environ, "PYTHONWARNINGS": "error::UserWarning"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("script", "out", "picture"), [("first_labels", "out", "out/labels.png"), ("own_frames", "out.png", "out.png")]
)
def test_an_example_ends_with_a_picture(script, out, picture, tmp_path):
    run_example(script, tmp_path / out)
    assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_the_example_of_objects_names_the_nearest(tmp_path):
    assert "  nearest: " in run_example("count_objects", tmp_path / "rooms")


def test_the_example_of_rerun_writes_a_recording(tmp_path):
    pytest.importorskip("rerun")
    assert "24 frames, and a map of" in run_example("rerun_room", tmp_path / "out")
    assert (tmp_path / "out" / "room.rrd").read_bytes().startswith(b"RRF")


def test_the_example_of_a_gpu_says_where_there_is_none(tmp_path):
    printed = run_example("gpu", tmp_path / "out.png")
    if (tmp_path / "out.png").exists():
        assert "frames per second" in printed
    else:
        assert "docs/howto/python.md" in printed and "Traceback" not in printed
