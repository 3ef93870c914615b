# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Frames as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Union

import numpy as np

#: Of NumPy; where it is said, also of torch, CuPy or whatever speaks DLPack.
Array = Any
Camera = tuple[float, float, float, float]
Direction = tuple[float, float, float]


def shapes_of(frame: Any) -> str:
    """A frame in one line, which tells types and shapes of its arrays."""
    values = (
        f"{name}={value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"{name}={value!r}"
        for name, value in zip(frame._fields, frame)
        if value is not None
    )
    return f"{type(frame).__name__}({', '.join(values)})"


class Frame(NamedTuple):
    """A picture of a depth camera: colour and depth registered to it, of one size; one of them may be None.

    ``(color, depth)`` will do where nothing is known of the camera.
    """

    color: Optional[np.ndarray] = None  #: uint8, (rows, columns, 3): red, green, blue.
    #: (rows, columns): uint16 in millimetres, 0 where it is unknown, or float32 or float64 in metres, NaN where it is.
    depth: Optional[np.ndarray] = None
    camera: Optional[Camera] = None  #: fx, fy, cx, cy in pixels.
    up: Optional[Direction] = None  #: About where up is, seen by the camera: x to the right, y down, z ahead.

    def __repr__(self) -> str:
        return shapes_of(self)


class LabelledFrame(NamedTuple):
    """A frame of a data set with its truth."""

    color: Optional[np.ndarray]  #: As in `Frame`.
    depth: Optional[np.ndarray]  #: As in `Frame`, uint16.
    labels: Optional[np.ndarray]  #: uint16, (rows, columns): classes counted from 0, `VOID` where there is none.
    camera: Optional[Camera] = None
    up: Optional[Direction] = None

    def __repr__(self) -> str:
        return shapes_of(self)


#: The label of pixels that have no class.
VOID = 65535

#: What stands for a frame where a sequence of them is taken: a `Frame`, (color, depth), or colour or depth alone.
FrameLike = Union[Frame, LabelledFrame, tuple, np.ndarray]
