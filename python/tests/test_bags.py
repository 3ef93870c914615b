# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""ROS recordings written by other libraries."""

import io
import itertools
import sqlite3
import warnings

import numpy as np
import pytest

import fernwood
from fernwood.errors import DataError, FernwoodWarning, UsageError

ROWS, COLS, NUM_FRAMES = 24, 32, 6
START_NS, STEP_NS = 1_700_000_000_000_000_000, 33_333_333
COLOR, DEPTH = "/camera/color/image_raw", "/camera/aligned_depth_to_color/image_raw"


def color_of(i):
    return np.random.default_rng(i).integers(0, 256, (ROWS, COLS, 3), np.uint8)


def depth_of(i):
    return np.random.default_rng(100 + i).integers(0, 9000, (ROWS, COLS)).astype(np.uint16)


def messages(types, ros1=False):
    """Topic, type, message and recording time, in temporal order."""

    def header(ns, frame_id="optical"):
        seconds, rest = divmod(ns, 10**9)
        stamp = types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest)
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame_id, **({"seq": 1} if ros1 else {}))

    def image(ns, encoding, pixels):
        return types["sensor_msgs/msg/Image"](
            header=header(ns),
            height=ROWS,
            width=COLS,
            encoding=encoding,
            is_bigendian=0,
            step=pixels.nbytes // ROWS,
            data=np.ascontiguousarray(pixels).view(np.uint8).ravel(),
        )

    k = np.array([30, 0, 15.5, 0, 30, 11.5, 0, 0, 1.0])
    numbers = dict(d=np.zeros(5), k=k, r=np.eye(3).ravel(), p=np.zeros(12))
    roi = types["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False)
    info = types["sensor_msgs/msg/CameraInfo"](
        header=header(START_NS),
        height=ROWS,
        width=COLS,
        distortion_model="plumb_bob",
        binning_x=0,
        binning_y=0,
        roi=roi,
        **({key.upper(): value for key, value in numbers.items()} if ros1 else numbers),
    )
    yield "/camera/color/camera_info", "sensor_msgs/msg/CameraInfo", info, START_NS
    for i in range(NUM_FRAMES):
        ns = START_NS + i * STEP_NS
        yield COLOR, "sensor_msgs/msg/Image", image(ns, "bgr8", color_of(i)[..., ::-1]), ns + 1_000
        yield DEPTH, "sensor_msgs/msg/Image", image(ns + 5_000_000, "16UC1", depth_of(i)), ns + 2_000
        transform = types["geometry_msgs/msg/TransformStamped"](
            header=header(ns, "map"),
            child_frame_id="optical",
            transform=types["geometry_msgs/msg/Transform"](
                translation=types["geometry_msgs/msg/Vector3"](0.25 * i, -1.0, 2.0),
                rotation=types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 1.0, 0.0),
            ),
        )
        yield "/tf", "tf2_msgs/msg/TFMessage", types["tf2_msgs/msg/TFMessage"](transforms=[transform]), ns + 500
        yield "/chatter", "std_msgs/msg/String", types["std_msgs/msg/String"](data=str(i)), ns + 3_000


def stores():
    typesys = pytest.importorskip("rosbags.typesys")
    ros1 = typesys.get_typestore(typesys.Stores.ROS1_NOETIC)
    transforms = "geometry_msgs/TransformStamped[] transforms"
    ros1.register(typesys.get_types_from_msg(transforms, "tf2_msgs/msg/TFMessage"))
    return typesys.get_typestore(typesys.Stores.ROS2_HUMBLE), ros1


def write_mcap(path, **options):
    writer_of = pytest.importorskip("mcap.writer")
    store = stores()[0]
    with open(path, "wb") as file:
        writer, channels = writer_of.Writer(file, chunk_size=8000, **options), {}
        writer.start("ros2", "test")
        for topic, kind, message, ns in messages(store.types):
            if topic not in channels:
                schema = writer.register_schema(kind, "ros2msg", store.generate_msgdef(kind, ros_version=2)[0].encode())
                channels[topic] = writer.register_channel(topic, "cdr", schema)
            writer.add_message(channels[topic], ns, bytes(store.serialize_cdr(message, kind)), ns)
        writer.finish()
    return path


def write_rosbag2(path, plugin, mode):
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    store = stores()[0]
    writer, connections = rosbag2.Writer(path, version=9, storage_plugin=rosbag2.StoragePlugin[plugin]), {}
    if mode:
        writer.set_compression(rosbag2.CompressionMode[mode], rosbag2.CompressionFormat.ZSTD)
    with writer:
        for topic, kind, message, ns in messages(store.types):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(connections[topic], ns, store.serialize_cdr(message, kind))
    return path


def write_rosbag1(path, compression):
    rosbag1 = pytest.importorskip("rosbags.rosbag1")
    store = stores()[1]
    writer, connections = rosbag1.Writer(path), {}
    if compression:
        writer.set_compression(rosbag1.Writer.CompressionFormat[compression])
    with writer:
        for topic, kind, message, ns in messages(store.types, ros1=True):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(connections[topic], ns, store.serialize_ros1(message, kind))
    return path


def import_frames(source, out, **options):
    """Imports a data set. Skips tests of compressed recordings, by name, if the plug-in for them is not built."""
    try:
        with pytest.warns(FernwoodWarning):
            return fernwood.dataset.import_from("rosbag", source, out, **options)
    except UsageError as error:
        if "fernwood_bags.so" not in str(error):
            raise
        pytest.skip("this build has no plug-in bags")


def expect_frames(data, count=NUM_FRAMES):
    assert len(data) == count
    for i, frame in enumerate(data):
        np.testing.assert_array_equal(frame.color, color_of(i))
        np.testing.assert_array_equal(frame.depth, depth_of(i))
    assert data.names[:2] == ["1700000000.000000000", "1700000000.033333333"][:count]


def expect_poses(folder, count=NUM_FRAMES):
    lines = [line.split() for line in (folder / "poses.txt").read_text().splitlines() if not line.startswith("#")]
    poses = np.array([line[1:] for line in lines], float)
    np.testing.assert_allclose(poses, [[0.25 * i, -1, 2, 0, 0, 1, 0] for i in range(count)], atol=1e-8)


MCAP_LAYOUTS = {
    "no chunks": dict(use_chunking=False),
    "no compression": dict(compression="NONE"),
    "lz4": dict(compression="LZ4"),
    "zstd": dict(compression="ZSTD"),
    "no index": dict(
        compression="ZSTD",
        index_types="NONE",
        repeat_channels=False,
        repeat_schemas=False,
        use_statistics=False,
        use_summary_offsets=False,
    ),
    "checksums": dict(compression="NONE", enable_crcs=True, enable_data_crcs=True),
}


@pytest.mark.parametrize("layout", MCAP_LAYOUTS)
def test_mcap_of_all_layouts_gives_the_frames_that_were_written(layout, tmp_path):
    writer_of = pytest.importorskip("mcap.writer")
    options = dict(MCAP_LAYOUTS[layout])
    if "compression" in options:
        options["compression"] = writer_of.CompressionType[options["compression"]]
    if "index_types" in options:
        options["index_types"] = writer_of.IndexType[options["index_types"]]
    expect_frames(import_frames(write_mcap(tmp_path / "a.mcap", **options), tmp_path / "out"))
    expect_poses(tmp_path / "out")


@pytest.mark.parametrize("plugin, mode", list(itertools.product(["SQLITE3", "MCAP"], [None, "FILE", "MESSAGE"])))
def test_folders_of_rosbag2_give_the_frames_that_were_written(plugin, mode, tmp_path):
    expect_frames(import_frames(write_rosbag2(tmp_path / "bag", plugin, mode), tmp_path / "out"))
    expect_poses(tmp_path / "out")


@pytest.mark.parametrize("compression", [None, "BZ2", "LZ4"])
def test_bags_of_ros_1_give_the_frames_that_were_written(compression, tmp_path):
    expect_frames(import_frames(write_rosbag1(tmp_path / "a.bag", compression), tmp_path / "out"))
    expect_poses(tmp_path / "out")


def test_messages_by_the_library_of_mcap_itself(tmp_path):
    mcap_ros2 = pytest.importorskip("mcap_ros2.writer")
    definition = stores()[0].generate_msgdef("sensor_msgs/msg/CompressedImage", ros_version=2)[0]
    image_module = pytest.importorskip("PIL.Image")
    with open(tmp_path / "a.mcap", "wb") as file:
        writer = mcap_ros2.Writer(file)
        schema = writer.register_msgdef("sensor_msgs/msg/CompressedImage", definition)
        for i in range(3):
            png = io.BytesIO()
            image_module.fromarray(color_of(i)).save(png, "PNG")
            message = dict(
                header=dict(stamp=dict(sec=5, nanosec=i * STEP_NS), frame_id="optical"),
                format="rgb8; png compressed bgr8",
                data=png.getvalue(),
            )
            writer.write_message(COLOR + "/compressed", schema, message, log_time=i, publish_time=i)
        writer.finish()
    data = import_frames(tmp_path / "a.mcap", tmp_path / "out")
    for i, frame in enumerate(data):
        np.testing.assert_array_equal(frame.color, color_of(i))
    assert len(data) == 3 and not data.has_depth


def test_a_recording_that_was_cut_off_is_read_as_far_as_it_is_whole(tmp_path):
    whole = write_mcap(tmp_path / "whole.mcap", use_chunking=False).read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    with pytest.warns(FernwoodWarning, match="cut off after"):
        data = fernwood.dataset.import_from("rosbag", tmp_path / "cut.mcap", tmp_path / "out")
    assert 1 < len(data) < NUM_FRAMES
    expect_frames(data, len(data))


def test_topics_can_be_named_and_wrong_ones_are_an_error(tmp_path):
    recording = write_mcap(tmp_path / "a.mcap", use_chunking=False)
    with pytest.warns(FernwoodWarning):
        data = fernwood.dataset.import_from("rosbag", recording, tmp_path / "out", depth=DEPTH)
    np.testing.assert_array_equal(data[1].depth, depth_of(1))
    assert not data.has_color
    with pytest.raises(UsageError, match="did you mean"):
        fernwood.dataset.import_from("rosbag", recording, tmp_path / "other", colors=COLOR + "x")
    with pytest.raises(DataError, match="not a recording of ROS"):
        (tmp_path / "b.mcap").write_bytes(b"not a recording")
        fernwood.dataset.import_from("rosbag", tmp_path / "b.mcap", tmp_path / "other")


@pytest.mark.parametrize(
    "name",
    ["name TEXT AS (printf('%.*c', 200000000, 'x'))", "name TEXT DEFAULT '" + "x" * 5000 + "'"],
    ids=["computed", "default"],
)
def test_a_database_gives_no_more_than_it_holds(name, tmp_path):
    with sqlite3.connect(tmp_path / "a.db3") as database:
        database.execute(f"CREATE TABLE topics (id INTEGER PRIMARY KEY, {name}, type TEXT, serialization_format TEXT)")
        database.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
        database.executemany("INSERT INTO topics (type) VALUES (?)", [("sensor_msgs/msg/Image",)])
    with pytest.raises(DataError, match="computed|longer than"):
        fernwood.dataset.import_from("rosbag", tmp_path / "a.db3", tmp_path / "out")


def test_live_labels_every_frame_of_a_recording(forest, tmp_path):
    recording = write_mcap(tmp_path / "a.mcap", use_chunking=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FernwoodWarning)
        seen = [frame.color for frame in fernwood.live(forest, f"mcap:{recording}", every_frame=True, rate=0)]
    assert len(seen) == NUM_FRAMES
    for i, color in enumerate(seen):
        np.testing.assert_array_equal(color, color_of(i))
