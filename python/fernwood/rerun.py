# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Logs frames, labels and maps for the rerun viewer, live or in ``.rrd`` files.

>>> import rerun, fernwood.rerun
>>> rerun.init("rooms", spawn=True)                          # a viewer; or rerun.init("rooms"); rerun.save("rooms.rrd")
>>> fernwood.rerun.log_classes(forest)
>>> for frame in fernwood.live(forest, "frames:rooms"):
...     fernwood.rerun.log_frame("room/camera", frame)
>>> fernwood.rerun.log_map("room/map", fernwood.map(forest, "rooms"))

The functions log to a rerun recording stream, the current one unless ``recording`` is set. They need the package
rerun-sdk, which the extra ``rerun`` installs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._frames import VOID, Array, Camera, Frame, FrameLike, pose_numbers, readable
from ._optional import require
from .cameras import LiveFrame
from .dataset import Dataset
from .errors import UsageError
from .forest import Forest
from .mapping import VoxelMap
from .objects import FrameObjects

if TYPE_CHECKING:
    from rerun import RecordingStream

__all__ = ["log_classes", "log_frame", "log_map", "log_objects"]


def __dir__():
    return __all__


#: The rerun timeline of frames that have a time.
TIMELINE = "time"


def _rerun() -> Any:
    return require("rerun", "fernwood.rerun")


def log_classes(
    of: Union[Forest, Dataset, VoxelMap], *, path: str = "/", recording: Optional[RecordingStream] = None
) -> None:
    """Logs names and colours of the classes for all labels at ``path`` and below, as a static annotation context.

    Pixels and points without a class, `VOID`, are named "void" and black.
    """
    rr = _rerun()
    infos = [rr.AnnotationInfo(i, name, color) for i, (name, color) in enumerate(of._native.classes())]
    context = rr.AnnotationContext([*infos, rr.AnnotationInfo(VOID, "void", (0, 0, 0))])
    rr.log(path, context, static=True, recording=recording)


def log_frame(
    path: str,
    frame: Union[FrameLike, LiveFrame],
    *,
    labels: Optional[Array] = None,
    confidence: Optional[Array] = None,
    camera: Optional[Camera] = None,
    pose: Optional[Array] = None,
    time: Optional[float] = None,
    points: bool = True,
    recording: Optional[RecordingStream] = None,
) -> None:
    """Logs a frame of the camera entity `path`: its pose, pictures below ``path/image``, and points at ``path/points``.

    Parameters
    ----------
    path
        Entity path of the camera, such as "room/camera"; its parent is the room.
    frame
        A `LiveFrame`, which has everything except `confidence`; or `Frame`, `LabelledFrame`, (color, depth), only
        colour or only depth. Depth must be registered to colour: uint16 in millimetres, 0 where it is unknown, or
        float32 or float64 in metres, then NaN. Logged as ``path/image/color`` and ``path/image/depth`` with its unit.
    labels
        Integers of shape (rows, columns), as from `Predictor.predict`: ``path/image/labels``. None: the frame's own.
    confidence
        From 0 to 1: floats of shape (rows, columns), or (rows, columns, classes) as from `Predictor.predict_proba`, of
        which the maximum is used: ``path/image/confidence``, float32.
    camera
        fx, fy, cx, cy in pixels: a pinhole at ``path/image``, x to the right, y down, z ahead. None: the frame's own.
    pose
        (4, 4) or (3, 4): transform from camera to room coordinates, in metres. None: the frame's own; if it has none,
        the previously logged pose remains.
    time
        Seconds on the timeline "time", for this and later data. None: the frame's own, or the time set before.
    points
        Whether known depth is also logged as points in camera coordinates, in metres, with their classes; requires a
        camera.

    Raises
    ------
    UsageError
        An array has a wrong shape or type.
    ImportError
        The package rerun-sdk is missing.
    """
    rr = _rerun()
    color, depth, own = _parts_of(frame)
    labels = own["labels"] if labels is None else labels
    camera = own["camera"] if camera is None else camera
    pose = own["pose"] if pose is None else pose
    time = own["time"] if time is None else time
    pictures = {
        "color": None if color is None else readable(color, "", "color"),
        "depth": None if depth is None else _depth(depth),
        "labels": None if labels is None else _labels(labels),
        "confidence": None if confidence is None else _confidence(confidence),
    }
    rows, columns = _size(pictures)
    if time is not None:
        rr.set_time(TIMELINE, duration=time, recording=recording)
    if pose is not None:
        matrix = np.reshape(pose_numbers(pose), (3, 4))
        rr.log(path, rr.Transform3D(mat3x3=matrix[:, :3], translation=matrix[:, 3]), recording=recording)
    if camera is not None:
        pinhole = rr.Pinhole(
            focal_length=camera[:2], principal_point=camera[2:], resolution=(columns, rows), camera_xyz=rr.ViewCoordinates.RDF
        )
        rr.log(f"{path}/image", pinhole, recording=recording)
    for name, picture in pictures.items():
        if picture is not None:
            rr.log(f"{path}/image/{name}", _archetype(rr, name, picture), recording=recording)
    if points and camera is not None and pictures["depth"] is not None:
        cloud = _points(rr, pictures["depth"], pictures["labels"], pictures["color"], camera)
        rr.log(f"{path}/points", cloud, recording=recording)


def log_map(
    path: str, room: VoxelMap, *, real_colors: bool = False, recording: Optional[RecordingStream] = None
) -> None:
    """Logs the points of a map, in metres and with the size of its voxels, with class and ``probability``.

    Parameters
    ----------
    path
        Entity path of the map, such as "room/map".
    real_colors
        Show points in the colours of the camera instead of the colours of their classes.

    Raises
    ------
    ImportError
        The package rerun-sdk is missing.
    """
    rr = _rerun()
    colors = room.colors if real_colors else None
    points = rr.Points3D(room.points, radii=room.voxel_size / 2, class_ids=room.labels, colors=colors)
    rr.log(path, points, rr.AnyValues(probability=room.probabilities), recording=recording)


def log_objects(path: str, found: FrameObjects, *, recording: Optional[RecordingStream] = None) -> None:
    """Logs the objects of a frame as boxes with their class and distance, in metres. They replace the previous ones.

    Parameters
    ----------
    path
        Entity path of the objects: below that of the camera, such as "room/camera/objects", or that of the room,
        "room/objects", if the frame had a pose.
    found
        From `Predictor.predict` with ``objects``. Objects without depth are left out.

    Raises
    ------
    ImportError
        The package rerun-sdk is missing.
    """
    rr = _rerun()
    rows = found.objects[np.isfinite(found.objects["distance_m"])]
    boxes = rr.Boxes3D(
        half_sizes=rows["size"] / 2,
        centers=rows["center"],
        quaternions=_quaternions(rows["axes"]),
        labels=[f"{row['class']}, {row['distance_m']:.1f} m" for row in rows],
        class_ids=rows["label"],
    )
    rr.log(path, boxes, recording=recording)


def _quaternions(axes: np.ndarray) -> np.ndarray:
    """Rotations x, y, z, w that turn the coordinate axes to the rows of ``axes``, of shape (boxes, 3, 3)."""
    x, y, z = axes[:, 0], axes[:, 1], axes[:, 2]
    y = y * np.sign(np.sum(np.cross(x, y) * z, axis=1, keepdims=True))  # right-handed; boxes are symmetric
    # The eigenvector of the largest eigenvalue (Bar-Itzhack 2000), without divisions that may be by zero.
    sums = np.empty((len(axes), 4, 4))
    rotation = np.stack([x, y, z], axis=2)  # columns
    trace = np.trace(rotation, axis1=1, axis2=2)
    sums[:, :3, :3] = rotation + rotation.transpose(0, 2, 1) - trace[:, None, None] * np.eye(3)
    for i, (a, b) in enumerate([(2, 1), (0, 2), (1, 0)]):
        sums[:, i, 3] = sums[:, 3, i] = rotation[:, a, b] - rotation[:, b, a]
    sums[:, 3, 3] = trace
    return np.linalg.eigh(sums)[1][:, :, -1]


def _parts_of(frame: Union[FrameLike, LiveFrame]) -> tuple[Optional[Array], Optional[Array], dict[str, Any]]:
    """Colour, depth and the other members of a frame in any of its forms."""
    if isinstance(frame, np.ndarray):
        frame = Frame(color=frame) if frame.ndim == 3 else Frame(depth=frame)
    elif type(frame) is tuple:
        frame = Frame(*frame)
    if getattr(frame, "depth_camera", None) is not None:
        raise UsageError("the frame's depth is that of another camera (depth_camera); give depth registered to color")
    return frame[0], frame[1], {name: getattr(frame, name, None) for name in ("labels", "camera", "pose", "time")}


def _size(pictures: dict[str, Optional[np.ndarray]]) -> tuple[int, int]:
    """Rows and columns, which all pictures must share."""
    shapes = {name: picture.shape[:2] for name, picture in pictures.items() if picture is not None}
    if not shapes:
        raise UsageError("the frame has neither color nor depth, and no labels are given; give one of them")
    if len(set(shapes.values())) > 1:
        told = ", ".join(f"{name} {shape[0]} x {shape[1]}" for name, shape in shapes.items())
        raise UsageError(f"pictures of one frame have one size, but rows x columns are: {told}")
    color = pictures["color"]
    if color is not None and (color.ndim != 3 or color.shape[2] != 3 or color.dtype != np.uint8):
        raise UsageError(f"color is {color.dtype} of shape {color.shape}; give uint8 of shape (rows, columns, 3)")
    return next(iter(shapes.values()))


def _picture(given: Array, name: str, kinds: str) -> np.ndarray:
    picture = readable(given, "", name)
    if picture.ndim != 2 or picture.dtype.kind not in kinds:
        what = "floats" if kinds == "f" else "integers" if "f" not in kinds else "numbers"
        raise UsageError(f"{name} is {picture.dtype} of shape {picture.shape}; give {what} of shape (rows, columns)")
    return picture


def _depth(given: Array) -> np.ndarray:
    """Depth as float32 in metres, or uint16 in millimetres."""
    depth = _picture(given, "depth", "iuf")
    return depth.astype(np.float32) if depth.dtype.kind == "f" else np.clip(depth, 0, 65535).astype(np.uint16)


def _labels(given: Array) -> np.ndarray:
    """Labels as uint16; the value for no class of other integer types becomes `VOID`."""
    labels = _picture(given, "labels", "iu")
    if labels.max(initial=0) > VOID:
        raise UsageError(f"a label is {labels.max()}; classes are counted from 0, and {VOID} and -1 mean that there is none")
    is_void = labels == 255 if labels.dtype == np.uint8 else labels < 0
    return np.where(is_void, np.uint16(VOID), labels.astype(np.uint16))


def _confidence(given: Array) -> np.ndarray:
    found = np.asarray(given)
    return _picture(found.max(axis=2) if found.ndim == 3 else found, "confidence", "f").astype(np.float32)


def _metres_per_step(depth: np.ndarray) -> float:
    return 1.0 if depth.dtype.kind == "f" else 0.001


def _archetype(rr: Any, name: str, picture: np.ndarray) -> Any:
    if name == "color":
        return rr.Image(picture)
    if name == "depth":
        return rr.DepthImage(picture, meter=round(1 / _metres_per_step(picture)))
    return rr.SegmentationImage(picture) if name == "labels" else rr.Image(picture, color_model="L")


def _points(rr: Any, depth: np.ndarray, labels: Optional[np.ndarray], color: Optional[np.ndarray], camera: Camera) -> Any:
    """Points of the pixels with known depth, in row order, in camera coordinates in metres."""
    rows, columns = np.nonzero(depth > 0)  # NaN is not
    z = depth[rows, columns].astype(np.float32) * np.float32(_metres_per_step(depth))
    fx, fy, cx, cy = camera
    places = np.stack([(columns - cx) / fx * z, (rows - cy) / fy * z, z], axis=1)
    if labels is not None:
        return rr.Points3D(places, class_ids=labels[rows, columns])
    return rr.Points3D(places, colors=None if color is None else color[rows, columns])
