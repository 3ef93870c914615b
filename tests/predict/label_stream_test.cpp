// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood::predict {
namespace {

class LabelStreamOn : public PlaceTest {
 protected:
  std::unique_ptr<LabelStream> stream(int frames_in_flight = 3) {
    return make_label_stream(forest_, GetParam().options(), frames_in_flight);
  }
  image::LabelImage plain(const image::Frame& frame) {
    return plain_prediction(forest_, forest_.labelling_trees(), frame).labels;
  }

  forest::Forest forest_ = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
};
INSTANTIATE_TEST_SUITE_P(Every, LabelStreamOn, testing::ValuesIn(every_device()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(LabelStreamOn, LabelsComeInTheOrderOfTheFrames) {
  for (const int frames_in_flight : {1, 2, 3, 5}) {
    const auto video = stream(frames_in_flight);
    EXPECT_EQ(video->capacity(), frames_in_flight);
    std::vector<image::LabelImage> labels, wanted;
    for (std::uint32_t i = 0; i < 12; ++i) {
      if (video->is_full()) labels.push_back(video->pop());
      image::Frame frame = forest::noise_frame(20 + i % 3, 33, i);
      wanted.push_back(plain(frame));
      video->push(frame);
      frame = {};  // the stream must not depend on it
    }
    EXPECT_EQ(video->num_in_flight(), frames_in_flight);
    while (video->num_in_flight() > 0) labels.push_back(video->pop());
    EXPECT_EQ(labels, wanted);
  }
}

TEST_P(LabelStreamOn, PushAndPopMayAlternate) {
  const auto video = stream();
  for (std::uint32_t i = 0; i < 5; ++i) {
    const image::Frame frame = forest::noise_frame(11, 12, i);
    video->push(frame);
    EXPECT_EQ(video->num_in_flight(), 1);
    EXPECT_EQ(video->pop(), plain(frame));
  }
}

TEST_P(LabelStreamOn, FullAndEmptyStreamsSaySo) {
  const auto video = stream(2);
  EXPECT_EQ(testdata::error_of([&] { video->pop(); }).value().kind(), ErrorKind::kUsage);
  const image::Frame frame = forest::noise_frame(5, 5, 1);
  video->push(frame);
  video->push(frame);
  EXPECT_EQ(testdata::error_of([&] { video->push(frame); }).value().kind(), ErrorKind::kUsage);
  EXPECT_EQ(video->pop(), plain(frame));
}

TEST_P(LabelStreamOn, FrameThatFailsIsNotInFlight) {
  const auto video = stream();
  const image::Frame first = forest::noise_frame(9, 9, 1), second = forest::noise_frame(9, 9, 2);
  video->push(first);
  EXPECT_EQ(testdata::error_of([&] { video->push(image::Frame{first.color, {}}); }).value().kind(), ErrorKind::kData);
  EXPECT_EQ(video->num_in_flight(), 1);
  video->push(second);
  EXPECT_EQ(video->pop(), plain(first));
  EXPECT_EQ(video->pop(), plain(second));
}

TEST_P(LabelStreamOn, MayBeLeftWithFramesInFlight) {
  const auto video = stream();
  video->push(forest::noise_frame(50, 60, 1));
  video->push(forest::noise_frame(50, 60, 2));
  EXPECT_EQ(video->num_in_flight(), 2);
}

TEST_P(LabelStreamOn, TellsTheTimesOfAGpu) {
  const auto video = stream();
  EXPECT_FALSE(video->last_times().has_value());
  video->push(forest::noise_frame(9, 9, 1));
  video->pop();
  EXPECT_EQ(video->last_times().has_value(), GetParam().device != "cpu");
}

TEST(MakeLabelStream, NoFrameInFlightIsAUsageError) {
  testdata::expect_refused(ErrorKind::kUsage,
                           [] { make_label_stream(forest::noise_forest(3, 1, {"lab"}, 1), {.device = "cpu"}, 0); });
}

TEST(MakeLabelStream, ForestWithoutTreesIsAModelError) {
  testdata::expect_refused(ErrorKind::kModel,
                           [] { make_label_stream(forest::noise_forest(3, 0, {"lab"}, 1), {.device = "cpu"}); });
}

}  // namespace
}  // namespace fernwood::predict
