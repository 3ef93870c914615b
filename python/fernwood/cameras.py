# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What a camera sees, or a recording of one, labelled as it comes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Optional, Union

import numpy as np

from . import _fernwood
from ._arguments import checked
from ._frames import Array, Camera, pose_matrix, shapes_of
from ._option_types import LiveOptions, Unpack
from ._options import option_texts
from ._words import a_type
from .errors import UsageError
from .forest import Forest, native_of

__all__ = ["Live", "LiveFrame", "live"]


def __dir__():
    return __all__

#: Frames a second that a recording plays unless something else is said, as a camera has them.
RECORDING_RATE_HZ = 30.0


class LiveFrame(NamedTuple):
    """A frame of a camera with its labels. Colour and depth must not be changed: others look at them, too."""

    color: Optional[np.ndarray]  #: uint8, (rows, columns, 3), or None.
    depth: Optional[np.ndarray]  #: uint16, (rows, columns), in millimetres, 0 where it is unknown; or None.
    labels: np.ndarray  #: uint16, (rows, columns).
    time: float  #: Seconds by the source's own clock.
    name: str  #: The file's name, or the camera's count.
    camera: Optional[Camera] = None  #: fx, fy, cx, cy in pixels, where the source tells them.
    #: (4, 4), of places as the camera sees them to places in the room, in metres, where the source tells it.
    pose: Optional[np.ndarray] = None

    def __repr__(self) -> str:
        return shapes_of(self)


class Live(Iterator[LiveFrame]):
    """Frames of `live`, for a ``for`` loop or ``with``. Threads of their own capture and label until it is closed."""

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
        """Frames that were captured, dropped because newer ones came, and shown; known at the end."""
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
    maps: Optional[Callable[[Optional[np.ndarray], Optional[np.ndarray]], Array]] = None,
    publish: Optional[str] = None,
    remap: Sequence[str] = (),
    frame_id: str = "camera",
    **options: Unpack[LiveOptions],
) -> Live:
    """Labels what a camera sees, or a recording of one: an iterator of `LiveFrame`.

    Parameters
    ----------
    source
        "frames:DIR", a folder of frames; "tum:DIR", a TUM recording; "mcap:FILE", a recording of ROS; "video:FILE",
        "openni2:" …; docs/reference/live.md has all.
    every_frame
        Drop no frame: the source waits for the loop. Else the newest frame wins.
    max_frames
        End after so many; 0: with the source.
    rate
        Frames a second that a recording plays; 0: as fast as it can be read; "recorded": as it was taken. None: 30,
        with every_frame 0.
    stall_timeout, reconnect
        Seconds after which a source without a frame has stalled, and for which a camera that fails is opened again.
    maps
        For a forest that was trained with feature maps of yours: called with color and depth of each frame that is
        labelled (as `LiveFrame` has them), in another thread, it returns its maps (maps, rows, columns).
    publish
        "ros:": what is labelled is published as topics of ROS 2, too (docs/reference/ros_topics.md), at the pace of the loop.
    remap
        Other names of these topics by ROS's rules: "/segmentation/mask:=/robot/mask", "__ns:=/robot".
    frame_id
        The coordinate frame of what is published, where the source names none.
    options
        As in `Predictor`; stride is 4 unless given. And of a recording: loop, begin it again at its end; preload, decode so
        many frames beforehand and use only them.

    Raises
    ------
    UsageError
        There is no such kind of source, or topics have names that ROS does not allow.
    DataError
        The recording is not there, or it is damaged.
    DeviceError
        The camera cannot be opened, or it failed.
    """
    if maps is not None and not callable(maps):
        raise UsageError(f"maps is {a_type(maps)}; give a function of color and depth")
    recorded = rate == "recorded"
    if isinstance(rate, str) and not recorded:
        raise UsageError(f'rate is "{rate}"; give frames a second, or "recorded" for the times of the recording')
    rate_hz = 0.0 if recorded else rate if rate is not None else 0.0 if every_frame else RECORDING_RATE_HZ
    return Live(
        _fernwood.LiveRun(
            native_of(forest), os.fspath(source), option_texts(options), every_frame, max_frames, rate_hz, recorded, stall_timeout,
            reconnect, maps,
            option_texts({"publish": publish, "remap": list(remap) or None, "frame_id": frame_id}),
        ),
        source,
    )
