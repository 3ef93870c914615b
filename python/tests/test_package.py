# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import subprocess
import sys

import pytest

import fernwood
from fernwood import errors


def test_knows_its_version_and_the_cpu():
    assert fernwood.__version__.count(".") == 2
    assert fernwood.available_devices()[0] == "cpu"


def test_is_imported_without_what_is_heavy():
    """scikit-learn, pandas and matplotlib are imported when they are first used, not with fernwood."""
    heavy = "import sys, fernwood; print([m for m in ('sklearn', 'pandas', 'matplotlib', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_options_in_sentences_are_those_of_python(train_set, tmp_path):
    """In errors of each kind; text that only resembles an option is unchanged."""
    with pytest.raises(FileNotFoundError, match="/data/a--b/x "):
        fernwood.Forest.load("/data/a--b/x")
    with pytest.raises(errors.UsageError, match='^class_weights names "--trees", which is not a class') as refused:
        fernwood.train(train_set, trees=1, class_weights="--trees=2")
    assert refused.value.options == ("class_weights",)
    with pytest.raises(errors.UsageError, match="^cascade=2 leaves out frames in turn, .* use more, or cascade=1$"):
        fernwood.train(train_set.subset([0]), trees=1, cascade=2)
    checkpoint = tmp_path / "--resume.checkpoint"
    fernwood.train(train_set, trees=1, features=10, samples_per_frame=50).save(checkpoint)
    with pytest.raises(errors.ModelError, match="/--resume.checkpoint is a finished .* for resume; choose another file$"):
        fernwood.train(train_set, trees=1, features=10, samples_per_frame=50, checkpoint=checkpoint, resume=True)
    if fernwood.available_devices() == ["cpu"]:
        with pytest.raises(errors.DeviceError, match="or use device='cpu'$"):
            fernwood.train(train_set, trees=1, device="cuda")
