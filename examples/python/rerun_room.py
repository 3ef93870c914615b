#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A room in the rerun viewer: images of a moving camera, labels with their confidence, and the map built from them.

    python examples/python/rerun_room.py [FOLDER]
    rerun FOLDER/room.rrd

Writes a generated recording and room.rrd to FOLDER (default: ./rerun_room). Requires rerun-sdk.
"""

import sys
from pathlib import Path

import rerun
import rerun.blueprint as views

import numpy as np

import fernwood


def layout() -> views.Blueprint:
    """The room from outside, beside three images of the camera."""
    room = views.Spatial3DView(name="room", origin="room", contents=["+ room/**", "- room/camera/image/**"])
    pictures = [
        views.Spatial2DView(name=name, origin="room/camera/image", contents=f"room/camera/image/{name}")
        for name in ("color", "labels", "confidence")
    ]
    return views.Blueprint(views.Horizontal(room, views.Vertical(*pictures), column_shares=[3, 1]), collapse_panels=True)


def log_classes(forest: fernwood.Forest) -> None:
    """Names and colours of the labels."""
    classes = [(number, name, color) for number, (name, color) in enumerate(zip(forest.classes, forest.colors))]
    rerun.log("/", rerun.AnnotationContext([*classes, (fernwood.VOID, "void", (0, 0, 0))]), static=True)


def log_frame(frame: fernwood.LiveFrame, confidence: np.ndarray) -> None:
    """Place and pictures of the camera, and the points that it sees, in coordinates of the camera."""
    rerun.set_time("time", duration=frame.time)
    rerun.log("room/camera", rerun.Transform3D(mat3x3=frame.pose[:3, :3], translation=frame.pose[:3, 3]))
    fx, fy, cx, cy = frame.camera
    axes = rerun.ViewCoordinates.RDF
    pinhole = rerun.Pinhole(focal_length=(fx, fy), principal_point=(cx, cy), resolution=frame.labels.shape[::-1], camera_xyz=axes)
    rerun.log("room/camera/image", pinhole)
    rerun.log("room/camera/image/color", rerun.Image(frame.color))
    rerun.log("room/camera/image/labels", rerun.SegmentationImage(frame.labels))
    rerun.log("room/camera/image/confidence", rerun.Image(confidence, color_model="L"))
    rows, columns = np.nonzero(frame.depth)
    z = frame.depth[rows, columns] / 1000
    points = np.stack([(columns - cx) / fx * z, (rows - cy) / fy * z, z], axis=1)
    rerun.log("room/camera/points", rerun.Points3D(points, class_ids=frame.labels[rows, columns]))


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "rerun_room")
    if not (folder / "rooms").exists():
        size = {"test_frames": 0, "size": (240, 180), "progress": False}
        fernwood.dataset.generate(folder / "rooms", frames=30, **size)
        fernwood.dataset.generate(folder / "recording", frames=1, sequence=24, seed=5, **size)
    source = f"frames:{folder / 'recording/train/room0000'}"
    forest = fernwood.train(folder / "rooms", preset="fast", progress=False)

    rerun.init("fernwood_room")
    rerun.save(folder / "room.rrd", default_blueprint=layout())
    log_classes(forest)
    predictor = fernwood.Predictor(forest, smooth=20)
    for frame in fernwood.live(forest, source, every_frame=True, smooth=20):
        shares = predictor.predict_proba(frame.color, frame.depth, camera=frame.camera)
        log_frame(frame, shares.max(axis=2))
    room = fernwood.map(forest, source, voxel_size=0.03, smooth=20, progress=False)
    rerun.log("room/map", rerun.Points3D(room.points, radii=room.voxel_size / 2, class_ids=room.labels))
    rerun.disconnect()
    print(f"{folder / 'room.rrd'}: {room.num_frames} frames, and a map of {len(room)} points")


if __name__ == "__main__":
    main()
