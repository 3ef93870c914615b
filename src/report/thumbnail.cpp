// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "report/thumbnail.h"

#include <algorithm>

namespace fernwood::report {

namespace {

/// Pixels [top, bottom) x [left, right) of the large image, never none.
struct Block {
  std::size_t top, bottom, left, right;
};

template <typename ColorOfBlock>
Array2<image::Rgb> shrink(const Array2<image::Rgb>& image, std::size_t width, const ColorOfBlock& color_of_block) {
  const std::size_t cols = std::min(width, image.cols());
  const std::size_t rows = std::max<std::size_t>(1, image.rows() * cols / image.cols());
  Array2<image::Rgb> small(rows, cols);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col)
      small(row, col) = color_of_block(Block{row * image.rows() / rows, (row + 1) * image.rows() / rows,
                                             col * image.cols() / cols, (col + 1) * image.cols() / cols});
  return small;
}

}  // namespace

Array2<image::Rgb> shrink_picture(const Array2<image::Rgb>& image, std::size_t width) {
  return shrink(image, width, [&](const Block& block) {
    std::size_t r = 0, g = 0, b = 0;
    for (std::size_t y = block.top; y < block.bottom; ++y)
      for (std::size_t x = block.left; x < block.right; ++x) {
        r += image(y, x).r;
        g += image(y, x).g;
        b += image(y, x).b;
      }
    const std::size_t count = (block.bottom - block.top) * (block.right - block.left);
    const auto mean = [count](std::size_t sum) { return static_cast<std::uint8_t>((sum + count / 2) / count); };
    return image::Rgb{mean(r), mean(g), mean(b)};
  });
}

Array2<image::Rgb> shrink_labels(const Array2<image::Rgb>& image, std::size_t width) {
  return shrink(image, width, [&](const Block& block) {
    return image((block.top + block.bottom) / 2, (block.left + block.right) / 2);
  });
}

}  // namespace fernwood::report
