# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A ROS 2 camera and listener independent of fernwood, using DDS through the package cyclonedds.

Run as a program, it measures: it publishes the frames of a folder at a fixed rate, and counts and times the masks that
come back.
"""

import argparse
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from types import new_class

import numpy as np


def on_this_machine_alone(domain: int) -> dict:
    """Environment variables that restrict both sides to this machine: ROS's for fernwood, Cyclone DDS's for this
    peer."""
    settings = (
        "<CycloneDDS><Domain id='any'><General><Interfaces><NetworkInterface address='127.0.0.1'/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast><MaxMessageSize>65500B</MaxMessageSize></General><Discovery>"
        "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
        "<Peers><Peer address='localhost'/></Peers></Discovery></Domain></CycloneDDS>"
    )
    os.environ["CYCLONEDDS_URI"] = settings
    return {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def message_types():
    """Classes of the messages. Imports cyclonedds only here, because it reads its settings when it is imported."""
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl.types import array, float32, float64, int32, sequence, uint8, uint16, uint32

    def message(package, kind, /, **fields):
        options = {"typename": f"{package}::msg::dds_::{kind}_"}
        return dataclass(new_class(kind, (IdlStruct,), options, lambda body: body.update(__annotations__=fields)))

    time_ = message("builtin_interfaces", "Time", sec=int32, nanosec=uint32)
    header = message("std_msgs", "Header", stamp=time_, frame_id=str)
    region = message(
        "sensor_msgs", "RegionOfInterest", x_offset=uint32, y_offset=uint32, height=uint32, width=uint32, do_rectify=bool
    )
    field = message("sensor_msgs", "PointField", name=str, offset=uint32, datatype=uint8, count=uint32)
    vision_class = message("vision_msgs", "VisionClass", class_id=uint16, class_name=str)
    value = message("diagnostic_msgs", "KeyValue", key=str, value=str)
    status = message(
        "diagnostic_msgs", "DiagnosticStatus", level=uint8, name=str, message=str, hardware_id=str, values=sequence[value]
    )
    return {
        "Time": time_,
        "Header": header,
        "RegionOfInterest": region,
        "String": message("std_msgs", "String", data=str),
        "ImageHeader": message("sensor_msgs", "Image", header=header),  # an image whose pixels are not decoded
        "Image": message(
            "sensor_msgs",
            "Image",
            header=header,
            height=uint32,
            width=uint32,
            encoding=str,
            is_bigendian=uint8,
            step=uint32,
            data=sequence[uint8],
        ),
        "CameraInfo": message(
            "sensor_msgs",
            "CameraInfo",
            header=header,
            height=uint32,
            width=uint32,
            distortion_model=str,
            d=sequence[float64],
            k=array[float64, 9],
            r=array[float64, 9],
            p=array[float64, 12],
            binning_x=uint32,
            binning_y=uint32,
            roi=region,
        ),
        "PointCloud2": message(
            "sensor_msgs",
            "PointCloud2",
            header=header,
            height=uint32,
            width=uint32,
            fields=sequence[field],
            is_bigendian=bool,
            point_step=uint32,
            row_step=uint32,
            data=sequence[uint8],
            is_dense=bool,
        ),
        "LabelInfo": message(
            "vision_msgs", "LabelInfo", header=header, class_map=sequence[vision_class], threshold=float32
        ),
        "DiagnosticArray": message("diagnostic_msgs", "DiagnosticArray", header=header, status=sequence[status]),
    }


class Peer:
    """A DDS participant: publishes colour, depth and the camera's calibration, and subscribes to topics on request."""

    COLOR, DEPTH = "/camera/color/image_raw", "/camera/aligned_depth_to_color/image_raw"
    FRAME = "camera_color_optical_frame"

    def __init__(self, domain: int, camera: tuple[float, float, float, float]):
        from cyclonedds.core import Policy, Qos
        from cyclonedds.domain import DomainParticipant
        from cyclonedds.util import duration

        self.types, self.camera = message_types(), camera
        self.best_effort = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5))
        self.reliable = Qos(Policy.Reliability.Reliable(duration(milliseconds=100)), Policy.History.KeepLast(5))
        self.latched = self.reliable + Qos(Policy.Durability.TransientLocal)
        self.participant = DomainParticipant(domain)
        self.color = self.publisher(self.COLOR, "Image")
        self.depth = self.publisher(self.DEPTH, "Image")
        self.info = self.publisher("/camera/color/camera_info", "CameraInfo")

    def _topic(self, name, kind):
        from cyclonedds.topic import Topic

        return Topic(self.participant, "rt" + name, self.types[kind])

    def publisher(self, name, kind, qos=None):
        from cyclonedds.pub import DataWriter

        return DataWriter(self.participant, self._topic(name, kind), qos=qos or self.best_effort)

    def subscription(self, name, kind, qos=None):
        from cyclonedds.sub import DataReader

        return DataReader(self.participant, self._topic(name, kind), qos=qos or self.best_effort)

    def header(self, stamp_ns: int):
        seconds, rest = divmod(stamp_ns, 10**9)
        return self.types["Header"](stamp=self.types["Time"](sec=seconds, nanosec=rest), frame_id=self.FRAME)

    def image(self, stamp_ns: int, pixels: np.ndarray, encoding: str):
        height, width = pixels.shape[:2]
        data = np.ascontiguousarray(pixels).view(np.uint8).reshape(-1)
        return self.types["Image"](
            header=self.header(stamp_ns),
            height=height,
            width=width,
            encoding=encoding,
            is_bigendian=0,
            step=len(data) // height,
            data=data.tolist(),
        )

    def send(self, stamp_ns: int, color: np.ndarray, depth_mm: np.ndarray):
        """Publishes a frame: [rows][cols][3] RGB and [rows][cols] millimetres."""
        self.send_camera(stamp_ns, *depth_mm.shape)
        self.color.write(self.image(stamp_ns, color, "rgb8"))
        self.depth.write(self.image(stamp_ns, depth_mm, "16UC1"))

    def send_camera(self, stamp_ns: int, height: int, width: int):
        fx, fy, cx, cy = self.camera
        none = self.types["RegionOfInterest"](x_offset=0, y_offset=0, height=0, width=0, do_rectify=False)
        self.info.write(
            self.types["CameraInfo"](
                header=self.header(stamp_ns),
                height=height,
                width=width,
                distortion_model="plumb_bob",
                d=[0.0] * 5,
                k=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
                r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                p=[fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
                binning_x=0,
                binning_y=0,
                roi=none,
            )
        )


def coded_once(image):
    """An image that cyclonedds serialises only once, with a new stamp for each message: serialising a million pixels in
    Python takes seconds."""
    at = 4  # after the four bytes of the encapsulation header
    coded = bytearray(image.serialize())

    class Coded(type(image)):
        def serialize(self, *_, **__):
            return bytes(coded)

        def stamped(self, stamp_ns: int):
            coded[at : at + 8] = struct.pack("<iI", *divmod(stamp_ns, 10**9))
            return self

    return Coded(**vars(image))


def stamp_of(message) -> int:
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def valid(samples):
    """Leaves out samples that only report the end of a publisher."""
    return [sample for sample in samples if hasattr(sample, "header") or hasattr(sample, "data")]


def measure(arguments):
    from PIL import Image as Picture

    variables = on_this_machine_alone(arguments.domain)
    print("fernwood needs", " ".join(f"{name}={text}" for name, text in variables.items()))
    names = sorted(Path(arguments.frames).glob("*_colors.*"))[:10]
    frames = [
        (
            np.asarray(Picture.open(name).convert("RGB")),
            np.asarray(Picture.open(str(name).replace("_colors" + name.suffix, "_depth.png"))).astype(np.uint16),
        )
        for name in names
    ]
    peer = Peer(arguments.domain, (525.0, 525.0, 319.5, 239.5))
    images = [
        (coded_once(peer.image(0, color, "rgb8")), coded_once(peer.image(0, depth, "16UC1"))) for color, depth in frames
    ]
    masks = peer.subscription("/segmentation/mask", "ImageHeader")
    print("ready", flush=True)
    latencies, sent, start = [], 0, time.monotonic()
    first = None
    while time.monotonic() - start < arguments.seconds:
        stamp = time.time_ns()
        peer.send_camera(stamp, *frames[0][1].shape)
        for publisher, image in zip((peer.color, peer.depth), images[sent % len(images)]):
            publisher.write(image.stamped(stamp))
        sent += 1
        while True:
            for mask in valid(masks.take(8)):
                latencies.append((time.time_ns() - stamp_of(mask)) / 1e6)
                first = first or time.monotonic()
            if time.monotonic() >= start + sent / arguments.rate:
                break
            time.sleep(0.001)
    seconds = time.monotonic() - (first or start)
    latencies = np.array(latencies or [np.nan])
    print(
        f"{sent} frames sent, {len(latencies)} masks back, {len(latencies) / seconds:.1f} a second; "
        f"latency median {np.median(latencies):.1f} ms, 95 % within {np.percentile(latencies, 95):.1f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frames", help="folder with NAME_colors.* and NAME_depth.png, 640 x 480")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--domain", type=int, default=77)
    measure(parser.parse_args())
