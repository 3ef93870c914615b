// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/context.h"

#include <gtest/gtest.h>

namespace fernwood::image {
namespace {

TEST(ContextRow, HasTheValueOfEachPixelForAnyWidth) {
  for (std::int32_t width = 1; width <= 41; ++width) {
    const std::int32_t rows = 3, cols = context_cells(width);
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(rows * cols));
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint8_t>(i % 3 == 2 ? 255 : 57 * i);
    const ContextMap map = {cells.data(), rows, cols};
    for (std::int32_t y = 0; y < 4 * rows; ++y) {
      const ContextPlace down = context_place(y, rows);
      std::vector<std::int16_t> row(static_cast<std::size_t>(width), -1);
      context_row(map, down, width, row.data());
      for (std::int32_t x = 0; x < width; ++x)
        EXPECT_EQ(row[static_cast<std::size_t>(x)], context_value(map, context_place(x, cols), down))
            << "pixel " << x << "," << y << " of " << width;
    }
  }
}

TEST(ContextShare, IsOneWhereAClassIsCertain) {
  const std::uint8_t sure = 255;
  EXPECT_EQ(context_share(context_value({&sure, 1, 1}, {0, 0, 5}, {0, 0, 3})), 1.0f);
  EXPECT_EQ(context_share(0), 0.0f);
}

}  // namespace
}  // namespace fernwood::image
