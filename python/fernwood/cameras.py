# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Labelling the frames of a camera or a recording as they arrive."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional, Union

import numpy as np

from . import _fernwood
from ._arguments import checked
from ._frames import Camera, pose_matrix, shapes_of
from ._option_types import LiveOptions, Unpack
from ._options import option_texts
from .encoders import Encoder, encoder_of
from .errors import UsageError
from .forest import Forest, native_of

__all__ = ["Live", "LiveFrame", "live"]


def __dir__():
    return __all__

#: Default rate at which recordings are played, that of a typical camera.
RECORDING_RATE_HZ = 30.0


class LiveFrame(NamedTuple):
    """A frame of a camera with its labels. Colour and depth must not be changed, since they are shared."""

    color: Optional[np.ndarray]  #: uint8, (rows, columns, 3), or None.
    depth: Optional[np.ndarray]  #: uint16, (rows, columns), in millimetres, 0 where it is unknown; or None.
    labels: np.ndarray  #: uint16, (rows, columns).
    time: float  #: Seconds by the source's own clock.
    name: str  #: The file's name, or the camera's count.
    camera: Optional[Camera] = None  #: fx, fy, cx, cy in pixels, if the source provides them.
    #: (4, 4): transform from camera to room coordinates, in metres, if the source provides it.
    pose: Optional[np.ndarray] = None

    def __repr__(self) -> str:
        return shapes_of(self)


class Live(Iterator[LiveFrame]):
    """Frames of `live`, for a ``for`` loop or ``with``. Its own threads capture and label until it is closed."""

    def __init__(self, native: _fernwood.LiveRun, source: str) -> None:
        self._native, self._source = native, source

    def __repr__(self) -> str:
        return f"<fernwood.Live {self._source}>"

    def __next__(self) -> LiveFrame:
        found = self._native.next()
        if found is None:
            self.close()
            raise StopIteration
        *frame, pose = found
        return LiveFrame(*frame, pose_matrix(pose))

    def close(self) -> None:
        """Ends the threads and closes the camera."""
        self._native.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of frames captured, dropped because newer ones came, and shown; available at the end."""
        return dict(zip(("captured", "dropped", "shown"), self._native.counts()))


@checked
def live(
    forest: Forest,
    source: Union[str, os.PathLike],
    *,
    every_frame: bool = False,
    max_frames: int = 0,
    rate: Union[float, str, None] = None,
    stall_timeout: float = 5,
    reconnect: float = 10,
    encoder: Optional[Encoder] = None,
    publish: Optional[str] = None,
    remap: Sequence[str] = (),
    frame_id: str = "camera",
    **options: Unpack[LiveOptions],
) -> Live:
    """Labels the frames of a camera or a recording; returns an iterator of `LiveFrame`.

    Parameters
    ----------
    source
        "frames:DIR", a folder of frames; "tum:DIR", a TUM recording; "mcap:FILE", a recording of ROS; "video:FILE",
        "openni2:" …; docs/reference/live.md lists all.
    every_frame
        Label every frame: the source waits for the loop. Otherwise older frames are dropped when a newer one arrives.
    max_frames
        Number of frames to label; 0: until the source ends.
    rate
        Frames per second at which a recording is played; 0: as fast as it can be read; "recorded": by its time stamps.
        None: 30, or 0 with every_frame.
    stall_timeout, reconnect
        Seconds without a frame after which a source has stalled, and seconds during which a failed camera is reopened.
    encoder
        The encoder of the frames' maps, as in `train`; it is called in another thread with color and depth of each frame
        that is labelled. None: the ONNX file with which the forest was trained, if any.
    publish
        "ros:": also publish the results as ROS 2 topics (docs/reference/ros_topics.md), at the pace of the loop.
    remap
        Other names for these topics, in ROS's syntax: "/segmentation/mask:=/robot/mask", "__ns:=/robot".
    frame_id
        The coordinate frame of published messages, if the source has none.
    options
        As in `Predictor`. For recordings also: loop, to restart at the end; preload, the
        number of frames to decode beforehand, which are then the only ones used.

    Raises
    ------
    UsageError
        The kind of source is unknown, or topics have names that ROS does not allow.
    DataError
        The recording is missing or damaged.
    DeviceError
        The camera cannot be opened, or it failed.
    """
    recorded = rate == "recorded"
    if isinstance(rate, str) and not recorded:
        raise UsageError(f'rate is "{rate}"; use frames per second, or "recorded" for the times of the recording')
    rate_hz = 0.0 if recorded else rate if rate is not None else 0.0 if every_frame else RECORDING_RATE_HZ
    native = encoder_of(native_of(forest), encoder, keep=False)
    return Live(
        _fernwood.LiveRun(
            native_of(forest), os.fspath(source), option_texts(options), every_frame, max_frames, rate_hz, recorded, stall_timeout,
            reconnect, native,
            option_texts({"publish": publish, "remap": list(remap) or None, "frame_id": frame_id}),
        ),
        source,
    )
