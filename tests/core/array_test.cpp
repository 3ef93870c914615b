// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/array.h"

#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>

namespace fernwood {
namespace {

static_assert(std::is_trivially_copyable_v<View1<float>> && std::is_trivially_copyable_v<View2<const float>>,
              "kernels take views");

/// The array {{0, 1, 2}, {3, 4, 5}}.
Array2<int> two_by_three() {
  Array2<int> table(2, 3);
  std::iota(table.begin(), table.end(), 0);
  return table;
}

TEST(Array2, IsRowMajor) {
  const Array2<int> table = two_by_three();
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.cols(), 3u);
  EXPECT_EQ(table.size(), 6u);
  EXPECT_EQ(table(1, 0), 3);
  EXPECT_EQ(table(0, 2), 2);
  EXPECT_EQ(table.row(1), table.data() + 3);
}

TEST(Array2, EqualMeansShapeAndItems) {
  EXPECT_EQ(two_by_three(), two_by_three());
  EXPECT_NE(Array2<int>(2, 3), Array2<int>(3, 2));
  EXPECT_NE(two_by_three(), Array2<int>(2, 3));
}

TEST(View2, WritesThroughToItsOwner) {
  Array2<int> table = two_by_three();
  const View2<int> view = table.view();
  EXPECT_EQ(view.rows, 2u);
  EXPECT_EQ(view.cols, 3u);
  view(1, 2) = 50;
  EXPECT_EQ(table(1, 2), 50);
  EXPECT_EQ(view.row(1)[0], 3);
  EXPECT_EQ(std::as_const(table).view()(1, 2), 50);
}

TEST(View1, CoversAVector) {
  std::vector<int> items = {1, 2, 3};
  const View1<int> view = view_of(items);
  view[1] = 20;
  EXPECT_EQ(std::accumulate(view.begin(), view.end(), 0), 24);
  EXPECT_EQ(view_of(std::as_const(items)).size, 3u);
}

}  // namespace
}  // namespace fernwood
