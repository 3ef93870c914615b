# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Objects of a frame."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

__all__ = ["FrameObjects"]


def __dir__():
    return __all__


class FrameObjects:
    """Labels and objects of a frame, from `Predictor.predict` with ``objects``; docs/howto/objects.md explains them.

    ``str()`` counts the objects: "2 chairs, nearest 1.4 m; 1 table, 1.9 m".
    """

    def __init__(self, labels: np.ndarray, numbers: np.ndarray, text: str, words: str) -> None:
        #: The class of each pixel: uint16 of shape (rows, columns), `VOID` for none.
        self.labels = labels
        #: The number of the object at each pixel: uint16 of shape (rows, columns), 0 for none.
        self.numbers = numbers
        #: What ``fernwood predict --objects`` writes: also stuff, and measures of classes; docs/reference/json_keys.md.
        self.data: dict[str, Any] = json.loads(text)
        #: A structured array, an element for each object, in the order of their numbers:
        #:
        #: - number (uint16, from 1), label (uint16) and class (its name), confidence and probabilities (of all classes),
        #:   from 0 to 1
        #: - pixels; bounds: first column and row, last column and row; touches_border: cut off by the frame's edge
        #: - area_m2: visible surface in m2; distance_m: from the camera to the nearest point, in metres
        #: - place: mean of the visible points (3,); center, axes (3, 3) and size (3,) of the box around them, with the
        #:   axes as rows, and volume_m3; metres in coordinates of the camera (x to the right, y down, z ahead) or, if
        #:   the frame has a pose, of the room
        #:
        #: Lengths are NaN where all depth is unknown.
        self.objects: np.ndarray = _structured(self.data)
        self._words = words

    def __len__(self) -> int:
        return len(self.objects)

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<fernwood.FrameObjects: {self._words}>"


def _structured(data: dict[str, Any]) -> np.ndarray:
    names = data["classes"]
    kinds = [
        ("number", np.uint16), ("label", np.uint16), ("class", f"U{max(map(len, names))}"), ("confidence", np.float32),
        ("probabilities", np.float32, (len(names),)), ("pixels", np.uint32), ("bounds", np.int32, (4,)),
        ("touches_border", np.bool_), ("area_m2", np.float32), ("distance_m", np.float32), ("place", np.float32, (3,)),
        ("center", np.float32, (3,)), ("axes", np.float32, (3, 3)), ("size", np.float32, (3,)), ("volume_m3", np.float32),
    ]  # fmt: skip
    rows = np.zeros(len(data["objects"]), np.dtype(kinds, align=True))  # other libraries read fields in place
    for row, found in zip(rows, data["objects"]):
        known = {**found, **(found["box"] or {}), "label": names.index(found["class"])}
        for name in rows.dtype.names:
            value = known.get(name)
            row[name] = np.nan if value is None else value
    return rows
