# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Forests that label pixels: loading, saving, predicting."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple, Optional, TypedDict, Union

import numpy as np

from . import _elements, _fernwood
from ._arguments import checked
from ._frames import Array, Camera, DepthCamera, Direction, Frame, FrameLike, LabelledFrame, parts_of, pose_matrix
from ._gpu import like
from ._option_types import ObjectOptions, PredictOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type, counted, listed
from .dataset import Dataset, open_dataset
from .encoders import Encoder, encoded, encoder_of
from .errors import UsageError
from .objects import FrameObjects
from .results import Description, Evaluation, Explanation, Importance, Training

__all__ = ["Forest", "Predictor", "SteadyFrame"]


def __dir__():
    return __all__


class SteadyFrame(NamedTuple):
    """The temporal fusion of a frame of a video with the previous one."""

    motion: Optional[np.ndarray]  #: (4, 4): transform from its coordinates to the previous frame's; None: not fused.
    why_not: str  #: Reason why it was not fused, or "".
    followed: float  #: Share of its cells with probabilities from the previous frame.
    evaluated: float  #: Share of its cells that trees evaluated.


def native_of(forest: Forest) -> _fernwood.Forest:
    """The library's object of a forest. @raises UsageError for other arguments, such as the path of a model."""
    if not isinstance(forest, Forest):
        raise UsageError(f"forest is {a_type(forest)}; give a fernwood.Forest, as by Forest.load(path)")
    return forest._native


class LabelArguments(PredictOptions, total=False):
    """Of `Forest.predict` and `Forest.predict_proba`: options, and arguments of `Predictor.predict`, which explains them."""

    camera: Optional[Camera]
    up: Optional[Direction]
    maps: Optional[Array]
    encoder: Optional[Encoder]
    depth_camera: Optional[DepthCamera]
    pose: Optional[Array]
    stream: Any


class Predictor:
    """Labels frames, one after another, with fixed options.

    Threads and memory are allocated once, and it may be used from any thread.

    Parameters
    ----------
    forest
        A `Forest`.
    options
        Those of ``fernwood predict``: device ("auto", "cpu", "cuda:0"), threads, layout, interpolate, smooth,
        min_confidence, steady. With ``steady=True`` frames must be those of a video, in order, and class probabilities are transferred from frame to frame, see docs/explanation/steady.md.

    encoder
        The encoder of the maps of frames that are given without, as in `train`; None: the ONNX file with which the forest
        was trained, if any.

    Raises
    ------
    UsageError
        An option is unknown, or its value is invalid.
    ModelError
        The forest was trained with another encoder.
    DeviceError
        The device is not available.
    """

    def __init__(
        self, forest: Forest, *, encoder: Optional[Encoder] = None, **options: Unpack[PredictOptions]
    ) -> None:
        native = native_of(forest)
        self._forest, self._options = forest, {name: value for name, value in options.items() if value is not None}
        self._encoder = encoder
        self._native = _fernwood.Predictor(native, option_texts(options), encoder_of(native, encoder, keep=False))
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
        objects: Union[bool, ObjectOptions] = False,
    ) -> Array:
        """The class of each pixel: uint16 of shape (rows, columns), `VOID` where no class has a probability.

        With `objects`, a `FrameObjects` of the labels and the objects in them.

        Arrays in the memory of the predictor's GPU, from torch, CuPy or any library that supports DLPack, are labelled
        there, and the result lies there: a torch tensor for tensors, a CuPy array for CuPy arrays, or else an object
        with ``__dlpack__()``. Nothing is copied to the host, and the call does not wait: work is enqueued in the
        caller's current stream.

        Parameters
        ----------
        color
            uint8 of shape (rows, columns, 3): red, green, blue; or None. Or a `Frame` or `LabelledFrame`, in place of
            all of color, depth, camera, up, maps and depth_camera that are not given.
        depth
            (rows, columns) of uint16 or int16 in millimetres, 0 where it is unknown, or of float32 or float64 in
            metres, then NaN; or None. On the host, arrays may have any strides; contiguous ones, with depth in
            millimetres, are read in place. On a GPU, rows must be contiguous, and depth must not be float64.
        camera
            fx, fy, cx, cy in pixels, or a 3 x 3 camera matrix; None: assumed if the forest needs it, with a warning.
        up
            Approximate upward direction in camera axes (x to the right, y down, z ahead); None: (0, -1, 0).
        maps
            Feature maps of shape (maps, rows, columns), if the forest was trained with them; on a GPU float32 and
            contiguous. None: those of the encoder, or no maps.
        depth_camera
            The depth camera, if depth is not registered to colour; depth then has its own size, and `camera`, that of
            colour, is required. None: depth is registered.
        pose
            Camera pose, (4, 4): transform from camera coordinates (x to the right, y down, z ahead, in metres) to the
            room's. ``steady=True`` uses it to transfer labels; None: the motion is estimated from depth.
        out
            uint16 of shape (rows, columns) on the frame's device, to which labels are written; it is returned.
        stream
            For arrays on a GPU: a stream of torch or CuPy, or the handle of one; None: the current stream of the
            arrays' library if that is torch or CuPy, or else the default stream. Ignored on the host.
        objects
            True, or a dict of options (things, object_gap, min_object_area, min_object_confidence): also find the
            objects of the frame, which needs arrays on the host, with depth. Best with the option ``smooth=80``, which
            `Forest.predict` then sets.

        Raises
        ------
        UsageError
            An array has another shape, type or strides, or the sizes differ; `objects` with `out`.
        DeviceError
            Arrays lie on two devices, or on a GPU other than the predictor's.
        DataError
            The forest reads colour, depth or maps that are missing.
        """
        if isinstance(color, (Frame, LabelledFrame)):
            beside = {"camera": camera, "up": up, "maps": maps, "depth_camera": depth_camera}
            color, depth, camera, up, maps, depth_camera = parts_of(color, depth, beside)
        if objects not in (None, False):
            if out is not None:
                raise UsageError("out is for labels only; leave it out where objects are asked for")
            if objects is not True and not isinstance(objects, Mapping):
                raise UsageError(f"objects is {a_type(objects)}; give True, or a dict of options")
            options = option_texts({} if objects is True else objects)
            return FrameObjects(*self._native.predict_objects(color, depth, camera, up, maps, depth_camera, pose, options))
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
        if isinstance(color, (Frame, LabelledFrame)):
            beside = {"camera": camera, "up": up, "maps": maps, "depth_camera": depth_camera}
            color, depth, camera, up, maps, depth_camera = parts_of(color, depth, beside)
        found = self._native.predict_proba(color, depth, camera, up, maps, depth_camera, pose, stream)[1]
        return found if type(found) is np.ndarray else like(found, depth if color is None else color)

    @property
    def last_steady(self) -> Optional[SteadyFrame]:
        """The temporal fusion of the last labelled frame; None unless ``steady=True``."""
        last = self._native.last_steady()
        if last is None:
            return None
        motion, why_not, followed, evaluated = last
        return SteadyFrame(pose_matrix(motion), why_not, followed, evaluated)

    @property
    def layout(self) -> str:
        """Layout of frames and trees in memory; on a CPU, its instruction set."""
        return self._native.layout()

    @property
    def device(self) -> str:
        """The device that labels frames: "cpu", "cuda:0" …"""
        return self._native.device()

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self._options.items() if name != "device")
        trees, classes = counted(self._forest.num_trees, "tree"), counted(len(self._forest.classes), "class")
        return f"<fernwood.Predictor on {self.device} ({self.layout}){chosen}: {self._forest.kind}, {trees}, {classes}>"


class Forest:
    """A trained forest, from `train` or a model file (`Forest.load`); immutable.

    Model files equal those of the program, byte for byte: ``fernwood describe FILE`` and ``fernwood live`` read them.
    """

    def __init__(self, native: _fernwood.Forest, training: Optional[Training] = None) -> None:
        if not isinstance(native, _fernwood.Forest):
            raise UsageError(f"{a_type(native)} is not a trained forest; give Forest.load(path), or fernwood.train(…)")
        self._native = native
        self._predictors: dict[tuple, Predictor] = {}
        #: Report of the training; None for a loaded forest.
        self.training = training

    @classmethod
    @checked
    def load(cls, path: Union[str, os.PathLike]) -> Forest:
        """Reads a model file.

        Raises
        ------
        ModelError
            The file is damaged, too new, or not a forest over pixels.
        OperationError
            It cannot be read; if it is missing, this is also a FileNotFoundError.
        """
        return cls(_fernwood.Forest.load(os.fspath(path)))

    @checked
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes a model file, as an atomic file: it appears complete or not at all.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
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
        """Number of trees in all stages together."""
        return self._native.num_trees()

    @property
    def channels(self) -> list[str]:
        """Names of the channel sets that its features may read: "lab", "depth", …"""
        return self._native.channels()

    @property
    def options(self) -> dict[str, Any]:
        """The training options that the model stores; `train` accepts them."""
        found = json.loads(self._native.options())
        if self.kind == "boosted":
            del found["score"]  # that of boosting, not an option
        return found

    def predictor(self, *, encoder: Optional[Encoder] = None, **options: Unpack[PredictOptions]) -> Predictor:
        """A `Predictor` with these options, cached until it is requested with another encoder."""
        key = tuple(option_texts(options))
        if key not in self._predictors or self._predictors[key]._encoder != encoder:
            self._predictors[key] = Predictor(self, encoder=encoder, **options)
        return self._predictors[key]

    def predict(
        self,
        color: Optional[Array],
        depth: Optional[Array] = None,
        *,
        out: Optional[Array] = None,
        objects: Union[bool, ObjectOptions] = False,
        **arguments: Unpack[LabelArguments],
    ) -> Array:
        """The class of each pixel of a frame: uint16 of shape (rows, columns); with `objects`, `FrameObjects`.

        Like `Predictor.predict`, with the same arguments (color, depth, camera, up, maps, depth_camera, pose, out, stream,
        objects) and errors, and also the encoder and the options of `Predictor`.
        """
        options, of_frame = _divided(arguments)
        if objects not in (None, False) and options.get("smooth") is None:
            options["smooth"] = _fernwood.object_smoothing_px
        return self.predictor(**options).predict(color, depth, out=out, objects=objects, **of_frame)

    def predict_proba(
        self, color: Optional[Array], depth: Optional[Array] = None, **arguments: Unpack[LabelArguments]
    ) -> Array:
        """The probability of each class at each pixel: float32 of shape (rows, columns, classes).

        Like `Predictor.predict_proba`, with the same arguments (color, depth, camera, up, maps, depth_camera, pose,
        stream), and also with the encoder and the options of `Predictor`.
        """
        options, of_frame = _divided(arguments)
        return self.predictor(**options).predict_proba(color, depth, **of_frame)

    @checked
    def stream(
        self,
        frames: Iterable[FrameLike],
        *,
        frames_in_flight: int = 3,
        encoder: Optional[Encoder] = None,
        **options: Unpack[PredictOptions],
    ) -> Iterator[np.ndarray]:
        """Yields the labels of the frames of a video, in order. Several frames are in flight, which keeps a GPU busy.

        Parameters
        ----------
        frames
            Each a `Frame`, (color, depth), or only colour or depth; consumed as frames are completed.
        frames_in_flight
            Maximum number of frames in flight, at least 1.
        encoder, options
            As in `Predictor`.

        Yields
        ------
        numpy.ndarray
            uint16 of shape (rows, columns) for each frame.

        Raises
        ------
        UsageError
            An option is wrong, or a frame's array has another shape or type; the message names the frame.
        DataError
            The forest reads colour or depth that a frame lacks.
        DeviceError
            The device is not available.
        """
        native = encoder_of(self._native, encoder, keep=False)
        stream = _fernwood.LabelStream(self._native, option_texts(options), native, frames_in_flight)
        return _labels_of(stream, _elements.iterated(frames, "frames", "a frame"))

    def describe(self) -> Description:
        """The contents of the forest: trees, classes, options, the channels that its splits read."""
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
        encoder: Optional[Encoder] = None,
        name: str = "the frame",
    ) -> Explanation:
        """Explains the class of a pixel by all tests on its path through each tree.

        Parameters
        ----------
        color, depth, camera, up, maps, depth_camera, encoder
            As in `predict`.
        at
            Column and row of the pixel, counted from 0.
        name
            Name of the frame on the page.

        Raises
        ------
        UsageError
            The pixel is outside the frame.
        DataError
            Its depth is unknown; the message names the nearest pixel whose depth is known.
        """
        pixel = _elements.whole_numbers(at, "at", 2, "(column, row)")
        frame = Frame(color, depth, camera, up, maps, depth_camera)
        native = encoder_of(self._native, encoder, keep=False) if maps is None else None
        if native is not None:
            frame = frame._replace(maps=native.encode(frame))
        return Explanation(_fernwood.explain(self._native, frame, *pixel, name))

    @checked
    def importance(
        self,
        data: Union[str, os.PathLike, Dataset],
        *,
        seed: int = _fernwood.EXCHANGE_SEED,
        threads: int = 0,
        encoder: Optional[Encoder] = None,
        progress: ProgressOption = None,
    ) -> Importance:
        """Permutation importance of each channel: the accuracy lost if it is replaced by that of another frame.

        Parameters
        ----------
        data
            At least two labelled frames of the same size: a folder, or one with a sub-folder ``test``; or a `Dataset`.
        seed
            Seed of the choice of frames that exchange channels.
        threads
            Number of threads; 0: all.
        encoder
            As in `Predictor`.

        Returns
        -------
        Importance
            With the pixel and class accuracy lost without each channel, as shares from 0 to 1.

        Raises
        ------
        UsageError
            The frames have no labels.
        DataError
            There is only one frame, sizes differ, or a frame cannot be read.
        ModelError
            The frames lack colour or depth that the forest reads.
        """
        dataset = open_dataset(data, "test")
        with told(progress) as tell:
            frames = encoded(dataset._native, encoder, self._native)
            return Importance(_fernwood.importance(self._native, frames, seed, threads, tell))

    def evaluate(self, data: Union[str, os.PathLike, Dataset], **arguments: Any) -> Evaluation:
        """Labels all frames and compares the labels with the ground truth: `fernwood.evaluate` of this forest."""
        from .evaluation import evaluate  # which needs this file

        return evaluate(self, data, **arguments)

    def panel(self, frame: FrameLike, labels: Optional[np.ndarray] = None, **arguments: Unpack[LabelArguments]) -> np.ndarray:
        """A picture of a frame, its depth and its labels, side by side: uint8 of shape (rows, 3 columns, 3).

        Parameters
        ----------
        frame
            A `Frame` or `LabelledFrame` on the host, with colour and depth.
        labels
            Integers of shape (rows, columns); None: those of `predict`, to which further arguments are passed.
        """
        labels = self.predict(frame, **arguments) if labels is None else labels
        depth = np.nan_to_num(np.asarray(frame.depth, float))
        known = depth > 0
        near, far = np.percentile(depth[known], (1, 99)) if known.any() else (0, 1)
        gray = np.where(known, 40 + 215 * (1 - np.clip((depth - near) / max(far - near, 1e-9), 0, 1)), 0).astype(np.uint8)
        return np.hstack([np.asarray(frame.color), np.repeat(gray[..., None], 3, axis=2), self.colorize(labels)])

    def colorize(self, labels: np.ndarray) -> np.ndarray:
        """Labels in the colours of their classes, black for no class: uint8 of shape (rows, columns, 3).

        Parameters
        ----------
        labels
            Integers of shape (rows, columns): classes counted from 0, `VOID` for no class.
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


def _divided(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options, and the keyword arguments of `Predictor.predict_proba`."""
    options = dict(arguments)
    return options, {name: options.pop(name) for name in Predictor.predict_proba.__kwdefaults__ if name in options}


@contextmanager
def _temporary_path() -> Iterator[str]:
    import tempfile  # here, since it takes longer than all other imports of this file

    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, "model")


def _forest_from_bytes(content: bytes) -> Forest:
    with _temporary_path() as path:
        with open(path, "wb") as file:
            file.write(content)
        return Forest.load(path)


def _labels_of(stream: _fernwood.LabelStream, frames: Iterable[FrameLike]) -> Iterator[np.ndarray]:
    try:
        for index, frame in zip(count(), frames):
            if stream.is_full():
                yield stream.pop()
            stream.push(frame, index)
    except GeneratorExit:
        raise
    except Exception:  # of the source or a frame: frames before it are labelled first
        while stream.num_in_flight() > 0:
            yield stream.pop()
        raise
    while stream.num_in_flight() > 0:
        yield stream.pop()
