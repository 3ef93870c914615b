# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests that label pixels: loading, saving, predicting."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _elements, _fernwood
from ._arguments import checked
from ._frames import Array, Camera, DepthCamera, Direction, Frame, FrameLike, pose_matrix
from ._gpu import like
from ._option_types import PredictOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type, counted, listed
from .dataset import Dataset, open_dataset
from .errors import UsageError
from .results import Description, Explanation, Importance, Training

__all__ = ["Forest", "Predictor", "SteadyFrame"]


def __dir__():
    return __all__


class SteadyFrame(NamedTuple):
    """How a frame of a video followed the one before it."""

    motion: Optional[np.ndarray]  #: (4, 4), of its places to those of the frame before; None: it stands alone.
    why_not: str  #: Why it stands alone, or "".
    followed: float  #: Share of its cells of which something was known.
    evaluated: float  #: Share of its cells that trees were asked about.


def native_of(forest: Forest) -> _fernwood.Forest:
    """What the library knows of a forest. @raises UsageError for anything else, such as the path of a model."""
    if not isinstance(forest, Forest):
        raise UsageError(f"forest is {a_type(forest)}; give a fernwood.Forest, as by Forest.load(path)")
    return forest._native


class Predictor:
    """Labels frames, one after another, with options that are chosen once.

    Threads and memory are ready when it is made, and it may be used from any thread.

    Parameters
    ----------
    forest
        A `Forest`.
    options
        As ``fernwood predict`` has them: device ("auto", "cpu", "cuda:0"), threads, layout, stride, interpolate, smooth,
        smooth_color, smooth_depth, steady, refresh, keyframe_every. With ``steady=True`` frames are those of a video, in
        order, and class probabilities are carried from each to the next, see docs/explanation/steady.md.

    Raises
    ------
    UsageError
        There is no such option, or its value is none.
    DeviceError
        The device is not there.
    """

    def __init__(self, forest: Forest, **options: Unpack[PredictOptions]) -> None:
        native = native_of(forest)
        self._forest, self._options = forest, {name: value for name, value in options.items() if value is not None}
        self._native = _fernwood.Predictor(native, option_texts(options))
        self._predict = self._native.predict

    def predict(
        self,
        color: Optional[Array],
        depth: Optional[Array] = None,
        *,
        camera: Optional[Camera] = None,
        up: Optional[Direction] = None,
        maps: Optional[Array] = None,
        depth_camera: Optional[DepthCamera] = None,
        pose: Optional[Array] = None,
        out: Optional[Array] = None,
        stream: Any = None,
    ) -> Array:
        """The class of each pixel: uint16 of shape (rows, columns), `VOID` where no class has a probability.

        Arrays that lie on the GPU of the predictor, of torch, CuPy or whatever speaks DLPack, are labelled there, and
        so is the answer: a tensor for tensors, an array of CuPy for those, or else an object with ``__dlpack__()``.
        Nothing goes to the host, and nobody waits: work is enqueued in the caller's current stream.

        Parameters
        ----------
        color
            uint8 of shape (rows, columns, 3): red, green, blue; or None.
        depth
            (rows, columns) of uint16 or int16 in millimetres, 0 where it is unknown, or of float32 or float64 in
            metres, NaN where it is unknown; or None. On the host, arrays may have any strides, and those that are
            contiguous, with depth in millimetres, are read where they lie; on a GPU the pixels of a row follow one
            another, and depth is not float64.
        camera
            fx, fy, cx, cy in pixels; None: one is assumed where the forest needs to know, with a warning.
        up
            About where up is, seen by the camera (x to the right, y down, z ahead); None: (0, -1, 0).
        maps
            Feature maps of shape (maps, rows, columns), where the forest was trained with such; on a GPU float32 and
            contiguous. None: there are none.
        depth_camera
            Of depth that is not registered to colour, with its own size; `camera` is that of colour then, and needed.
            None: pixel (x, y) of both shows the same.
        pose
            Where the camera is: (4, 4), of places as it sees them (x to the right, y down, z ahead, metres) to places
            in the room. Labels follow it with ``steady=True``; None: the motion is found by depth.
        out
            uint16 of shape (rows, columns) on the device of the frame, where labels are written to; it is returned.
        stream
            Of arrays on a GPU: a stream of torch or CuPy, or the handle of one; None: the current one of torch or
            CuPy, whose arrays they are, or else the default stream. On the host it is not looked at.

        Raises
        ------
        UsageError
            An array has another shape, type or strides, or the sizes differ.
        DeviceError
            Arrays lie on two devices, or on a GPU that is not the predictor's.
        DataError
            The forest reads colour, depth or maps that are not given.
        """
        found = self._predict(color, depth, camera, up, maps, depth_camera, pose, out, stream)
        return found if type(found) is np.ndarray or found is out else like(found, depth if color is None else color)

    def predict_proba(
        self,
        color: Optional[Array],
        depth: Optional[Array] = None,
        *,
        camera: Optional[Camera] = None,
        up: Optional[Direction] = None,
        maps: Optional[Array] = None,
        depth_camera: Optional[DepthCamera] = None,
        pose: Optional[Array] = None,
        stream: Any = None,
    ) -> Array:
        """The probability of each class at each pixel: float32 of shape (rows, columns, classes). See `predict`."""
        found = self._native.predict_proba(color, depth, camera, up, maps, depth_camera, pose, stream)[1]
        return found if type(found) is np.ndarray else like(found, depth if color is None else color)

    @property
    def last_steady(self) -> Optional[SteadyFrame]:
        """How the frame that was labelled last followed the one before; None unless ``steady=True``."""
        last = self._native.last_steady()
        if last is None:
            return None
        motion, why_not, followed, evaluated = last
        return SteadyFrame(pose_matrix(motion), why_not, followed, evaluated)

    @property
    def layout(self) -> str:
        """How frames and trees are read: on a CPU its instruction set."""
        return self._native.layout()

    @property
    def device(self) -> str:
        """Where frames are labelled: "cpu", "cuda:0" …"""
        return self._native.device()

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self._options.items() if name != "device")
        trees, classes = counted(self._forest.num_trees, "tree"), counted(len(self._forest.classes), "class")
        return f"<fernwood.Predictor on {self.device} ({self.layout}){chosen}: {self._forest.kind}, {trees}, {classes}>"


class Forest:
    """A trained forest. `train` makes one, `Forest.load` reads a model file; it never changes.

    The file is the program's, byte for byte: ``fernwood describe FILE`` and ``fernwood live`` take it.
    """

    def __init__(self, native: _fernwood.Forest, training: Optional[Training] = None) -> None:
        if not isinstance(native, _fernwood.Forest):
            raise UsageError(f"{a_type(native)} is not a trained forest; give Forest.load(path), or fernwood.train(…)")
        self._native = native
        self._predictors: dict[tuple, Predictor] = {}
        #: What training took, or None for a forest that was loaded.
        self.training = training

    @classmethod
    @checked
    def load(cls, path: Union[str, os.PathLike]) -> Forest:
        """Reads a model file.

        Raises
        ------
        ModelError
            The file is damaged, too new, or no forest over pixels.
        OperationError
            It cannot be read; where it is missing this is a FileNotFoundError, too.
        """
        return cls(_fernwood.Forest.load(os.fspath(path)))

    @checked
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a model file, whole or not at all.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; where the folder is missing this is a FileNotFoundError, too.
        """
        self._native.save(os.fspath(path))

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of their numbers."""
        return [name for name, _ in self._native.classes()]

    @property
    def colors(self) -> np.ndarray:
        """Colours of the classes: uint8 of shape (classes, 3)."""
        return np.array([color for _, color in self._native.classes()], np.uint8).reshape(-1, 3)

    @property
    def kind(self) -> str:
        """ "forest", "ferns" or "boosted"."""
        return self._native.kind()

    @property
    def num_trees(self) -> int:
        """Of all stages together."""
        return self._native.num_trees()

    @property
    def channels(self) -> list[str]:
        """Names of the channel sets that its features may read: "lab", "depth" …"""
        return self._native.channels()

    @property
    def options(self) -> dict[str, Any]:
        """The options that it was trained with."""
        return json.loads(self._native.options())

    def predictor(self, **options: Unpack[PredictOptions]) -> Predictor:
        """A `Predictor` with these options, made once and kept."""
        key = tuple(option_texts(options))
        if key not in self._predictors:
            self._predictors[key] = Predictor(self, **options)
        return self._predictors[key]

    def predict(
        self,
        color: Optional[Array],
        depth: Optional[Array] = None,
        *,
        camera: Optional[Camera] = None,
        up: Optional[Direction] = None,
        maps: Optional[Array] = None,
        depth_camera: Optional[DepthCamera] = None,
        pose: Optional[Array] = None,
        out: Optional[Array] = None,
        stream: Any = None,
        **options: Unpack[PredictOptions],
    ) -> Array:
        """The class of each pixel of a frame: uint16 of shape (rows, columns).

        As `Predictor.predict`, with the same arguments and errors; the options of `Predictor` may be given, too.
        """
        return self.predictor(**options).predict(color, depth, camera=camera, up=up, maps=maps, depth_camera=depth_camera, pose=pose, out=out, stream=stream)

    def predict_proba(
        self,
        color: Optional[Array],
        depth: Optional[Array] = None,
        *,
        camera: Optional[Camera] = None,
        up: Optional[Direction] = None,
        maps: Optional[Array] = None,
        depth_camera: Optional[DepthCamera] = None,
        pose: Optional[Array] = None,
        stream: Any = None,
        **options: Unpack[PredictOptions],
    ) -> Array:
        """The probability of each class at each pixel: float32 of shape (rows, columns, classes).

        As `Predictor.predict_proba`; the options of `Predictor` may be given, too.
        """
        return self.predictor(**options).predict_proba(color, depth, camera=camera, up=up, maps=maps, depth_camera=depth_camera, pose=pose, stream=stream)

    @checked
    def stream(
        self, frames: Iterable[FrameLike], *, frames_in_flight: int = 3, **options: Unpack[PredictOptions]
    ) -> Iterator[np.ndarray]:
        """Labels of the frames of a video, in order; several are in flight, which keeps a GPU busy.

        Parameters
        ----------
        frames
            Each a `Frame`, (color, depth), or colour or depth alone; taken when there is room for it.
        frames_in_flight
            At least 1.
        options
            As in `Predictor`.

        Yields
        ------
        numpy.ndarray
            uint16 of shape (rows, columns) for each frame.

        Raises
        ------
        UsageError
            An option is wrong, or a frame's array has another shape or type; the sentence names the frame.
        DataError
            The forest reads colour or depth that a frame lacks.
        DeviceError
            The device is not there.
        """
        stream = _fernwood.LabelStream(self._native, option_texts(options), frames_in_flight)
        return _labels_of(stream, _elements.iterated(frames, "frames", "a frame"))

    def describe(self) -> Description:
        """What is in the forest: trees, classes, options, the channels that its splits read."""
        with _temporary_path() as path:  # the checksum is that of a file
            self.save(path)
            return Description(self._native.describe(path))

    @checked
    def explain(
        self,
        color: Optional[np.ndarray],
        depth: Optional[np.ndarray] = None,
        *,
        at: tuple[int, int],
        camera: Optional[Camera] = None,
        up: Optional[Direction] = None,
        maps: Optional[np.ndarray] = None,
        depth_camera: Optional[DepthCamera] = None,
        name: str = "the frame",
    ) -> Explanation:
        """Why a pixel gets its class: every test on its way through each tree.

        Parameters
        ----------
        color, depth, camera, up, maps, depth_camera
            As in `predict`.
        at
            Column and row of the pixel, counted from 0.
        name
            Of the frame, for the page.

        Raises
        ------
        UsageError
            The pixel is outside the frame.
        DataError
            Its depth is unknown; the sentence names the nearest pixel whose depth is known.
        """
        pixel = _elements.whole_numbers(at, "at", 2, "(column, row)")
        frame = Frame(color, depth, camera, up, maps, depth_camera)
        return Explanation(_fernwood.explain(self._native, frame, *pixel, name))

    @checked
    def importance(
        self,
        data: Union[str, os.PathLike, Dataset],
        *,
        seed: int = _fernwood.EXCHANGE_SEED,
        threads: int = 0,
        progress: ProgressOption = None,
    ) -> Importance:
        """What each channel is worth: how much worse frames are labelled when it is that of another frame.

        Parameters
        ----------
        data
            At least two labelled frames of one size: a folder, or one with a sub-folder ``test``; or a `Dataset`.
        seed
            Which frames exchange channels.
        threads
            0: all.

        Returns
        -------
        Importance
            With the pixel and class accuracy lost without each channel, shares from 0 to 1.

        Raises
        ------
        UsageError
            The frames have no labels.
        DataError
            There is one frame only, sizes differ, or a frame cannot be read.
        ModelError
            The frames lack colour or depth that the forest reads.
        """
        dataset = open_dataset(data, "test")
        with told(progress) as tell:
            return Importance(_fernwood.importance(self._native, dataset._native, seed, threads, tell))

    def colorize(self, labels: np.ndarray) -> np.ndarray:
        """Labels in the colours of their classes, black where there is none: uint8 of shape (rows, columns, 3).

        Parameters
        ----------
        labels
            Integers of shape (rows, columns): classes counted from 0, `VOID` where there is none.
        """
        labels = np.asarray(labels)
        if labels.dtype.kind not in "iu" or labels.ndim != 2:
            raise UsageError(
                f"the labels are an array of {labels.dtype} of {labels.ndim} dimensions; give whole numbers of shape (rows, columns)"
            )
        colors = np.vstack([self.colors, np.zeros((1, 3), np.uint8)])
        none = len(colors) - 1
        return colors[np.where((labels < 0) | (labels > none), none, labels)]

    def __eq__(self, other: object) -> bool:
        return self._native.equals(other._native) if isinstance(other, Forest) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.kind, self.num_trees, *self.classes))

    def __repr__(self) -> str:
        return f"<fernwood.Forest {self._words()}>"

    def _words(self) -> str:
        classes, depth = self.classes, self.options.get("max_depth")
        trees = counted(self.num_trees, "tree") + (f" up to {counted(depth, 'level')} deep" if depth else "")
        return (
            f"{self.kind}, {trees}, {counted(len(classes), 'class')} ({listed(classes)}), "
            f"channels {', '.join(self.channels)}"
        )

    def __reduce__(self):
        with _temporary_path() as path:
            self.save(path)
            with open(path, "rb") as file:
                return _forest_from_bytes, (file.read(),)


@contextmanager
def _temporary_path() -> Iterator[str]:
    import tempfile  # which takes longer than all else of this file

    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, "model")


def _forest_from_bytes(content: bytes) -> Forest:
    with _temporary_path() as path:
        with open(path, "wb") as file:
            file.write(content)
        return Forest.load(path)


def _labels_of(stream: _fernwood.LabelStream, frames: Iterable[FrameLike]) -> Iterator[np.ndarray]:
    for index, frame in zip(count(), frames):
        if stream.is_full():
            yield stream.pop()
        stream.push(frame, index)
    while stream.num_in_flight() > 0:
        yield stream.pop()
