# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Types of the options that functions take as keyword arguments, for editors and type checkers; what each does
is in docs/reference/options.md.

Written by scripts/generate_options from the tables of options of the library, which checks the values. A value
of None is as if the option had not been given.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, Optional, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
elif sys.version_info >= (3, 11):
    from typing import Unpack
else:  # for typing.get_type_hints(), which needs the name only
    Unpack = Optional


class RecordTrainOptions(TypedDict, total=False):
    """Of `fernwood_tables.train`: those of ``fernwood-tables train``; tables/docs/reference/records.md explains them."""

    task: Optional[Literal["auto", "classification", "regression"]]
    trees: Optional[int]
    max_depth: Optional[int]
    max_leaves: Optional[int]
    min_samples: Optional[int]
    min_leaf_samples: Optional[int]
    criterion: Optional[Literal["gini", "entropy"]]
    attributes_per_split: Optional[int]
    bootstrap: Optional[bool]
    seed: Optional[int]


class RecordStrategyOptions(TypedDict, total=False):
    """How a forest over records is evaluated; the classes are the same for all values."""

    strategy: Optional[str]
    values_as: Optional[Literal["float", "ranks"]]
    remember: Optional[bool]


class RecordPredictOptions(RecordStrategyOptions, total=False):
    """Of all that classifies records."""

    device: Optional[str]
    threads: Optional[int]
    iterations: Optional[int]


class StreamOptions(TypedDict, total=False):
    """Of `fernwood_tables.streams.StreamTree`, besides `schedule`; tables/docs/reference/stream.md explains them."""

    task: Optional[Literal["auto", "classification", "regression"]]
    target_range: Optional[str]
    criterion: Optional[Literal["gini", "entropy"]]
    bins: Optional[int]
    max_depth: Optional[int]
    max_leaves: Optional[int]
    min_samples: Optional[int]
    min_leaf_samples: Optional[int]
    min_gain: Optional[float]
    samples_per_leaf: Optional[int]
    batch: Optional[int]
    grace_period: Optional[int]
    failure_probability: Optional[float]
    tie: Optional[float]
    prune: Optional[bool]
    leaf_prediction: Optional[Literal["majority", "naive-bayes-adaptive"]]
    drift_delta: Optional[float]
    switch_significance: Optional[float]
    drift_window: Optional[int]
    trees: Optional[int]
    subspace: Optional[Literal["leaf", "tree"]]
    warning_delta: Optional[float]
    seed: Optional[int]
    workers: Optional[int]
    parallel: Optional[Literal["sequential", "node", "feature", "data", "data-feature"]]
    device: Optional[str]
    memory_budget: Optional[str]
    accuracy_window: Optional[int]
