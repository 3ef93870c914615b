# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Types of the options that functions take as keyword arguments, for editors and type checkers; what each does
is in docs/reference/options.md.

Written by scripts/generate_options from the tables of options of the library, which checks the values. A value
of None is as if the option had not been given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
elif sys.version_info >= (3, 11):
    from typing import Unpack
else:  # for typing.get_type_hints(), which needs the name only
    Unpack = Optional


class SharedTrainOptions(TypedDict, total=False):
    """Options of training that have the same name everywhere."""

    algorithm: Optional[Literal["forest", "ferns", "boosted"]]
    trees: Optional[int]
    samples_per_frame: Optional[int]
    features: Optional[int]
    thresholds: Optional[int]
    max_depth: Optional[int]
    min_samples: Optional[int]
    max_offset: Optional[int]
    max_half_extent: Optional[int]
    unary_feature_fraction: Optional[float]
    sampling: Optional[Literal["pixels", "classes"]]
    channels: Optional[Union[str, Sequence[str]]]
    supplied_maps: Optional[bool]
    linear_head: Optional[bool]
    backbone: Optional[str]
    backbone_reduction: Optional[int]
    cascade: Optional[int]
    class_weights: Optional[Union[str, Mapping[str, float]]]
    learning_rate: Optional[float]
    folds: Optional[int]
    seed: Optional[int]
    frames_per_tree: Optional[int]
    early_stopping_rounds: Optional[int]
    mirror_augmentation: Optional[bool]
    depth_filling: Optional[Literal["none", "simple", "colorized"]]
    reweight: Optional[bool]
    device: Optional[str]
    parallel: Optional[Literal["auto", "trees", "features", "data"]]
    memory_budget: Optional[str]
    gpu_memory: Optional[str]


class TrainOptions(SharedTrainOptions, total=False):
    """Of `fernwood.train`, besides `preset`: those of ``fernwood train``; docs/reference/train.md explains them."""

    score: Optional[Literal["information-gain", "normalized-information-gain"]]
    threads: Optional[int]


class EstimatorOptions(SharedTrainOptions, total=False):
    """Of `fernwood.PixelForest`: those of `TrainOptions`; ``split_score`` is its ``score``, ``n_jobs`` its ``threads``."""

    split_score: Optional[Literal["information-gain", "normalized-information-gain"]]
    n_jobs: Optional[int]


class LabellingOptions(TypedDict, total=False):
    """How probabilities become labels; see docs/reference/evaluate.md."""

    threads: Optional[int]
    interpolate: Optional[bool]
    min_confidence: Optional[float]
    smooth: Optional[int]


class PredictOptions(LabellingOptions, total=False):
    """Of `fernwood.Predictor` and all that labels frames."""

    device: Optional[str]
    layout: Optional[str]
    steady: Optional[bool]


class ObjectOptions(TypedDict, total=False):
    """Of the argument `objects` of `fernwood.Predictor.predict` and `fernwood.map`: those of ``fernwood predict --objects``."""

    things: Optional[Union[str, Sequence[str]]]
    object_gap: Optional[float]
    min_object_area: Optional[float]
    min_object_confidence: Optional[float]


class MapOptions(PredictOptions, total=False):
    """Of `fernwood.map`: those of ``fernwood map``; docs/reference/map.md explains them."""

    voxel_size: Optional[float]
    max_range: Optional[float]
    render_cell: Optional[float]
    min_weight: Optional[int]
    memory_budget: Optional[str]
    every: Optional[int]
    frames: Optional[int]


class GridOptions(TypedDict, total=False):
    """Of `fernwood.VoxelMap.grid`: those of ``fernwood map --grid``; docs/reference/map.md explains them."""

    floor: Optional[Union[str, Sequence[str]]]
    grid_cell: Optional[float]
    min_obstacle_height: Optional[float]
    max_obstacle_height: Optional[float]


class LiveOptions(PredictOptions, total=False):
    """Of `fernwood.live`: those of `PredictOptions`, and of recordings; docs/reference/live.md explains them."""

    loop: Optional[bool]
    preload: Optional[int]


class ImportOptions(TypedDict, total=False):
    """Of `fernwood.dataset.import_from`: those of ``fernwood dataset import``; docs/howto/import_data.md explains them."""

    colors: Optional[str]
    labels: Optional[str]
    images: Optional[Union[str, os.PathLike[str]]]
    depth: Optional[str]
    classes: Optional[Union[str, os.PathLike[str]]]
    background: Optional[str]
    min_confidence: Optional[int]
    depth_scale: Optional[float]


class ImportNyuOptions(TypedDict, total=False):
    """Of `fernwood.dataset.import_nyu`: those of ``fernwood dataset import nyu``."""

    classes: Optional[int]
    raw_depth: Optional[bool]


class BackboneOptions(TypedDict, total=False):
    """Of `fernwood.backbones.import_weights`: those of ``fernwood backbone import``."""

    name: Optional[str]
    source: Optional[str]
    licence: Optional[str]
    normalization: Optional[Literal["lite", "imagenet"]]


class SearchOptions(TypedDict, total=False):
    """Of `fernwood.search`: those of ``fernwood search``; docs/reference/search.md explains them."""

    trials: Optional[int]
    minutes: Optional[float]
    train_seconds: Optional[float]
    max_latency_ms: Optional[float]
    objective: Optional[Literal["mean", "pixel", "class"]]
    folds: Optional[int]
    held_out: Optional[float]
    batch_size: Optional[int]
    seed: Optional[int]
    pruning: Optional[bool]
