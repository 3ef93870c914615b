// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Forests with context stages, on every device and in every layout.

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/predict/predictor.h"
#include "forest/noise_stages.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "test_folder.h"

namespace fernwood::predict {
namespace {

const std::vector<std::pair<std::size_t, std::size_t>> kSizes = {{37, 53}, {1, 1},  {16, 16}, {3, 2},
                                                                 {15, 33}, {1, 70}, {70, 1}};

class StagedPredictorAt : public PlaceTest {
 protected:
  std::unique_ptr<Predictor> predictor(const forest::Forest& forest) {
    return make_predictor(forest, GetParam().options());
  }
  void expect_plain(const forest::Forest& forest, const image::Frame& frame) {
    expect_all_same(predictor(forest)->predict(frame, kAll), plain_prediction(forest, frame));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, StagedPredictorAt, testing::ValuesIn(every_place()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(StagedPredictorAt, GivesTheSameBitsAsOnePixelAtATime) {
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 3}, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : kSizes) expect_plain(forest, forest::noise_frame(rows, cols, 2));
  expect_plain(forest, forest::noise_frame(37, 53, 3, 0));
}

TEST_P(StagedPredictorAt, LabelsOtherwiseThanItsLastStageAlone) {
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 3}, {"lab", "depth"}, 1);
  forest::Forest other = forest;
  for (forest::Tree& tree : other.stages[0]) std::ranges::fill(tree.leaf_counts, 1u);
  const image::Frame frame = forest::noise_frame(37, 53, 2);
  EXPECT_NE(predictor(forest)->predict(frame).labels, predictor(other)->predict(frame).labels);
}

TEST_P(StagedPredictorAt, StagesFollowOneAnother) {
  const forest::Forest forest = forest::noise_staged_forest(3, {1, 4, 2}, {"rgb", "gradient"}, 5);
  expect_plain(forest, forest::noise_frame(29, 43, 6));
  expect_plain(forest::noise_staged_forest(3, {3, 1, 1}, {"depth"}, 7), forest::noise_frame(29, 43, 6));
}

TEST_P(StagedPredictorAt, ReadsContextBesideEveryKindOfChannel) {
  const std::vector<std::string> channels = {"lab",    "depth",  "height", "upright",
                                             "facing", "behind", "above",  "gradient"};
  expect_plain(forest::noise_staged_forest(4, {2, 3}, channels, 11), forest::noise_frame(43, 58, 12));
  expect_plain(forest::noise_staged_forest(4, {2, 3}, channels, 11), forest::noise_frame(43, 58, 13, 0));
}

TEST_P(StagedPredictorAt, KnowsManyClasses) {
  Place place = GetParam();
  if (place.layout == "texture") place.layout = "auto";
  for (const std::size_t num_classes : {1u, 2u, 10u, 11u, 60u}) {
    const forest::Forest forest = forest::noise_staged_forest(num_classes, {2, 2}, {"lab", "depth"}, 9);
    const image::Frame frame = forest::noise_frame(13, 18, 8);
    expect_all_same(make_predictor(forest, place.options())->predict(frame, kAll), plain_prediction(forest, frame));
  }
}

TEST_P(StagedPredictorAt, FramesWithoutAnyDepthAreLikeAnyOther) {
  image::Frame frame = forest::noise_frame(20, 30, 8);
  frame.depth_mm = Array2<std::uint16_t>(20, 30);
  forest::Forest forest = forest::noise_staged_forest(4, {2, 2}, {"lab", "depth"}, 7);
  expect_plain(forest, frame);
  forest.preparation.depth_filling = image::DepthFilling::kSimple;
  expect_plain(forest, forest::noise_frame(20, 30, 8));
}

TEST_P(StagedPredictorAt, LabelsFramesOfDifferentSizesTogether) {
  const forest::Forest forest = forest::noise_staged_forest(4, {3, 2}, {"lab", "depth"}, 13);
  std::vector<image::Frame> frames;
  std::vector<image::LabelImage> labels;
  for (const std::size_t size : {30u, 5u, 17u, 40u, 1u, 25u}) {
    frames.push_back(forest::noise_frame(size, 2 * size, static_cast<std::uint32_t>(size), size % 2 ? 4 : 0));
    labels.push_back(plain_prediction(forest, forest.labelling_trees(), frames.back()).labels);
  }
  EXPECT_EQ(predictor(forest)->label(frames), labels);
  const auto stream = make_label_stream(forest, GetParam().options(), 2);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (stream->is_full()) {
      EXPECT_EQ(stream->pop(), labels[i - 2]);
    }
    stream->push(frames[i]);
  }
}

TEST_P(StagedPredictorAt, StageWithoutTreesIsAModelError) {
  forest::Forest forest = forest::noise_staged_forest(3, {1, 0, 1}, {"lab"}, 1);
  EXPECT_EQ(testdata::error_of([&] { predictor(forest); }).value().kind(), ErrorKind::kModel);
  EXPECT_EQ(testdata::error_of([&] { make_label_stream(forest, GetParam().options()); }).value().kind(),
            ErrorKind::kModel);
}

class StagedFernsAt : public StagedPredictorAt {};
INSTANTIATE_TEST_SUITE_P(Every, StagedFernsAt, testing::ValuesIn(every_place()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(StagedFernsAt, GivesTheSameBitsAsAWalkOverTheNodes) {
  const forest::Forest ferns = forest::noise_staged_ferns(4, {{3, 0, 7}, {12, 5}}, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : kSizes) expect_plain(ferns, forest::noise_frame(rows, cols, 2));
  expect_plain(forest::noise_staged_ferns(3, {std::vector<int>(15, 9), {6}, {4, 8}}, {"rgb", "gradient"}, 5),
               forest::noise_frame(19, 23, 6));
}

}  // namespace
}  // namespace fernwood::predict
