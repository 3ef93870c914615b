// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/dataset_folder.h"
#include "dataset/frame_files.h"
#include "fernwood/core/text.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/recordings/frame_source.h"
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

}  // namespace
}  // namespace fernwood::recordings
