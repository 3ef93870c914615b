// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/depth_filling.h"

#include <algorithm>

namespace fernwood::image {

namespace {

/// The first two passes in one: a gap takes the depth at its right end, or at its left end where the row ends.
void fill_row(std::uint16_t* row, std::size_t cols) {
  std::uint16_t* const end = row + cols;
  for (std::uint16_t* gap = std::find(row, end, 0); gap != end; gap = std::find(gap, end, 0)) {
    std::uint16_t* const known = std::find_if(gap, end, [](std::uint16_t depth) { return depth > 0; });
    std::fill(gap, known, known != end ? *known : gap != row ? gap[-1] : std::uint16_t{0});
    gap = known;
  }
}

}  // namespace

std::string to_string(DepthFilling filling) {
  switch (filling) {
    case DepthFilling::kNone:
      return "none";
    case DepthFilling::kSimple:
      return "simple";
    case DepthFilling::kColorized:
      return "colorized";
  }
  return "unknown";
}

Frame with_filled_depth(Frame frame, DepthFilling filling) {
  for (std::uint16_t& depth_mm : frame.depth_mm) depth_mm = depth_mm <= kMaxDepthMm ? depth_mm : 0;
  if (filling == DepthFilling::kSimple) fill_depth_simple(frame.depth_mm);
  if (filling == DepthFilling::kColorized) fill_depth_colorized(frame.depth_mm, frame.color);
  return frame;
}

void fill_depth_simple(Array2<std::uint16_t>& depth_mm) {
  const std::size_t rows = depth_mm.rows(), cols = depth_mm.cols();
  if (depth_mm.empty()) return;
  for (std::size_t y = 0; y < rows; ++y) fill_row(depth_mm.row(y), cols);
  // Now a row is known from end to end, or not at all.
  const auto copy_if_unknown = [&](std::size_t from, std::size_t to) {
    if (depth_mm(to, 0) == 0) std::copy_n(depth_mm.row(from), cols, depth_mm.row(to));
  };
  for (std::size_t y = 1; y < rows; ++y) copy_if_unknown(y - 1, y);
  for (std::size_t y = rows - 1; y > 0; --y) copy_if_unknown(y, y - 1);
}

}  // namespace fernwood::image
