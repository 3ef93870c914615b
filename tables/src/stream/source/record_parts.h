// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <vector>

namespace fernwood::stream {

/// Appends the labels or targets of some records of a table, if it has them. @param all  [record]
template <typename T>
void append_part(const std::vector<T>& all, std::size_t begin, std::size_t count, std::vector<T>& part) {
  if (all.empty()) return;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  part.insert(part.end(), first, first + static_cast<std::ptrdiff_t>(count));
}

}  // namespace fernwood::stream
