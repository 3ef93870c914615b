#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""fernwood with torch on a GPU: frames in GPU tensors are labelled on the GPU, and the labels are GPU tensors, too.
Nothing is copied to the host and no call waits, so that torch's own work follows in the stream: here it counts the
pixels of each class.

    python examples/python/gpu.py [PICTURE]

Trains a small forest on generated rooms and writes the labels of a frame to PICTURE (default: ./gpu.png). Requires
matplotlib, torch and an NVIDIA GPU; without torch or the GPU it only reports which is missing.
"""

import sys
import tempfile
import time
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import fernwood

RUNS = 1000


def what_is_missing() -> str:
    """The reason why the example cannot run; empty if it can."""
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    if not torch.cuda.is_available():
        return "torch sees no GPU"
    return "" if len(fernwood.available_devices()) > 1 else "fernwood sees no GPU, or was built without CUDA"


def trained(folder: str) -> tuple[fernwood.Forest, list]:
    """A forest of three trees, and frames that were not used for training."""
    rooms = Path(folder) / "rooms"
    fernwood.dataset.generate(rooms, frames=60, test_frames=8, size=(640, 480))
    forest = fernwood.train(rooms, algorithm="forest", trees=3)
    data = fernwood.Dataset(rooms, split="test")
    return forest, [data.frame(index) for index in range(len(data))]


def main() -> None:
    missing = what_is_missing()
    if missing:
        print(f"{missing}; frames that lie on a GPU are labelled there: see docs/howto/python.md")
        return
    import torch

    with tempfile.TemporaryDirectory() as folder:
        forest, frames = trained(folder)
    camera = frames[0].camera
    predictor = fernwood.Predictor(forest, device="cuda:0")
    tensors = [(torch.from_numpy(frame.color).cuda(), torch.from_numpy(frame.depth).cuda()) for frame in frames]

    counts = torch.zeros(len(forest.classes) + 1, dtype=torch.int64, device="cuda")
    for color, depth in tensors:
        labels = predictor.predict(color, depth, camera=camera)  # a tensor on the GPU, which is written asynchronously
        classes = labels.to(torch.int64).clamp(max=len(forest.classes))
        counts += torch.bincount(classes.flatten(), minlength=len(counts))
    shares = (counts / counts.sum()).cpu()
    print(", ".join(f"{name} {share:.0%}" for name, share in zip(forest.classes, shares)))

    torch.cuda.synchronize()
    start = time.perf_counter()
    for run in range(RUNS):
        color, depth = tensors[run % len(tensors)]
        predictor.predict(color, depth, camera=camera)
    torch.cuda.synchronize()
    ms = 1000 * (time.perf_counter() - start) / RUNS
    print(f"{torch.cuda.get_device_name()}: {ms:.3f} ms per frame, {1000 / ms:.0f} frames per second")

    path = Path(sys.argv[1] if len(sys.argv) > 1 else "gpu.png")
    color, depth = tensors[1]
    labels = predictor.predict(color, depth, camera=camera).cpu().numpy()
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for place, picture in zip(axes, (np.asarray(color.cpu()), forest.colorize(labels))):
        place.imshow(picture)
        place.axis("off")
    figure.suptitle(f"labelled on the GPU in {ms:.3f} ms")
    figure.savefig(path, dpi=100)
    print(f"the image is {path}")


if __name__ == "__main__":
    main()
