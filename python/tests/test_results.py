# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import json
import shutil
import struct
import time
import zlib

import numpy as np
import pytest
from conftest import SMALL

import fernwood
from fernwood.errors import DataError, ModelError, UsageError

TIMES = ("seconds", "frames_per_second", "latency_ms", "train_seconds")


@pytest.fixture(autouse=True)
def _no_window(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def check_faces(result, rows):
    """Checks that a result has a table, a page and a chart."""
    assert len(result.to_frame()) == rows
    assert str(result) and "<" in result._repr_html_() and result.plot() is not None
    assert json.loads(result.json) == result.data


def test_an_evaluation_is_the_programs(forest, rooms, tmp_path, program):
    found = fernwood.evaluate(forest, rooms)
    forest.save(tmp_path / "model")
    theirs = json.loads(program("evaluate", "--model", tmp_path / "model", "--data", rooms / "test", "--json"))
    ours = without_times(found.data)
    # The program may be of another processor, whose loops have other names.
    assert {**ours, "model": "", "device": ""} == {**without_times(theirs), "model": "", "device": ""}
    check_faces(found, rows=9)
    assert len(found.frames_to_frame()) == 4 and "pixel" in repr(found)
    assert 0.3 < found.pixel_accuracy < 1
    assert forest.evaluate(rooms, progress=False).pixel_accuracy == found.pixel_accuracy
    assert found.panoptic["frames"] == 4 and len(found.objects_to_frame()) == 9
    assert 0 <= found.panoptic["things"]["pq"] < found.panoptic["things_true_labels"]["pq"] <= 1
    with pytest.raises(AttributeError, match="has no accuracy; it has"):
        found.accuracy
    found.save_page(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!")


def test_an_evaluation_has_the_objects_that_one_asks_for(forest, rooms, test_set):
    assert fernwood.evaluate(forest, rooms, objects=False).panoptic is None
    chairs = fernwood.evaluate(forest, rooms, objects={"things": ["chair"], "min_object_area": 0}).panoptic
    assert [row["name"] for row in chairs["classes"] if row["thing"]] == ["chair"]
    frame = test_set.frame(0)
    arrays = fernwood.Dataset.from_arrays([frame], [frame.labels], classes=test_set.classes)
    assert fernwood.evaluate(forest, arrays).panoptic is None, "arrays have no instances"
    with pytest.raises(UsageError, match="objects"):
        fernwood.evaluate(forest, arrays, objects=True)
    with pytest.raises(UsageError, match="objects is a str"):
        fernwood.evaluate(forest, rooms, objects="chair")


def test_a_verification_is_the_programs(forest, rooms, tmp_path, program):
    found = fernwood.verify(forest, rooms, smooth=5)
    forest.save(tmp_path / "model")
    theirs = json.loads(
        program("verify", "--model", tmp_path / "model", "--data", rooms / "test", "--smooth", "5", "--json")
    )
    # The program may be of another processor, which has other loops.
    of_processor = {"model": "", "missing": "", "ways": ""}
    assert {**found.data, **of_processor} == {**theirs, **of_processor}
    assert found.ways[0] == theirs["ways"][0]
    assert found.identical and all(way["different_pixels"] == 0 for way in found.ways)


def test_devices_and_layouts_are_verified_without_labels(forest, test_set):
    data = fernwood.Dataset.from_arrays([frame[:2] for frame in test_set], camera=test_set.camera)
    found = fernwood.verify(forest, data)
    check_faces(found, rows=len(found.ways))
    assert found.frames == 4 and found.identical and found.ways[0]["device"] == "cpu"
    assert repr(found).endswith("way to label 4 frames, all agree>" if len(found.ways) == 1 else "all agree>")
    with pytest.raises(UsageError, match="max_frames is for a folder"):
        fernwood.verify(forest, data, max_frames=1)
    with pytest.raises(UsageError, match="data is a list; give a folder, or fernwood.Dataset.from_arrays"):
        fernwood.evaluate(forest, [test_set.frame(0)])
    with pytest.raises(ModelError, match="there are no depth images"):
        fernwood.verify(forest, fernwood.Dataset.from_arrays([test_set.frame(0).color]))


def test_a_result_tells_in_a_line_what_one_wants_to_know(forest, train_set, test_set):
    found = fernwood.evaluate(forest, test_set)
    assert f"pixel accuracy {100 * found.pixel_accuracy:.1f} %, class accuracy" in repr(found)
    assert "4 frames" in repr(found) and "9 classes" in repr(found) and "cpu" in repr(found)
    assert repr(forest).startswith("<fernwood.Forest boosted, 3 trees up to 4 levels deep, 9 classes (floor, wall, ")
    assert "channels lab, gradient, depth" in repr(forest)
    predictor = forest.predictor(device="cpu", smooth=3)
    assert repr(predictor) == f"<fernwood.Predictor on cpu ({predictor.layout}), smooth=3: boosted, 3 trees, 9 classes>"
    assert repr(train_set).endswith("train: 8 frames of 96x72, color, depth, labels>")
    assert repr(fernwood.Dataset.from_arrays([np.zeros((4, 5, 3), np.uint8)])) == (
        "<fernwood.Dataset the frames in memory: 1 frame of 5x4, color>"
    )
    assert "3 trees up to 4 levels deep from 8 frames in" in repr(forest.training)
    assert "LabelledFrame(color=uint8 (72, 96, 3), depth=uint16 (72, 96), labels=uint16" in repr(test_set.frame(0))
    results = [
        found, forest.describe(), forest.training, forest.importance(test_set),
        fernwood.verify(forest, test_set), fernwood.study(train_set, test_set, only=["trees"], progress=False, **SMALL),
    ]
    for thing in [*results, forest, predictor, train_set, test_set.frame(0)]:
        assert "\n" not in repr(thing) and len(repr(thing)) < 300


def test_an_evaluation_needs_labels_and_takes_options(forest, test_set):
    smooth = fernwood.evaluate(forest, test_set, smooth=20, pictures=0)
    assert smooth.pixel_accuracy != fernwood.evaluate(forest, test_set, pictures=0).pixel_accuracy
    with pytest.raises(UsageError, match="no labels to compare with"):
        fernwood.evaluate(forest, fernwood.Dataset.from_arrays([test_set.frame(0)]))


def test_an_explanation_is_the_programs(forest, test_set, rooms, tmp_path, program):
    frame = test_set.frame(0)
    y, x = np.argwhere(frame.depth > 0)[3000]
    found = forest.explain(*frame[:2], at=(x, y), camera=frame.camera, name="scene0008")
    forest.save(tmp_path / "model")
    theirs = json.loads(
        program("explain", "--model", tmp_path / "model", "--data", rooms / "test", "--frame", "scene0008",
                "--at", f"{x},{y}", "--json")
    )
    assert {**found.data, "model": ""} == {**theirs, "model": ""}
    check_faces(found, rows=sum(len(tree["path"]) for tree in found.trees))
    y, x = np.argwhere(frame.depth == 0)[0]
    with pytest.raises(DataError, match="the nearest pixel of known depth is"):
        forest.explain(*frame[:2], at=(x, y), camera=frame.camera)
    with pytest.raises(UsageError):
        forest.explain(*frame[:2], at=(96, 0), camera=frame.camera)


def test_importance_is_the_programs(forest, rooms, tmp_path, program):
    found = forest.importance(rooms)
    forest.save(tmp_path / "model")
    theirs = json.loads(program("importance", "--model", tmp_path / "model", "--data", rooms / "test", "--json"))
    assert {**found.data, "model": ""} == {**theirs, "model": ""}
    check_faces(found, rows=len(theirs["exchanged"]))


def test_a_study_is_the_programs(rooms, program):
    found = fernwood.study(rooms, rooms, only=["trees"], progress=False, **SMALL)
    options = [text for name, value in SMALL.items() for text in (f"--{name.replace('_', '-')}", value)]
    theirs = json.loads(
        program("study", "--data", rooms / "train", "--test", rooms / "test", "--only", "trees", *options, "--json")
    )
    assert without_times(found.data) == without_times(theirs)
    check_faces(found, rows=len(theirs["variants"]))
    with pytest.raises(UsageError, match="tree"):
        fernwood.study(rooms, rooms, only=["tree"])


SPACE = """
trees = {value = 2}
samples_per_frame = {value = 100}
features = {low = 20, high = 60}
thresholds = {value = 10}
max_depth = {value = 3}
cascade = {value = "1"}
"""


def test_a_search_races_and_trains_the_winner(train_set, tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    found = fernwood.search(
        train_set, out=tmp_path / "race", space=tmp_path / "space.toml", trials=4, batch_size=4, folds=3
    )
    assert isinstance(found.forest, fernwood.Forest) and found.forest.num_trees <= 2
    assert repr(found).startswith("<fernwood.results.Search: 4 trials, the winner is trial ")
    check_faces(found, rows=len(found.trials))
    files = {path.name for path in (tmp_path / "race").iterdir()}
    assert {"best.fernwood", "best.toml", "search.json", "search.html", "journal.jsonl"} <= files
    assert found.config == (tmp_path / "race" / "best.toml").read_text()
    with pytest.raises(UsageError, match="did you mean trials"):
        fernwood.search(train_set, trial=3)


def test_results_of_a_search_replace_links(train_set, tmp_path):
    """A folder of another user may contain links to the user's files."""
    (tmp_path / "space.toml").write_text(SPACE)
    victim, race = tmp_path / "victim", tmp_path / "race"
    victim.write_text("of value")
    race.mkdir()
    names = "best.fernwood", "best.toml", "search.json", "search.html"
    for name in names:
        (race / name).symlink_to(victim)
    found = fernwood.search(train_set, out=race, space=tmp_path / "space.toml", trials=4, batch_size=4, folds=3)
    assert victim.read_text() == "of value"
    assert not any((race / name).is_symlink() for name in names)
    assert fernwood.Forest.load(race / "best.fernwood").num_trees == found.forest.num_trees
    assert (race / "best.toml").read_text() == found.config
    assert json.loads((race / "search.json").read_text()) == found.data


def test_a_search_replaces_no_input_and_no_file_of_another_origin(train_set, tmp_path):
    space = tmp_path / "best.toml"
    space.write_text(SPACE)
    with pytest.raises(UsageError, match="out names the file of space, .*best.toml, which it would replace"):
        fernwood.search(train_set, out=tmp_path, space=space, trials=1, folds=3)
    with pytest.raises(UsageError, match="no journal of a search, and this search would replace best.toml in it; remove this"):
        fernwood.search(train_set, out=tmp_path, trials=1, folds=3)
    assert space.read_text() == SPACE
    assert {path.name for path in tmp_path.iterdir()} == {"best.toml"}


def test_a_page_is_written_whole_through_a_link_that_the_user_named(forest, test_set, tmp_path):
    found = fernwood.evaluate(forest, test_set, pictures=0)
    (tmp_path / "real.html").write_text("before")
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    found.save_page(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink() and (tmp_path / "real.html").read_text().startswith("<!")
    with pytest.raises(FileNotFoundError):
        found.save_page(tmp_path / "missing" / "page.html")


def test_a_search_takes_configurations_and_hears_what_progress_raises(train_set, tmp_path):
    def enough(step):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fernwood.search(train_set, trials=1000, progress=enough)
    with pytest.raises(UsageError):
        fernwood.search(train_set, configurations=[{"depht": 3}], folds=3)


def test_live_gives_every_frame_of_a_recording(forest, rooms, test_set):
    with fernwood.live(forest, f"frames:{rooms / 'test'}", every_frame=True) as frames:
        found = list(frames)
    assert [frame.name for frame in found] == test_set.names
    for shown, frame in zip(found, test_set):
        assert np.array_equal(shown.color, frame.color) and np.array_equal(shown.depth, frame.depth)
        assert np.array_equal(shown.labels, forest.predict(frame.color, frame.depth, camera=frame.camera))
        assert not shown.color.flags.writeable
    assert frames.counts == {"captured": 4, "dropped": 0, "shown": 4}


def test_live_ends_when_it_is_left(forest, rooms):
    frames = fernwood.live(forest, f"frames:{rooms / 'test'}", loop=True, rate=0)
    for _ in range(10):
        next(frames)
    begin = time.monotonic()
    frames.close()
    assert time.monotonic() - begin < 1
    assert next(frames, None) is None
    with fernwood.live(forest, f"frames:{rooms / 'test'}", loop=True, max_frames=6, rate=0) as some:
        assert len(list(some)) == 6


def test_live_tells_what_is_wrong(forest, tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        fernwood.live(forest, f"frames:{tmp_path / 'nowhere'}")
    with pytest.raises(UsageError):
        fernwood.live(forest, "telescope:1")
    with pytest.raises(UsageError, match='rate is "fast"'):
        fernwood.live(forest, f"frames:{tmp_path}", rate="fast")


def test_live_warns_of_its_source_as_training_does(forest, rooms, tmp_path):
    folder = tmp_path / "turned"
    shutil.copytree(rooms / "test", folder)
    turned = b"II*\0" + struct.pack("<IHHHIII", 8, 1, 0x0112, 3, 1, 6, 0)  # from a camera held upright
    chunk = struct.pack(">I", len(turned)) + b"eXIf" + turned + struct.pack(">I", zlib.crc32(b"eXIf" + turned))
    for path in folder.glob("*_colors.png"):
        content = path.read_bytes()
        path.write_bytes(content[:33] + chunk + content[33:])
    with pytest.warns(fernwood.FernwoodWarning) as of_training:
        fernwood.train(folder, trees=1, max_depth=2, progress=False)
    with pytest.warns(fernwood.FernwoodWarning) as of_live:
        fernwood.live(forest, f"frames:{folder}").close()
    sentences = {str(warning.message) for warning in of_training if "rotate its pixels" in str(warning.message)}
    assert sentences and sentences <= {str(warning.message) for warning in of_live}
    assert all(warning.filename == __file__ for warning in of_live)
