# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Outputs of a notebook, executed by a kernel as Jupyter does."""

import textwrap

import pytest

from fernwood._progress import NOTEBOOK_PAUSE_S

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")


def outputs_of(folder, *cells):
    """For each cell, its final outputs and the intermediate updates of outputs."""
    updates = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, cell_index):
            if message["msg_type"] == "update_display_data":
                updates.append(message["content"]["data"]["text/plain"])
            return super().process_message(message, cell, cell_index)

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in cells])
    Client(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return [cell.outputs for cell in notebook.cells], updates


def texts(outputs, stream):
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == stream)


def test_a_bar_is_one_output_that_is_replaced(rooms):
    (begin, trained, quiet, result), updates = outputs_of(
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
    bars = [output for output in trained if output.output_type == "display_data"]
    assert len(bars) == 2 and texts(trained, "stderr") == ""  # one for each of two functions
    assert bars[0].data["text/plain"].endswith(" s") and "growing: " in bars[0].data["text/html"]
    assert sum("growing" in words and "%" in words for words in updates) >= 1
    seconds = sum(float(bar.data["text/plain"].rsplit(" ", 2)[1]) for bar in bars)
    assert len(updates) < 20 + seconds / NOTEBOOK_PAUSE_S  # each phase is shown immediately
    assert [output.output_type for output in quiet] == ["execute_result"]
    assert "fernwood.Forest boosted, 2 trees" in quiet[0].data["text/plain"]
    assert result[0].data["text/plain"].startswith("<fernwood.results.Evaluation: pixel accuracy")
    assert "<iframe" in result[0].data["text/html"]


def test_a_function_of_the_callers_is_all_that_hears(rooms):
    (heard,), updates = outputs_of(
        rooms,
        """
        import fernwood
        steps = []
        forest = fernwood.train("train", trees=40, features=200, progress=steps.append)
        print(steps[-1].phase)
        """,
    )
    assert texts(heard, "stdout") == "growing\n" and len(heard) == 1 and not updates


def test_a_warning_is_shown_once_and_names_the_cell(rooms):
    (warned,), _ = outputs_of(
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
    assert said.count("FernwoodWarning: ") == said.count("which camera") == 1
    assert "site-packages" not in said and "ipykernel" in said
