// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu/cpu_backend.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

TEST(LevelBins, KeepTheSamplesThatGoOn) {
  ThreadPool pool(2);
  LevelBins bins;
  bins.reset(5, 2, 4);  // candidates 5 and 6
  for (std::uint8_t s = 0; s < 4; ++s) bins.row(5)[s] = s, bins.row(6)[s] = static_cast<std::uint8_t>(10 + s);
  bins.keep({0, 2, 3}, pool);
  bins.keep({1, 2}, pool);
  EXPECT_EQ(bins.row(5)[0], 2);
  EXPECT_EQ(bins.row(5)[1], 3);
  EXPECT_EQ(bins.row(6)[0], 12);
  EXPECT_EQ(bins.row(6)[1], 13);
}

}  // namespace
}  // namespace fernwood::train
