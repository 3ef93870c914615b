// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dataset/dataset_folder.h"
#include "dataset/frame_files.h"
#include "dataset/test_files.h"
#include "fernwood/core/text.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/recordings/frame_source.h"
#include "recordings/source/recording.h"
#include "sentences.h"

namespace fernwood::recordings {

using namespace dataset;

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::map<std::string, double> times_in(const std::string& text) { return parse_times("times.txt", text); }

TEST(FrameTimes, LinesNameAFrameAndItsSeconds) {
  EXPECT_THAT(times_in("# name seconds\nb 0.5\n\na -1e3\n"), ElementsAre(Pair("a", -1000.0), Pair("b", 0.5)));
  EXPECT_THAT(times_in(""), IsEmpty());
}

TEST(FrameTimes, ALineThatWasNotWrittenToItsEndIsLeftOut) {
  for (const char* rest : {"b", "b ", "b -", "b 0.5 x", "b nan"})
    EXPECT_THAT(times_in(std::string("a 0\n") + rest), ElementsAre(Pair("a", 0.0))) << rest;
}

TEST(FrameTimes, AnyOtherLineIsNamed) {
  for (const char* line : {"b", "0.033", "b x", "b 0.5 x", "b nan", "b inf", "b 1e999"})
    testdata::expect_refused(ErrorKind::kData, [&] { times_in(std::string("a 0\n") + line + "\nc 1\n"); });
  testdata::expect_refused(ErrorKind::kData, [] { times_in("a 0\nb 1\na 2\n"); });
}

/// Frames in the native layout, or image pairs.
class FrameTimesOf : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    for (const std::string& name : std::vector<std::string>{"a", "b", "c"}) {
      add_depth(folder_, name);
      if (!GetParam()) continue;
      std::filesystem::rename(folder_ / (name + "_depth.png"), folder_ / (name + ".depth.png"));
      write_png(folder_ / (name + ".color.png"), rgb_image(2, 3, std::vector<image::Rgb>(6)));
    }
  }
  std::unique_ptr<FrameSource> open() const { return formats::open_source("frames:" + folder_.path().string()); }
  const TestFolder folder_;
};

TEST_P(FrameTimesOf, ThatGoBackAreTold) {
  folder_.write("times.txt", std::string("a 0.5\nb 2\nc 1\n"));
  const auto source = open();
  testdata::expect_sentence(join(source->warnings(), "\n"));
  for (const auto& [name, time_s] : {std::pair("a", 0.5), std::pair("b", 2.0), std::pair("c", 1.0)}) {
    const auto frame = source->next();
    EXPECT_EQ(frame->name, name);
    EXPECT_EQ(frame->time_s, time_s);
  }
}

TEST_P(FrameTimesOf, ThatBeginAgainAreOfASourceThatWasPlayedAgain) {
  folder_.write("times.txt", std::string("a 0.5\nb 2\nc 0.5\n"));
  EXPECT_THAT(open()->warnings(), IsEmpty());
}

TEST_P(FrameTimesOf, LeaveOutFramesThatTheyDoNotName) {
  folder_.write("times.txt", std::string("a 0\nc 1\n"));
  const auto source = open();
  testdata::expect_sentence(join(source->warnings(), "\n"));
  EXPECT_EQ(source->next()->name, "a");
  EXPECT_EQ(source->next()->name, "c");
  EXPECT_FALSE(source->next());
}

TEST_P(FrameTimesOf, OfOtherThingsAreAnError) {
  folder_.write("times.txt", std::string("lap1 12.5\n"));
  testdata::expect_refused(ErrorKind::kData, [this] { open(); });
}

INSTANTIATE_TEST_SUITE_P(, FrameTimesOf, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "pairs" : "native"; });

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
