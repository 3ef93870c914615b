#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A room in the rerun viewer: images of a moving camera, labels with their confidence, and the map built from them.

    python examples/python/rerun_room.py [FOLDER]
    rerun FOLDER/room.rrd

Writes a generated recording and room.rrd to FOLDER (default: ./rerun_room). Requires fernwood[rerun].
"""

import sys
from pathlib import Path

import rerun
import rerun.blueprint as views

import fernwood
import fernwood.rerun


def layout() -> views.Blueprint:
    """The room from outside, beside three images of the camera."""
    room = views.Spatial3DView(name="room", origin="room", contents=["+ room/**", "- room/camera/image/**"])
    pictures = [
        views.Spatial2DView(name=name, origin="room/camera/image", contents=f"room/camera/image/{name}")
        for name in ("color", "labels", "confidence")
    ]
    return views.Blueprint(views.Horizontal(room, views.Vertical(*pictures), column_shares=[3, 1]), collapse_panels=True)


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
    fernwood.rerun.log_classes(forest)
    predictor = fernwood.Predictor(forest, smooth=20)
    for frame in fernwood.live(forest, source, every_frame=True, smooth=20):
        shares = predictor.predict_proba(frame.color, frame.depth, camera=frame.camera)
        fernwood.rerun.log_frame("room/camera", frame, confidence=shares)
    room = fernwood.map(forest, source, voxel_size=0.03, smooth=20, progress=False)
    fernwood.rerun.log_map("room/map", room)
    rerun.disconnect()
    print(f"{folder / 'room.rrd'}: {room.num_frames} frames, and a map of {len(room)} points")


if __name__ == "__main__":
    main()
