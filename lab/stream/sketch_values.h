// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fernwood::lab {

/// Values that a sketch meets, in this order.
struct SketchValues {
  std::string name;
  std::vector<float> values;
};

/// The distributions that sketches are compared on: easy ones, long tails, ties, and values in order.
std::vector<SketchValues> sketch_values(std::size_t count);

}  // namespace fernwood::lab
