# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The types of options match the options that the library accepts."""

import os
import subprocess
import sys
import textwrap
import typing
from pathlib import Path

import pytest

import fernwood_tables as ft
from fernwood_tables import _option_types

ROOT = Path(__file__).resolve().parents[3]


def test_types_and_the_reference_page_are_what_the_tables_say():
    command = [sys.executable, ROOT / "scripts" / "generate_options", "tables", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_typed_option_is_taken():
    """For every option, None has the same effect as leaving it out."""
    forest = ft.train([[0.0], [1.0]], [0, 1], **dict.fromkeys(_option_types.RecordTrainOptions.__annotations__))
    forest.predict([[0.0]], **dict.fromkeys(typing.get_type_hints(_option_types.RecordPredictOptions)))
    ft.streams.StreamTree(**dict.fromkeys(_option_types.StreamOptions.__annotations__))


RIGHT = """
    import fernwood_tables as ft

    table = ft.train([[0.0]], [0], trees=2, bootstrap=False)
    table.predict([[0.0]], strategy="auto", threads=1)
    ft.streams.StreamTree(schedule="fresh", max_depth=3)
"""
WRONG = """
    import fernwood_tables as ft

    ft.train([[0.0]], [0], tress=2)
    ft.RecordForest.load("table").predict([[0.0]], strateg="auto")
    ft.accelerate(None, strateg="auto")
    ft.streams.StreamTree(max_dept=3)
"""


def test_mypy_finds_each_misspelt_option(tmp_path):
    pytest.importorskip("mypy")
    for name, code in (("right.py", RIGHT), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(textwrap.dedent(code))
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "checked 2 source files" in done.stdout, done.stdout + done.stderr
    errors = {tuple(line.split(":")[:2]) for line in done.stdout.splitlines() if " error:" in line}
    assert errors == {("wrong.py", str(line)) for line in range(4, 8)}
