# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import logging
import os
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from conftest import SMALL

import fernwood
from fernwood.errors import ModelError, OperationError, UsageError


def same_frames(data):
    """The frames of a data set, copied to memory."""
    frames = [data.frame(index) for index in range(len(data))]
    classes = dict(zip(data.classes, data.colors))
    return frames, {"labels": [frame.labels for frame in frames], "classes": classes, "camera": data.camera}


def test_the_model_is_the_programs(rooms, tmp_path, program):
    fernwood.train(rooms, out=tmp_path / "python.fernwood", progress=False, **SMALL)
    options = [text for name, value in SMALL.items() for text in (f"--{name.replace('_', '-')}", value)]
    program("train", "--data", rooms / "train", "--out", tmp_path / "program.fernwood", *options)
    written = [(tmp_path / f"{name}.fernwood").read_bytes() for name in ("python", "program")]
    assert written[0] == written[1]
    assert (tmp_path / "python.fernwood.report.json").exists()
    assert not (tmp_path / "python.fernwood.checkpoint").exists()


def test_frames_in_memory_and_made_on_demand_give_the_same_forest(train_set, forest):
    frames, others = same_frames(train_set)

    class Made:
        def __len__(self):
            return len(frames)

        def __getitem__(self, index):
            return fernwood.Frame(frames[index].color, frames[index].depth)

    assert fernwood.train(fernwood.Dataset.from_arrays(frames, **others), progress=False, **SMALL) == forest
    assert fernwood.train(fernwood.Dataset.from_arrays(Made(), **others), progress=False, **SMALL) == forest


def test_arrays_are_frames_in_memory(train_set, forest):
    frames, others = same_frames(train_set)
    labels = others.pop("labels")
    assert fernwood.train(frames, labels, progress=False, **others, **SMALL) == forest
    colors, depths = np.stack([frame.color for frame in frames]), np.stack([frame.depth for frame in frames])
    assert fernwood.train(zip(colors, depths), np.stack(labels), progress=False, **others, **SMALL) == forest
    color_only = {**SMALL, "channels": ["lab"]}
    of_colors = fernwood.train(colors, labels, classes=others["classes"], progress=False, **color_only)
    data = fernwood.Dataset.from_arrays(list(colors), labels, classes=others["classes"])
    assert of_colors == fernwood.train(data, progress=False, **color_only)
    assert fernwood.train(colors, labels, progress=False, **color_only).classes == [str(i) for i in range(9)]


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((["f"],), {}, "data is a list; use a folder, a Dataset, or train.frames, labels."),
        (((["f"], ["l"]),), {}, "data is a tuple; use a folder, a Dataset, or train.frames, labels."),
        (([np.zeros((4, 5, 3), np.uint8)], []), {"classes": ["a"]}, "1 frames and labels for 0"),
        (("rooms", [np.zeros((4, 5), int)]), {}, "data is a folder, and labels is for frames in memory"),
        (("rooms",), {"classes": ["a"]}, "data is a folder, and classes is for frames in memory"),
    ],
)
def test_what_is_neither_a_folder_nor_arrays_is_told(arguments, options, sentence):
    with pytest.raises(UsageError, match=sentence):
        fernwood.train(*arguments, **options)


def test_the_options_of_a_forest_train_it_again(forest, train_set):
    again = fernwood.train(train_set, progress=False, **{**SMALL, **forest.options})
    assert again == forest


def test_options_are_those_of_the_program(train_set, forest):
    assert forest.options["max_depth"] == 4 and forest.num_trees == 3 and forest.kind == "boosted"
    some = fernwood.train(
        train_set, preset="forest", trees=1, max_depth=2, channels=["lab", "depth"], mirror_augmentation=False,
        class_weights={"floor": 2, "wall": 0.5}, progress=False,
    )
    assert some.kind == "forest" and not some.options["mirror_augmentation"] and some.describe().channels == ["lab", "depth"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_dept": 3}, 'no option "max_dept" .did you mean max_depth'),
        ({"tress": 3}, 'no option "tress" .did you mean trees'),
        ({"max_depth": 65}, "max.depth"),
        ({"max_depth": "deep"}, 'max_depth is "deep"; pass an integer'),
        ({"preset": "quick"}, "quick"),
        ({"trees": object()}, "trees is <object"),
        ({"optimize": "speed"}, "optimize"),
        ({"resume": True}, "there is no checkpoint; name its file"),
    ],
)
def test_wrong_options_are_told(train_set, options, sentence):
    with pytest.raises(UsageError, match=sentence):
        fernwood.train(train_set, progress=False, **options)


def test_frames_without_labels_teach_nothing(train_set):
    with pytest.raises(UsageError, match="no labels to learn from"):
        fernwood.train(fernwood.Dataset.from_arrays([train_set.frame(0)]), progress=False)


def test_a_folder_that_is_missing_is_told_before_training(train_set, tmp_path):
    with pytest.raises(OperationError, match="nowhere"):
        fernwood.train(train_set, out=tmp_path / "nowhere" / "model", progress=False)


def test_what_should_be_looked_at_is_a_warning_at_the_callers_line(train_set):
    frames, others = same_frames(train_set)
    del others["camera"]
    data = fernwood.Dataset.from_arrays([(frame.color, frame.depth) for frame in frames], **others)
    with pytest.warns(fernwood.FernwoodWarning, match="the camera's intrinsics are unknown") as caught:
        fernwood.train(data, progress=False, **SMALL)
    assert caught[0].filename == __file__


def test_the_camera_of_the_frames_is_that_of_the_forest(train_set, tmp_path):
    frames, others = same_frames(train_set)
    frames = [frame._replace(camera=(90.0, 90.0, 70.0, 50.0)) for frame in frames]
    del others["camera"]
    data = fernwood.Dataset.from_arrays(frames, **others)
    assert data.camera == (90.0, 90.0, 70.0, 50.0)
    options = {**SMALL, "channels": ["depth", "height", "upright"], "progress": False}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*the camera's intrinsics are unknown")
        forest = fernwood.train(data, **options)
        fernwood.evaluate(forest, data, progress=False)
    assert forest == fernwood.train(data.save(tmp_path / "saved"), **options)
    with pytest.warns(fernwood.FernwoodWarning, match="the camera's intrinsics are unknown"):
        found = forest.predict(frames[0].color, frames[0].depth)
    assert (found == forest.predict(frames[0].color, frames[0].depth, camera=frames[0].camera)).all()


def test_progress_is_told_and_may_end_the_work(train_set):
    heard = []
    fernwood.train(train_set, progress=heard.append, **{**SMALL, "trees": 40, "features": 400})
    assert heard and all(0 <= step.done <= 1 for step in heard) and heard[-1].phase == "growing"

    def enough(step):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        fernwood.train(train_set, trees=10000, samples_per_frame=2000, progress=enough)


def test_the_log_tells_what_goes_on_where_there_is_no_bar(train_set, caplog, capsys):
    with caplog.at_level(logging.INFO, "fernwood"):
        fernwood.train(train_set, **SMALL)
        fernwood.train(train_set, progress=False, **SMALL)
    assert sum("growing" in record.message for record in caplog.records) == 1
    assert capsys.readouterr().err == ""
    fernwood.train(train_set, progress=True, **SMALL)
    assert "growing [####" in capsys.readouterr().err


def test_an_interrupted_training_goes_on_from_its_checkpoint(train_set, tmp_path, caplog):
    options = {**SMALL, "trees": 120, "features": 300}
    kept = tmp_path / "kept.checkpoint"

    def interrupt(step):
        if kept.exists():
            signal.raise_signal(signal.SIGINT)

    with caplog.at_level(logging.WARNING, "fernwood"), pytest.raises(KeyboardInterrupt):
        fernwood.train(train_set, checkpoint=kept, checkpoint_every=0, progress=interrupt, **options)
    assert kept.exists() and "resume=True" in caplog.text
    resumed = fernwood.train(train_set, checkpoint=kept, resume=True, progress=False, **options)
    assert resumed == fernwood.train(train_set, progress=False, **options)
    assert not kept.exists()


def test_a_checkpoint_replaces_no_other_file(train_set, tmp_path):
    notes, model = tmp_path / "notes.txt", tmp_path / "model.fernwood"
    notes.write_text("precious")
    fernwood.train(train_set, out=model, progress=False, **SMALL)
    for kept in (notes, model):
        before = kept.read_bytes()
        with pytest.raises(UsageError, match=f"{kept.name} exists and is not a checkpoint of a training"):
            fernwood.train(train_set, checkpoint=kept, progress=False, **SMALL)
        assert kept.read_bytes() == before
    with pytest.raises(OperationError, match="missing does not exist"):
        fernwood.train(train_set, checkpoint=tmp_path / "missing" / "checkpoint", progress=False, **SMALL)


def test_labels_may_be_weighed_for_a_goal(train_set):
    weighed = fernwood.train(train_set, optimize="iou", progress=False, **SMALL)
    assert "label_weights" in weighed.describe().data
    assert weighed.training.data["levels"]


def test_a_forest_is_saved_loaded_and_pickled(forest, tmp_path):
    import pickle

    forest.save(tmp_path / "model")
    assert fernwood.Forest.load(tmp_path / "model") == forest
    assert pickle.loads(pickle.dumps(forest)) == forest
    assert forest.training is not None and len(forest.training.to_frame()) == len(forest.training.levels)
    description = forest.describe()
    assert description.num_trees == 3 and "floor" in str(description) and "<pre>" in description._repr_html_()
    (tmp_path / "model").write_bytes(b"no model")
    with pytest.raises(ModelError):
        fernwood.Forest.load(tmp_path / "model")
    with pytest.raises(OperationError):
        fernwood.Forest.load(tmp_path / "nowhere")


def test_ctrl_c_ends_a_training_within_a_second(rooms):
    script = f"""
        import fernwood
        fernwood.train({str(rooms)!r}, trees=10000, samples_per_frame=5000,
                       progress=lambda step: print(step.phase, flush=True))
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while "growing" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=3)
    assert "KeyboardInterrupt" in error


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_says_that_it_has_no_threads(forest, test_set):
    frame = test_set.frame(0)
    forest.predict(frame.color, frame.depth, camera=frame.camera)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            forest.predict(frame.color, frame.depth, camera=frame.camera)
            text = "no error"
        except BaseException as failure:
            text = f"{type(failure).__name__}: {failure}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    assert text.startswith("OperationError") and "spawn" in text


def test_nothing_is_left_at_exit(rooms):
    script = f"""
        import threading, fernwood
        forest = fernwood.train({str(rooms)!r}, trees=1, samples_per_frame=50, features=20, progress=False)
        frames = fernwood.Dataset({str(rooms)!r}, split="test")
        labels = forest.stream(frames)
        next(labels)
        assert threading.active_count() == 1
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")


def test_labels_have_the_colours_of_their_classes(forest):
    picture = forest.colorize(np.array([[0, fernwood.VOID]], np.uint16))
    assert picture.tolist() == [[[150, 195, 105], [0, 0, 0]]]
