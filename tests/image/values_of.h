// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/core/array.h"

namespace fernwood::image {

/// The elements of an image row by row, for comparison with a list.
template <typename T>
std::vector<T> values_of(const Array2<T>& image) {
  return {image.begin(), image.end()};
}

}  // namespace fernwood::image
