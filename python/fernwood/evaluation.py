# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Evaluation of forests, and of the choices of their training."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Optional, Union

from . import _elements, _fernwood
from ._arguments import checked
from ._option_types import LabellingOptions, ObjectOptions, PredictOptions, PresetTrainOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type
from .dataset import Dataset, open_dataset
from .encoders import Encoder, encoded
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
    objects: Optional[Union[bool, ObjectOptions]] = None,
    encoder: Optional[Encoder] = None,
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
    objects
        Whether to find objects in the labels and to compare them with the instances of the frames; a dict of options
        (things, object_gap, min_object_area, min_object_confidence): yes, with these; None: where the frames have
        instances and depth.
    encoder
        The encoder of the frames' maps, as in `train`; None: the ONNX file with which the forest was trained, if any.
    options
        As in `Predictor`. Steady labels use the poses in ``poses.txt`` beside the frames, if there are any.

    Returns
    -------
    Evaluation
        With pixel_accuracy, class_accuracy and mean_iou over the pixels that have a class, from 0 to 1; metrics of each
        class and each frame, and the confusion matrix; of objects, the panoptic quality. docs/reference/evaluate.md and
        docs/explanation/panoptic_quality.md define them.

    Raises
    ------
    ModelError
        The frames lack colour or depth that the forest reads.
    DataError
        A label is a class that the forest does not have.
    UsageError
        An option is wrong, or no frame has the instances that `objects` asks for.
    """
    if objects not in (None, False, True) and not isinstance(objects, Mapping):
        raise UsageError(f"objects is {a_type(objects)}; give True, False, or a dict of options")
    of_objects = objects if isinstance(objects, Mapping) else {}
    finds_objects = None if objects is None else isinstance(objects, Mapping) or bool(objects)
    frames = encoded(open_dataset(data, "test")._native, encoder, native_of(forest))
    texts = option_texts(of_objects)
    with told(progress) as tell:
        return Evaluation(
            _fernwood.evaluate(native_of(forest), frames, option_texts(options), pictures, finds_objects, texts, tell)
        )


@checked
def verify(
    forest: Forest,
    data: Data,
    *,
    max_frames: int = 0,
    encoder: Optional[Encoder] = None,
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
    encoder
        As in `evaluate`.
    options
        threads, interpolate, smooth, min_confidence, as in `Predictor`.

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
    frames = encoded(dataset._native, encoder, native_of(forest))
    with told(progress) as tell:
        return Verification(_fernwood.verify(native_of(forest), frames, option_texts(options), tell))


@checked
def study(
    data: Data,
    test: Data,
    *,
    only: Iterable[str] = (),
    smooth: Optional[int] = None,
    encoder: Optional[Encoder] = None,
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
    encoder
        As in `train`.
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
    train_set, test_set = (
        encoded(open_dataset(frames, split)._native, encoder) for frames, split in ((data, "train"), (test, "test"))
    )
    texts = (option_texts(options), option_texts({"smooth": smooth}))
    groups = _elements.texts(only, "only")
    with told(progress) as tell:
        return Study(_fernwood.study(train_set, test_set, groups, *texts, tell))
