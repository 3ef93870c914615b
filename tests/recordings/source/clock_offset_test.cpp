// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/source/recording.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "dataset/test_files.h"
#include "fernwood/core/text.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

/// Times at 30 images per second from `begin_s` on.
std::vector<double> times(double begin_s, int count = 60) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(begin_s + i / 30.0);
  return all;
}

TEST(ClockOffset, FindsHowFarTheDepthClockIsAhead) {
  for (const double ahead_s : {0.25, -0.25, 3600.0, -7.125}) {
    const auto found = find_clock_offset(times(100), times(100 + ahead_s), 0.02, 0);
    ASSERT_TRUE(found) << ahead_s;
    EXPECT_NEAR(found->ahead_s, ahead_s, 1e-6);
    EXPECT_EQ(found->num_pairs, 60u);
  }
}

TEST(ClockOffset, SaysNothingOfClocksThatAgreeOrOfNoPattern) {
  EXPECT_FALSE(find_clock_offset(times(100), times(100.01), 0.02, 60)) << "they are paired";
  EXPECT_FALSE(find_clock_offset(times(100, 9), times(105, 9), 0.02, 0)) << "nine images are too few";
  EXPECT_FALSE(find_clock_offset({}, times(100), 0.02, 0));
  std::vector<double> uneven = times(100);
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i] += static_cast<double>(i * i);
  EXPECT_FALSE(find_clock_offset(uneven, times(105), 0.02, 0));
}

std::string list_of(const std::vector<double>& times_s) {
  std::string text;
  for (std::size_t i = 0; i < times_s.size(); ++i) text += format_text("%.6f %zu.png\n", times_s[i], i);
  return text;
}

TEST(ClockOffset, ATumRecordingNamesIt) {
  const std::string color = list_of(times(100));
  testdata::expect_refused(ErrorKind::kData, [&] { associate_tum("tum", color, list_of(times(105.25))); });
  // The times overlap by half, so that clocks are not to blame.
  testdata::expect_sentence(join(associate_tum("tum", color, list_of(times(99))).warnings, "\n"));
  const Recording few = associate_tum("tum", color, list_of(times(98.5)));
  EXPECT_EQ(few.frames.size(), 15u);
  testdata::expect_sentence(join(few.warnings, "\n"));
  EXPECT_TRUE(associate_tum("tum", color, list_of(times(100.01))).warnings.empty());
}

}  // namespace
}  // namespace fernwood::recordings
