// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/ascending_stamps.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace fernwood::recordings {
namespace {

CapturedFrame frame_at(std::int64_t stamp_ns) {
  CapturedFrame frame;
  frame.frame = std::make_shared<image::Frame>();
  frame.stamp_ns = stamp_ns;
  return frame;
}

TEST(AscendingStamps, AreThoseOfFramesUnlessTimeGoesBack) {
  AscendingStamps stamps;
  EXPECT_EQ(stamps.add(frame_at(5'000'000)), 5'000'000);
  EXPECT_EQ(stamps.add(frame_at(9'000'000)), 9'000'000);
  EXPECT_EQ(stamps.add(frame_at(2'000'000)), 10'000'000);
  EXPECT_EQ(stamps.add(frame_at(3'000'000)), 11'000'000) << "distances are kept";
}

TEST(AscendingStamps, AscendWhateverTheSourceSends) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  AscendingStamps stamps;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < 200; ++i) {
    const std::int64_t own = i % 3 == 0 ? kLargest - i : i % 3 == 1 ? -kLargest + i : (std::int64_t{1} << 61) * (i % 4);
    const std::int64_t stamp = stamps.add(frame_at(own == 0 ? 1 : own));
    EXPECT_GT(stamp, last);
    last = stamp;
  }
}

}  // namespace
}  // namespace fernwood::recordings
