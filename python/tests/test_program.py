# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The command fernwood installed by the package: the program itself, with its plug-ins and child processes."""

import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND, SMALL

import fernwood

OPTIONS = [word for name, value in SMALL.items() for word in ("--" + name.replace("_", "-"), str(value))]


@pytest.fixture
def environment(tmp_path):
    """An environment independent of the machine: no PATH, no plug-ins by name, and page files in a folder of the
    test."""
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "NO_COLOR": "1"}


@pytest.fixture
def run(environment):
    def run_command(*words, code=0) -> subprocess.CompletedProcess:
        command = [COMMAND, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
        assert code is None or done.returncode == code, done.stderr
        return done

    return run_command


def started(words, environment):
    return subprocess.Popen(
        [COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )


def test_its_version_is_that_of_the_package(run):
    assert run("--version").stdout == f"fernwood {fernwood.__version__}\n"
    module = [sys.executable, "-m", "fernwood", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == run("--version").stdout


def test_what_is_wrong_is_a_sentence_with_its_exit_code(run):
    assert 'no command "trian" (did you mean train?)' in run("trian", code=2).stderr
    assert "Traceback" not in run("live", "--model", "none", "--source", "frames:none", code=1).stderr


def test_where_there_is_no_window_it_names_what_shows_labels_all_the_same(run, model, rooms):
    told = run("live", "--model", model, "--source", f"frames:{rooms / 'test'}", code=None).stderr  # no screen, or no plug-in
    assert "--serve" in told and "--headless" in told


def test_it_trains_and_labels_as_the_package_does(run, rooms, test_set, forest, model, tmp_path):
    run("train", "--data", rooms / "train", "--out", tmp_path / "model", *OPTIONS)
    assert (tmp_path / "model").read_bytes() == model.read_bytes()
    run("predict", "--model", tmp_path / "model", "--data", rooms / "test", "--out", tmp_path / "labels", "--npy")
    for name, frame in zip(test_set.names, test_set):
        (found,) = (tmp_path / "labels").glob(f"{name}*.npy")
        expected = forest.predict(frame.color, frame.depth, camera=test_set.camera, device="cpu")
        np.testing.assert_array_equal(np.load(found), expected)


def test_it_finds_the_plug_ins_of_the_package(run, tmp_path):
    if not any(Path(fernwood.__file__).parent.glob("**/fernwood_bags.so")):
        pytest.skip("this build has no plug-in bags")
    bags = pytest.importorskip("test_bags")
    recording = bags.write_rosbag2(tmp_path / "bag", "SQLITE3", "MESSAGE")  # compressed with zstd, in SQLite
    run("dataset", "import", "rosbag", recording, "--out", tmp_path / "out")
    bags.expect_frames(fernwood.Dataset(tmp_path / "out", needs_labels=False))


def test_the_plug_ins_find_all_libraries_that_they_need(environment):
    for plugin in Path(fernwood.__file__).parent.glob("**/fernwood_*.so"):
        load = [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", plugin]
        assert subprocess.run(load, capture_output=True, text=True, env=environment).stderr == ""


def test_completion_and_pages_for_man_are_installed_with_it(run):
    share = Path(sys.prefix) / "share"
    for shell, place in {
        "bash": "bash-completion/completions/fernwood",
        "zsh": "zsh/site-functions/_fernwood",
        "fish": "fish/vendor_completions.d/fernwood.fish",
    }.items():
        assert (share / place).read_text() == run("completion", shell).stdout
    assert (share / "man/man1/fernwood-records-train.1").read_text().startswith(".TH")


def test_teach_answers_on_its_page_until_ctrl_c(environment, rooms, tmp_path):
    words = ["teach", "--data", rooms / "train", "--out", tmp_path / "taught", "--device", "cpu", "--no-browser"]
    process = started(words, environment)
    try:
        url = re.search(r"http://\S+", process.stdout.readline())[0]
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.status == 200 and b"<html" in answer.read()
        process.send_signal(signal.SIGINT)
        assert "strokes 0" in process.communicate(timeout=60)[0]
        assert process.returncode == 0
    finally:
        process.kill()


def test_ctrl_c_ends_a_training_with_130_and_keeps_what_was_grown(environment, rooms, tmp_path):
    words = ["train", "--data", rooms / "train", "--out", tmp_path / "model", "--trees", 10000, "--checkpoint-every", 0]
    process = started(words, environment)
    try:
        for _ in range(600):
            if (tmp_path / "model.checkpoint").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
    assert (tmp_path / "model.checkpoint").exists()


def test_it_tells_when_the_package_was_damaged(tmp_path, environment):
    lines = "import os, _fernwood_program as p; os.execv = lambda *_: os.stat('/nowhere'); p.main()"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True)
    assert done.returncode == 1 and "bin/fernwood cannot be started: No such file or directory; install" in done.stderr
