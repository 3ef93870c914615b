# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Search for the training options with which a forest is most accurate, by racing."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _elements, _fernwood
from ._arguments import checked
from ._option_types import SearchOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from .dataset import Dataset, open_dataset
from .encoders import Encoder, encoded
from .forest import Forest
from .results import Search

__all__ = ["search"]


def __dir__():
    return __all__

_log = logging.getLogger("fernwood")


@checked
def search(
    data: Union[str, os.PathLike, Dataset],
    *,
    out: Union[str, os.PathLike, None] = None,
    preset: str = _fernwood.DEFAULT_PRESET,
    space: Union[str, os.PathLike, None] = None,
    configurations: Sequence[Mapping[str, Any]] = (),
    device: Optional[str] = None,
    threads: Optional[int] = None,
    encoder: Optional[Encoder] = None,
    progress: ProgressOption = None,
    **options: Unpack[SearchOptions],
) -> Search:
    """Races configurations on folds of frames, as ``fernwood search`` does, and trains the winner.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``train``; or a `Dataset`.
    out
        Folder for the journal, the model best.fernwood, its options best.toml and a page. After an interruption the
        same call continues. None: nothing is written.
    preset
        First configuration of the race, and values of options outside the space.
    space
        A TOML file that changes the search space; see docs/reference/search.md.
    configurations
        Configurations to race instead of the search's own: dictionaries of the space's parameters, such as
        ``{"trees": 40, …}``.
    encoder
        As in `train`.
    options
        The options of ``fernwood search`` with underscores: trials, minutes, objective ("mean", "pixel", "class"),
        folds, held_out, batch_size, seed, max_latency_ms, train_seconds, pruning.

    Returns
    -------
    Search
        Its ``forest`` is the winner's, trained on all frames.

    Raises
    ------
    UsageError
        An option is unknown or out of range, or no configuration meets the time limits.
    DataError
        There are too few frames, or the journal belongs to another search.
    KeyboardInterrupt
        Ctrl-C; the journal remains.
    """
    dataset = open_dataset(data, "train")
    folder = "" if out is None else os.fspath(out)
    given = _elements.each(configurations, "configurations", "a dictionary of options", _elements.mapping)
    proposals = [dict(option_texts(configuration)) for configuration in given]
    work = option_texts({"device": device, "threads": threads})
    try:
        with told(progress) as tell:
            native, report, config = _fernwood.search(
                encoded(dataset._native, encoder), preset, work, option_texts(options), folder, space or "", proposals, tell
            )
    except KeyboardInterrupt:
        if folder:
            _log.warning("what was found is kept in %s; the same call continues from there", folder)
        raise
    return Search(report, Forest(native), config)
