#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Your own frames: arrays in memory, or an object that creates them when they are needed. Cross-validation that keeps
the frames of a scene together estimates the accuracy of a forest trained on them.

    python examples/python/own_frames.py [FILE]

Writes a figure (default: own_frames.png). Requires scikit-learn and matplotlib.
"""

import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupKFold, cross_val_score

import fernwood

CLASSES = ["floor", "wall", "ball"]
ROWS, COLS = 120, 160
CAMERA = (140.0, 140.0, 79.5, 59.5)  # fx, fy, cx, cy in pixels


def look(scene: int, step: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A frame as your camera would deliver it: colour, depth in metres, and the labels that a person drew.

    Here it shows a ball in front of a wall; the camera comes closer with each step.
    """
    random = np.random.default_rng(scene)
    x, y = np.meshgrid(np.arange(COLS), np.arange(ROWS))
    wall_m = 3.5 - 0.2 * step
    floor_m = np.where(y > CAMERA[3] + 5, 0.6 * CAMERA[1] / np.maximum(y - CAMERA[3], 1), np.inf)
    depth = np.minimum(wall_m, floor_m)
    labels = np.where(floor_m < wall_m, 0, 1)
    ball_x, ball_y, ball_m = random.uniform(40, 120), random.uniform(60, 90), wall_m - 1
    ball = np.hypot(x - ball_x, y - ball_y) < 0.2 * CAMERA[0] / ball_m
    depth, labels = np.where(ball, ball_m, depth), np.where(ball, 2, labels)
    color = random.uniform(60, 200, (3, 3))[labels] + random.normal(0, 12, (ROWS, COLS, 3))
    depth = np.where(random.uniform(size=depth.shape) < 0.1, np.nan, depth)  # depth of some pixels is unknown
    return np.clip(color, 0, 255).astype(np.uint8), depth.astype(np.float32), labels


class Recording:
    """A sequence that creates a frame on request, for training on more frames than fit into memory."""

    def __init__(self, places: list[tuple[int, int]], part) -> None:
        self.places, self.part = places, part

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int):
        return self.part(look(*self.places[index]))


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "own_frames.png"
    places = [(scene, step) for scene in range(6) for step in range(3)]
    scenes = [scene for scene, _ in places]

    # How accurate is it in an unseen room? Each fold holds out whole scenes.
    frames = [look(*place)[:2] for place in places]
    labels = [look(*place)[2] for place in places]
    estimator = fernwood.PixelForest(preset="fast", trees=20, classes=CLASSES, camera=CAMERA)
    scores = cross_val_score(estimator, frames, labels, groups=scenes, cv=GroupKFold(3))
    print("right in rooms that the forest has not seen:", ", ".join(f"{100 * score:.1f} %" for score in scores))

    # The final forest is trained on all frames, here created one by one.
    data = fernwood.Dataset.from_arrays(
        Recording(places, lambda seen: seen[:2]),
        Recording(places, lambda seen: seen[2]),
        classes=CLASSES,
        groups=scenes,
        camera=CAMERA,
    )
    forest = fernwood.train(data, preset="fast", trees=20)
    color, depth, truth = look(scene=99, step=1)
    shares = forest.predict_proba(color, depth, camera=CAMERA, smooth=5)

    figure, axes = plt.subplots(1, 4, figsize=(13, 2.8), layout="constrained")
    pictures = {
        "colour": color,
        "depth": depth,
        "truth": forest.colorize(truth),
        "how likely it is a ball": shares[:, :, CLASSES.index("ball")],
    }
    for place, (title, picture) in zip(axes, pictures.items()):
        place.imshow(picture)
        place.set_title(title)
        place.axis("off")
    figure.savefig(path, dpi=100)
    print(f"the figure is {path}")


if __name__ == "__main__":
    main()
