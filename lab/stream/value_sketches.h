// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Other sketches than the product's for the leaves of trees from streams, to be measured against. All are counted by
// the CPU; a leaf's memory grows with what it counts.

#include "stream/sketches/leaf_sketches.h"

namespace fernwood::lab {

/// All values, 8 bytes each: all places that differ, without error.
stream::LeafSketchMaker exact_leaf_sketches();
/// A histogram of Ben-Haim and Tom-Tov for each class, as published. No bound: what lies between two places is read off
/// trapezoids between bins' means. Trees depend on the order of records, on how many workers share these, and on when a
/// checkpoint merges what they have counted.
stream::LeafSketchMaker ben_haim_leaf_sketches();

}  // namespace fernwood::lab
