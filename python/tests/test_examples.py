# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize(
    ("script", "out", "picture"), [("first_labels", "out", "out/labels.png"), ("own_frames", "out.png", "out.png")]
)
def test_an_example_ends_with_a_picture(script, out, picture, tmp_path):
    for package in ("matplotlib", "sklearn"):
        pytest.importorskip(package)
    command = [sys.executable, EXAMPLES / f"{script}.py", tmp_path / out]
    environment = {**os.environ, "PYTHONWARNINGS": "error::UserWarning"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
