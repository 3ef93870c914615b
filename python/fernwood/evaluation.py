# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""What forests are worth, and each choice of their training."""

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
    """Labels all frames and compares with their truth.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``test``; or a `Dataset`.
    pictures
        Frames that the page shows: half the best, half the worst; 0: none are kept.
    options
        As in `Predictor`.

    Returns
    -------
    Evaluation
        With pixel_accuracy, class_accuracy and mean_iou over the pixels that have a class, from 0 to 1; figures of each
        class, of each frame, and the confusion matrix. docs/reference/evaluate.md tells how each is defined.

    Raises
    ------
    ModelError
        The frames lack colour or depth that the forest reads.
    DataError
        A label is a class that the forest does not know.
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
    """Labels frames on every device in every way, and compares all bytes, as ``fernwood verify`` does.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``test``, with or without labels; or a `Dataset`.
    max_frames
        Of a folder: use only so many, evenly spread; 0: all.
    options
        threads, stride, interpolate, smooth, smooth_color, smooth_depth, as in `Predictor`.

    Returns
    -------
    Verification
        ``identical`` says whether all agree; ``ways`` has the number of different pixels and the first of them for each
        device and layout, ``missing`` what is not here and why.

    Raises
    ------
    UsageError
        An option is wrong.
    DataError
        There is no frame, or one cannot be read.
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
    smooth_color: Optional[int] = None,
    smooth_depth: Optional[float] = None,
    progress: ProgressOption = None,
    **options: Unpack[PresetTrainOptions],
) -> Study:
    """What each choice of a training is worth: others that differ from it in one thing, evaluated on the same frames.

    Parameters
    ----------
    data, test
        Frames to train on and to evaluate on: folders or `Dataset`.
    only
        Groups of variants: "channels", "absolute", "stages", "trees", "samples", "smoothing", "weights", "rotation";
        none: all.
    smooth, smooth_color, smooth_depth
        Of predictions, as in `Predictor`.
    options
        As in `train`.

    Returns
    -------
    Study
        ``variants`` has for each its accuracies from 0 to 1, milliseconds of a frame and seconds of training.

    Raises
    ------
    UsageError
        There is no such group or option, or frames have no labels.
    DataError
        A folder is missing, or frames break a rule.
    """
    smoothing = {"smooth": smooth, "smooth_color": smooth_color, "smooth_depth": smooth_depth}
    train_set, test_set = open_dataset(data, "train"), open_dataset(test, "test")
    texts = (option_texts(options), option_texts(smoothing))
    groups = _elements.texts(only, "only")
    with told(progress) as tell:
        return Study(_fernwood.study(train_set._native, test_set._native, groups, *texts, tell))
