// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/predictor.h"

#include <gtest/gtest.h>

#include "backbone/small_network.h"
#include "core/failing_gpu.h"
#include "core/isa.h"
#include "dataset/test_files.h"
#include "devices.h"
#include "fernwood/core/device.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "test_folder.h"

namespace fernwood::predict {
namespace {

constexpr std::size_t kSuppliedMaps = 50;

/// A frame with supplied feature maps.
image::Frame mapped_frame(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  image::Frame frame = forest::noise_frame(rows, cols, seed);
  frame.maps = forest::noise_maps(kSuppliedMaps, rows, cols, seed);
  return frame;
}

/// Makes every other feature of a tree a feature map; equal features, as in a fern's level, become the same map.
void add_maps(forest::Forest& forest, int reduction) {
  forest.preparation.maps = backbone::noise_backbone(3, reduction);
  forest.preparation.supplied_maps = forest::noise_ranges(kSuppliedMaps, 3);
  forest.preparation.head = forest::noise_head(forest.num_classes(), forest.preparation.num_maps(), 4);
  std::int32_t map = 0;
  for (forest::Tree& tree : forest.labelling_trees()) {
    std::vector<forest::RegionFeature> before;
    for (forest::Node& node : tree.nodes) {
      if (node.is_leaf()) continue;
      const auto same = std::ranges::find(before, node.feature);
      const auto number = static_cast<std::int32_t>(same - before.begin());
      if (same == before.end()) before.push_back(node.feature);
      if (number % 2 == 0) node.feature = forest::map_feature((7 * number + map) % forest.preparation.num_maps());
    }
    map += 11;
  }
}

class PredictorAt : public PlaceTest {
 protected:
  std::unique_ptr<Predictor> predictor(const forest::Forest& forest) {
    return make_predictor(forest, GetParam().options());
  }
  void expect_plain(const forest::Forest& forest, const image::Frame& frame) {
    PredictOptions options = GetParam().options();
    options.interpolate = false;
    expect_all_same(make_predictor(forest, options)->predict(frame, kAll), plain_prediction(forest, frame));
  }
};
INSTANTIATE_TEST_SUITE_P(Every, PredictorAt, testing::ValuesIn(every_place()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(PredictorAt, GivesTheSameBitsAsOnePixelAtATime) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{37, 53}, {1, 1}, {16, 16}, {15, 33}, {1, 70}})
    expect_plain(forest, forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 2));
}

TEST_P(PredictorAt, CompleteDepthNeedsNoCounts) {
  expect_plain(forest::noise_forest(4, 3, {"lab", "depth"}, 1), forest::noise_frame(37, 53, 3, 0));
}

TEST_P(PredictorAt, ReadsEveryKindOfChannel) {
  expect_plain(forest::noise_forest(5, 2, {"rgb", "gradient"}, 2), forest::noise_frame(21, 34, 4));
  expect_plain(forest::noise_forest(5, 2, {"depth"}, 3), forest::noise_frame(21, 34, 4));
  expect_plain(forest::noise_forest(5, 4, {"depth", "gradient", "rgb", "lab"}, 4), forest::noise_frame(21, 34, 4));
}

TEST_P(PredictorAt, ReadsFeatureMaps) {
  for (const int reduction : {1, 2, 4})
    for (forest::Forest forest :
         {forest::noise_forest(4, 3, {"lab", "depth"}, 1), forest::noise_boosted(4, 9, {"depth"}, 2)}) {
      add_maps(forest, reduction);
      expect_plain(forest, mapped_frame(37, 53, 2));
      expect_plain(forest, mapped_frame(16, 9, 5));
    }
}

TEST_P(PredictorAt, MapsThatAFrameLacksAreASentence) {
  forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  add_maps(forest, 2);
  const std::unique_ptr<Predictor> labelling = predictor(forest);
  EXPECT_EQ(testdata::error_of([&] { labelling->predict(forest::noise_frame(37, 53, 2), kAll); }).value().kind(),
            ErrorKind::kData);
  image::Frame frame = forest::noise_frame(37, 53, 2);
  frame.maps = forest::noise_maps(49, 37, 53, 2);
  EXPECT_EQ(testdata::error_of([&] { labelling->predict(frame, kAll); }).value().kind(), ErrorKind::kData);
  frame.maps = {50, 38, 1, std::vector<float>(50 * 38)};
  EXPECT_EQ(testdata::error_of([&] { labelling->predict(frame, kAll); }).value().kind(), ErrorKind::kData);
}

TEST_P(PredictorAt, AddsScoresOfBoostedTrees) {
  const forest::Forest forest = forest::noise_boosted(4, 30, {"lab", "depth"}, 1);
  expect_plain(forest, forest::noise_frame(37, 53, 2));
  for (const std::size_t num_classes : {1u, 3u, 9u, 40u})
    expect_plain(forest::noise_boosted(num_classes, 3, {"lab"}, 5), forest::noise_frame(15, 33, 7));
}

TEST_P(PredictorAt, InterpolatesBetweenCells) {
  PredictOptions options = GetParam().options();
  options.interpolate = true;
  constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};
  for (const forest::Forest& forest :
       {forest::noise_forest(4, 3, {"lab", "depth"}, 1), forest::noise_boosted(40, 9, {"lab", "depth"}, 2),
        forest::noise_boosted(5, 60, {"lab", "depth"}, 3)})
    for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{37, 53}, {1, 1}, {4, 8}, {1, 70}}) {
      const image::Frame frame = forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 2);
      const Prediction wanted = plain_interpolated(forest, frame);
      const auto predictor = make_predictor(forest, options);
      expect_same(predictor->predict(frame, kProbabilities), wanted);
      EXPECT_EQ(predictor->predict(frame).labels, wanted.labels);
      EXPECT_EQ(testdata::error_of([&] { predictor->predict(frame, kAll); }).value().kind(), ErrorKind::kUsage);
    }
  // Interpolation is the default for boosted forests.
  const forest::Forest boosted = forest::noise_boosted(3, 4, {"lab", "depth"}, 2);
  const image::Frame frame = forest::noise_frame(30, 41, 2);
  options.interpolate.reset();
  EXPECT_EQ(make_predictor(boosted, options)->predict(frame).labels, plain_interpolated(boosted, frame).labels);
}

TEST_P(PredictorAt, SmoothsWhatItInterpolated) {
  const forest::Forest forest = forest::noise_boosted(5, 9, {"lab", "depth"}, 3);
  const image::Frame frame = forest::noise_frame(45, 61, 4);
  PredictOptions options = GetParam().options();
  options.interpolate = true;
  options.smoothing.extent_px = 20;
  const auto predictor = make_predictor(forest, options);
  const auto on_cpu = make_predictor(forest, {.device = "cpu", .smoothing = options.smoothing, .interpolate = true});
  constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};
  const Prediction wanted = on_cpu->predict(frame, kProbabilities);
  EXPECT_NE(wanted.labels, plain_interpolated(forest, frame).labels);
  expect_same(predictor->predict(frame, kProbabilities), wanted);
  EXPECT_EQ(predictor->predict(frame).labels, wanted.labels);
}

/// A forest with label weights from 1/4 to 4, and other weights for smoothed labels.
forest::Forest weighed(forest::Forest forest) {
  for (std::size_t c = 0; c < forest.classes.size(); ++c) {
    forest.label_weights.plain.push_back(c % 3 == 0 ? 0.25f : static_cast<float>(c % 3) * 2);
    forest.label_weights.smoothed.push_back(c % 2 == 0 ? 3.0f : 1.0f);
  }
  return forest;
}

TEST_P(PredictorAt, WeighsClassesWhenItChoosesLabelsAndChangesNoProbability) {
  const image::Frame frame = forest::noise_frame(21, 33, 5);
  for (const forest::Forest& equal :
       {forest::noise_forest(6, 3, {"lab", "depth"}, 4), forest::noise_boosted(6, 3, {"lab", "depth"}, 4)}) {
    const forest::Forest forest = weighed(equal);
    PredictOptions options = GetParam().options();
    options.interpolate = false;
    const Prediction got = make_predictor(forest, options)->predict(frame, kAll);
    expect_all_same(got, plain_prediction(forest, frame));
    const Prediction unweighed = make_predictor(equal, options)->predict(frame, kAll);
    EXPECT_EQ(got.probabilities, unweighed.probabilities);
    EXPECT_NE(got.labels, unweighed.labels);
  }
}

TEST_P(PredictorAt, WeighsInterpolatedAndSmoothedProbabilities) {
  const image::Frame frame = forest::noise_frame(21, 33, 5);
  const forest::Forest forest = weighed(forest::noise_boosted(6, 3, {"lab", "depth"}, 4));
  constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};
  expect_same(predictor(forest)->predict(frame, kProbabilities), plain_interpolated(forest, frame));
  for (const bool interpolate : {false, true}) {
    PredictOptions options = GetParam().options();
    options.smoothing.extent_px = 5;
    options.interpolate = interpolate;
    const Prediction got = make_predictor(forest, options)->predict(frame, kProbabilities);
    for (std::size_t i = 0; i < got.labels.size(); ++i) {
      std::uint16_t best = 0;
      const auto value = [&](std::size_t c) {
        return forest.label_weights.smoothed[c] * got.probabilities[c].data()[i];
      };
      for (std::uint16_t c = 1; c < 6; ++c) best = value(c) > value(best) ? c : best;
      ASSERT_EQ(got.labels.data()[i], best) << i;
    }
  }
}

TEST_P(PredictorAt, FindsTheSameObjects) {
  const image::Frame frame = forest::noise_frame(61, 83, 5);
  const forest::Forest forest = forest::noise_boosted(6, 3, {"lab", "depth"}, 4);
  for (const int extent : {0, 20}) {
    PredictOptions options = GetParam().options();
    options.smoothing.extent_px = extent;
    objects::ObjectFinder finder(forest.classes, {.min_area_cm2 = 0}), again(forest.classes, {.min_area_cm2 = 0});
    const Prediction found = make_predictor(forest, options)->predict(frame, {.objects = &finder});
    EXPECT_TRUE(found.probabilities.empty());
    EXPECT_GT(found.objects.objects.size(), 2u);
    const Prediction all = make_predictor(forest, options)->predict(frame, {.probabilities = true});
    ThreadPool pool(2);
    const objects::FrameObjects wanted = again.find(frame, all.labels, all.probabilities, pool);
    EXPECT_EQ(found.objects.numbers, wanted.numbers);
    EXPECT_EQ(found.objects, wanted);
  }
}

TEST_P(PredictorAt, LabelsBelowTheLeastConfidenceAreVoidAndNothingElseChanges) {
  constexpr float kLeast = 0.4f;
  const image::Frame frame = forest::noise_frame(37, 53, 5);
  const auto expect_void_below = [&](const forest::Forest& forest, PredictOptions options,
                                     const PredictRequest& request) {
    Prediction wanted = make_predictor(forest, options)->predict(frame, request);
    std::size_t num_void = 0;
    for (std::size_t i = 0; i < wanted.labels.size(); ++i) {
      std::uint16_t& label = wanted.labels.data()[i];
      if (wanted.probabilities[label].data()[i] >= kLeast) continue;
      label = image::kVoid;
      ++num_void;
    }
    EXPECT_GT(num_void, 0u);
    EXPECT_LT(num_void, wanted.labels.size());
    options.min_confidence = kLeast;
    const auto predictor = make_predictor(forest, options);
    expect_all_same(predictor->predict(frame, request), wanted);
    EXPECT_EQ(predictor->predict(frame).labels, wanted.labels);
  };
  constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};
  PredictOptions options = GetParam().options();
  for (const forest::Forest& forest :
       {forest::noise_forest(4, 3, {"lab", "depth"}, 4), forest::noise_boosted(6, 3, {"lab", "depth"}, 4),
        weighed(forest::noise_boosted(6, 9, {"lab", "depth"}, 4))}) {
    options.interpolate = false;
    expect_void_below(forest, options, kAll);
    options.interpolate = true;
    expect_void_below(forest, options, kProbabilities);
  }
  options.smoothing.extent_px = 5;
  expect_void_below(weighed(forest::noise_boosted(6, 9, {"lab", "depth"}, 4)), options, kProbabilities);
}

class GpuPredictor : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, GpuPredictor, testing::ValuesIn(gpus()), name_of_device);

TEST_P(GpuPredictor, WorksAfterTheGpusMemoryRanOutAtAnyAllocation) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const image::Frame small = forest::noise_frame(16, 24, 2), large = forest::noise_frame(37, 53, 3);
  const Prediction of_small = plain_prediction(forest, small), of_large = plain_prediction(forest, large);
  std::unique_ptr<Predictor> predictor;
  const auto predict = [&] {
    predictor.reset();
    predictor = make_predictor(forest, {to_string(GetParam())});
    predictor->predict(small, kAll);
    predictor->predict(large, kAll);
    predictor->label(std::vector<image::Frame>{small, large, small, large});
  };
  expect_gpu_memory_errors(predict, [&] {
    if (!predictor) return;
    // The small frame first: after a failed growth, its buffer is empty.
    expect_all_same(predictor->predict(small, kAll), of_small);
    expect_all_same(predictor->predict(large, kAll), of_large);
    EXPECT_EQ(predictor->label(std::vector<image::Frame>{large, small}),
              (std::vector<image::LabelImage>{of_large.labels, of_small.labels}));
  });
}

class FernPredictorAt : public PredictorAt {};
INSTANTIATE_TEST_SUITE_P(Every, FernPredictorAt, testing::ValuesIn(every_place()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(FernPredictorAt, GivesTheSameBitsAsAWalkOverTheNodes) {
  const forest::Forest ferns = forest::noise_ferns(4, {3, 0, 7, 12}, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{37, 53}, {1, 1}, {16, 16}, {15, 33}, {1, 70}})
    expect_plain(ferns, forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 2));
  expect_plain(ferns, forest::noise_frame(37, 53, 3, 0));
}

TEST_P(FernPredictorAt, ReadsFeatureMaps) {
  forest::Forest forest = forest::noise_ferns(4, {5, 7}, {"lab", "depth"}, 3);
  add_maps(forest, 2);
  expect_plain(forest, mapped_frame(37, 53, 2));
}

TEST_P(FernPredictorAt, ReadsEveryKindOfChannel) {
  expect_plain(forest::noise_ferns(5, {6, 6}, {"rgb", "gradient"}, 2), forest::noise_frame(21, 34, 4));
  expect_plain(forest::noise_ferns(5, {6, 6}, {"depth"}, 3), forest::noise_frame(21, 34, 4));
  expect_plain(forest::noise_ferns(300, {6, 2, 8}, {"depth", "gradient", "rgb", "lab"}, 4),
               forest::noise_frame(21, 34, 4));
}

TEST_P(FernPredictorAt, HasRoomForManyFerns) {
  expect_plain(forest::noise_ferns(3, std::vector<int>(29, 9), {"lab", "depth"}, 5), forest::noise_frame(19, 23, 6));
}

TEST_P(PredictorAt, KnowsManyClasses) {
  expect_plain(forest::noise_forest(300, 2, {"lab", "depth"}, 5), forest::noise_frame(13, 17, 6));
  for (const std::size_t num_classes : {1u, 2u, 31u, 32u, 33u})
    expect_plain(forest::noise_forest(num_classes, 2, {"lab"}, 5), forest::noise_frame(5, 6, 7));
}

/// A tree that adds a leaf at each of `depth` levels, alternately left and right. Most pixels with known depth and with
/// neighbours in the frame reach deep levels.
forest::Tree comb_tree(int depth, std::size_t num_classes) {
  forest::Noise noise(8);
  forest::Tree tree;
  tree.nodes.resize(1);
  int leaves = 0;
  for (int level = 0; level < depth; ++level) {
    const std::size_t size = tree.nodes.size(), odd = static_cast<std::size_t>(level % 2);
    if (level > 0) tree.nodes[size - 2 + odd].child = ~leaves++;
    const float threshold = level % 40 == 39 ? 12000.0f : 60000.0f;
    const auto channel = static_cast<std::uint8_t>(level % 3);
    tree.nodes[level == 0 ? 0 : size - 1 - odd] = {
        static_cast<std::int32_t>(size), odd ? -threshold : threshold, {{0, 0, 1, 1}, {0, 1, 1, 1}, channel, 1}, 0};
    tree.nodes.resize(size + 2);
  }
  for (const int back : {2, 1}) tree.nodes[tree.nodes.size() - static_cast<std::size_t>(back)].child = ~leaves++;
  tree.leaf_counts = Array2<std::uint32_t>(static_cast<std::size_t>(leaves), num_classes);
  for (std::uint32_t& count : tree.leaf_counts) count = static_cast<std::uint32_t>(noise.between(0, 3));
  return tree;
}

TEST_P(PredictorAt, FollowsDeepAndNarrowTrees) {
  forest::Forest forest = forest::noise_forest(5, 1, {"lab", "depth"}, 8);
  forest.labelling_trees().push_back(comb_tree(400, 5));
  const image::Frame frame = forest::noise_frame(33, 45, 9);
  expect_plain(forest, frame);
  const forest::Tree& comb = forest.labelling_trees()[1];
  const image::PreparedFrame prepared(frame, forest.preparation);
  int deepest = 0;
  for (int y = 0; y < 33; ++y)
    for (int x = 0; x < 45; ++x)
      deepest += forest::find_leaf(comb.nodes.data(), prepared.view(),
                                   forest::pixel_site(prepared.view(), x, y, false)) >= 399;
  EXPECT_GT(deepest, 50);
}

TEST_P(PredictorAt, PixelsWithoutAnyProbabilityAreVoid) {
  EXPECT_EQ(predictor(one_leaf_forest({0, 0, 0, 0}))->predict(forest::noise_frame(3, 3, 1)).labels,
            image::LabelImage(3, 3, image::kVoid));
}

TEST_P(PredictorAt, LowestClassWinsATie) {
  EXPECT_EQ(predictor(one_leaf_forest({1, 3, 3, 3, 3}))->predict(forest::noise_frame(2, 2, 1)).labels,
            image::LabelImage(2, 2, 1));
}

TEST_P(PredictorAt, FillsDepthAsTheModelSays) {
  forest::Forest forest = forest::noise_forest(4, 2, {"lab", "depth"}, 7);
  forest.preparation.depth_filling = image::DepthFilling::kSimple;
  expect_plain(forest, forest::noise_frame(20, 30, 8));
}

TEST_P(PredictorAt, FillsDepthByColorizationAsTheModelSays) {
  if (!is_built_for("filling depth by colourisation")) GTEST_SKIP() << "built without Eigen";
  forest::Forest forest = forest::noise_forest(4, 2, {"lab", "depth"}, 7);
  forest.preparation.depth_filling = image::DepthFilling::kColorized;
  expect_plain(forest, forest::noise_frame(9, 11, 8));
}

TEST_P(PredictorAt, FramesWithoutAnyDepthAreLikeAnyOther) {
  image::Frame frame = forest::noise_frame(20, 30, 8);
  frame.depth_mm = Array2<std::uint16_t>(20, 30);
  expect_plain(forest::noise_forest(4, 2, {"lab", "depth"}, 7), frame);
}

TEST_P(PredictorAt, LabelsFramesOfDifferentSizesOneByOneOrTogether) {
  const forest::Forest forest = forest::noise_forest(4, 2, {"lab", "depth"}, 13);
  const auto one = predictor(forest), together = predictor(forest);
  std::vector<image::Frame> frames;
  std::vector<image::LabelImage> labels;
  for (const std::size_t size : {30u, 5u, 17u, 40u, 40u, 1u, 25u}) {
    frames.push_back(forest::noise_frame(size, 2 * size, static_cast<std::uint32_t>(size), size % 2 ? 4 : 0));
    labels.push_back(plain_prediction(forest, forest.labelling_trees(), frames.back()).labels);
    EXPECT_EQ(one->predict(frames.back()).labels, labels.back());
  }
  EXPECT_EQ(together->label(frames), labels);
  EXPECT_EQ(together->label({}), std::vector<image::LabelImage>{});
  EXPECT_EQ(together->predict(frames[3]).labels, labels[3]);
}

TEST_P(PredictorAt, GivesOnlyWhatIsAskedFor) {
  const auto at = predictor(forest::noise_forest(3, 2, {"lab"}, 1));
  const Prediction labels = at->predict(forest::noise_frame(4, 4, 1));
  EXPECT_TRUE(labels.probabilities.empty());
  EXPECT_TRUE(labels.trees.empty());
  const Prediction trees = at->predict(forest::noise_frame(4, 4, 1), {.per_tree = true});
  EXPECT_TRUE(trees.probabilities.empty());
  ASSERT_EQ(trees.trees.size(), 2u);
  EXPECT_TRUE(trees.trees[0].probabilities.empty());
}

TEST_P(PredictorAt, IsUsableAfterAFrameThatLacksDepth) {
  const forest::Forest forest = forest::noise_forest(4, 2, {"lab", "depth"}, 7);
  const auto at = predictor(forest);
  const image::Frame frame = forest::noise_frame(20, 30, 8);
  const std::vector<image::Frame> frames = {frame, {frame.color, {}}};
  EXPECT_EQ(testdata::error_of([&] { at->predict(frames[1]); }).value().kind(), ErrorKind::kData);
  EXPECT_EQ(testdata::error_of([&] { at->label(frames); }).value().kind(), ErrorKind::kData);
  EXPECT_EQ(at->label({frames.data(), 1})[0], plain_prediction(forest, forest.labelling_trees(), frame).labels);
}

TEST_P(PredictorAt, KnowsItsLayoutAndItsTimes) {
  const auto at = predictor(forest::noise_forest(3, 2, {"lab"}, 1));
  at->predict(forest::noise_frame(40, 40, 1));
  const auto names = predict_layouts(choose_device(GetParam().device).device);
  EXPECT_EQ(std::ranges::count(names, at->layout()), 1) << at->layout();
  if (GetParam().layout != "auto") {
    EXPECT_EQ(at->layout(), GetParam().layout);
  }
  const std::optional<PredictTimes> times = at->last_times();
  ASSERT_EQ(times.has_value(), GetParam().device != "cpu");
  if (!times) return;
  for (const double seconds : {times->upload, times->prepare, times->label, times->download}) {
    EXPECT_GT(seconds, 0.0);
    EXPECT_LT(seconds, 10.0);
  }
}

TEST_P(PredictorAt, UnknownLayoutIsAUsageErrorThatNamesTheKnownOnes) {
  const auto make = [] { make_predictor(forest::noise_forest(3, 1, {"lab"}, 1), {GetParam().device, 1, "papyrus"}); };
  EXPECT_EQ(testdata::error_of(make).value().kind(), ErrorKind::kUsage);
}

}  // namespace
}  // namespace fernwood::predict
