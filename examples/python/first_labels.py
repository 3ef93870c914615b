#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""From no data to a labelled image in a minute: generates rooms, trains a forest, and labels a frame that was not
used for training.

    python examples/python/first_labels.py [FOLDER]

Writes the rooms and labels.png to FOLDER (default: ./first_labels). Requires matplotlib.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

import fernwood

SMOOTHING = {"smooth": 20}  # radius in pixels; edges of colour and depth are not crossed


def show(forest: fernwood.Forest, frame: fernwood.LabelledFrame, accuracy: float, path: Path) -> None:
    """Saves a figure of colour, ground truth and labels side by side."""
    labels = forest.predict(frame.color, frame.depth, camera=frame.camera, **SMOOTHING)
    pictures = {
        "what the camera saw": frame.color,
        "the truth": forest.colorize(frame.labels),
        f"labels, {100 * accuracy:.0f} % right over all frames": forest.colorize(labels),
    }
    figure, axes = plt.subplots(1, len(pictures), figsize=(13, 3.6), layout="constrained")
    for place, (title, picture) in zip(axes, pictures.items()):
        place.imshow(picture)
        place.set_title(title)
        place.axis("off")
    for name, color in zip(forest.classes, forest.colors / 255):
        axes[-1].plot([], [], "s", color=color, label=name)
    axes[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=100)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "first_labels")
    rooms = folder / "rooms"
    if not rooms.exists():
        fernwood.dataset.generate(rooms, frames=30, test_frames=5, size=(320, 240))
    forest = fernwood.train(rooms, preset="fast", out=folder / "rooms.fernwood")
    found = fernwood.evaluate(forest, rooms, **SMOOTHING)
    print(found)
    show(forest, fernwood.Dataset(rooms, split="test").frame(1), found.pixel_accuracy, folder / "labels.png")
    print(f"the image is {folder / 'labels.png'}")


if __name__ == "__main__":
    main()
