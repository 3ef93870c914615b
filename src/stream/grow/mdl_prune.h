// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>

#include "stream/grow/stream_tree.h"

namespace fernwood::stream {

/// Bits that tell the classes of n records whose counts are not known before (Mehta, Rissanen, Agrawal, MDL-based
/// Decision Tree Pruning, KDD 1995, section 3: Rissanen's stochastic complexity of k classes):
/// sum n_i log2(n / n_i) + (k - 1) / 2 log2(n / 2) + log2(pi^(k / 2) / Gamma(k / 2)), at least those of the first sum.
double class_bits(std::span<const std::uint64_t> counts);

/// Cuts tests back, from the leaves up, that take more bits to tell than they save. A node takes one bit to say whether
/// it is a leaf, a test those of its attribute and of its place among `num_places`.
/// Leaves that were cut back to have the counts of all leaves that were below.
void prune_by_mdl(StreamTree& tree, std::size_t num_attributes, std::size_t num_places);

}  // namespace fernwood::stream
