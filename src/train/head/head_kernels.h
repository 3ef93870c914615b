// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "core/isa.h"

namespace fernwood::train {

/// The inner loop of fitting a head, compiled once for each instruction set. Sums of whole numbers below 2^53 are exact
/// in any order.
struct HeadKernels {
  /// Adds the products of each pixel's factor and first value with its values.
  /// @param values  [pixel] `step` apart, `count` values of each. @param num_pixels  A multiple of 4.
  /// @param sums    [count]
  void (*add_products)(const double* values, std::size_t step, const double* factors, std::size_t num_pixels,
                       double* sums, std::size_t count);
};

/// @param isa  One of available_isas().
const HeadKernels& head_kernels(Isa isa);

}  // namespace fernwood::train
