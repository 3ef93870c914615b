# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests for tables: arrays, files, errors, and results identical to the program's."""
import os
import pickle
import subprocess

import fernwood_tables as ft
import numpy as np
import pytest

PROGRAM = os.environ.get("FERNWOOD_TABLES_PROGRAM")


def draw(num_records=600, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal((num_records, 5), dtype=np.float32)
    return values, np.array(["low", "high", "mid"])[(values[:, 0] > 0).astype(int) + (values[:, 1] > 1)]


@pytest.fixture(scope="module")
def forest():
    return ft.train(*draw(), trees=7, seed=3)


def test_training_learns_and_tells_of_it(forest):
    values, labels = draw(seed=1)
    assert forest.classes == ["high", "low", "mid"] and forest.attributes == ["1", "2", "3", "4", "5"]
    assert np.mean(forest.predict(values) == labels) > 0.95
    assert forest.training.records == 600 and forest.num_trees == 7
    assert forest.describe().kind == "records"


@pytest.mark.parametrize("different", [[3, -7, 10], [-5.0, 2.0, 1e30], [False, True], ["a", "1"], ["01", "2"]], ids=str)
def test_labels_come_back_in_their_kind(different, tmp_path):
    values, labels = draw()[0], np.asarray(different)[np.arange(600) % len(different)]
    forest = ft.train(values, labels, trees=1)
    forest.save(tmp_path / "labels.fernwood")
    tree = ft.streams.StreamTree()
    tree.feed(values, labels)
    for grown in (forest, ft.RecordForest.load(tmp_path / "labels.fernwood"), pickle.loads(pickle.dumps(forest))):
        assert np.array_equal(grown.predict(values), labels) and grown.predict(values).dtype.kind == labels.dtype.kind
    assert np.isin(tree.tree().predict(values), labels).all()


def test_codes_are_those_of_the_largest_probabilities(forest):
    values, _ = draw(5000, seed=2)
    shares = forest.predict_proba(values)
    assert shares.dtype == np.float32 and np.allclose(shares.sum(axis=1), 1)
    codes = forest.predict_codes(values)
    assert codes.dtype == np.int32 and np.array_equal(codes, shares.argmax(axis=1))


def test_order_steps_and_types_of_arrays_do_not_matter(forest):
    values, _ = draw(2000, seed=3)
    expected = forest.predict_codes(values)
    wide = np.zeros((2000, 9), np.float32)
    wide[:, 2:7] = values
    ways = [np.asfortranarray(values), wide[:, 2:7], values.astype(np.float64), values.astype(">f4"), values.tolist()]
    for way in ways:
        assert np.array_equal(forest.predict_codes(way), expected)
    assert np.array_equal(forest.predict_codes(values[::-3]), expected[::-3])
    assert np.array_equal(forest.predict_codes(wide[::2, 2:7]), expected[::2])
    assert len(forest.predict_codes(values[:0])) == 0 and forest.predict_proba(values[:0]).shape == (0, 3)


def test_rows_and_columns_of_floats_are_not_copied():
    from fernwood_tables.arrays import as_floats

    values = np.zeros((50, 7), np.float32)
    for view in (values, values[::2], values[:, 1:4], np.asfortranarray(values), np.asfortranarray(values)[:, ::2]):
        assert np.shares_memory(as_floats(view), view)
    for other in (values[:, ::2], values[::-1], values.astype(np.float64)):
        assert not np.shares_memory(as_floats(other), other)


def test_frames_are_read_by_name(forest):
    values, labels = draw(300, seed=4)
    names = list("abcde")
    forest = ft.train(values, labels, attributes=names, trees=3)
    expected = forest.predict_codes(values)
    shuffled = ["e", "x", "c", "a", "b", "d"]
    columns = {name: values[:, names.index(name)] if name in names else np.ones(300) for name in shuffled}
    frames = []
    for library in ("pandas", "polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        make = module.table if library == "pyarrow" else module.DataFrame
        frames.append(make(columns))
    assert frames
    for frame in frames:
        assert np.array_equal(forest.predict_codes(frame), expected)
    with pytest.raises(ft.errors.DataError, match="no column 'b'"):
        forest.predict(frames[0].drop(columns="b"))


def test_a_frame_names_the_attributes_it_trains():
    pandas = pytest.importorskip("pandas")
    values, labels = draw(100)
    frame = pandas.DataFrame(values, columns=list("vwxyz"))
    assert ft.train(frame, labels, trees=2).attributes == list("vwxyz")
    frame["v"] = frame["v"].astype("Float32")
    frame.loc[3, "v"] = None
    assert ft.train(frame, labels, trees=2).num_trees == 2


def test_files_and_pickles_keep_the_forest(forest, tmp_path):
    values, _ = draw(100)
    forest.save(tmp_path / "a.fernwood")
    loaded = ft.RecordForest.load(tmp_path / "a.fernwood")
    loaded.save(str(tmp_path / "b.fernwood"))
    assert (tmp_path / "a.fernwood").read_bytes() == (tmp_path / "b.fernwood").read_bytes()
    again = pickle.loads(pickle.dumps(loaded))
    assert np.array_equal(again.predict(values), forest.predict(values))


@pytest.mark.skipif(not PROGRAM, reason="FERNWOOD_TABLES_PROGRAM names no program to compare with")
def test_the_program_grows_the_same_bytes(tmp_path):
    values, labels = draw(400, seed=5)
    lines = [",".join([*(f"{v:.9g}" for v in row), label]) for row, label in zip(values, labels)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    words = ["--trees", "6", "--max-depth", "5", "--seed", "9", "--criterion", "entropy"]
    command = [PROGRAM, "train", "--data", "t.csv", "--header", "no", "--out", "p.fernwood", *words]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ft.train(values, labels, trees=6, max_depth=5, seed=9, criterion="entropy").save(tmp_path / "m.fernwood")
    assert (tmp_path / "p.fernwood").read_bytes() == (tmp_path / "m.fernwood").read_bytes()


@pytest.mark.parametrize(
    "wrong, error, sentence",
    [
        (lambda f, v: f.predict(v[:, :4]), "DataError", "4 attributes, and the model was trained on 5"),
        (lambda f, v: f.predict(v[0]), "DataError", r"shape \(5,\)"),
        (lambda f, v: f.predict([["a"] * 5]), "DataError", "which is not a number"),
        (lambda f, v: f.predict(v, strategy="seriel"), "UsageError", "did you mean serial"),
        (lambda f, v: f.predict(v, device="cuda:99"), "DeviceError", "cuda"),
        (lambda f, v: ft.train(v, [0] * 3), "DataError", r"shape \(3,\)"),
        (lambda f, v: ft.train(v[:0], []), "DataError", "^there are 0 records of 5 attributes"),
        (lambda f, v: ft.train(v, [0] * len(v), attributes=list("abcbe")), "UsageError", r"^attributes\[3\] is 'b', the name of attributes\[1\]; give"),
        (lambda f, v: ft.RecordForest.load("nowhere.fernwood"), "OperationError", "nowhere.fernwood"),
        (lambda f, v: ft.RecordForest.load(__file__), "ModelError", "test_records.py"),
        (lambda f, v: ft.RecordForest.import_model(__file__), "ModelError", "not a model that can be imported"),
        (lambda f, v: ft.RecordForest.import_model(__file__, format="x"), "UsageError", '^format is "x"; use auto, xgboost'),
    ],
)
def test_what_is_wrong_is_told(forest, wrong, error, sentence):
    with pytest.raises(getattr(ft.errors, error), match=sentence):
        wrong(forest, draw(20)[0])


def test_training_ends_when_it_is_told_to(forest):
    def stop(progress):
        raise KeyboardInterrupt

    values, _ = draw(200_000)
    with pytest.raises(KeyboardInterrupt):
        ft.train(values, np.arange(len(values)) % 7, trees=500, progress=stop)
