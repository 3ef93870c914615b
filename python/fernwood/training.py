# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Training forests that label pixels."""

from __future__ import annotations

import logging
import os
from typing import Any, Optional, Union

from . import _fernwood
from ._options import option_texts
from ._progress import ProgressOption, told
from .dataset import Dataset, open_dataset
from .errors import UsageError
from .forest import Forest
from .results import Training

_log = logging.getLogger("fernwood")


def train(
    data: Union[str, os.PathLike, Dataset],
    *,
    preset: Optional[str] = None,
    out: Union[str, os.PathLike, None] = None,
    checkpoint: Union[str, os.PathLike, None] = None,
    checkpoint_every: float = 2,
    resume: bool = False,
    optimize: Optional[str] = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Forest:
    """Grows a forest from labelled frames; the same data, options and seed give the bytes of ``fernwood train``.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``train``; or a `Dataset`.
    preset
        "balanced" (the default), "fast", "best", "forest" or "thesis": options that go together, for others to change.
    out
        Where to write the model, and what training took beside it, in OUT.report.json.
    checkpoint
        Written now and then, and when training is interrupted; by default OUT.checkpoint where `out` is given. It is
        removed when training has ended well.
    checkpoint_every
        Least seconds between two checkpoints.
    resume
        Go on from the checkpoint, if there is one.
    optimize
        "pixels", "classes" or "iou": weigh classes so that labels are best in this on frames that a second forest,
        grown without them, has not seen.
    progress
        True shows a bar, False none, None one on a terminal or in a notebook; a function is called with each
        `Progress`.
    options
        The options of ``fernwood train`` with underscores: trees, max_depth, channels, class_weights, device, threads …
        True and False for those without a value, lists where there are commas. docs/training.md explains each.

    Returns
    -------
    Forest
        Its attribute ``training`` tells what it took.

    Raises
    ------
    UsageError
        An option is unknown or out of its range.
    DataError
        The frames break a rule.
    KeyboardInterrupt
        Ctrl-C; the checkpoint stays, and the same call with ``resume=True`` goes on from there.
    """
    dataset = open_dataset(data, "train")
    if checkpoint is None and out is not None:
        checkpoint = os.fspath(out) + ".checkpoint"
    if resume and checkpoint is None:
        raise UsageError("resume is True, but there is no checkpoint; name its file")
    texts = option_texts({"preset": preset, **options})
    paths = [os.fspath(path) if path is not None else "" for path in (out, checkpoint)]
    try:
        with told(progress) as tell:
            native, report = _fernwood.train(
                dataset._native, texts, optimize, *paths, checkpoint_every, resume, tell
            )
    except KeyboardInterrupt:
        if paths[1] and os.path.exists(paths[1]):
            _log.warning("what was grown is kept in %s; the same call with resume=True goes on from there", paths[1])
        raise
    return Forest(native, Training(report))
