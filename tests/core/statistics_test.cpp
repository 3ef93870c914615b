// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fernwood {
namespace {

TEST(Median, IsOneOfTheValuesWhateverTheirOrder) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 3) << "the higher one in the middle of an even number";
  EXPECT_EQ(median_of({7}), 7);
  EXPECT_TRUE(std::isnan(median_of({})));
}

}  // namespace
}  // namespace fernwood
