# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""ROS 2 topics: an independent DDS peer acts as the camera and receives what fernwood publishes."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import ros_peer
from conftest import COMMAND

import fernwood

pytest.importorskip("cyclonedds")

DOMAIN = 100 + os.getpid() % 100
CAMERA = (80.0, 82.0, 47.5, 35.5)
FIRST_NS = 1_700_000_000_000_000_000


@pytest.fixture(scope="module")
def variables():
    return ros_peer.on_this_machine_alone(DOMAIN)


@pytest.fixture(scope="module")
def peer(variables):
    return ros_peer.Peer(DOMAIN, CAMERA)


@pytest.fixture
def publishing(variables, model, tmp_path):
    """Starts `fernwood live` between topics; finish() stops it and returns its standard error."""
    environment = {"HOME": str(tmp_path), "NO_COLOR": "1", **variables}
    running = []

    def start(*words, source="ros:"):
        command = [COMMAND, "live", "--model", model, "--source", source, "--headless", "--publish", "ros:", *words]
        process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def finish(process):
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=20)[1]
    assert process.returncode == 0, told
    return told


def converse(peer, frames, readers, until, seconds=20.0):
    """Sends 30 frames per second and collects messages until `until` is satisfied: {reader: [messages]}."""
    got = {name: [] for name in readers}
    start = time.monotonic()
    count = 0
    while time.monotonic() - start < seconds and not until(got):
        peer.send(FIRST_NS + count * 33_000_000, *frames[count % len(frames)])
        count += 1
        time.sleep(1 / 30)
        for name, reader in readers.items():
            got[name] += ros_peer.valid(reader.take(16))
    assert until(got), {name: len(messages) for name, messages in got.items()}
    return got


@pytest.fixture(scope="module")
def frames(test_set):
    return [(frame.color, frame.depth) for frame in (test_set.frame(i) for i in range(4))]


def test_frames_of_a_camera_come_back_as_labels(peer, publishing, frames, forest):
    readers = {
        name: peer.subscription("/segmentation/" + name, kind)
        for name, kind in [("mask", "Image"), ("confidence", "Image"), ("points", "PointCloud2")]
    }
    process = publishing()
    got = converse(peer, frames, readers, lambda got: all(len(messages) >= 5 for messages in got.values()))
    labels = peer.subscription("/segmentation/label_info", "LabelInfo", peer.latched)
    late = converse(peer, frames, {"labels": labels}, lambda got: got["labels"])["labels"][0]
    assert [(one.class_id, one.class_name) for one in late.class_map] == list(enumerate(forest.classes))

    fx, fy, cx, cy = CAMERA
    expected = [forest.predict(color, depth, camera=CAMERA) for color, depth in frames]
    probable = [forest.predict_proba(color, depth, camera=CAMERA) for color, depth in frames]
    for mask in got["mask"]:
        index = (ros_peer.stamp_of(mask) - FIRST_NS) // 33_000_000 % len(frames)
        assert (mask.header.frame_id, mask.encoding, mask.height, mask.width) == (peer.FRAME, "mono8", 72, 96)
        pixels = np.array(mask.data, np.uint8).reshape(72, 96)
        assert np.array_equal(pixels, np.where(expected[index] < 0, 255, expected[index]))
    by_stamp = {ros_peer.stamp_of(mask): mask for mask in got["mask"]}
    joined = 0
    for confidence in got["confidence"]:
        stamp = ros_peer.stamp_of(confidence)
        index = (stamp - FIRST_NS) // 33_000_000 % len(frames)
        best = np.take_along_axis(probable[index], np.maximum(expected[index], 0)[..., None], axis=2)[..., 0]
        assert np.abs(np.array(confidence.data).reshape(72, 96) - 255 * best)[expected[index] >= 0].max() <= 0.51
        joined += stamp in by_stamp
    assert joined >= 1
    for cloud in got["points"][:2]:
        index = (ros_peer.stamp_of(cloud) - FIRST_NS) // 33_000_000 % len(frames)
        layout = np.dtype({"names": ["x", "y", "z", "class"], "formats": ["<f4", "<f4", "<f4", "u1"],
                           "offsets": [0, 4, 8, 12], "itemsize": cloud.point_step})
        points = np.frombuffer(bytes(cloud.data), layout).reshape(72, 96)
        depth_m = frames[index][1] / np.float32(1000)
        seen = depth_m > 0
        assert np.allclose(points["z"][seen], depth_m[seen]) and np.isnan(points["z"][~seen]).all()
        rows, cols = np.indices(seen.shape)
        assert np.allclose(points["x"][seen], ((cols - cx) / fx * depth_m)[seen], atol=1e-5)
        assert np.allclose(points["y"][seen], ((rows - cy) / fy * depth_m)[seen], atol=1e-5)
    told = finish(process)
    assert peer.COLOR in told and peer.DEPTH in told


def test_parameters_change_while_it_runs(peer, publishing, frames):
    readers = {"mask": peer.subscription("/segmentation/mask", "Image")}
    parameters = peer.publisher("/segmentation/parameters", "String", peer.reliable)
    process = publishing()
    converse(peer, frames, readers, lambda got: got["mask"])
    for text in ("smooth=40", "smooth=1001", "threads=1", "nonsense"):
        parameters.write(peer.types["String"](data=text))
    converse(peer, frames, readers, lambda got: len(got["mask"]) >= 10)
    told = finish(process)
    assert 'the parameter smooth is "40" now' in told
    assert "0 to 1000" in told
    assert '"threads" cannot change while frames come' in told
    assert '"nonsense" is not a NAME=VALUE' in told


def test_topics_have_other_names_by_ros_rules(peer, publishing, frames):
    readers = {"mask": peer.subscription("/robot/floor", "Image")}
    process = publishing("--remap", "/segmentation/mask:=/robot/floor", source=f"ros:?color={peer.COLOR}&depth={peer.DEPTH}")
    converse(peer, frames, readers, lambda got: got["mask"])
    finish(process)


def test_what_strangers_send_ends_nothing(peer, publishing, frames):
    """Messages of other types on the camera's topic, images with wrong sizes, a camera that disappears and returns."""
    readers = {"mask": peer.subscription("/segmentation/mask", "Image")}
    state = {"state": peer.subscription("/diagnostics", "DiagnosticArray", peer.reliable)}
    process = publishing()
    converse(peer, frames, readers, lambda got: got["mask"])
    peer.publisher(peer.COLOR, "String").write(peer.types["String"](data="x" * 1000))
    image = peer.image(FIRST_NS, frames[0][0], "rgb8")
    one_pixel = {"height": 1, "width": 1, "step": 3, "data": [1, 2, 3]}
    for change in ({"height": 2**31}, {"width": 2**32 - 1, "step": 2**32 - 1}, {"encoding": "none"}, {"data": []}, one_pixel):
        peer.color.write(peer.types["Image"](**{**vars(image), **change}))
    converse(peer, frames, readers, lambda got: len(got["mask"]) >= 3)
    time.sleep(6)  # the camera is silent
    converse(peer, frames, {**readers, **state}, lambda got: len(got["mask"]) >= 3 and len(got["state"]) >= 2)
    assert "give no frame any more" in finish(process)


def test_qualities_of_service_that_do_not_fit_are_reported(peer, publishing, frames):
    state = {"state": peer.subscription("/diagnostics", "DiagnosticArray", peer.reliable)}
    reader = peer.subscription("/segmentation/mask", "Image", peer.latched)  # masks are not kept for late subscribers
    process = publishing()
    got = converse(peer, frames, state, lambda got: any("durability" in m.status[0].message for m in got["state"]))
    assert "/segmentation/mask" in got["state"][-1].status[0].message
    said = finish(process)
    assert said.count("durability") == 1
    assert not reader.take()


def test_who_publishes_nothing_is_told_what_there_is(variables, model, tmp_path):
    environment = {"HOME": str(tmp_path), "NO_COLOR": "1", **variables, "ROS_DOMAIN_ID": str(DOMAIN + 1)}
    command = [COMMAND, "live", "--model", model, "--source", "ros:", "--headless"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 4 and "nothing is published in this domain" in done.stderr, done.stderr
    environment["ROS_DOMAIN_ID"] = "300"
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 2 and "ROS_DOMAIN_ID" in done.stderr


def test_recordings_may_be_published(peer, publishing, rooms):
    readers = {"mask": peer.subscription("/segmentation/mask", "Image")}
    process = publishing("--loop", "--frame-id", "optical", source=f"frames:{rooms / 'test'}")
    got = []
    start = time.monotonic()
    while not got and time.monotonic() - start < 20:
        got += ros_peer.valid(readers["mask"].take(4))
        time.sleep(0.01)
    assert got[0].header.frame_id == "optical" and abs(ros_peer.stamp_of(got[0]) - time.time_ns()) < 60e9
    finish(process)


def test_python_publishes_what_it_labels(variables, model, rooms, peer):
    """In a separate process, because a process joins only one domain."""
    lines = """
import sys, time, fernwood
forest = fernwood.Forest.load(sys.argv[1])
with fernwood.live(forest, "frames:" + sys.argv[2], loop=True, publish="ros:", frame_id="python") as live:
    start = time.monotonic()
    for frame in live:
        if time.monotonic() - start > float(sys.argv[3]):
            break
"""
    mask = peer.subscription("/segmentation/mask", "Image")
    command = [sys.executable, "-W", "ignore", "-c", lines, str(model), str(rooms / "test"), "60"]
    others = {name: value for name, value in os.environ.items() if name != "CYCLONEDDS_URI"}  # for the peer only
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**others, **variables})
    try:
        got = []
        start = time.monotonic()
        while not got and time.monotonic() - start < 20:
            got += ros_peer.valid(mask.take(4))
            time.sleep(0.01)
        assert got and got[0].header.frame_id == "python"
    finally:
        process.kill()
        process.wait()


def test_python_says_what_is_no_topic(forest, rooms):
    for words in ({"publish": "dds:"}, {"remap": ["/a:=/b"]}, {"publish": "ros:", "remap": ["/segmentation/mask:=/2"]}):
        with pytest.raises(fernwood.errors.UsageError):
            fernwood.live(forest, f"frames:{rooms / 'test'}", **words)
