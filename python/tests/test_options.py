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

import fernwood
from fernwood import _option_types
from fernwood.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]


def test_types_and_the_reference_page_are_what_the_tables_say():
    command = [sys.executable, ROOT / "scripts" / "generate_options", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_wrong_value_says_which_option_and_why(train_set):
    with pytest.raises(UsageError, match="^trees is 0; give a number from 1 to 10000$") as refused:
        fernwood.train(train_set, trees=0)
    assert (refused.value.option, refused.value.value, refused.value.rule) == ("trees", "0", "give a number from 1 to 10000")
    with pytest.raises(UsageError, match="^max_depth is \"deep\"; give a whole number$") as refused:
        fernwood.train(train_set, max_depth="deep")
    assert refused.value.option == "max_depth"
    with pytest.raises(UsageError, match="^min_confidence is 3; give a number from 0 to 2$"):
        fernwood.dataset.import_from("record3d", "in", "out", min_confidence=3)
    with pytest.raises(UsageError, match='^classes is "37"; give 4, 13 or 40$'):
        fernwood.dataset.import_nyu("a.mat", "b.mat", "out", classes=37)
    with pytest.raises(UsageError, match='^normalization is "imagnet"'):
        fernwood.backbones.import_weights("a.onnx", "b.backbone", normalization="imagnet")
    with pytest.raises(UsageError) as refused:
        fernwood.train(train_set, tress=3)
    assert refused.value.option is None


def test_options_that_contradict_each_other_are_named_as_keywords(forest, train_set):
    with pytest.raises(UsageError, match="and interpolate=False asks about pixels") as refused:
        fernwood.Predictor(forest, steady=True, interpolate=False)
    assert refused.value.options == ("steady", "interpolate")
    with pytest.raises(UsageError, match="^remap is about the topics of publish='ros:'; give that, too$") as refused:
        fernwood.live(forest, "frames:nowhere", remap=["/a:=/b"])
    assert refused.value.options == ("remap", "publish")


def test_options_of_each_table_are_refused_with_value_and_rule(forest, train_set):
    for option, value, rule, call in (
        ("pictures", "-1", "give at least 0", lambda: fernwood.evaluate(forest, train_set, pictures=-1)),
        ("publish", '"mqtt:"', "give ros:", lambda: fernwood.live(forest, "frames:nowhere", publish="mqtt:")),
        ("only", '"qqq"', None, lambda: fernwood.study(train_set, train_set, only=["qqq"])),
    ):
        with pytest.raises(UsageError) as refused:
            call()
        assert (refused.value.option, refused.value.value) == (option, value)
        assert rule is None or refused.value.rule == rule


def test_every_typed_option_is_taken(rooms, forest):
    """For every option, None has the same effect as leaving it out."""
    fernwood.live(forest, f"frames:{rooms / 'train'}", **dict.fromkeys(typing.get_type_hints(_option_types.LiveOptions))).close()
    fernwood.Predictor(forest, **dict.fromkeys(typing.get_type_hints(_option_types.PredictOptions)))


@pytest.mark.parametrize(
    "call",
    [
        lambda data, forest: fernwood.train(data, tress=3),
        lambda data, forest: fernwood.study(data, data, tress=3),
        lambda data, forest: forest.predict(*data.frame(0)[:2], smoth=3),
        lambda data, forest: fernwood.evaluate(forest, data, smoot=4),
        lambda data, forest: fernwood.verify(forest, data, smoth=4),
        lambda data, forest: fernwood.search(data, trails=3),
        lambda data, forest: fernwood.live(forest, "frames:rooms", lop=True),
        lambda data, forest: fernwood.dataset.import_from("folders", "in", "out", colours="rgb/{}.png"),
        lambda data, forest: fernwood.dataset.import_nyu("a.mat", "b.mat", "out", raw_depht=True),
        lambda data, forest: fernwood.backbones.import_weights("a.pth", "b.backbone", licens="MIT"),
    ],
)
def test_a_misspelt_option_is_told_with_what_is_meant(call, train_set, forest):
    with pytest.raises(UsageError, match=r'there is no option ".*" .did you mean (trees|smooth|trials|loop|colors|raw.depth|licence)\?'):
        call(train_set, forest)


RIGHT = """
    from pathlib import Path
    import numpy as np
    import fernwood

    forest = fernwood.train("rooms", preset="fast", trees=3, channels=["lab"], class_weights={"floor": 2}, threads=None)
    color, depth = np.zeros((4, 5, 3), np.uint8), np.zeros((4, 5), np.uint16)
    fernwood.train([(color, depth)], [np.zeros((4, 5), int)], classes=["a"], camera=(1, 1, 2, 2), trees=1)
    forest.predict(color, depth, smooth=30, device="cpu")
    fernwood.Predictor(forest, layout="auto", smooth=5).predict(color, depth)
    found = fernwood.evaluate(forest, "rooms", pictures=0, threads=1)
    found.plot()
    fernwood.verify(forest, "rooms", threads=1, smooth=3)
    fernwood.search("rooms", trials=3, max_latency_ms=1.5)
    fernwood.study("rooms", "rooms", preset="fast", trees=2)
    for labels in forest.stream([color], frames_in_flight=2, smooth=3):
        labels.shape
    for frame in fernwood.live(forest, "frames:rooms", loop=True, preload=3):
        frame.labels.shape
    fernwood.dataset.import_from("voc", "in", "out", classes=Path("classes.csv"), depth_scale=0.2)
    fernwood.dataset.import_nyu("a.mat", "b.mat", "out", classes=40, raw_depth=True)
    fernwood.backbones.import_weights("a.onnx", "b.backbone", name="small", normalization="imagenet")
"""
WRONG = """
    import fernwood

    forest = fernwood.Forest.load("model")
    fernwood.train("rooms", tress=3)
    fernwood.train("rooms", trees="three")
    forest.predict(None, smoth=3)
    fernwood.Predictor(forest, smooth="much")
    fernwood.evaluate(forest, "rooms", strid=4)
    fernwood.verify(forest, "rooms", layout="l1")
    fernwood.search("rooms", trails=3)
    fernwood.study("rooms", "rooms", tress=3)
    fernwood.live(forest, "frames:rooms", strid=1)
    fernwood.live(forest, "frames:rooms", preload="all")
    fernwood.dataset.import_from("voc", "in", "out", classez="a")
    fernwood.dataset.import_nyu("a.mat", "b.mat", "out", classes="all")
    fernwood.backbones.import_weights("a.onnx", "b.backbone", licens="MIT")
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """For each of two scripts, the lines that mypy rejects, with its messages."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    for name, code in (("right.py", RIGHT), ("wrong.py", WRONG)):
        (folder / name).write_text(textwrap.dedent(code))
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "checked 2 source files" in done.stdout, done.stdout + done.stderr
    errors = [line.split(":", 2) for line in done.stdout.splitlines() if " error:" in line]
    of_script = {name: {} for name in ("right.py", "wrong.py")}
    for name, line, said in errors:
        of_script[name][int(line)] = said
    return of_script


def test_mypy_takes_what_is_right(refused):
    assert refused["right.py"] == {}


def test_mypy_finds_each_misspelt_option_and_wrong_value(refused):
    code, found = textwrap.dedent(WRONG).splitlines(), refused["wrong.py"]
    last_right = code.index('forest = fernwood.Forest.load("model")') + 1
    assert set(found) == set(range(last_right + 1, len(code) + 1))
    assert '"tress"' in found[last_right + 1] and "trees" in found[last_right + 1]


def test_texts_that_are_not_utf8_are_refused_by_name(tmp_path):
    odd = os.fsdecode(b"/tmp/\xff")
    for call in (
        lambda: fernwood.Dataset(odd),
        lambda: fernwood.Forest.load(odd),
        lambda: fernwood.Dataset(tmp_path, split="\udcff"),
    ):
        with pytest.raises(UsageError):
            call()
