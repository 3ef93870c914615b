# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Feature maps supplied by the user: files next to the frames of a folder, arrays, or a function, which is an encoder."""

import time

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, UsageError

SMALL = {"trees": 4, "samples_per_frame": 200, "features": 40, "max_depth": 5, "seed": 3, "backbone": "none"}


def maps_of(color, depth):
    """Three maps at a third of the resolution; the second is unknown where depth is."""
    grey = color.mean(axis=-1)[::3, ::3]
    far = np.where(depth > 0, depth / 1000, np.nan)[::3, ::3]
    return np.stack([grey, far, grey * 0 + np.arange(grey.shape[0])[:, None]])


@pytest.fixture(scope="module")
def frames(rooms):
    data = fernwood.Dataset(rooms / "train")
    found = [data.frame(index) for index in range(4)]
    return [f._replace(maps=maps_of(f.color, f.depth).astype(np.float32)) for f in found], data


@pytest.fixture(scope="module")
def mapped(frames):
    """A forest trained on frames in memory."""
    labelled, data = frames
    return fernwood.train(dataset_of(labelled, data), progress=False, **SMALL)


def dataset_of(labelled, data):
    return fernwood.Dataset.from_arrays(
        labelled, [f.labels for f in labelled], classes=dict(zip(data.classes, data.colors)), camera=labelled[0].camera
    )


def test_a_folder_with_arrays_gives_the_forest_of_arrays(mapped, frames, tmp_path):
    labelled, data = frames
    saved = dataset_of(labelled, data).save(tmp_path / "rooms", progress=False)
    assert len(list((tmp_path / "rooms").glob("*_maps.npy"))) == 4
    assert np.array_equal(saved.frame(1).maps, labelled[1].maps, equal_nan=True)
    again = fernwood.train(saved, progress=False, **SMALL)
    mapped.save(tmp_path / "a.fernwood")
    again.save(tmp_path / "b.fernwood")
    assert (tmp_path / "a.fernwood").read_bytes() == (tmp_path / "b.fernwood").read_bytes()
    assert "3, which come with each frame" in str(mapped.describe())


def test_the_program_reads_them_beside_a_single_frame(mapped, frames, tmp_path, program):
    labelled, data = frames
    dataset_of(labelled, data).save(tmp_path / "rooms", progress=False)
    mapped.save(tmp_path / "model")
    np.save(tmp_path / "halves.npy", labelled[1].maps.astype(np.float16))
    place = tmp_path / "rooms"
    name = sorted(path.name for path in place.glob("*_maps.npy"))[1][: -len("_maps.npy")]
    program("predict", "--model", tmp_path / "model", "--data", place, "--out", tmp_path / "all", "--npy")
    program("predict", "--model", tmp_path / "model", "--color", place / f"{name}_colors.png", "--depth",
            place / f"{name}_depth.png", "--maps", tmp_path / "halves.npy", "--out", tmp_path / "one", "--npy")
    frame = labelled[1]
    expected = mapped.predict(frame.color, frame.depth, camera=frame.camera, maps=frame.maps)
    assert np.array_equal(np.load(tmp_path / "all" / f"{name}_labels.npy"), expected)
    halves = mapped.predict(frame.color, frame.depth, maps=frame.maps.astype(np.float16))
    assert np.array_equal(np.load(tmp_path / "one" / f"{name}_labels.npy"), halves)


@pytest.mark.parametrize("as_given", [lambda maps: maps.astype(np.float64), lambda maps: np.asfortranarray(maps), lambda maps: maps.tolist()])
def test_arrays_of_other_kinds_are_the_same_maps(mapped, frames, as_given):
    frame = frames[0][0]
    expected = mapped.predict(frame.color, frame.depth, camera=frame.camera, maps=frame.maps)
    assert np.array_equal(mapped.predict(frame.color, frame.depth, camera=frame.camera, maps=as_given(frame.maps)), expected)


def test_what_is_wrong_with_maps_is_told(mapped, frames):
    frame = frames[0][0]
    with pytest.raises(DataError, match="the model reads 3 that come with each frame"):
        mapped.predict(frame.color, frame.depth)
    with pytest.raises(DataError, match="has 2 feature maps, and the model reads 3"):
        mapped.predict(frame.color, frame.depth, maps=frame.maps[:2])
    with pytest.raises(DataError, match="as fine as the frame or coarser"):
        mapped.predict(frame.color, frame.depth, maps=np.zeros((3, 500, 2)))
    with pytest.raises(UsageError, match=r"use \(maps, rows, columns\)"):
        mapped.predict(frame.color, frame.depth, maps=np.zeros(3))
    with pytest.raises(UsageError, match="maps"):
        mapped.predict(frame.color, frame.depth, maps="none")


def test_live_asks_a_function(mapped, frames, tmp_path):
    labelled, data = frames
    plain = [f._replace(maps=None) for f in labelled]
    dataset_of(plain, data).save(tmp_path / "rooms", progress=False)
    with pytest.raises(fernwood.errors.ModelError, match="3 feature maps that come with each frame, and there are none"):
        fernwood.live(mapped, f"frames:{tmp_path / 'rooms'}")
    run = fernwood.live(mapped, f"frames:{tmp_path / 'rooms'}", every_frame=True, encoder=maps_of)
    found = [seen.labels for seen in run]
    assert len(found) == 4
    for labels, frame in zip(found, labelled):
        halves = frame.maps.astype(np.float16)  # the precision of an encoder's maps
        assert np.array_equal(labels, mapped.predict(frame.color, frame.depth, camera=frame.camera, maps=halves))


def test_what_the_function_raises_ends_live(mapped, frames, tmp_path):
    labelled, data = frames
    dataset_of([f._replace(maps=None) for f in labelled], data).save(tmp_path / "rooms", progress=False)

    def fails(color, depth):
        raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        list(fernwood.live(mapped, f"frames:{tmp_path / 'rooms'}", every_frame=True, encoder=fails))
    with pytest.raises(UsageError, match="the encoder .*: maps have"):
        list(fernwood.live(mapped, f"frames:{tmp_path / 'rooms'}", every_frame=True, encoder=lambda color, depth: np.zeros(3)))


def test_frames_that_nobody_closed_end_without_keeping_their_threads_from_python(mapped, frames, tmp_path):
    labelled, data = frames
    dataset_of([f._replace(maps=None) for f in labelled], data).save(tmp_path / "rooms", progress=False)
    run = fernwood.live(mapped, f"frames:{tmp_path / 'rooms'}", every_frame=True, loop=True, encoder=maps_of)
    next(run)
    time.sleep(0.5)  # prefetching has stopped: the thread that ends releases the function, which needs the GIL
    del run
