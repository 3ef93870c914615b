# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Search with Optuna over the space of `fernwood.search`: an objective that supports pruning, and a ready-made study.

>>> import fernwood.optuna
>>> study = fernwood.optuna.create_study("rooms", journal="race.log")      # many machines may share the journal
>>> study.optimize(fernwood.optuna.Objective("rooms"), n_trials=60)
>>> forest = fernwood.train("rooms", **study.best_params)
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

from . import _fernwood
from ._arguments import checked
from ._option_types import TrainOptions, Unpack
from ._options import option_texts
from ._optional import require
from .dataset import Dataset, open_dataset
from .errors import UsageError
from .evaluation import evaluate
from .training import train

__all__ = ["Objective", "create_study", "search_space"]


def __dir__():
    return __all__

Data = Union[str, os.PathLike, Dataset]
SEED = 4711


@checked
def search_space(data: Data, *, preset: str = _fernwood.DEFAULT_PRESET, space: Union[str, os.PathLike, None] = None) -> dict[str, Any]:
    """The parameters of `fernwood.search`, with kind, range and hand-made default; see docs/reference/search.md."""
    return _space_for(open_dataset(data, "train"), preset, space, {}, None)


def _space_for(
    data: Dataset,
    preset: str,
    space: Union[str, os.PathLike, None],
    options: Mapping[str, Any],
    optimize: Optional[str],
) -> dict[str, Any]:
    """The parameters of a search, without those that the options of each training set.

    Raises
    ------
    UsageError
        An option is unknown or has a wrong value.
    """
    rows = json.loads(_fernwood.search_space(data._native, preset, option_texts(options), optimize, space or ""))
    return {name: row for name, row in rows.items() if name not in options}


class Objective:
    """The loss of an Optuna trial's options by cross-validation, a callable for ``Study.optimize``.

    Frames are divided into folds that do not separate groups. For each fold in turn, a forest is trained on the others
    and evaluated on it; its loss is reported to the trial with the number of the fold as the step. The trial ends early
    if its pruner decides so, for example ``WilcoxonPruner``, which compares trials fold by fold.

    Parameters
    ----------
    data
        A folder of frames, or one with a sub-folder ``train``; or a `Dataset`. Groups are its own, else runs of frames.
    preset, space
        As in `fernwood.search`.
    folds
        Number of folds, at least 2 and at most the number of groups.
    objective
        Metric to maximise: "mean" of pixel and class accuracy, "pixel", or "class".
    optimize
        As in `fernwood.train`, for each training.
    with_time
        The objective is (loss, milliseconds per frame), for samplers such as NSGA-II, without pruning.
    options
        More options of `train`, such as device or threads. Those of the space are not varied, and not among the
        study's ``best_params``.
    """

    @checked
    def __init__(
        self,
        data: Data,
        *,
        preset: str = _fernwood.DEFAULT_PRESET,
        space: Union[str, os.PathLike, None] = None,
        folds: int = 5,
        objective: str = "mean",
        optimize: Optional[str] = None,
        with_time: bool = False,
        **options: Unpack[TrainOptions],
    ) -> None:
        if objective not in ("mean", "pixel", "class"):
            raise UsageError(f'objective is "{objective}"; use "mean", "pixel" or "class"')
        self.data = open_dataset(data, "train")
        self.options = {name: value for name, value in options.items() if value is not None}
        self.space = _space_for(self.data, preset, space, self.options, optimize)
        self.preset, self.objective, self.optimize, self.with_time = preset, objective, optimize, with_time
        self.folds = _cut_folds(self.data, folds)

    def __call__(self, trial) -> Union[float, tuple[float, float]]:
        optuna = require("optuna", "fernwood.optuna")
        configuration = {name: _suggest(trial, name, row) for name, row in self.space.items()}
        resources = {name: value for name, value in self.options.items() if name in ("device", "threads")}
        losses, milliseconds = [], []
        for number, fold in enumerate(self.folds):
            others = np.setdiff1d(np.arange(len(self.data)), fold)
            try:
                forest = train(
                    self.data.subset(others),
                    preset=self.preset,
                    optimize=self.optimize,
                    progress=False,
                    **{**configuration, **self.options},
                )
            except UsageError as contradiction:
                raise optuna.TrialPruned(str(contradiction)) from contradiction
            found = evaluate(forest, self.data.subset(fold), pictures=0, progress=False, **resources)
            losses.append(self._loss(found))
            milliseconds.append(1000 / found.frames_per_second)
            if self.with_time:
                continue
            trial.report(losses[-1], number)
            if trial.should_prune():
                return float(np.mean(losses))  # WilcoxonPruner requires this instead of TrialPruned
        return (float(np.mean(losses)), float(np.median(milliseconds))) if self.with_time else float(np.mean(losses))

    def _loss(self, found) -> float:
        shares = {"pixel": found.pixel_accuracy, "class": found.class_accuracy}
        return 1 - shares.get(self.objective, (found.pixel_accuracy + found.class_accuracy) / 2)


@checked
def create_study(
    data: Data,
    *,
    journal: Union[str, os.PathLike, None] = None,
    name: str = "fernwood",
    preset: str = _fernwood.DEFAULT_PRESET,
    space: Union[str, os.PathLike, None] = None,
    with_time: bool = False,
    seed: Optional[int] = SEED,
):
    """An ``optuna.Study`` for `Objective`, whose first trial has the hand-made defaults.

    Parameters
    ----------
    journal
        A file that stores the study, so that it can be continued, and that processes of several machines may share
        (each with a different seed). None: in memory.
    with_time
        NSGA-II for loss against milliseconds; else TPE, with ``WilcoxonPruner``.

    Raises
    ------
    UsageError
        The journal has a study of this name with another number of objectives.
    OperationError
        The journal cannot be written.
    """
    optuna = require("optuna", "fernwood.optuna")
    rows = search_space(data, preset=preset, space=space)
    storage = None
    if journal is not None:
        _fernwood.check_writable(os.fspath(journal))
        backend = optuna.storages.journal.JournalFileBackend(os.fspath(journal))
        storage = optuna.storages.JournalStorage(backend)
    if with_time:
        manner = {"directions": ["minimize", "minimize"], "sampler": optuna.samplers.NSGAIISampler(seed=seed)}
    else:
        pruner = optuna.pruners.WilcoxonPruner(p_threshold=0.1)
        manner = {"direction": "minimize", "sampler": optuna.samplers.TPESampler(seed=seed), "pruner": pruner}
    study = optuna.create_study(storage=storage, study_name=name, load_if_exists=True, **manner)
    if (len(study.directions) == 2) != with_time:
        raise UsageError(
            f"{journal}: its study {name!r} was created with with_time={not with_time}, and with_time is {with_time}; "
            f"use with_time={not with_time}, another name, or another journal"
        )
    study.enqueue_trial({key: _standard(row) for key, row in rows.items()}, skip_if_exists=True)
    return study


def _cut_folds(data: Dataset, count: int) -> list[np.ndarray]:
    groups = data.groups if data.groups is not None else np.arange(len(data)) * count // len(data)
    numbers = np.unique(groups)
    if not 2 <= count <= len(numbers):
        raise UsageError(f"folds is {count}; use 2 to {len(numbers)}, as many as there are groups of frames")
    return [np.flatnonzero(np.isin(groups, part)) for part in np.array_split(numbers, count)]


def _suggest(trial, name: str, row: dict[str, Any]) -> Any:
    if row["kind"] == "choice":
        return trial.suggest_categorical(name, row["choices"])
    if row["kind"] == "integer":
        return trial.suggest_int(name, int(row["low"]), int(row["high"]), log=row["log"])
    return trial.suggest_float(name, row["low"], row["high"], log=row["log"])


def _standard(row: dict[str, Any]) -> Any:
    return {"choice": str, "integer": int, "real": float}[row["kind"]](row["standard"])
