# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Evaluation of forests, and of the choices of their training."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Optional, Union

from . import _elements, _fernwood
from ._arguments import checked
from ._option_types import LabellingOptions, PredictOptions, PresetTrainOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from .dataset import Dataset, open_dataset
from .errors import UsageError
from .forest import Forest, native_of
from .results import Evaluation, Study, Verification

__all__ = ["evaluate", "study", "verify"]


def __dir__():
    return __all__

Data = Union[str, os.PathLike, Dataset]


@checked
def evaluate(
    forest: Forest,
    data: Data,
    *,
    pictures: int = 6,
    progress: ProgressOption = None,
    **options: Unpack[PredictOptions],
) -> Evaluation:
    """Labels all frames and compares the labels with the ground truth.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``test``; or a `Dataset`.
    pictures
        Number of frames that the page shows: half of them the best, half the worst; 0: none.
    options
        As in `Predictor`. Steady labels use the poses in ``poses.txt`` beside the frames, if there are any.

    Returns
    -------
    Evaluation
        With pixel_accuracy, class_accuracy and mean_iou over the pixels that have a class, from 0 to 1; metrics of each
        class and each frame, and the confusion matrix. docs/reference/evaluate.md defines them.

    Raises
    ------
    ModelError
        The frames lack colour or depth that the forest reads.
    DataError
        A label is a class that the forest does not have.
    """
    dataset = open_dataset(data, "test")
    with told(progress) as tell:
        return Evaluation(
            _fernwood.evaluate(native_of(forest), dataset._native, option_texts(options), pictures, tell)
        )


@checked
def verify(
    forest: Forest,
    data: Data,
    *,
    max_frames: int = 0,
    progress: ProgressOption = None,
    **options: Unpack[LabellingOptions],
) -> Verification:
    """Labels frames on every device with every layout, and compares all bytes, as ``fernwood verify`` does.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``test``, with or without labels; or a `Dataset`.
    max_frames
        For a folder: maximum number of frames, evenly spread; 0: all.
    options
        threads, interpolate, smooth, as in `Predictor`.

    Returns
    -------
    Verification
        ``identical``: whether all agree; ``ways``: for each device and layout, the number of different pixels and the
        first of them; ``missing``: devices and layouts that are not available, with the reasons.

    Raises
    ------
    UsageError
        An option is wrong.
    DataError
        There are no frames, or one cannot be read.
    ModelError
        The frames lack colour or depth that the forest reads.
    """
    for name in options:
        if name in PredictOptions.__annotations__ and name not in LabellingOptions.__annotations__:
            raise UsageError(f"{name} is not for verify(), which compares every device and layout, frame by frame; leave it out")
    if isinstance(data, Dataset) and max_frames:
        raise UsageError("data is a Dataset, and max_frames is for a folder; give data.subset(indices)")
    dataset = open_dataset(data, "test", needs_labels=False, max_frames=max_frames)
    with told(progress) as tell:
        return Verification(_fernwood.verify(native_of(forest), dataset._native, option_texts(options), tell))


@checked
def study(
    data: Data,
    test: Data,
    *,
    only: Iterable[str] = (),
    smooth: Optional[int] = None,
    progress: ProgressOption = None,
    **options: Unpack[PresetTrainOptions],
) -> Study:
    """An ablation study: variants of a training that differ from it in one choice, evaluated on the same frames.

    Parameters
    ----------
    data, test
        Frames for training and for evaluation: folders or `Dataset`.
    only
        Groups of variants: "channels", "absolute", "stages", "trees", "samples", "smoothing", "weights", "rotation";
        empty: all.
    smooth
        Smoothing of predictions, as in `Predictor`.
    options
        As in `train`.

    Returns
    -------
    Study
        ``variants`` has the accuracies of each, from 0 to 1, milliseconds per frame and seconds of training.

    Raises
    ------
    UsageError
        A group or an option is unknown, or frames have no labels.
    DataError
        A folder is missing, or frames are invalid.
    """
    train_set, test_set = open_dataset(data, "train"), open_dataset(test, "test")
    texts = (option_texts(options), option_texts({"smooth": smooth}))
    groups = _elements.texts(only, "only")
    with told(progress) as tell:
        return Study(_fernwood.study(train_set._native, test_set._native, groups, *texts, tell))
