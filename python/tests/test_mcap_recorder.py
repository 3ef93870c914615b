# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Recordings of `fernwood live --record FILE.mcap`, read by other libraries."""

import numpy as np
import pytest

import fernwood

IMAGES = ("/camera/color/image_raw", "/camera/aligned_depth_to_color/image_raw")
INFOS = ("/camera/color/camera_info", "/camera/aligned_depth_to_color/camera_info")
LABELS = ("/segmentation/mask", "/segmentation/confidence")
DTYPES = {"rgb8": (np.uint8, 3), "16UC1": (np.uint16, 1), "mono8": (np.uint8, 1)}


@pytest.fixture(scope="module")
def recording(program, rooms, model, tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "desk.mcap"
    source = f"frames:{rooms / 'train'}"
    program("live", "--model", model, "--source", source, "--headless", "--every-frame", "--record", path)
    return path


def pixels(image):
    dtype, channels = DTYPES[image.encoding]
    array = np.frombuffer(bytes(image.data), dtype).reshape(image.height, image.width, channels)
    assert image.step == array.strides[0]
    return array.squeeze(-1) if channels == 1 else array


def expect_frames(messages, train_set, forest):
    """Checks the messages of each topic, for any reader."""
    count = len(train_set)
    assert {topic: len(found) for topic, found in messages.items()} == {
        **dict.fromkeys(IMAGES + INFOS + LABELS, count),
        "/segmentation/label_info": 1,
    }
    names = [(one.class_id, one.class_name) for one in messages["/segmentation/label_info"][0].class_map]
    assert names == list(enumerate(forest.classes))
    stamps = [(one.header.stamp.sec, one.header.stamp.nanosec) for one in messages[IMAGES[0]]]
    assert stamps == sorted(set(stamps))
    for topic in IMAGES + INFOS + LABELS:
        assert [(one.header.stamp.sec, one.header.stamp.nanosec) for one in messages[topic]] == stamps
        assert {one.header.frame_id for one in messages[topic]} == {"camera"}
    for i, frame in enumerate(train_set):
        np.testing.assert_array_equal(pixels(messages[IMAGES[0]][i]), frame.color)
        np.testing.assert_array_equal(pixels(messages[IMAGES[1]][i]), frame.depth)
        labels = forest.predict(frame.color, frame.depth, camera=frame.camera)
        np.testing.assert_array_equal(pixels(messages[LABELS[0]][i]), labels.astype(np.uint8))
        confidence = pixels(messages[LABELS[1]][i])
        assert confidence.min() > 0 and confidence.max() > 255 / len(forest.classes)


def test_mcap_reads_it_with_all_checksums(recording, train_set, forest):
    reader_of = pytest.importorskip("mcap.reader")
    decoder = pytest.importorskip("mcap_ros2.decoder")
    messages = {}
    with open(recording, "rb") as file:
        reader = reader_of.make_reader(file, validate_crcs=True, decoder_factories=[decoder.DecoderFactory()])
        summary = reader.get_summary()
        for _, channel, _, message in reader.iter_decoded_messages():
            messages.setdefault(channel.topic, []).append(message)
    expect_frames(messages, train_set, forest)
    counts = {summary.channels[key].topic: count for key, count in summary.statistics.channel_message_counts.items()}
    assert counts == {topic: len(found) for topic, found in messages.items()}
    assert summary.statistics.chunk_count == len(summary.chunk_indexes) > 0
    assert {schema.encoding for schema in summary.schemas.values()} == {"ros2msg"}
    # Reads the records sequentially without the index, as for a truncated file.
    with open(recording, "rb") as file:
        assert sum(1 for _ in reader_of.NonSeekingReader(file).iter_messages()) == summary.statistics.message_count


def test_rosbags_reads_it(recording, train_set, forest):
    highlevel = pytest.importorskip("rosbags.highlevel")
    messages = {}
    with highlevel.AnyReader([recording]) as reader:
        qos = {one.topic: one.ext.offered_qos_profiles for one in reader.connections}
        for connection, _, data in reader.messages():
            messages.setdefault(connection.topic, []).append(reader.deserialize(data, connection.msgtype))
    expect_frames(messages, train_set, forest)
    assert qos["/segmentation/label_info"][0].durability.name == "TRANSIENT_LOCAL"


def test_definitions_are_those_of_ros(recording):
    typesys = pytest.importorskip("rosbags.typesys")
    reader_of = pytest.importorskip("mcap.reader")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    with open(recording, "rb") as file:
        schemas = reader_of.make_reader(file).get_summary().schemas.values()
    for schema in schemas:
        for name, (_, fields) in typesys.get_types_from_msg(schema.data.decode(), schema.name).items():
            if name in store.fielddefs:
                assert fields == store.fielddefs[name][1], name
    assert {schema.name for schema in schemas} >= {"sensor_msgs/msg/Image", "vision_msgs/msg/LabelInfo"}
