# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Decision forests for RGB-D frames, on the CPU or NVIDIA GPUs.

>>> import fernwood
>>> forest = fernwood.train("rooms/train", preset="best")
>>> labels = forest.predict(color, depth)
"""

from . import backbones, dataset, encoders, errors, results
from ._fernwood import available_devices, version
from ._frames import VOID, DepthCamera, Frame, LabelledFrame
from ._progress import Progress
from .cameras import LiveFrame, live
from .dataset import Dataset
from .errors import FernwoodError, FernwoodWarning
from .evaluation import evaluate, study, verify
from .forest import Forest, Predictor, SteadyFrame
from .mapping import OccupancyGrid, VoxelMap, load_map, map
from .objects import FrameObjects
from .pixel_forest import PixelForest
from .searching import search
from .training import train

__version__ = version()

__all__ = [
    "VOID",
    "Dataset",
    "DepthCamera",
    "FernwoodError",
    "FernwoodWarning",
    "Forest",
    "Frame",
    "FrameObjects",
    "LabelledFrame",
    "LiveFrame",
    "OccupancyGrid",
    "PixelForest",
    "Predictor",
    "Progress",
    "SteadyFrame",
    "VoxelMap",
    "available_devices",
    "backbones",
    "dataset",
    "encoders",
    "errors",
    "evaluate",
    "live",
    "load_map",
    "map",
    "results",
    "search",
    "study",
    "train",
    "verify",
]


def __dir__():
    return [*__all__, "__doc__", "__version__"]
