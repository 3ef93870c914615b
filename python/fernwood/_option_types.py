# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Types of the options that functions take as keyword arguments, for editors and type checkers.

The library knows the names and checks the values (`_fernwood.option_names()`); a test compares the names. A value of
None is as if the option had not been given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack


class TrainOptions(TypedDict, total=False):
    """Of `fernwood.train`, besides `preset`: those of ``fernwood train``; docs/training.md explains them."""

    kind: Optional[str]
    """ "boosted", "forest" or "ferns"."""
    trees: Optional[int]
    """Trees to grow, 1 to 10000."""
    samples_per_frame: Optional[int]
    """Pixels drawn from each frame for each tree, 1 to 1000000."""
    features: Optional[int]
    """Candidate features tried at each node, 1 to 1000000."""
    thresholds: Optional[int]
    """Thresholds tried for each candidate, 1 to 255."""
    max_depth: Optional[int]
    """Levels below the root, 1 to 64."""
    min_samples: Optional[int]
    """A node with fewer samples becomes a leaf, at least 1."""
    learning_rate: Optional[float]
    """Shrinkage of boosted trees, above 0 to 1."""
    box_radius: Optional[int]
    """Largest offset of a region, in pixels at a depth of 1 m, 1 to 127."""
    region_size: Optional[int]
    """Largest half extent of a region, in pixels at a depth of 1 m, 1 to 127."""
    absolute_share: Optional[float]
    """Share of the candidates that are the mean of one region only, 0 to 1."""
    stages: Optional[int]
    """Number of cascaded forests; each also reads class probabilities of the previous one, 1 to 4."""
    folds: Optional[int]
    """Parts of the frames for cross-fitting between stages, 2 to 100."""
    seed: Optional[int]
    """The same seed gives the same forest, on every device."""
    frames_per_tree: Optional[int]
    """Frames that each tree sees, drawn at random; 0: all."""
    stop_when_flat: Optional[int]
    """Early stopping: end when this number of trees together no longer raises accuracy; 0: off."""
    sampling: Optional[str]
    """ "classes": each class in a frame gets as many samples as the others; "pixels": as they come."""
    candidates: Optional[str]
    """ "level": candidates are drawn once for a level; "node": for each node."""
    threshold_source: Optional[str]
    """ "grid": a jittered logarithmic grid; "responses": responses of samples."""
    score: Optional[str]
    """Of kind "forest" and "ferns": "normalized-information-gain" or "information-gain"."""
    flip: Optional[bool]
    """Half of the samples see their frame mirrored left to right."""
    channels: Optional[Union[str, Sequence[str]]]
    """Channel sets that features may read, such as ["lab", "depth"]."""
    depth_filling: Optional[str]
    """How unknown depth is filled: "none", "simple" or "colorized"."""
    reweight: Optional[bool]
    """Leaves weigh classes back to their frequency."""
    histogram_bias: Optional[float]
    """Share subtracted from every class of a leaf, 0 to 1."""
    class_weights: Optional[Union[str, Mapping[str, float]]]
    """ "data", "balanced", "sqrt", "cbrt", or {"floor": 0.5}, others 1."""
    device: Optional[str]
    """ "auto", "cpu", "cuda:0" …"""
    threads: Optional[int]
    """CPU threads; 0: all."""
    memory_budget: Optional[str]
    """Bound of the memory that training holds, such as "4GiB"."""
    gpu_memory: Optional[str]
    """Bound of the prepared frames that a GPU holds, such as "20GiB"."""

class PresetTrainOptions(TrainOptions, total=False):
    """Of functions that train by the way: those of `TrainOptions`, and a preset for them to change."""

    preset: Optional[str]
    """ "balanced" (the default), "fast", "best", "forest" or "thesis"."""

class LabellingOptions(TypedDict, total=False):
    """How probabilities become labels; docs/evaluation.md tells what it is worth."""

    threads: Optional[int]
    """CPU threads; 0: all."""
    grid: Optional[int]
    """Evaluate one pixel per grid x grid cell, and refine where cells disagree, 1 to 16; 1: all."""
    interpolate: Optional[bool]
    """Evaluate the trees at cell centres only and interpolate; None: for boosted trees."""
    smooth: Optional[int]
    """Extent of edge-aware smoothing in pixels, 0 to 1000; 0: none."""
    smooth_color: Optional[int]
    """Colour difference, |red| + |green| + |blue|, that counts as an edge; 0: not looked at."""
    smooth_depth: Optional[float]
    """Depth difference, as a share of the smaller depth, that counts as an edge; 0: not looked at."""

class PredictOptions(LabellingOptions, total=False):
    """Of `fernwood.Predictor` and all that labels frames."""

    device: Optional[str]
    """ "auto", "cpu", "cuda:0" …"""
    layout: Optional[str]
    """ "auto", or how frames and trees are read: on a CPU an instruction set; see docs/devices.md."""
    loads: Optional[str]
    """CPU gather implementation: "auto", "gather" or "scalar"; see docs/devices.md."""

class SearchOptions(TypedDict, total=False):
    """Of `fernwood.search`: those of ``fernwood search``; docs/search.md explains them."""

    trials: Optional[int]
    """Configurations to train, at least 1; 0: as many as `minutes` allow."""
    minutes: Optional[float]
    """Time limit; the race under way still ends; 0: none."""
    generation: Optional[int]
    """Configurations per batch, at least 1."""
    seed: Optional[int]
    """Of proposals and of the order of blocks."""
    level: Optional[float]
    """Significance level of the elimination test over a whole race, above 0 to 0.5."""
    frame_ms: Optional[float]
    """Configurations that need longer for a frame are out, in milliseconds; 0: no limit."""
    train_seconds: Optional[float]
    """Configurations whose first training takes longer are out, in seconds; 0: no limit."""
    unraced: Optional[bool]
    """No elimination: every configuration is trained on all blocks."""
    objective: Optional[str]
    """Metric to maximise: "mean" of pixel and class accuracy, "pixel" or "class"."""
    blocks: Optional[int]
    """Number of cross-validation folds, 3 to 100."""
    held_out: Optional[float]
    """Share of the data that no race sees, above 0 to 0.9."""

class RecordTrainOptions(TypedDict, total=False):
    """Of `fernwood.records.train`: those of ``fernwood records train``; docs/records.md explains them."""

    trees: Optional[int]
    """Trees to grow, 1 to 10000."""
    max_depth: Optional[int]
    """Levels below the root; 0: no limit."""
    max_leaves: Optional[int]
    """Leaves of a tree, the tests that gain most first, at least 2; 0: no limit."""
    min_samples: Optional[int]
    """A node with fewer records becomes a leaf, at least 2."""
    min_leaf_samples: Optional[int]
    """No test may leave a side with fewer records, at least 1."""
    criterion: Optional[str]
    """ "gini" or "entropy"."""
    attributes_per_split: Optional[int]
    """Attributes tried at each node; 0: the square root of their number, for one tree all."""
    bootstrap: Optional[bool]
    """Each tree sees as many records, drawn with replacement; None: for several trees."""
    seed: Optional[int]
    """The same seed gives the same forest, on any number of threads."""

class RecordStrategyOptions(TypedDict, total=False):
    """How a forest over records is evaluated; all ways give the same classes."""

    strategy: Optional[str]
    """ "auto", the fastest on the first records, or one of docs/records.md."""
    values_as: Optional[str]
    """How values are compared, "float" or "ranks"; ``--values`` of the program."""
    remember: Optional[bool]
    """Of "auto": choices are kept on disk and found there again."""

class RecordPredictOptions(RecordStrategyOptions, total=False):
    """Of all that classifies records."""

    device: Optional[str]
    """ "cpu" (the default), "auto", "cuda" or "cuda:0" …"""
    threads: Optional[int]
    """CPU threads; 0: as many as the process may run on."""

class StreamOptions(TypedDict, total=False):
    """Of `fernwood.streams.StreamTree`, besides `schedule`; docs/streams.md explains them."""

    criterion: Optional[str]
    """ "gini" or "entropy"."""
    bins: Optional[int]
    """Histogram bins of an attribute in a leaf, 2 to 255."""
    max_depth: Optional[int]
    """Levels below the root, 1 to 24."""
    max_leaves: Optional[int]
    """Leaves, the splits of a level that gain most first, at least 2; 0: no limit."""
    min_samples: Optional[int]
    """A leaf with fewer records is not split, at least 2."""
    min_leaf_samples: Optional[int]
    """No test may leave a side with fewer records, at least 1."""
    min_gain: Optional[float]
    """Least decrease of impurity by a split, at least 0."""
    samples_per_leaf: Optional[int]
    """Schedule "fresh": records that a level reads for each open leaf, at least 1."""
    batch: Optional[int]
    """Schedule "hoeffding": records between two rounds of decisions, at least 1."""
    grace_period: Optional[int]
    """Schedule "hoeffding": records that a leaf sees between two decisions, at least 1."""
    failure_probability: Optional[float]
    """Of the Hoeffding bound, 0 to below 1; None: what the schedule has."""
    tie: Optional[float]
    """Attributes whose gains surely differ by less are equally good, at least 0."""
    prune: Optional[bool]
    """Prune at the end by minimum description length."""
