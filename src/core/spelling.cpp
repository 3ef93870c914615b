// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace fernwood {

namespace {

constexpr std::size_t kMaxEdits = 3;

/// Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t fewest = std::min(kMaxEdits, word.size() / 2) + 1;
  for (const std::string_view name : names)
    if (const std::size_t edits = edit_distance(word, name); edits < fewest) nearest = name, fewest = edits;
  return nearest;
}

}  // namespace fernwood
