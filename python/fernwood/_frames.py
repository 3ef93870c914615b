# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Frames as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Union

import numpy as np

from ._words import a_type
from .errors import UsageError

#: A NumPy array; where documented, also a torch tensor, a CuPy array or any object that supports DLPack.
Array = Any
#: fx, fy, cx, cy in pixels; functions also accept a 3 x 3 camera matrix.
Camera = Union[tuple[float, float, float, float], np.ndarray]
Direction = tuple[float, float, float]


def shapes_of(frame: Any) -> str:
    """A frame in one line, with types and shapes of its arrays."""
    values = (
        f"{name}={value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"{name}={value!r}"
        for name, value in zip(frame._fields, frame)
        if value is not None
    )
    return f"{type(frame).__name__}({', '.join(values)})"


class DepthCamera(NamedTuple):
    """The depth camera next to a colour camera, for depth that is not registered to colour.

    Depth is first registered to the pixels of the colour image: each depth pixel is projected as a square at its depth,
    the nearest depth wins, and pixels that no square covers are unknown.
    """

    camera: Camera  #: fx, fy, cx, cy in pixels of the depth image.
    #: Nine numbers, row by row, or a 3 x 3 array: p_color = rotation p_depth + translation.
    rotation: Any = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    translation: Any = (0, 0, 0)  #: In metres.
    distortion: Any = ()  #: k1, k2, p1, p2, k3, k4, k5, k6 in OpenCV's order, or fewer.
    color_distortion: Any = ()  #: Distortion of the colour camera, likewise.


def depth_camera_numbers(given: Any) -> list:
    """A `DepthCamera` as 32 numbers: camera, rotation, translation, and eight for each distortion.

    Raises
    ------
    UsageError
    """
    if not isinstance(given, DepthCamera):
        raise UsageError(f"depth_camera is {a_type(given)}; use a fernwood.DepthCamera, or None")
    numbers = []
    for name, length, is_exact in (
        ("camera", 4, True), ("rotation", 9, True), ("translation", 3, True), ("distortion", 8, False),
        ("color_distortion", 8, False),
    ):  # fmt: skip
        try:
            part = np.asarray(getattr(given, name), float).ravel()
        except (TypeError, ValueError) as failure:
            raise UsageError(f"depth_camera: {name} is {getattr(given, name)!r}; use numbers") from failure
        if len(part) > length or (is_exact and len(part) != length):
            raise UsageError(f"depth_camera: {name} has {len(part)} numbers; use {length}")
        numbers += [*part.tolist(), *[0.0] * (length - len(part))]
    return numbers


def pose_numbers(given: Any) -> list:
    """A pose, 3 x 4 or 4 x 4, as twelve numbers row by row.

    Raises
    ------
    UsageError
    """
    try:
        pose = np.asarray(given, float)
    except (TypeError, ValueError) as failure:
        raise UsageError(f"pose is {given!r}; use numbers of shape (4, 4)") from failure
    if pose.shape not in ((4, 4), (3, 4)):
        raise UsageError(f"pose has shape {pose.shape}; use (4, 4), camera to room in metres, or its first three rows")
    return pose[:3].ravel().tolist()


def pose_matrix(numbers: Optional[tuple]) -> Optional[np.ndarray]:
    """Twelve numbers, row by row, as an array of shape (4, 4); None for None."""
    return None if numbers is None else np.vstack([np.reshape(numbers, (3, 4)), [0, 0, 0, 1]])


class Frame(NamedTuple):
    """A frame of an RGB-D camera: colour, and depth registered to it and of the same size, or with a `depth_camera` for
    its registration; one of both may be None.

    ``(color, depth)`` suffices if the camera is not known.
    """

    color: Optional[np.ndarray] = None  #: uint8, (rows, columns, 3): red, green, blue.
    #: (rows, columns): uint16 in millimetres, 0 where it is unknown, or float32 or float64 in metres, then NaN.
    depth: Optional[np.ndarray] = None
    camera: Optional[Camera] = None  #: fx, fy, cx, cy in pixels.
    up: Optional[Direction] = None  #: Approximate upward direction in camera axes: x to the right, y down, z ahead.
    #: (maps, rows, columns): your own feature maps, of any numbers, at the frame's resolution or coarser; NaN: unknown.
    maps: Optional[np.ndarray] = None
    depth_camera: Optional[DepthCamera] = None  #: The depth camera, if depth is not registered; else None.

    def __repr__(self) -> str:
        return shapes_of(self)


class LabelledFrame(NamedTuple):
    """A frame of a data set with its ground truth."""

    color: Optional[np.ndarray]  #: As in `Frame`.
    depth: Optional[np.ndarray]  #: As in `Frame`, uint16.
    labels: Optional[np.ndarray]  #: uint16, (rows, columns): classes counted from 0, `VOID` for no class.
    camera: Optional[Camera] = None
    up: Optional[Direction] = None
    maps: Optional[np.ndarray] = None  #: As in `Frame`, float32.

    def __repr__(self) -> str:
        return shapes_of(self)


def parts_of(frame: Union[Frame, LabelledFrame], depth: Any, beside: dict[str, Any]) -> tuple:
    """Colour, depth, camera, up, maps and depth camera of a frame; those next to it replace its own.

    Raises
    ------
    UsageError
        Depth is given, too.
    """
    if depth is not None:
        raise UsageError(f"color is {a_type(frame)}, which has depth; leave depth out")
    own = {name: getattr(frame, name, None) for name in beside}
    return (frame.color, frame.depth, *(own[name] if value is None else value for name, value in beside.items()))


def camera_of_matrix(given: Any) -> Optional[Camera]:
    """fx, fy, cx, cy of a 3 x 3 camera matrix without skew; None for anything else."""
    try:
        matrix = np.asarray(given, float)
    except (TypeError, ValueError):
        return None
    if matrix.shape != (3, 3) or not np.array_equal(matrix * [[0, 1, 0], [1, 0, 0], [1, 1, 1]], [[0, 0, 0], [0, 0, 0], [0, 0, 1]]):
        return None
    return float(matrix[0, 0]), float(matrix[1, 1]), float(matrix[0, 2]), float(matrix[1, 2])


#: The label of pixels without a class.
VOID = 65535

#: An element of a sequence of frames: a `Frame`, (color, depth), or only colour or depth.
FrameLike = Union[Frame, LabelledFrame, tuple, np.ndarray]


def readable(given: Any, place: str, name: str) -> np.ndarray:
    """Converts to a plain array of numbers: from the other byte order, a masked array, a list, a PIL image.

    Masked elements become unknown depth, or no class.

    Raises
    ------
    UsageError
        The conversion is not possible; the message has the reason.
    """
    if isinstance(given, np.ma.MaskedArray):
        return _unmasked(given, place, name)
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as failure:
        raise UsageError(f"{place}{name} is {a_type(given)} that is not an array ({failure}); use one of numbers") from None
    if array.dtype.kind not in "iufb":
        of = f" of {array.dtype}" if isinstance(given, np.ndarray) else ""
        raise UsageError(
            f"{place}{name} is {a_type(given)}{of}, not an array of numbers; "
            "use numbers of one type and rows of one length, as by numpy.asarray(..., dtype=...)"
        )
    kinds = {"color": (np.uint8,), "depth": (np.uint16, np.int16)}.get(name)
    if kinds and array.dtype.kind in "iu" and array.dtype.itemsize > 2 and array.size:  # as of lists, and of Pillow
        lowest, highest = int(array.min()), int(array.max())
        fits = [kind for kind in kinds if np.iinfo(kind).min <= lowest and highest <= np.iinfo(kind).max]
        if not fits:
            what = "millimetres up to 65535, 0 where it is unknown" if name == "depth" else "numbers from 0 to 255"
            raise UsageError(f"{place}{name} has numbers from {lowest} to {highest}; use {what}")
        return array.astype(fits[0])
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def float_maps(given: Any) -> np.ndarray:
    """Feature maps in the library's form: float32, (maps, rows, columns), contiguous."""
    maps = np.ascontiguousarray(np.asarray(given), dtype=np.float32)
    return maps[np.newaxis] if maps.ndim == 2 else maps


def _unmasked(given: np.ma.MaskedArray, place: str, name: str) -> np.ndarray:
    plain = np.ma.getdata(given)
    if np.ma.is_masked(given):
        if name == "color":
            raise UsageError(f"{place}color is masked in places, and each pixel needs a colour; pass color.filled(0)")
        plain = given.filled(unknown_of(plain.dtype, name))
    return np.ascontiguousarray(readable(plain, place, name))


def unknown_of(dtype: np.dtype, name: str):
    """The value for unknown depth, or for no class, in arrays of a type."""
    if dtype.kind == "f":
        return np.nan
    if name == "depth":
        return 0
    return -1 if dtype.kind == "i" else np.iinfo(dtype).max if dtype.itemsize <= 2 else 65535
