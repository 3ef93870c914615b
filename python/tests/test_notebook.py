# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Outputs of a notebook, executed by a kernel as Jupyter does."""

import textwrap

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")


def outputs_of(folder, *cells):
    """For each cell, its outputs."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return [cell.outputs for cell in notebook.cells]


def texts(outputs, stream):
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == stream)


def test_a_bar_is_a_line_that_is_overwritten(rooms):
    begin, trained, quiet, result = outputs_of(
        rooms,
        "import fernwood",
        """
        forest = fernwood.train("train", trees=120, samples_per_frame=400, features=300, threads=1)
        found = fernwood.evaluate(forest, "test")
        """,
        'fernwood.train("train", trees=2, features=20, progress=False)',
        "found",
    )
    assert begin == []
    assert "\rgrowing [" in texts(trained, "stderr")
    assert [output.output_type for output in quiet] == ["execute_result"]
    assert "fernwood.Forest boosted, 2 trees" in quiet[0].data["text/plain"]
    assert result[0].data["text/plain"].startswith("<fernwood.results.Evaluation: pixel accuracy")
    assert "<iframe" in result[0].data["text/html"]


def test_a_function_of_the_callers_is_all_that_hears(rooms):
    (heard,) = outputs_of(
        rooms,
        """
        import fernwood
        steps = []
        forest = fernwood.train("train", trees=40, features=200, progress=steps.append)
        print(steps[-1].phase)
        """,
    )
    assert texts(heard, "stdout") == "growing\n" and len(heard) == 1


def test_a_warning_is_shown_once_and_names_the_cell(rooms):
    (warned,) = outputs_of(
        rooms,
        """
        import fernwood
        data = fernwood.Dataset("train")
        frames, labels = [frame[:2] for frame in data], [frame.labels for frame in data]
        for seed in (1, 2, 3):
            fernwood.train(frames, labels, trees=1, features=20, seed=seed, progress=False)
        """,
    )
    said = texts(warned, "stderr")
    assert said.count("FernwoodWarning: ") == said.count("intrinsics are unknown") == 1
    assert "site-packages" not in said and "ipykernel" in said
