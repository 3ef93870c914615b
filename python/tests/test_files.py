# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Errors for missing files and folders are also Python's built-in ones."""

import os
import pickle
import shutil

import pytest

import fernwood
from fernwood.errors import DataError, FernwoodError, OperationError

MISSING = {
    "Dataset": (lambda path, forest, data: fernwood.Dataset(path), DataError),
    "train": (lambda path, forest, data: fernwood.train(path, progress=False), DataError),
    "train out": (lambda path, forest, data: fernwood.train(data, out=path / "model", progress=False), OperationError),
    "evaluate": (lambda path, forest, data: fernwood.evaluate(forest, path), DataError),
    "verify": (lambda path, forest, data: fernwood.verify(forest, path), DataError),
    "importance": (lambda path, forest, data: forest.importance(path), DataError),
    "study": (lambda path, forest, data: fernwood.study(data, path), DataError),
    "search": (lambda path, forest, data: fernwood.search(path), DataError),
    "search space": (lambda path, forest, data: fernwood.search(data, space=path), OSError),
    "check": (lambda path, forest, data: fernwood.dataset.check(path), DataError),
    "import_nyu": (lambda path, forest, data: fernwood.dataset.import_nyu(path, path, path), DataError),
    "import_from": (lambda path, forest, data: fernwood.dataset.import_from("coco", path, path), DataError),
    "export": (lambda path, forest, data: data.export(path / "labels.json", "coco"), OperationError),
    "live": (lambda path, forest, data: fernwood.live(forest, f"frames:{path}"), DataError),
    "live tum": (lambda path, forest, data: fernwood.live(forest, f"tum:{path}"), DataError),
    "Forest.load": (lambda path, forest, data: fernwood.Forest.load(path), OperationError),
    "Forest.save": (lambda path, forest, data: forest.save(path / "model"), OperationError),
}


@pytest.mark.parametrize("use", MISSING)
def test_what_is_missing_is_a_file_not_found(use, forest, train_set, tmp_path):
    call, kind = MISSING[use]
    with pytest.raises(FileNotFoundError, match="nowhere") as caught:
        call(tmp_path / "nowhere", forest, train_set)
    assert isinstance(caught.value, kind) and caught.value.errno == 2
    assert str(caught.value.filename).startswith(str(tmp_path / "nowhere"))


def test_such_an_error_is_a_sentence_and_is_pickled(tmp_path):
    with pytest.raises(DataError) as caught:
        fernwood.Dataset(tmp_path / "nowhere")
    error = caught.value
    assert str(error).startswith(f"{tmp_path}/nowhere: the folder does not exist; name one that holds")
    assert isinstance(error, (FernwoodError, ValueError)) and type(error).__name__ == "DataError"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.errno, copy.filename) == (type(error), str(error), 2, error.filename)


def test_a_folder_for_a_file_and_a_file_for_a_folder(forest, train_set, tmp_path):
    (tmp_path / "file").write_text("no frames")
    for call in (fernwood.Forest.load, forest.save):
        with pytest.raises(IsADirectoryError, match="is a folder; name a file|cannot be written: Is a directory"):
            call(tmp_path)
    for call in (fernwood.Dataset, lambda path: fernwood.live(forest, f"frames:{path}")):
        with pytest.raises(NotADirectoryError):
            call(tmp_path / "file")
    for out in (tmp_path / "file", tmp_path / "file" / "folder"):
        with pytest.raises(NotADirectoryError, match="the output folder cannot be created: Not a directory; name another"):
            fernwood.search(train_set, out=out)


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is permitted to root")
def test_what_is_forbidden_is_a_permission_error(forest, tmp_path):
    forest.save(tmp_path / "model")
    (tmp_path / "model").chmod(0)
    with pytest.raises(PermissionError, match="model cannot be read"):
        fernwood.Forest.load(tmp_path / "model")


def test_a_frame_that_vanishes_is_a_file_not_found(rooms, tmp_path):
    shutil.copytree(rooms, tmp_path / "rooms")
    data = fernwood.Dataset(tmp_path / "rooms", split="train")
    (tmp_path / "rooms" / "train" / "scene0003_depth.png").unlink()
    with pytest.raises(FileNotFoundError, match="scene0003_depth.png"):
        data.frame(3)
    with pytest.raises(FileNotFoundError, match="scene0003_depth.png"):
        fernwood.train(data, trees=1, progress=False)


def test_data_that_break_a_rule_are_there(tmp_path):
    """An error about a file's content must not be reported as a missing file."""
    (tmp_path / "model").write_bytes(b"no model")
    for call in (lambda: fernwood.Forest.load(tmp_path / "model"), lambda: fernwood.Dataset(tmp_path)):
        with pytest.raises(FernwoodError) as caught:
            call()
        assert not isinstance(caught.value, OSError)
