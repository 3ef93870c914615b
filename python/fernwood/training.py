# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Training of forests that label pixels."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _fernwood
from ._arguments import checked
from ._frames import Camera, FrameLike
from ._option_types import TrainOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type
from .dataset import Classes, Dataset, open_dataset
from .encoders import Encoder, encoded
from .errors import UsageError
from .forest import Forest
from .results import Training

__all__ = ["train"]


def __dir__():
    return __all__

_log = logging.getLogger("fernwood")


@checked
def train(
    data: Union[str, os.PathLike, Dataset, Sequence[FrameLike]],
    labels: Optional[Sequence[np.ndarray]] = None,
    *,
    classes: Optional[Classes] = None,
    groups: Optional[Sequence[Any]] = None,
    camera: Optional[Camera] = None,
    preset: Optional[str] = None,
    out: Union[str, os.PathLike, None] = None,
    checkpoint: Union[str, os.PathLike, None] = None,
    checkpoint_every: float = 2,
    resume: bool = False,
    optimize: Optional[str] = None,
    encoder: Optional[Encoder] = None,
    progress: ProgressOption = None,
    **options: Unpack[TrainOptions],
) -> Forest:
    """Grows a forest from labelled frames; the same data, options and seed give the bytes of ``fernwood train``.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``train``; a `Dataset`; or, with `labels`, frames in memory: a
        list of (color, depth), of `Frame` or of only colour, ``zip(colors, depths)``, an array of shape (frames,
        rows, columns, 3), or any other sequence that `Dataset.from_arrays` accepts.
    labels, classes, groups, camera
        For frames in memory, as in `Dataset.from_arrays`: for each frame integers of shape (rows, columns), classes
        counted from 0, -1 for no class; names of the classes; scenes; fx, fy, cx, cy in pixels.
    preset
        "balanced" (the default), "fast", "best", "forest" or "thesis": values of options, which other options override.
    out
        The model file to write; a report is written next to it, to OUT.report.json.
    checkpoint
        File written periodically, and when training is interrupted; by default OUT.checkpoint if `out` is set. It is
        removed when training succeeds. Only an earlier checkpoint is replaced; another file of that name is refused.
    checkpoint_every
        Minimum interval between two checkpoints, in seconds.
    resume
        Continue from the checkpoint, if it exists.
    optimize
        "pixels", "classes" or "iou": tune class weights for this metric on frames that a second forest, grown without
        them, has not seen.
    encoder
        A network that computes the feature maps of frames, which have none: an ONNX file, such as "dinov2.onnx:6,9", a
        torch.nn.Module, or a function of color and depth that returns maps (maps, rows, columns); see
        `fernwood.encoders`. The model stores which one it is.
    progress
        True shows a bar, False none, None one on a terminal or in a notebook; a function is called with each
        `Progress`.
    options
        The options of ``fernwood train`` with underscores: trees, max_depth, channels, class_weights, device, threads …
        True and False for options without a value, lists for values with commas. docs/reference/train.md explains them.

    Returns
    -------
    Forest
        Its attribute ``training`` is the report of the training.

    Raises
    ------
    UsageError
        An option is unknown or out of range, an array has another shape or type, or ``out`` or ``checkpoint`` is a file
        of the data set, or ``checkpoint`` is an existing file that is not a checkpoint.
    DataError
        The frames are invalid.
    KeyboardInterrupt
        Ctrl-C; the checkpoint remains, and the same call with ``resume=True`` continues from it.
    """
    dataset = _dataset_of(data, labels, classes=classes, groups=groups, camera=camera)
    if not checkpoint_every >= 0:
        raise UsageError(f"checkpoint_every is {checkpoint_every!r}; use at least 0 seconds")
    if checkpoint is None and out is not None:
        checkpoint = os.fspath(out) + ".checkpoint"
    if resume and checkpoint is None:
        raise UsageError("resume is True, but there is no checkpoint; name its file")
    texts = option_texts({"preset": preset, **options})
    paths = [os.fspath(path) if path is not None else "" for path in (out, checkpoint)]
    try:
        with told(progress) as tell:
            native, report = _fernwood.train(
                encoded(dataset._native, encoder), texts, optimize, *paths, checkpoint_every, resume, tell
            )
    except KeyboardInterrupt:
        if paths[1] and os.path.exists(paths[1]):
            _log.warning("what was grown is kept in %s; the same call with resume=True continues from there", paths[1])
        raise
    return Forest(native, Training(report))


def _dataset_of(data, labels, **more) -> Dataset:
    """The data set passed, that of a folder, or one made of frames in memory."""
    is_there = isinstance(data, (str, os.PathLike, Dataset))
    if not is_there and labels is not None:
        return Dataset.from_arrays(data, labels, **more)
    if not is_there:
        raise UsageError(f"data is {a_type(data)}; use a folder, a Dataset, or train(frames, labels)")
    given = [name for name, value in {"labels": labels, **more}.items() if value is not None]
    if given:
        what = "a Dataset" if isinstance(data, Dataset) else "a folder"
        raise UsageError(f"data is {what}, and {given[0]} is for frames in memory; leave {given[0]} out")
    return open_dataset(data, "train")
