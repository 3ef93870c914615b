# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Types of the options that functions take as keyword arguments, for editors and type checkers.

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
    """Trees with a test in each node (forest), with one test per level (ferns), or trees that each correct the
    previous ones (boosted); without `preset`, it also sets the defaults of the other options [forest, ferns,
    boosted]; default: boosted."""
    trees: Optional[int]
    """Number of trees [1 to 10000]; default: 80."""
    samples_per_frame: Optional[int]
    """Pixels drawn from each frame for each tree [1 to 1000000]; default: 500."""
    features: Optional[int]
    """Candidate features tried at each node [1 to 1000000]; default: 500."""
    thresholds: Optional[int]
    """Thresholds tried for each candidate feature [1 to 255]; default: 30."""
    max_depth: Optional[int]
    """Maximum depth of a tree: levels below the root [1 to 64]; default: 7."""
    min_samples: Optional[int]
    """A node with fewer samples becomes a leaf [1 or more]; default: 40."""
    max_offset: Optional[int]
    """Maximum offset of a region, in pixels at a depth of 1 m [1 to 127]; default: 120."""
    max_half_extent: Optional[int]
    """Maximum half extent of a region, in pixels at a depth of 1 m [1 to 127]; default: 30."""
    unary_feature_fraction: Optional[float]
    """Fraction of the candidate features that read one region only [0 to 1]; default: 0.4."""
    sampling: Optional[Literal["pixels", "classes"]]
    """Draw samples uniformly over the pixels of a frame, or the same number for each class in it [pixels, classes];
    default: classes."""
    channels: Optional[Union[str, Sequence[str]]]
    """Channels that features read [lab, rgb, gradient, depth, height, upright, facing, behind, above]; default: all
    but rgb and facing."""
    supplied_maps: Optional[bool]
    """Read the maps that come with the frames (NAME_maps.npy); default: True."""
    linear_head: Optional[bool]
    """Fit a linear classifier to feature maps first; its scores are further maps; default: True."""
    backbone: Optional[str]
    """Pretrained network whose feature maps are further channels: a name, such as lite0, the file of fernwood
    backbone import, or none. With it, the presets balanced and best grow other trees; default: where there is
    colour lite0, for the preset best lite2."""
    backbone_reduction: Optional[int]
    """Resolution at which the backbone reads frames: full (1), half (2) or quarter (4) [1 to 4]; default: 2."""
    cascade: Optional[int]
    """Number of cascaded forests; each also reads class probabilities of the previous one [1 to 4]; default: 1."""
    class_weights: Optional[Union[str, Mapping[str, float]]]
    """Class weights in leaves: none (data), by the inverse class frequency (balanced), its square root (sqrt) or
    cube root (cbrt), or by name; default: cbrt."""
    learning_rate: Optional[float]
    """Shrinkage of each tree of a boosted forest [above 0 to 1]; default: 0.2."""
    folds: Optional[int]
    """Number of cross-fitting folds between cascaded forests [2 to 100]; default: 4."""
    seed: Optional[int]
    """Random seed; the same seed gives the same forest on every device; default: 4711."""
    frames_per_tree: Optional[int]
    """Frames drawn at random for each tree; 0: all [0 or more]; default: 0."""
    early_stopping_rounds: Optional[int]
    """Stop when this number of trees together raised the accuracy on held-out frames by less than 0.1 points; 0:
    off [0 to 10000]; default: 0."""
    mirror_augmentation: Optional[bool]
    """Mirror the frames of half of the samples left to right; default: True."""
    depth_filling: Optional[Literal["none", "simple", "colorized"]]
    """Method that fills unknown depth [none, simple, colorized]; default: none."""
    reweight: Optional[bool]
    """Weight classes in leaves by their frequency in the data; default: True."""
    device: Optional[str]
    """Device: auto, cpu, cuda, cuda:N, a list cuda:0,1, or cuda:all; default: auto."""
    parallel: Optional[Literal["auto", "trees", "features", "data"]]
    """Parallelisation across GPUs or MPI ranks: by trees, candidate features or frames [auto, trees, features,
    data]; default: auto."""
    memory_budget: Optional[str]
    """Memory that training may use, such as 4GiB; default: 3/4 of the free memory."""
    gpu_memory: Optional[str]
    """Memory of a GPU for prepared frames; others are uploaded when they are needed; default: what fits."""


class TrainOptions(SharedTrainOptions, total=False):
    """Of `fernwood.train`, besides `preset`: those of ``fernwood train``; docs/reference/train.md explains them."""

    score: Optional[Literal["information-gain", "normalized-information-gain"]]
    """Split criterion of forests and ferns [information-gain, normalized-information-gain]; default: normalized-
    information-gain."""
    threads: Optional[int]
    """CPU threads; 0: all; default: 0."""


class PresetTrainOptions(TrainOptions, total=False):
    """Of functions that train as a part of their work: those of `TrainOptions`, and a preset."""

    preset: Optional[Literal["fast", "balanced", "best", "forest", "thesis"]]
    """Preset; the other options override it [fast, balanced, best, forest, thesis]; default: balanced."""


class EstimatorOptions(SharedTrainOptions, total=False):
    """Of `fernwood.PixelForest`: those of `TrainOptions`; ``split_score`` is its ``score``, ``n_jobs`` its ``threads``."""

    split_score: Optional[Literal["information-gain", "normalized-information-gain"]]
    """Split criterion of forests and ferns [information-gain, normalized-information-gain]; default: normalized-
    information-gain."""
    n_jobs: Optional[int]
    """CPU threads; 0: all; default: 0."""


class LabellingOptions(TypedDict, total=False):
    """How probabilities become labels; see docs/reference/evaluate.md."""

    threads: Optional[int]
    """CPU threads; 0: all; default: 0."""
    interpolate: Optional[bool]
    """Evaluate one pixel per 4 x 4 cell only and interpolate; best with `smooth`; default: for boosted forests."""
    min_confidence: Optional[float]
    """Minimum probability of a pixel's class; below it, the pixel is void [0 to 1]; default: 0."""
    smooth: Optional[int]
    """Extent of edge-aware smoothing, in pixels; 0: none [0 to 1000]; default: 0; for steady labels and fernwood
    map 16; for objects 80."""


class PredictOptions(LabellingOptions, total=False):
    """Of `fernwood.Predictor` and all that labels frames."""

    device: Optional[str]
    """Device: auto, cpu, cuda, cuda:N, a list cuda:0,1, or cuda:all; default: auto."""
    layout: Optional[str]
    """Memory layout of frames and trees, see docs/reference/devices.md; auto: the fastest; default: auto."""
    steady: Optional[bool]
    """Fuse the labels of a video from frame to frame, using poses or depth; default: False."""


class ObjectOptions(TypedDict, total=False):
    """Of the argument `objects` of `fernwood.Predictor.predict` and `fernwood.map`: those of ``fernwood predict --objects``."""

    things: Optional[Union[str, Sequence[str]]]
    """Classes whose pixels form objects; the others are stuff, which is only measured; default: as the model or the
    class names say."""
    object_gap: Optional[float]
    """Parts of an object are joined behind occluders of this width, and small ones within this distance, in metres
    [0 to 2]; default: 0.4."""
    min_object_area: Optional[float]
    """Smaller objects are left out: visible area in cm2 [0 to 10000]; default: 50."""
    min_object_confidence: Optional[float]
    """Minimum mean probability of an object's class [0 to 1]; default: 0.5; with more than 24 classes 12 / their
    number, as 0.3 with 40."""


class MapOptions(PredictOptions, total=False):
    """Of `fernwood.map`: those of ``fernwood map``; docs/reference/map.md explains them."""

    voxel_size: Optional[float]
    """Side of a voxel, in metres [0.01 to 0.05]; default: 0.02."""
    max_range: Optional[float]
    """Depth beyond which pixels are left out of the map, in metres [0.2 to 32]; default: 5."""
    render_cell: Optional[float]
    """Side of the cells with which frames are rendered, in metres: larger ones give steadier labels, smaller ones
    more detail [0.01 to 0.1]; default: 0.06."""
    min_weight: Optional[int]
    """Minimum weight of a voxel that points and meshes show; a frame weighs 4 up to 2 m, 1 from 3.3 m on [1 to
    128]; default: 3."""
    memory_budget: Optional[str]
    """Memory of the map; when it is full, new places are skipped and counted; default: 1 GiB."""
    every: Optional[int]
    """Map one frame in N [1 or more]; default: 1."""
    frames: Optional[int]
    """Number of frames to map; 0: until the source ends; default: 0."""


class GridOptions(TypedDict, total=False):
    """Of `fernwood.VoxelMap.grid`: those of ``fernwood map --grid``; docs/reference/map.md explains them."""

    floor: Optional[Union[str, Sequence[str]]]
    """Classes that are floor in the grid; default: floor, ground, carpet, rug and others by their names."""
    grid_cell: Optional[float]
    """Side of a cell of the grid, in metres [0.01 to 1]; default: 0.05."""
    min_obstacle_height: Optional[float]
    """Height above the floor from which points are obstacles in the grid, in metres [0 to 10]; default: 0.1."""
    max_obstacle_height: Optional[float]
    """Height above the floor up to which points are obstacles in the grid, in metres: a robot's height [0 to 10];
    default: 2."""


class LiveOptions(PredictOptions, total=False):
    """Of `fernwood.live`: those of `PredictOptions`, and of recordings; docs/reference/live.md explains them."""

    loop: Optional[bool]
    """Restart at the end of a recording; default: False."""
    preload: Optional[int]
    """Decode the first N frames of a recording beforehand and use only them; 0: off; default: 0."""


class ImportOptions(TypedDict, total=False):
    """Of `fernwood.dataset.import_from`: those of ``fernwood dataset import``; docs/howto/import_data.md explains them."""

    colors: Optional[str]
    """Where colour images are, {} for a frame's name: 'rgb/{}.jpg'; in a recording of ROS their topic, guessed
    where none is named."""
    labels: Optional[str]
    """Where label images or arrays are: 'label/{}.png'."""
    images: Optional[Union[str, os.PathLike[str]]]
    """Folder of the images, if they are not next to the annotations."""
    depth: Optional[str]
    """Where depth images or arrays are, {} for the name of a frame or image: 'depth/{}.png'; in a recording of ROS
    their topic, guessed where none is named."""
    classes: Optional[Union[str, os.PathLike[str]]]
    """List of the classes: CSV of number and name, JSON, or one name per line."""
    background: Optional[str]
    """Class of pixels without annotation, which are void otherwise."""
    min_confidence: Optional[int]
    """Depth of less confidence (0 low, 1 medium, 2 high) is unknown; 0 keeps all [0 to 2]; default: 1."""
    depth_scale: Optional[float]
    """Millimetres per step of depth, such as 0.2 [above 0 to 1000000]; default: as the format says, else 1."""


class ImportNyuOptions(TypedDict, total=False):
    """Of `fernwood.dataset.import_nyu`: those of ``fernwood dataset import nyu``."""

    classes: Optional[int]
    """4 structural classes, 13 or 40 [4, 13, 40]; default: 4."""
    raw_depth: Optional[bool]
    """Depth as measured, with holes, instead of filled in; default: False."""


class BackboneOptions(TypedDict, total=False):
    """Of `fernwood.backbones.import_weights`: those of ``fernwood backbone import``."""

    name: Optional[str]
    """Name of the network; default: lite0 ... lite4 by its shape, or the file's name."""
    source: Optional[str]
    """Where the weights come from, kept in the file."""
    licence: Optional[str]
    """Licence of the weights, kept in the file."""
    normalization: Optional[Literal["lite", "imagenet"]]
    """Colour normalisation of an ONNX network's input: (c - 127) / 128 (lite), or ImageNet's means and deviations
    [lite, imagenet]; default: lite."""


class SearchOptions(TypedDict, total=False):
    """Of `fernwood.search`: those of ``fernwood search``; docs/reference/search.md explains them."""

    trials: Optional[int]
    """Number of configurations to train; 0: as many as `minutes` allow [0 to 100000]; default: 160."""
    minutes: Optional[float]
    """Time limit of the race, in minutes; 0: none [0 to 1000000]; default: 0."""
    train_seconds: Optional[float]
    """Drop configurations that train longer, in seconds; 0: no limit [0 to 1000000000]; default: 0."""
    max_latency_ms: Optional[float]
    """Maximum time to prepare and label a frame, in milliseconds; 0: no limit [0 to 1000000]; default: 0."""
    objective: Optional[Literal["mean", "pixel", "class"]]
    """Metric to maximise: pixel accuracy, average class accuracy, or their mean [mean, pixel, class]; default:
    mean."""
    folds: Optional[int]
    """Number of cross-validation folds [3 to 100]; default: 16."""
    held_out: Optional[float]
    """Fraction of the data that no race sees [above 0 to 0.9]; default: 0.2."""
    batch_size: Optional[int]
    """Configurations per batch [1 to 10000]; default: 24."""
    seed: Optional[int]
    """Random seed; the same seed gives the same search; default: 4711."""
    pruning: Optional[bool]
    """Drop configurations early that are shown to be worse; default: True."""
