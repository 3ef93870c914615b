// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "fernwood/forest/region_feature.h"

namespace fernwood::predict {

/// Sums of class probabilities lie so that whole vectors hold a pixel's: the classes, rounded up to a multiple of this.
inline constexpr std::size_t kClassLanes = 8;

constexpr std::size_t padded_classes(std::size_t num_classes) {
  return (num_classes + kClassLanes - 1) / kClassLanes * kClassLanes;
}

/// What labelling does with pixels besides responding, compiled once for each instruction set; all give the same bits.
struct StripKernels {
  /// Parts sites by their responses: those that go left are written from `parted` on in their order, those that go
  /// right from its end backwards.
  /// @param parted  [count], apart from `sites`.
  /// @return        How many go left.
  std::size_t (*part)(const forest::PixelSite* sites, const float* responses, std::size_t count, float threshold,
                      forest::PixelSite* parted);
  /// Adds a leaf's row to the sums of each site's cell.
  /// @param row     [stride] probabilities, 0 behind the last class.
  /// @param stride  padded_classes().
  /// @param sums    [cell][stride]; a site's cell is (y / step - first_row) * cols + x / step.
  void (*add)(const forest::PixelSite* sites, std::size_t count, std::int32_t step, std::int32_t first_row,
              std::int32_t cols, const float* row, std::size_t stride, float* sums);
  /// The class of the highest sum, see forest::BestClass.
  /// @param sums    [count][stride]
  /// @param labels  [count], written.
  void (*choose)(const float* sums, std::size_t num_classes, std::size_t stride, std::size_t count,
                 std::uint16_t* labels);
};

/// @param isa  One of available_isas().
const StripKernels& strip_kernels(Isa isa);

}  // namespace fernwood::predict
