# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Maps of recordings."""

import json
import re
import shutil
import signal
import threading
import typing

import numpy as np
import pytest

import fernwood
from fernwood import _option_types, errors


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Ten frames of a camera moved through a room, with poses."""
    folder = tmp_path_factory.mktemp("recordings") / "rooms"
    fernwood.dataset.generate(
        folder, frames=1, test_frames=0, sequence=10, seed=3, size=(160, 120), progress=False
    )
    return folder / "train" / "room0000"


@pytest.fixture(scope="module")
def kitchen(forest, recording) -> fernwood.VoxelMap:
    return fernwood.map(forest, recording, device="cpu", voxel_size=0.04, progress=False)


def without_poses(recording, folder):
    copy = shutil.copytree(recording, folder / "copy")
    shutil.copy(recording.parent / "dataset.toml", copy)
    (copy / "poses.txt").unlink()
    return copy


def test_arrays_are_those_of_the_points(forest, kitchen):
    count = len(kitchen)
    assert count > 500 and kitchen.num_frames == 10 and kitchen.voxel_size == 0.04
    assert kitchen.classes == forest.classes
    assert (kitchen.points.dtype, kitchen.points.shape) == (np.float32, (count, 3))
    assert (kitchen.normals.dtype, kitchen.normals.shape) == (np.float32, (count, 3))
    assert (kitchen.colors.dtype, kitchen.colors.shape) == (np.uint8, (count, 3))
    assert (kitchen.labels.dtype, kitchen.labels.shape) == (np.uint16, (count,))
    assert (kitchen.probabilities.dtype, kitchen.probabilities.shape) == (np.float32, (count,))
    lengths = np.linalg.norm(kitchen.normals, axis=1)
    assert np.all((lengths == 0) | (abs(lengths - 1) < 1e-5)) and np.mean(lengths > 0) > 0.2
    cells = np.floor(kitchen.points / 0.04 + 1e-4)
    assert len(np.unique(cells, axis=0)) > 0.99 * count, "a point for each voxel, in metres"
    shares = kitchen.class_probabilities()
    assert (shares.dtype, shares.shape) == (np.float32, (count, len(forest.classes)))
    known = kitchen.labels < len(forest.classes)
    assert np.mean(known) > 0.9
    chosen = shares[np.flatnonzero(known), kitchen.labels[known]]
    assert np.array_equal(chosen, kitchen.probabilities[known])
    assert repr(kitchen) == f"<fernwood.VoxelMap of 10 frames, {len(forest.classes)} classes, voxels of 0.04 m>"


def test_the_map_is_that_of_the_program(program, kitchen, model, recording, tmp_path):
    kitchen.save(tmp_path / "room.map")
    kitchen.save_points(tmp_path / "points.ply", all_probabilities=True)
    kitchen.save_mesh(tmp_path / "mesh.ply")
    kitchen.save_page(tmp_path / "page.html", name=f"frames:{recording}")
    program("map", "--model", model, "--source", f"frames:{recording}", "--device", "cpu", "--voxel-size", 0.04,
            "--map-file", tmp_path / "room.map2", "--out", tmp_path / "points.ply2", "--all-probabilities", "--mesh",
            tmp_path / "mesh.ply2", "--page", tmp_path / "page.html2")  # fmt: skip
    for name in ("room.map", "points.ply", "mesh.ply", "page.html"):
        assert (tmp_path / name).read_bytes() == (tmp_path / f"{name}2").read_bytes(), name


def test_grid_has_the_floor_and_is_that_of_the_program(program, kitchen, model, recording, tmp_path):
    grid = kitchen.grid()
    assert grid.cells.dtype == np.int8 and set(np.unique(grid.cells)) <= {-1, 0, 100}
    places = kitchen.points @ grid.from_map[:3, :3].T + grid.from_map[:3, 3]
    rows, cols = grid.cells.shape
    assert places[:, :2].min(axis=0) == pytest.approx(grid.origin, abs=grid.cell_size)
    assert (places[:, :2].max(axis=0) - grid.origin <= np.array([cols, rows]) * grid.cell_size + 1e-4).all()
    assert np.median(places[kitchen.labels == kitchen.classes.index("floor"), 2]) == pytest.approx(0, abs=0.01)
    assert grid.free_m2 == pytest.approx(np.mean(grid.cells == 0) * rows * cols * 0.05**2)
    assert grid.free_m2 > 0.2
    with pytest.raises(errors.UsageError, match='^floor is "lava"; pass classes of the model: '):
        kitchen.grid(floor=["lava"])
    kitchen.save_grid(tmp_path / "room.yaml", grid_cell=0.1)
    program("map", "--model", model, "--source", f"frames:{recording}", "--device", "cpu", "--voxel-size", 0.04,
            "--grid", tmp_path / "again.yaml", "--grid-cell", 0.1)  # fmt: skip
    assert (tmp_path / "room.pgm").read_bytes() == (tmp_path / "again.pgm").read_bytes()
    lines = dict(line.split(": ") for line in (tmp_path / "room.yaml").read_text().splitlines())
    assert (lines["image"], lines["resolution"], lines["mode"]) == ('"room.pgm"', "0.1", "trinary")
    shades = {0: 254, 100: 0, -1: 205}
    rough = kitchen.grid(grid_cell=0.1)
    size = f"P5\n{rough.cells.shape[1]} {rough.cells.shape[0]}\n255\n".encode()
    pixels = np.vectorize(shades.get)(rough.cells)[::-1].astype(np.uint8)
    assert (tmp_path / "room.pgm").read_bytes() == size + pixels.tobytes()


def test_files_say_what_the_arrays_do(kitchen, tmp_path):
    kitchen.save_points(tmp_path / "points.ply")
    head, body = (tmp_path / "points.ply").read_bytes().split(b"end_header\n", 1)
    assert f"element vertex {len(kitchen)}\n".encode() in head
    columns = np.dtype([("point", "<f4", 3), ("normal", "<f4", 3), ("color", "u1", 3), ("label", "u1"), ("p", "<f4")])
    rows = np.frombuffer(body, columns)
    assert np.array_equal(rows["point"], kitchen.points) and np.array_equal(rows["color"], kitchen.colors)
    assert np.array_equal(rows["p"], kitchen.probabilities)
    kitchen.save_mesh(tmp_path / "mesh.ply")
    assert int(re.search(rb"element face (\d+)", (tmp_path / "mesh.ply").read_bytes())[1]) > 100


def columns_of_points(points, classes):
    """The columns of a PLY file's points, arranged like the map's arrays."""
    stacked = {"points": ["x", "y", "z"], "normals": ["nx", "ny", "nz"], "colors": ["red", "green", "blue"]}
    columns = {name: np.stack([points[part] for part in parts], axis=1) for name, parts in stacked.items()}
    shares = np.stack([points[f"p_{name}"] for name in classes], axis=1)
    return {**columns, "labels": points["class"], "probabilities": points["probability"], "shares": shares}


def check_points(kitchen, points):
    for name, found in columns_of_points(points, kitchen.classes).items():
        said = kitchen.class_probabilities() if name == "shares" else getattr(kitchen, name)
        assert np.array_equal(found, said), name


def test_plyfile_reads_points_and_mesh(kitchen, tmp_path):
    plyfile = pytest.importorskip("plyfile")
    kitchen.save_points(tmp_path / "points.ply", all_probabilities=True)
    file = plyfile.PlyData.read(tmp_path / "points.ply")
    check_points(kitchen, file["vertex"])
    assert all(any(name in comment for comment in file.comments) for name in kitchen.classes)
    kitchen.save_mesh(tmp_path / "mesh.ply")
    mesh = plyfile.PlyData.read(tmp_path / "mesh.ply")
    corners = np.stack(mesh["face"][mesh["face"].properties[0].name])
    assert corners.shape[1] == 3 and corners.min() >= 0 and corners.max() < mesh["vertex"].count


def test_trimesh_reads_points_and_mesh(kitchen, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    kitchen.save_points(tmp_path / "points.ply", all_probabilities=True)
    cloud = trimesh.load(tmp_path / "points.ply")
    assert np.array_equal(cloud.vertices.astype(np.float32), kitchen.points)
    assert np.array_equal(cloud.colors[:, :3], kitchen.colors)
    check_points(kitchen, cloud.metadata["_ply_raw"]["vertex"]["data"])
    kitchen.save_mesh(tmp_path / "mesh.ply")
    mesh = trimesh.load(tmp_path / "mesh.ply", process=False)
    assert len(mesh.faces) > 100 and mesh.faces.max() < len(mesh.vertices)


def test_open3d_reads_points(kitchen, tmp_path):
    open3d = pytest.importorskip("open3d")
    kitchen.save_points(tmp_path / "points.ply", all_probabilities=True)
    cloud = open3d.t.io.read_point_cloud(str(tmp_path / "points.ply")).point
    assert np.array_equal(cloud["positions"].numpy(), kitchen.points)
    assert np.array_equal(cloud["colors"].numpy(), kitchen.colors)
    assert np.array_equal(cloud["class"].numpy().ravel(), kitchen.labels)
    assert np.array_equal(cloud["probability"].numpy().ravel(), kitchen.probabilities)


def test_a_map_without_objects_says_so(kitchen):
    with pytest.raises(errors.UsageError, match="no list of objects"):
        kitchen.objects


def test_objects_are_tracked_as_the_program_does(train_set, recording, tmp_path, program):
    options = {"trees": 30, "learning_rate": 0.3, "backbone": "none", "progress": False}
    forest = fernwood.train(train_set, **options)  # sure of some classes
    mapped = fernwood.map(
        forest, recording, objects={"min_object_area": 10}, device="cpu", voxel_size=0.04, progress=False
    )
    forest.save(tmp_path / "model")
    program("map", "--model", tmp_path / "model", "--source", f"frames:{recording}", "--device", "cpu", "--objects-out",
            tmp_path / "objects.json", "--min-object-area", 10, "--voxel-size", 0.04)  # fmt: skip
    assert mapped.objects == json.loads((tmp_path / "objects.json").read_text())["objects"]
    assert len(mapped.objects) > 0
    mapped.save_points(tmp_path / "points.ply")
    assert b"property uint object\n" in (tmp_path / "points.ply").read_bytes()[:2000]


def test_objects_are_not_tracked_in_a_map_that_has_none(forest, recording, kitchen):
    with pytest.raises(errors.UsageError, match="made without objects"):
        fernwood.map(forest, recording, objects=True, continued=kitchen, device="cpu", progress=False)
    for objects in ("chair", {"things": ["cat"]}, {"gap": 1}):
        with pytest.raises(errors.UsageError):
            fernwood.map(forest, recording, objects=objects, progress=False)


def test_a_saved_map_is_gone_on_with_as_in_one_go(forest, recording, tmp_path):
    options = {"device": "cpu", "voxel_size": 0.05, "progress": False}
    whole = fernwood.map(forest, recording, **options)
    half = fernwood.map(forest, recording, frames=5, **options)
    half.save(tmp_path / "half.map")
    other = shutil.copytree(recording, tmp_path / "rest")
    shutil.copy(recording.parent / "dataset.toml", other)
    for early in sorted(other.glob("*_depth.png"))[:5]:
        name = early.name.replace("_depth.png", "")
        for part in other.glob(f"{name}_*"):
            part.unlink()
    poses = (other / "poses.txt").read_text().splitlines()
    (other / "poses.txt").write_text("\n".join(line for line in poses if not re.match(r"frame000[0-4]\b", line)) + "\n")
    loaded = fernwood.load_map(tmp_path / "half.map")
    before = len(loaded)
    continued = fernwood.map(forest, other, continued=loaded, **options)
    assert continued is loaded and len(loaded) > before and loaded.num_frames == 10
    assert np.array_equal(loaded.points, whole.points) and np.array_equal(loaded.labels, whole.labels)


def test_options_of_a_map_that_is_loaded(kitchen, tmp_path):
    kitchen.save(tmp_path / "room.map")
    assert len(fernwood.load_map(tmp_path / "room.map", min_weight=1)) > len(kitchen)
    rare = fernwood.load_map(tmp_path / "room.map", min_weight=128)
    assert (len(rare), rare.points.shape, rare.class_probabilities().shape) == (0, (0, 3), (0, len(kitchen.classes)))
    rare.save_points(tmp_path / "none.ply")
    with pytest.raises(errors.UsageError, match="min_weight is 0"):
        fernwood.load_map(tmp_path / "room.map", min_weight=0)
    with pytest.raises(errors.ResourceError, match="memory_budget"):
        fernwood.load_map(tmp_path / "room.map", memory_budget="1MiB")


def test_every_typed_option_of_maps_is_taken(forest, recording):
    options = dict.fromkeys(typing.get_type_hints(_option_types.MapOptions))
    assert {"voxel_size", "every", "frames", "device", "smooth"} <= set(options)
    some = fernwood.map(forest, recording, **{**options, "every": 3, "frames": 2, "device": "cpu"}, progress=False)
    assert some.num_frames == 2


@pytest.mark.parametrize(
    "options, says",
    [
        ({"voxel_size": 0.2}, "voxel_size is 0.2"),
        ({"every": 0}, "every is 0"),
        ({"voxelsize": 0.02}, "voxel_size"),
        ({"memory_budget": "much"}, "memory_budget"),
        ({"smooth": -1}, "smooth"),
    ],
)
def test_wrong_options(forest, recording, options, says):
    with pytest.raises(errors.UsageError, match=says):
        fernwood.map(forest, recording, progress=False, **options)


def test_sources_that_give_no_map(forest, recording, train_set, tmp_path):
    with pytest.raises(errors.DataError, match="nowhere"):
        fernwood.map(forest, f"frames:{tmp_path / 'nowhere'}", progress=False)
    with pytest.raises(errors.UsageError, match="no source .holograms:"):
        fernwood.map(forest, "holograms:7", progress=False)
    blind = without_poses(recording, tmp_path)
    for depth in blind.glob("*_depth.png"):
        depth.unlink()
    with pytest.raises((errors.DataError, errors.ModelError), match="depth"):
        fernwood.map(forest, blind, progress=False)


def test_frames_without_poses_are_registered_and_cannot_continue(forest, kitchen, recording, tmp_path):
    unlocated = without_poses(recording, tmp_path)
    with pytest.warns(fernwood.FernwoodWarning, match="without poses"):
        fernwood.map(forest, unlocated, device="cpu", progress=False)
    count = kitchen.num_frames
    with pytest.raises(errors.UsageError, match="cannot continue a map"):
        fernwood.map(forest, unlocated, continued=kitchen, device="cpu", progress=False)
    assert kitchen.num_frames == count
    with pytest.raises(errors.UsageError, match="voxels of 0.04 m"):
        fernwood.map(forest, recording, continued=kitchen, voxel_size=0.02, device="cpu", progress=False)


@pytest.mark.filterwarnings("ignore::fernwood.FernwoodWarning")
def test_a_map_of_other_classes_is_refused(kitchen, recording, tmp_path):
    parts = fernwood.dataset.generate(
        tmp_path / "rare", frames=3, test_frames=0, seed=1, size=(96, 72), classes="rare", progress=False
    )
    other = fernwood.train(parts, trees=1, samples_per_frame=50, features=20, max_depth=3, progress=False)
    with pytest.raises(errors.ModelError, match="other classes"):
        fernwood.map(other, recording, continued=kitchen, device="cpu", progress=False)


def test_files_that_are_no_maps(model, tmp_path):
    with pytest.raises(FileNotFoundError):
        fernwood.load_map(tmp_path / "none.map")
    with pytest.raises(errors.ModelError, match="a voxel map"):
        fernwood.load_map(model)
    (tmp_path / "text.map").write_text("no map")
    with pytest.raises(errors.ModelError, match="text.map"):
        fernwood.load_map(tmp_path / "text.map")


def test_places_that_cannot_be_written(kitchen, tmp_path):
    for save in (kitchen.save, kitchen.save_points, kitchen.save_mesh, kitchen.save_page):
        with pytest.raises(FileNotFoundError):
            save(tmp_path / "nowhere" / "file")


def test_progress_and_interrupts(forest, recording):
    steps = []
    fernwood.map(forest, recording, device="cpu", frames=10, progress=steps.append)
    assert steps and steps[-1] == fernwood.Progress("mapping", "frame 10", 1.0)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background processes with SIGINT ignored

    def interrupt(_):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fernwood.map(forest, recording, device="cpu", progress=interrupt)

    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fernwood.map(forest, recording, device="cpu", progress=fail)


def test_threads_may_share_a_map(forest, recording, kitchen):
    expected, wrong = kitchen.class_probabilities(), []

    def look():
        for _ in range(5):
            if not np.array_equal(kitchen.class_probabilities(), expected):
                wrong.append(1)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    alone, many = (
        fernwood.map(forest, recording, threads=count, voxel_size=0.04, device="cpu", progress=False) for count in (1, 3)
    )
    assert np.array_equal(alone.points, many.points) and np.array_equal(alone.probabilities, many.probabilities)
