// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/frame.h"

namespace fernwood::backbone {

/// A colour of a reduced image.
struct Reduced {
  std::uint8_t color[3];
};

/// The mean of `reduction` times `reduction` pixels, halves up; at the right and lower border, of those inside the
/// image.
/// @param color  [rows][cols] @param y, x  In the reduced image.
FW_HD Reduced reduced_color(const image::Rgb* color, std::int32_t rows, std::int32_t cols, std::int32_t reduction,
                            std::int32_t y, std::int32_t x) {
  const std::int32_t row_end = (y + 1) * reduction < rows ? (y + 1) * reduction : rows;
  const std::int32_t col_end = (x + 1) * reduction < cols ? (x + 1) * reduction : cols;
  std::int32_t red = 0, green = 0, blue = 0, count = 0;
  for (std::int32_t row = y * reduction; row < row_end; ++row)
    for (std::int32_t col = x * reduction; col < col_end; ++col, ++count) {
      const image::Rgb& of =
          color[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)];
      red += of.r, green += of.g, blue += of.b;
    }
  return {{static_cast<std::uint8_t>((red + count / 2) / count), static_cast<std::uint8_t>((green + count / 2) / count),
           static_cast<std::uint8_t>((blue + count / 2) / count)}};
}

}  // namespace fernwood::backbone
