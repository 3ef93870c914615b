// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fernwood::stream {

/// A mergeable summary of one attribute's values, NaN excepted: callers count unknown values apart, and update() throws
/// Error(kData) for them and counts nothing. Code that works with any sketch is a template over it.
template <typename S>
concept Sketch = requires(S sketch, const S& counted, std::span<const float> values, std::span<const S> others,
                          double b, int parts) {
  sketch.update(values);                                            // counts them, in this order
  sketch.merge(others);                                             // counts also what they counted
  { counted.sum(b) } -> std::same_as<double>;                       // values <= b, about
  { counted.uniform(parts) } -> std::same_as<std::vector<double>>;  // parts - 1 places with as many values between each
  { counted.total() } -> std::same_as<std::uint64_t>;               // values counted
  { counted.size_bytes() } -> std::same_as<std::size_t>;
};

}  // namespace fernwood::stream
