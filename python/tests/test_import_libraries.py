# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Data sets and labels in files written by the libraries of their formats."""

import base64
import importlib
import importlib.util
import io
import json
import subprocess
import sys
import types

import numpy as np
import pytest

import fernwood
from fernwood.errors import FernwoodWarning

Image = pytest.importorskip("PIL.Image")

ROWS, COLS = 20, 30
NAMES = ["background", "wall", "cup", "dog"]


def draw_blobs(seed):
    """Labels from 0 to 3."""
    coarse = np.random.default_rng(seed).integers(0, 4, (ROWS // 5, COLS // 5))
    return np.kron(coarse, np.ones((5, 5), int))


def colors_of(seed):
    return np.random.default_rng(seed).integers(0, 255, (ROWS, COLS, 3), np.uint8)


def depth_of(seed):
    return np.random.default_rng(100 + seed).integers(500, 9000, (ROWS, COLS)).astype(np.uint16)


def names_of(frame, data):
    """[rows][cols] class names; "" is void."""
    labels = np.minimum(frame.labels.astype(int), len(data.classes))
    return np.array([*data.classes, ""])[labels]


def expect_blobs(data, void=""):
    assert len(data) == 3
    for i in range(3):
        assert np.array_equal(names_of(data[i], data), np.array([void, *NAMES[1:]])[draw_blobs(i)])


@pytest.fixture
def module_of(monkeypatch):
    """Imports a module of a package whose other dependencies (GUI, networks) are not installed, without loading
    them."""

    def load(name, **attributes):
        packages = name.split(".")[:-1]
        for depth in range(1, len(packages) + 1):
            package = ".".join(packages[:depth])
            spec = importlib.util.find_spec(package)
            if spec is None:
                pytest.skip(f"could not import {package!r}")
            stub = types.ModuleType(package)
            stub.__spec__, stub.__path__ = spec, list(spec.submodule_search_locations)
            vars(stub).update(attributes)
            monkeypatch.setitem(sys.modules, package, stub)
        return pytest.importorskip(name)

    return load


@pytest.fixture
def label_file(module_of):
    """labelme's class for label files, and its encoding of masks."""
    image = module_of("labelme.utils.image")
    module = module_of("labelme.label_file", __version__="5.5.0", PY2=False, QT4=False, utils=image, __appname__="")
    return module.LabelFile, image.img_arr_to_b64


def pixels(shape):
    """The bounds of a mask include both corners."""
    (x0, y0), (x1, y1) = np.array(shape["points"]).astype(int)
    mask = shape["mask"]
    if isinstance(mask, str):
        mask = np.array(Image.open(io.BytesIO(base64.b64decode(mask))))
    assert mask.shape == (y1 - y0 + 1, x1 - x0 + 1)
    whole = np.zeros((ROWS, COLS), bool)
    whole[y0 : y1 + 1, x0 : x1 + 1] = mask
    return whole


def test_labelme_files_come_back_and_ours_are_read_by_labelme(label_file, tmp_path):
    LabelFile, to_base64 = label_file
    (tmp_path / "in").mkdir()
    for i in range(3):
        Image.fromarray(colors_of(i)).save(tmp_path / "in" / f"{i}.png")
        shapes = []
        for c in (1, 2, 3):
            mask = draw_blobs(i) == c
            ys, xs = np.nonzero(mask)
            bounds = [[int(xs.min()), int(ys.min())], [int(xs.max()), int(ys.max())]]
            part = mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1].astype(np.uint8)
            shapes.append(
                dict(label=NAMES[c], points=bounds, shape_type="mask", flags={}, group_id=None, description="")
            )
            shapes[-1]["mask"] = to_base64(part)
        LabelFile().save(str(tmp_path / "in" / f"{i}.json"), shapes, f"{i}.png", ROWS, COLS)
    data = fernwood.dataset.import_from("labelme", tmp_path / "in", tmp_path / "out", progress=False)
    expect_blobs(data)
    data.export(tmp_path / "again", "labelme")
    for i, path in enumerate(sorted((tmp_path / "again").glob("**/*.json"))):
        Image.fromarray(colors_of(i)).save(path.parent / json.loads(path.read_text())["imagePath"])
        for shape in LabelFile(str(path)).shapes:
            assert np.array_equal(pixels(shape), draw_blobs(i) == NAMES.index(shape["label"]))


def test_brushes_of_label_studio_come_back_and_ours_are_read_by_it(module_of, tmp_path):
    brush = module_of("label_studio_converter.brush")
    tasks = []
    for i in range(3):
        (tmp_path / "in").mkdir(exist_ok=True)
        Image.fromarray(colors_of(i)).save(tmp_path / "in" / f"{i}.png")
        result = []
        for c in (1, 2, 3):
            rle = brush.mask2rle(np.where(draw_blobs(i) == c, 255, 0).astype(np.uint8))
            value = dict(format="rle", rle=[int(byte) for byte in rle], brushlabels=[NAMES[c]])
            result.append(
                dict(id=f"{i}{c}", type="brushlabels", value=value, original_width=COLS, original_height=ROWS)
            )
        tasks.append(dict(id=i, data=dict(image=f"/data/upload/1/{i}.png"), annotations=[dict(result=result)]))
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    data = fernwood.dataset.import_from(
        "label-studio", tmp_path / "a.json", tmp_path / "out", images=tmp_path / "in", progress=False
    )
    expect_blobs(data)
    data.export(tmp_path / "b.json", "label-studio")
    count = 0
    for i, task in enumerate(json.loads((tmp_path / "b.json").read_text())):
        for result in task["annotations"][0]["result"]:
            rgba = np.reshape(brush.decode_rle(result["value"]["rle"]), (ROWS, COLS, 4))
            label = result["value"]["brushlabels"][0]
            assert np.array_equal(rgba[..., 3] > 0, draw_blobs(i) == NAMES.index(label))
            count += 1
    assert count == 9


def imported(program, out, *words, plugin="mat"):
    """Imports with the program, if it was built with the plug-in for the format."""
    try:
        program("dataset", "import", *words, "--out", out)
    except subprocess.CalledProcessError as error:
        if f"fernwood_{plugin}.so" not in error.stderr:
            raise
        pytest.skip(f"this build has no plug-in {plugin}")
    return out


def test_sun_rgbd_with_labels_that_scipy_wrote(program, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    for i, kind in enumerate([np.uint16, np.uint8, np.float64]):
        folder = tmp_path / "SUNRGBD" / "kv1" / f"{i}"
        for part, suffix, image in [
            ("image", "jpg", colors_of(i)),
            ("depth_bfx", "png", (depth_of(i) << 3 | depth_of(i) >> 13).astype(np.uint16)),
        ]:
            (folder / part).mkdir(parents=True)
            Image.fromarray(image).save(folder / part / f"{i}.{suffix}")
        (folder / "intrinsics.txt").write_text("520 0 15\n0 520 10\n0 0 1\n")
        names = np.array(NAMES[1:], dtype=object).reshape(1, -1)
        scipy_io.savemat(
            folder / "seg.mat", dict(seglabel=draw_blobs(i).astype(kind), names=names), do_compression=i > 0
        )
    data = fernwood.Dataset(imported(program, tmp_path / "out", "sunrgbd", tmp_path / "SUNRGBD"))
    expect_blobs(data)
    for i in range(3):
        np.testing.assert_array_equal(data[i].depth, depth_of(i))


def test_hypersim_with_hdf5_that_h5py_wrote(program, tmp_path):
    h5py = pytest.importorskip("h5py")
    images = tmp_path / "scenes" / "ai_001_001" / "images"
    pictures, geometry = images / "scene_cam_00_final_preview", images / "scene_cam_00_geometry_hdf5"
    for folder in (pictures, geometry):
        folder.mkdir(parents=True)
    for i in range(3):
        Image.fromarray(colors_of(i)).save(pictures / f"frame.{i:04}.tonemap.jpg")
        for name, values in [
            ("depth_meters", (depth_of(i) / 1000).astype(np.float16)),
            ("semantic", np.where(draw_blobs(i) == 0, -1, draw_blobs(i)).astype(np.int16)),
        ]:
            with h5py.File(geometry / f"frame.{i:04}.{name}.hdf5", "w") as file:
                file.create_dataset("dataset", data=values, compression="gzip" if i > 0 else None)
    data = fernwood.Dataset(imported(program, tmp_path / "out", "hypersim", tmp_path / "scenes"))
    f = 886.81 * np.array([COLS / 1024, ROWS / 768])
    c = (np.array([511.5, 383.5]) + 0.5) * np.array([COLS / 1024, ROWS / 768]) - 0.5
    ys, xs = np.mgrid[:ROWS, :COLS]
    rays = np.sqrt(1 + ((xs - c[0]) / f[0]) ** 2 + ((ys - c[1]) / f[1]) ** 2)
    for i in range(3):
        number = np.where(data[i].labels == fernwood.VOID, -1, data[i].labels.astype(int)) + 1
        np.testing.assert_array_equal(number, draw_blobs(i))
        metres = (depth_of(i) / 1000).astype(np.float16).astype(float)
        np.testing.assert_allclose(data[i].depth, 1000 * metres / rays, atol=0.51)


def test_nyu_depth_with_files_that_h5py_and_scipy_wrote(program, tmp_path):
    h5py, scipy_io = pytest.importorskip("h5py"), pytest.importorskip("scipy.io")
    with h5py.File(tmp_path / "labeled.mat", "w", userblock_size=512) as file:  # as in MATLAB 7.3: column-major arrays
        file["images"] = np.stack([colors_of(i).transpose(2, 1, 0) for i in range(3)])
        file["depths"] = np.stack([depth_of(i).T / np.float32(1000) for i in range(3)])
        wall = 21  # index among the 894 names
        file["labels"] = np.stack([np.where(draw_blobs(i) == 0, 0, wall).T for i in range(3)]).astype(np.uint16)
        for name, kind in [("images", b"uint8"), ("depths", b"single"), ("labels", b"uint16")]:
            text = h5py.h5t.C_S1.copy()  # zero-terminated, as in MATLAB
            text.set_size(len(kind) + 1)
            scalar = h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(file[name].id, b"MATLAB_class", text, scalar).write(np.array(kind, f"S{len(kind) + 1}"))
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\x00\x02IM"
    with open(tmp_path / "labeled.mat", "r+b") as file:
        file.write(head)
    scipy_io.savemat(tmp_path / "splits.mat", dict(trainNdxs=np.array([[1.0], [3.0]]), testNdxs=np.array([[2.0]])))
    words = ["nyu", "--labeled", tmp_path / "labeled.mat", "--splits", tmp_path / "splits.mat", "--classes", 40]
    out = imported(program, tmp_path / "out", *words)
    train, test = fernwood.Dataset(out / "train"), fernwood.Dataset(out / "test")
    for frame, i in [(train[0], 0), (train[1], 2), (test[0], 1)]:
        np.testing.assert_array_equal(frame.color, colors_of(i))
        np.testing.assert_array_equal(frame.depth, depth_of(i))
        assert np.array_equal(names_of(frame, train) == "wall", draw_blobs(i) > 0)


def test_record3d_with_depth_that_openexr_wrote(program, tmp_path):
    openexr = pytest.importorskip("OpenEXR")
    scan = tmp_path / "EXR_RGBD"
    for part in ("rgb", "depth", "confidence"):
        (scan / part).mkdir(parents=True)
    metres = [np.float32(depth_of(i)[::2, ::2] / 1000) for i in range(3)]
    sure = np.random.default_rng(7).integers(0, 3, metres[0].shape).astype(np.uint8)
    poses = [[0, 0, 0, 1, 0.25 * i, 1, 2] for i in range(3)]
    for i in range(3):
        Image.fromarray(colors_of(i)).save(scan / "rgb" / f"{i}.jpg")
        Image.fromarray(sure).save(scan / "confidence" / f"{i}.png")
        header = dict(compression=openexr.ZIP_COMPRESSION, type=openexr.scanlineimage)
        openexr.File(header, dict(R=metres[i])).write(str(scan / "depth" / f"{i}.exr"))
    metadata = dict(w=COLS, h=ROWS, K=[50, 0, 0, 0, 51, 0, 15, 10, 1], poses=poses)
    (scan / "metadata.json").write_text(json.dumps(metadata))
    out = imported(program, tmp_path / "out", "record3d", scan, plugin="exr")
    with pytest.warns(FernwoodWarning, match="each pixel of colour is given the depth of the nearest"):
        data = fernwood.Dataset(out, needs_labels=False)
    for i in range(3):
        seen = np.where(sure > 0, depth_of(i)[::2, ::2], 0)
        np.testing.assert_array_equal(data[i].depth, np.kron(seen, np.ones((2, 2), int)))
    lines = (tmp_path / "out" / "poses.txt").read_text().splitlines()[1:]
    assert [float(line.split()[1]) for line in lines] == [0, 0.25, 0.5]
