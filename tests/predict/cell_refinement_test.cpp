// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/cell_refinement.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fernwood::predict {
namespace {

/// Completes cells of two classes: `is_second` says which cells have the second one.
struct Refined {
  image::ContextMaps maps;
  std::size_t num_evaluated = 0;
};
template <typename IsSecond>
Refined refine(std::size_t rows, std::size_t cols, const IsSecond& is_second) {
  Refined found{{rows, cols, std::vector<std::uint8_t>(2 * rows * cols)}};
  refine_cells(found.maps, 2, [&](const std::vector<std::uint8_t>& wanted) {
    for (std::size_t cell = 0; cell < wanted.size(); ++cell) {
      if (!wanted[cell]) continue;
      ++found.num_evaluated;
      found.maps.values[(is_second(cell / cols, cell % cols) ? 1 : 0) * rows * cols + cell] = 255;
    }
  });
  return found;
}

TEST(CellRefinement, OneClassNeedsTheCornersOfTheLargestBlocks) {
  const Refined found = refine(120, 160, [](std::size_t, std::size_t) { return false; });
  EXPECT_EQ(found.num_evaluated, std::size_t{30 * 40});
  EXPECT_EQ(std::ranges::count(found.maps.values, 255), 120 * 160);
}

TEST(CellRefinement, CellsAtABoundaryAreEvaluated) {
  const auto is_second = [](std::size_t, std::size_t col) { return col > 40; };
  const Refined found = refine(40, 80, is_second);
  EXPECT_LT(found.num_evaluated, std::size_t{40 * 80 / 4});
  for (std::size_t cell = 0; cell < 40 * 80; ++cell)
    ASSERT_EQ(found.maps.values[40 * 80 + cell], is_second(0, cell % 80) ? 255 : 0) << cell;
}

TEST(CellRefinement, WhereClassesAlternateCellsAreEvaluated) {
  const Refined found = refine(40, 80, [](std::size_t row, std::size_t col) { return (row / 2 + col / 4) % 2 == 0; });
  EXPECT_GT(found.num_evaluated, std::size_t{40 * 80 * 9 / 10});
}

TEST(CellRefinement, InterpolatesAndRounds) {
  const std::uint8_t values[] = {0, 10, 20, 31};
  const BlockCorners middle{0, 1, 2, 3, 2, 2}, edge{0, 1, 2, 3, 0, 1};
  EXPECT_EQ(between_corners(values, middle, 4), 15);
  EXPECT_EQ(between_corners(values, edge, 4), 5);
}

}  // namespace
}  // namespace fernwood::predict
