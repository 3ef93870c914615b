# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Types of the options that functions take as keyword arguments, for editors and type checkers.

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
    """Type of the labels: classes (also with auto) or, with regression, numbers [auto, classification, regression];
    default: auto."""
    trees: Optional[int]
    """Number of trees [1 to 10000]; default: 100."""
    max_depth: Optional[int]
    """Maximum depth of a tree: levels below the root; 0: no limit [0 to 1000000]; default: 0."""
    max_leaves: Optional[int]
    """Maximum number of leaves of a tree, best splits first; 0: no limit [0 to 1000000000]; default: 0."""
    min_samples: Optional[int]
    """A node with fewer samples becomes a leaf [2 or more]; default: 2."""
    min_leaf_samples: Optional[int]
    """Minimum number of samples on each side of a split [1 or more]; default: 1."""
    criterion: Optional[Literal["gini", "entropy"]]
    """Split criterion of classification [gini, entropy]; default: gini."""
    attributes_per_split: Optional[int]
    """Attributes tried at each node; 0: their square root; with regression a third; for one tree all [0 to 65536];
    default: 0."""
    bootstrap: Optional[bool]
    """Train each tree on records drawn with replacement; default: for several trees."""
    seed: Optional[int]
    """Random seed; the same seed gives the same forest, with any number of threads; default: 4711."""


class RecordStrategyOptions(TypedDict, total=False):
    """How a forest over records is evaluated; the classes are the same for all values."""

    strategy: Optional[str]
    """Evaluation strategy, see docs/reference/records.md; auto: the fastest on the first records; default: auto."""
    values_as: Optional[Literal["float", "ranks"]]
    """Compare attribute values as floats, or as ranks among thresholds [float, ranks]; default: float."""
    remember: Optional[bool]
    """Cache the choice of auto on disk; default: True."""


class RecordPredictOptions(RecordStrategyOptions, total=False):
    """Of all that classifies records."""

    device: Optional[str]
    """Device: auto, cpu, cuda or cuda:N; default: auto."""
    threads: Optional[int]
    """CPU threads; 0: all; default: 0."""
    iterations: Optional[int]
    """Evaluate the first N iterations of boosting, or trees of a forest; 0: all; default: 0."""


class StreamOptions(TypedDict, total=False):
    """Of `fernwood_tables.streams.StreamTree`, besides `schedule`; tables/docs/reference/stream.md explains them."""

    task: Optional[Literal["auto", "classification", "regression"]]
    """Type of the labels: classes (also with auto) or, with regression, numbers [auto, classification, regression];
    default: auto."""
    target_range: Optional[str]
    """Regression: range of the targets; unset: estimated from the first batch; default: from the stream."""
    criterion: Optional[Literal["gini", "entropy"]]
    """Split criterion of classification [gini, entropy]; default: gini; with hoeffding, adaptive and forest
    entropy."""
    bins: Optional[int]
    """Histogram bins per attribute and leaf [2 to 255]; default: 255; with hoeffding and adaptive 64, with forest
    12."""
    max_depth: Optional[int]
    """Maximum depth of the tree: levels below the root [1 to 24]; default: 24."""
    max_leaves: Optional[int]
    """Maximum number of leaves, best splits of a level first; 0: no limit [0 to 16777216]; default: 0."""
    min_samples: Optional[int]
    """A leaf with fewer records is not split [2 or more]; default: 2."""
    min_leaf_samples: Optional[int]
    """Minimum number of records on each side of a split [1 or more]; default: 1."""
    min_gain: Optional[float]
    """Minimum decrease of impurity by a split [0 to 1000000000]; default: 0."""
    samples_per_leaf: Optional[int]
    """Schedule fresh: records read per open leaf and level [1 to 1000000000]; default: 200."""
    batch: Optional[int]
    """Schedules hoeffding and adaptive: records between two rounds of decisions [1 to 1000000000]; default: 100."""
    grace_period: Optional[int]
    """Schedules hoeffding, adaptive and forest: records that a leaf sees between two decisions [1 to 1000000000];
    default: 100."""
    failure_probability: Optional[float]
    """Failure probability (delta) of the Hoeffding bound; 0 disables it [0 to below 1]; default: 0; with hoeffding
    and adaptive 0.05, with forest 0.01."""
    tie: Optional[float]
    """Attributes whose gains differ by less are equally good [0 to 1000000000]; default: 0.05; with hoeffding,
    adaptive and forest 0.1."""
    prune: Optional[bool]
    """Prune at the end by minimum description length; default: False."""
    leaf_prediction: Optional[Literal["majority", "naive-bayes-adaptive"]]
    """Not with passes: leaves classify by the class of most records, or by naive Bayes where it is right more often
    [majority, naive-bayes-adaptive]; default: majority; with hoeffding, adaptive and forest naive-bayes-
    adaptive."""
    drift_delta: Optional[float]
    """Schedules adaptive and forest: confidence of the drift detector, ADWIN's delta [above 0 to below 1]; default:
    0.002; with forest 0.001."""
    switch_significance: Optional[float]
    """Schedule adaptive: significance of the test that replaces a part of the tree [above 0 to below 1]; default:
    0.05."""
    drift_window: Optional[int]
    """Schedule adaptive: minimum number of records on which a part and its alternate are compared [1 or more];
    default: 300."""
    trees: Optional[int]
    """Schedule forest: number of trees [1 to 10000]; default: 10."""
    subspace: Optional[Literal["leaf", "tree"]]
    """Schedule forest: a random subset of the attributes for each leaf (adaptive random forest) or for each tree
    (streaming random patches) [leaf, tree]; default: leaf."""
    warning_delta: Optional[float]
    """Schedule forest: confidence of the warning that begins a tree in the background [above 0 to below 1];
    default: 0.01."""
    seed: Optional[int]
    """Schedule forest: seed of the weights of records and of subspaces; default: 1."""
    workers: Optional[int]
    """Threads per process; 0: all cores, with mpirun this process's share [0 to 4096]; default: 0."""
    parallel: Optional[Literal["sequential", "node", "feature", "data", "data-feature"]]
    """Parallelisation across workers [sequential, node, feature, data, data-feature]; default: data-feature."""
    device: Optional[str]
    """Device for counting records: cpu, cuda, cuda:N or auto; default: cpu."""
    memory_budget: Optional[str]
    """Memory limit for the histograms of open leaves, such as 4GiB; default: what is free."""
    accuracy_window: Optional[int]
    """Window, in records, of the recent prequential accuracy [1 to 1000000000000]; default: 10000."""
