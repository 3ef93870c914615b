// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/confusion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fernwood {
namespace {

TEST(Accuracy, PoolsPixelsAndAveragesTheClassesThatHaveAny) {
  EXPECT_EQ(accuracy_of({30, 0, 1}, {40, 0, 10}), (Accuracy{31.0 / 50.0, (0.75 + 0.1) / 2}));
}

TEST(Accuracy, OthersThatAreRightCountAsPixelsAndForNoClass) {
  EXPECT_EQ(accuracy_of({30, 1}, {40, 10}, 50), (Accuracy{0.81, (0.75 + 0.1) / 2}));
}

TEST(Accuracy, OfNothingIsUnknown) {
  EXPECT_TRUE(std::isnan(accuracy_of({0, 0}, {0, 0}).pixel));
  EXPECT_TRUE(std::isnan(accuracy_of({}, {}).class_average));
}

}  // namespace
}  // namespace fernwood
