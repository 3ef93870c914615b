// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "fernwood/forest/region_feature.h"
#include "forest/leaf.h"

namespace fernwood::predict {

/// Rows of leaf probabilities have whole vectors: the number of classes is rounded up to a multiple of this.
inline constexpr std::size_t kClassLanes = 8;

constexpr std::size_t padded_classes(std::size_t num_classes) {
  return (num_classes + kClassLanes - 1) / kClassLanes * kClassLanes;
}

/// Leaves of some pixels in K trees, and the votes of the leaves.
struct LeafSums {
  const std::uint32_t* leaves;  ///< Tree k's leaf of pixel i is leaves[k * tree_stride + i].
  std::size_t tree_stride;
  const float* const* rows;  ///< [K] each tree's [leaf][padded_classes()], 0 after the last class.
  std::size_t num_trees, num_classes;
};

/// Labelling kernels other than responses, compiled once for each instruction set, with bit-identical results.
struct RowTileKernels {
  /// Partitions sites by their responses: those that go left are written from the start of `parted` in their order,
  /// those that go right from its end backwards.
  /// @param parted  [count], must not overlap `sites`.
  /// @return        Number of sites that go left.
  std::size_t (*part)(const forest::PixelSite* sites, const float* responses, std::size_t count, float threshold,
                      forest::PixelSite* parted);
  /// Sums over the trees, in their order, for the pixels [first, first + count).
  /// @param sums  [count][padded_classes()], output.
  void (*sum)(const LeafSums& of, std::size_t first, std::size_t count, float* sums);
  /// Adds the votes of the trees, in their order, to sums of some pixels. @param sums  [pixel][padded_classes()]
  void (*add)(const LeafSums& of, const std::uint32_t* pixels, std::size_t count, float* sums);
  /// The class of the highest corrected sum, see forest::BestClass.
  /// @param sums      [count][padded_classes()]
  /// @param correction  [class]
  /// @param labels    [count], output.
  void (*choose)(const float* sums, const forest::ClassPriorCorrection* correction, std::size_t num_classes,
                 std::size_t count, std::uint16_t* labels);
};

/// @param isa  One of available_isas().
const RowTileKernels& row_tile_kernels(Isa isa);

}  // namespace fernwood::predict
