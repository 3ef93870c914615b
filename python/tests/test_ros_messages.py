# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""ROS messages compared with another serialiser: bytes and fields of generated messages, in both directions."""

import json
import math
import os
import random
import struct
import subprocess

import numpy as np
import pytest

TOOL = os.environ.get("FERNWOOD_ROS_MESSAGES_TOOL")
pytestmark = pytest.mark.skipif(not TOOL, reason="FERNWOOD_ROS_MESSAGES_TOOL names no program of the tests")

COUNT = 1000
TYPES = {
    "Image": "sensor_msgs/msg/Image",
    "CompressedImage": "sensor_msgs/msg/CompressedImage",
    "CameraInfo": "sensor_msgs/msg/CameraInfo",
    "TFMessage": "tf2_msgs/msg/TFMessage",
    "PointCloud2": "sensor_msgs/msg/PointCloud2",
    "LabelInfo": "vision_msgs/msg/LabelInfo",
    "DiagnosticArray": "diagnostic_msgs/msg/DiagnosticArray",
    "Vector3Stamped": "geometry_msgs/msg/Vector3Stamped",
    "OccupancyGrid": "nav_msgs/msg/OccupancyGrid",
    "Detection3DArray": "vision_msgs/msg/Detection3DArray",
    "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "String": "std_msgs/msg/String",
}
#: Letters of one to four bytes; strings of all lengths up to 9 bytes shift the following fields to each alignment.
LETTERS = "az_/ äß漢😀"
FLOATS = [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 2.0**-149, 5e-324, 1.7976931348623157e308]


@pytest.fixture(scope="module")
def store():
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    for name, fields in {
        "VisionClass": "uint16 class_id\nstring class_name",
        "LabelInfo": "std_msgs/Header header\nvision_msgs/VisionClass[] class_map\nfloat32 threshold",
        "ObjectHypothesis": "string class_id\nfloat64 score",
        "ObjectHypothesisWithPose": "vision_msgs/ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose",
        "BoundingBox3D": "geometry_msgs/Pose center\ngeometry_msgs/Vector3 size",
        "Detection3D": "std_msgs/Header header\nvision_msgs/ObjectHypothesisWithPose[] results\n"
        "vision_msgs/BoundingBox3D bbox\nstring id",
        "Detection3DArray": "std_msgs/Header header\nvision_msgs/Detection3D[] detections",
    }.items():
        kind = f"vision_msgs/msg/{name}"
        if kind not in store.types:
            store.register(typesys.get_types_from_msg(fields, kind))
    return store


class Draw:
    """Random values of any field by its ROS type, in the form that the library accepts."""

    def __init__(self, store, seed):
        self.store, self.random = store, random.Random(seed)

    def number(self, bits, signed):
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return self.random.choice([low, high, 0, 1, self.random.randint(low, high)])

    def length(self):
        return self.random.choice([0, 1, 2, 3, self.random.randint(4, 9)])

    def text(self):
        if self.random.random() < 0.01:
            return "long " * 1000
        return "".join(self.random.choices(LETTERS, k=self.length()))

    def real(self, bits):
        number = self.random.choice([*FLOATS[: 7 if bits == 32 else None], self.random.uniform(-1e6, 1e6)])
        return struct.unpack("<f", struct.pack("<f", number))[0] if bits == 32 else number

    def basic(self, name):
        if name == "string":
            return self.text()
        if name == "bool":
            return self.random.random() < 0.5
        if name.startswith("float"):
            return self.real(int(name[5:]))
        if name == "byte":  # rosbags treats it as signed
            return self.random.choice([0, 3, 127])
        return self.number(int(name.lstrip("uint")), name.startswith("int"))

    def field(self, kind):
        node, detail = kind
        if node.name == "BASE":
            return self.basic(detail[0])
        if node.name == "NAME":
            return self.message(detail)
        item, count = detail
        values = [self.field(item) for _ in range(count if node.name == "ARRAY" else self.length())]
        return values if item[0].name == "NAME" else np.array(values, item[1][0])

    def message(self, name):
        if name == "builtin_interfaces/msg/Time":  # nanoseconds of a stamp are less than a second
            return self.store.types[name](sec=self.number(32, True), nanosec=self.random.choice([0, 999_999_999, 17]))
        return self.store.types[name](**{key: self.field(kind) for key, kind in self.store.fielddefs[name][1]})


def plain(message, name, store):
    """A message in the form that the tool writes."""
    if name == "builtin_interfaces/msg/Time":
        return message.sec * 10**9 + message.nanosec
    return {key: plain_field(getattr(message, key), kind, store) for key, kind in store.fielddefs[name][1]}


def plain_field(value, kind, store):
    node, detail = kind
    if node.name == "NAME":
        return plain(value, detail, store)
    if node.name == "BASE":
        if detail[0].startswith("float"):
            return int(np.array(value, detail[0]).view("u" + detail[0].replace("float", "int")))
        return value
    if detail[0][1][0] in ("uint8", "int8", "byte"):
        return value.tobytes().hex()
    return [plain_field(item, detail[0], store) for item in value]


def tool(verb, name, path, text=None):
    done = subprocess.run([TOOL, verb, name, path], input=text, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def records_of(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


@pytest.mark.parametrize("name", TYPES)
def test_messages_are_those_of_another_serialiser_both_ways(name, store, tmp_path):
    kind = TYPES[name]
    draw = Draw(store, seed=7)
    messages = [draw.message(kind) for _ in range(COUNT)]
    theirs = [bytes(store.serialize_cdr(message, kind)) for message in messages]
    fields = [plain(message, kind, store) for message in messages]

    tool("write", name, tmp_path / "written", "".join(json.dumps(one) + "\n" for one in fields))
    assert list(records_of(tmp_path / "written")) == theirs

    (tmp_path / "theirs").write_bytes(b"".join(struct.pack("<I", len(one)) + one for one in theirs))
    read = tool("read", name, tmp_path / "theirs")
    assert [json.loads(line) for line in read.splitlines()] == fields


def test_later_releases_have_the_same_fields(store):
    typesys = pytest.importorskip("rosbags.typesys")
    for later in (typesys.get_typestore(one) for one in typesys.Stores if one.name in ("ROS2_JAZZY", "LATEST")):
        for kind in TYPES.values():
            if kind in later.fielddefs:
                assert later.fielddefs[kind][1] == store.fielddefs[kind][1]
