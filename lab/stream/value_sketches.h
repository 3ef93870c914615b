// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Alternatives to the library's sketches for the leaves of trees from streams, kept for comparison. All of them count
// on the CPU; the memory of a leaf grows with the number of records.

#include "stream/sketches/leaf_sketches.h"

namespace fernwood::lab {

/// All values, 8 bytes each: all different thresholds, without error.
stream::LeafSketchMaker exact_leaf_sketches();
/// A histogram of Ben-Haim and Tom-Tov for each class, as published. Without error bound: counts between two places are
/// interpolated by trapezoids between the means of bins. Trees depend on the order of records, on the number of workers
/// that share these, and on the time when a checkpoint merges the counts.
stream::LeafSketchMaker ben_haim_leaf_sketches();

}  // namespace fernwood::lab
