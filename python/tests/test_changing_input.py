# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Lists whose items change them while they are read: no crash, and the original items are used."""

import pytest


@pytest.mark.parametrize(
    "lines",
    [
        # a frame's property that empties the list of frames
        """
class Emptying:
    depth = camera = up = None
    @property
    def color(self):
        frames.clear()
        return color()
frames = [Emptying() for _ in range(50)]
data = fernwood.Dataset.from_arrays(frames)
assert len(data) == 50 and data.frame(49).color.shape == (8, 9, 3)
""",
        # the same for labels
        """
class Emptying:
    def __array__(self, *arguments, **more):
        labels.clear()
        frames.clear()
        return np.arange(72).reshape(8, 9) % 3
labels = [Emptying() for _ in range(50)]
frames = [color() for _ in range(50)]
data = fernwood.Dataset.from_arrays(frames, labels, classes=["a", "b", "c"])
assert len(data) == 50 and data.frame(49).labels[0, 2] == 2
""",
        # numbers of a camera
        """
class Emptying:
    def __init__(self, number): self.number = number
    def __float__(self):
        camera.clear()
        return self.number
forest = fernwood.train([color()] * 4, [np.arange(72).reshape(8, 9) % 3] * 4, trees=2, channels="lab", progress=False)
for _ in range(50):
    camera = [Emptying(9.0), Emptying(9.0), Emptying(4.0), Emptying(4.0)]
    forest.predict(color(), camera=camera)
""",
        # numbers of a direction
        """
class Emptying:
    def __init__(self, number): self.number = number
    def __float__(self):
        up.clear()
        return self.number
forest = fernwood.train([color()] * 4, [np.arange(72).reshape(8, 9) % 3] * 4, trees=2, channels="lab", progress=False)
for _ in range(50):
    up = [Emptying(0.0), Emptying(-1.0), Emptying(0.0)]
    forest.predict(color(), up=up)
""",
        # a frame as a list
        """
class Emptying:
    def __array__(self, *arguments, **more):
        frame.clear()
        return color()
for _ in range(50):
    frame = [Emptying(), None]
    fernwood.Dataset.from_arrays([frame])
""",
    ],
)
def test_a_list_that_changes_while_it_is_read_is_what_it_was(script, lines):
    script(
        """
import numpy as np, fernwood
color = lambda: np.arange(216, dtype=np.uint8).reshape(8, 9, 3)
"""
        + lines
    )
