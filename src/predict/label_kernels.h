// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fernwood/core/isa.h"
#include "fernwood/forest/tree.h"

namespace fernwood {

/// Pixels handled together: a patch, because neighbours end in the same leaves (thesis 4.3.2, table 4.8).
inline constexpr int kPatchWidth = 8, kPatchHeight = 4, kPatchPixels = kPatchWidth * kPatchHeight;

/// The hot loops of labelling, compiled once for each instruction set; all give the same bits.
struct LabelKernels {
  /// Leaf that each pixel of the patch with upper left corner (x0, y0) ends in; pixels beyond the frame repeat its edge.
  void (*find_leaves)(const FrameView& frame, const Node* nodes, std::int32_t x0, std::int32_t y0, std::int32_t* leaves);
  /// Adds the leaves' class probabilities: sums[c][pixel] += table[leaf][c].
  void (*add_probabilities)(const float* table, std::size_t num_classes, const std::int32_t* leaves, float* sums);
};

/// @param isa  One of available_isas().
const LabelKernels& label_kernels(Isa isa);

}  // namespace fernwood
