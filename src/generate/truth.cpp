// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "generate/truth.h"

#include <algorithm>

namespace fernwood::generate {
namespace {

constexpr std::size_t kFineCols = 320;  // in coarser frames borders of 2 pixels would swallow a table's legs

}  // namespace

std::size_t margin_px(std::size_t cols) { return std::max<std::size_t>(1, cols / 160); }

image::LabelImage truth_of(const Rendering& seen, const Scene& scene) {
  const std::size_t rows = seen.part.rows(), cols = seen.part.cols(), margin = margin_px(cols);
  const bool both_sides = cols >= kFineCols;
  const auto object_at = [&](std::size_t y, std::size_t x) {
    const std::int32_t part = seen.part(y, x);
    return part < 0 ? -1 : scene.parts[static_cast<std::size_t>(part)].object;
  };
  image::LabelImage labels(rows, cols, image::kVoid);
  for (std::size_t y = margin; y + margin < rows; ++y)
    for (std::size_t x = margin; x + margin < cols; ++x) {
      const int object = object_at(y, x);
      bool inside = object_at(y, x + 1) == object && object_at(y + 1, x) == object;
      if (both_sides) inside = inside && object_at(y, x - 1) == object && object_at(y - 1, x) == object;
      if (object >= 0 && inside) labels(y, x) = scene.parts[static_cast<std::size_t>(seen.part(y, x))].label;
    }
  return labels;
}

}  // namespace fernwood::generate
