#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Counts the objects in frames, and names the nearest one.

    python examples/python/count_objects.py [FOLDER]

Writes synthetic rooms into the folder (default: counted_rooms). Requires only fernwood.
"""

import sys
from pathlib import Path

import fernwood


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "counted_rooms")
    fernwood.dataset.generate(folder, frames=30, test_frames=4, size=(320, 240))
    forest = fernwood.train(folder, preset="fast")
    for frame in fernwood.Dataset(folder, split="test"):
        found = forest.predict(frame.color, frame.depth, camera=frame.camera, objects=True)
        print(found)  # 2 chairs, nearest 1.4 m; 1 table, 1.9 m
        if len(found) > 0:
            nearest = min(found.objects, key=lambda row: row["distance_m"])
            width, depth, height = nearest["size"]
            print(f"  nearest: {nearest['class']}, {width:.2f} x {depth:.2f} m and {height:.2f} m high")


if __name__ == "__main__":
    main()
