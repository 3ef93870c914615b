#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Draws on the page of `fernwood teach` as the tutorial instructs its reader, for scripts/test_docs: adds classes by
name, draws a few strokes from the ground truth of each frame, then waits for the labels of all frames.

    reader.py ADDRESS FRAMES     address printed by `fernwood teach`, and the folder of frames with ground truth
"""

import json
import random
import re
import sys
from pathlib import Path

import websocket
from PIL import Image

STROKES, FRAMES = 6, 4


class Page:
    def __init__(self, printed):
        host, token = re.search(r"http://([^/]+)/(\w+)/", printed).groups()
        self.socket = websocket.create_connection(f"ws://{host}/{token}/socket", origin=f"http://{host}", timeout=60)
        self.last_id = 0
        while "project" not in (message := self.hear()):
            pass
        self.frames = [frame["name"] for frame in message["project"]["frames"]]

    def hear(self):
        return json.loads(self.socket.recv())

    def says(self, **message):
        self.last_id += 1
        self.socket.send(json.dumps(message | {"id": self.last_id}))
        while self.hear().get("id") != self.last_id:
            pass


def classes_of(folder):
    """Names and colours of the classes in dataset.toml."""
    text = (folder.parent / "dataset.toml").read_text()
    names = re.findall(r'^name = "(.*)"$', text, re.M)
    colors = [tuple(map(int, color.split(","))) for color in re.findall(r"^color = \[(.*)\]$", text, re.M)]
    return dict(zip(colors, names, strict=True))


def main():
    page, folder, chance = Page(sys.argv[1]), Path(sys.argv[2]), random.Random(1)
    classes = classes_of(folder)
    order = list(classes)
    for color in order:
        page.says(do="add_class", name=classes[color])
    for frame, name in enumerate(page.frames[:FRAMES]):
        truth = Image.open(folder / f"{name}_ground_truth.png").convert("RGB")
        for _, color in sorted(truth.getcolors(1 << 16), reverse=True):
            places = [(x, y) for y in range(0, truth.height, 7) for x in range(0, truth.width - 16, 7)
                      if color in classes and truth.getpixel((x, y)) == truth.getpixel((x + 16, y)) == color]
            for x, y in chance.sample(places, min(STROKES, len(places))):
                points = [8 * x + 4, 8 * y + 4, 8 * (x + 16) + 4, 8 * y + 4]
                page.says(do="stroke", frame=frame, **{"class": order.index(color)}, brush=24, points=points)
    while "labels" not in page.hear():
        pass


if __name__ == "__main__":
    main()
