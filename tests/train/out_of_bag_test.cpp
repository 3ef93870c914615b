// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/out_of_bag.h"

#include <gtest/gtest.h>

#include "devices.h"
#include "forest/noise.h"
#include "sentences.h"
#include "train/data/sampler.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

/// A uniform frame of 8 x 8 pixels; its first `labelled` pixels have the class of `color`, the others are void.
void add_plain(const TrainingData& data, const std::string& name, image::Rgb color, std::size_t labelled) {
  Array2<image::Rgb> truth(8, 8);
  std::fill_n(truth.data(), labelled, color);
  data.add(name, {Array2<image::Rgb>(8, 8, image::Rgb{5, 6, 7}), {}}, truth);
}

/// Two frames with 64 pixels of class 0, and one with 32 of class 1. Trees are trained on two of the frames and have a
/// single leaf. They always predict class 0, and are right on the frames of class 0 that they have not seen.
void add_two_to_one(const TrainingData& data) {
  add_plain(data, "a", {1, 0, 0}, 64);
  add_plain(data, "b", {1, 0, 0}, 64);
  add_plain(data, "c", {2, 0, 0}, 32);
}

TrainOptions two_frames_a_tree() {
  TrainOptions options = small_training();
  options.frames_per_tree = 2;
  return options;
}

TrainOptions trees_of_one_leaf() {
  TrainOptions options = two_frames_a_tree();
  options.min_samples = 1000;
  return options;
}

/// Noise frames of 12 x 16 pixels, fewer than the limit for evaluation. Some pixels are void; bright ones are of class
/// 1, and become more frequent from frame to frame.
void add_noise(const TrainingData& data, std::uint32_t frames) {
  forest::Noise noise(9);
  for (std::uint32_t i = 0; i < frames; ++i) {
    const image::Frame frame = forest::noise_frame(12, 16, i);
    Array2<image::Rgb> truth(12, 16);
    for (std::size_t p = 0; p < truth.size(); ++p) {
      const bool bright = frame.color.data()[p].g > 170 - 10 * static_cast<int>(i);
      if (!noise.one_in(6)) truth.data()[p] = {static_cast<std::uint8_t>(bright ? 2 : 1), 0, 0};
    }
    data.add("noise" + std::to_string(i), frame, truth);
  }
}

/// Class with the highest sum over the trees that have not seen frame `f`, the first one of equals; nothing if all
/// trees have seen it.
std::optional<std::size_t> vote_plainly(const forest::Forest& forest, std::size_t num_trees,
                                        const std::vector<std::vector<std::uint32_t>>& seen, std::uint32_t f,
                                        const image::FrameView& view, const forest::PixelSite& site) {
  std::vector<float> sums(forest.classes.size(), 0);
  bool asked = false;
  for (std::size_t k = 0; k < num_trees; ++k) {
    if (std::ranges::count(seen[k], f) > 0) continue;
    asked = true;
    const Array2<float> table = forest::leaf_votes(forest, forest.labelling_trees()[k], k);
    const auto leaf = static_cast<std::size_t>(forest::find_leaf(forest.labelling_trees()[k].nodes.data(), view, site));
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += table(leaf, c);
  }
  if (!asked) return std::nullopt;
  const auto best = std::ranges::max_element(sums);
  return *best > 0 || forest.kind == forest::ForestKind::kBoosted ? static_cast<std::size_t>(best - sums.begin())
                                                                  : sums.size();
}

/// Reference for the out-of-bag accuracy of the first trees, over all labelled pixels of the frames.
OutOfBagReport count_plainly(const forest::Forest& forest, std::size_t num_trees, const dataset::Dataset& dataset,
                             const TrainOptions& options) {
  std::vector<std::vector<std::uint32_t>> seen;
  const bool boosted = options.algorithm == forest::ForestKind::kBoosted;
  for (std::uint32_t k = 0; k < num_trees; ++k)
    seen.push_back(draw_frames(all_frames(dataset.size()), options, boosted ? 0 : k));
  std::vector<double> right(forest.classes.size(), 0), all = right;
  double known = 0, more_right = 0;
  for (std::uint32_t f = 0; f < dataset.size(); ++f) {
    const image::PreparedFrame prepared(dataset.read_frame(f), forest.preparation);
    const image::FrameView view = prepared.view();
    const image::LabelImage truth = dataset.read_labels(f, forest.classes);
    for (int y = 0; y < view.rows; ++y)
      for (int x = 0; x < view.cols; ++x) {
        const std::uint16_t label = truth(static_cast<std::size_t>(y), static_cast<std::size_t>(x));
        if (label == image::kVoid) continue;
        const forest::PixelSite site = forest::pixel_site(view, x, y, false);
        const auto before = vote_plainly(forest, num_trees - 1, seen, f, view, site);
        const auto voted = vote_plainly(forest, num_trees, seen, f, view, site);
        if (!voted) continue;
        known += before.has_value();
        if (before) more_right += (*voted == label) - (*before == label);
        all[label] += 1;
        right[label] += *voted == label;
      }
  }
  const double num_right = right[0] + right[1], num_all = all[0] + all[1];
  return {static_cast<int>(num_trees) - 1,
          {num_right / num_all, (right[0] / all[0] + right[1] / all[1]) / 2},
          static_cast<std::size_t>(num_all),
          known > 0 ? std::optional(more_right / known) : std::nullopt};
}

class OutOfBagOn : public DeviceTest {
 protected:
  forest::Forest train(const TrainOptions& options) {
    report_ = {};
    return train_forest(data_.dataset(), options, {.device = to_string(GetParam())}, {}, &report_);
  }
  TrainingData data_;
  TrainReport report_;
};
INSTANTIATE_TEST_SUITE_P(EveryDevice, OutOfBagOn, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(OutOfBagOn, TreesThatSayOneClassAreRightOnItsFrames) {
  add_two_to_one(data_);
  TrainOptions options = trees_of_one_leaf();
  options.trees = 12;  // enough for each frame to be left out at least once
  train(options);
  ASSERT_EQ(report_.out_of_bag.size(), 12u);
  EXPECT_EQ(report_.out_of_bag.back(), (OutOfBagReport{11, {128.0 / 160.0, 0.5}, 160, 0.0}));
  for (const OutOfBagReport& report : report_.out_of_bag)
    EXPECT_EQ(report.accuracy.pixel, static_cast<double>(report.pixels / 64 * 64) / static_cast<double>(report.pixels));
}

TEST_P(OutOfBagOn, AnUnseenClassIsNeverRight) {
  add_plain(data_, "a", {1, 0, 0}, 64);
  add_plain(data_, "b", {2, 0, 0}, 64);
  TrainOptions options = trees_of_one_leaf();
  options.frames_per_tree = 1;
  train(options);
  EXPECT_EQ(report_.out_of_bag.front(), (OutOfBagReport{0, {0, 0}, 64}));
}

TEST_P(OutOfBagOn, IsThatOfVotesCountedPixelByPixel) {
  add_noise(data_, 5);
  TrainOptions options = two_frames_a_tree();
  options.trees = 4;
  options.max_offset = 2;
  options.max_half_extent = 1;
  const auto expect_counted = [&](const char* how) {
    const forest::Forest forest = train(options);
    ASSERT_EQ(report_.out_of_bag.size(), 4u) << how;
    for (std::size_t k = 0; k < 4; ++k) {
      const OutOfBagReport expected = count_plainly(forest, k + 1, data_.dataset(), options);
      EXPECT_EQ(report_.out_of_bag[k].tree, expected.tree);
      EXPECT_EQ(report_.out_of_bag[k].pixels, expected.pixels) << how << " after " << k + 1;
      EXPECT_DOUBLE_EQ(report_.out_of_bag[k].accuracy.pixel, expected.accuracy.pixel) << how << " after " << k + 1;
      EXPECT_DOUBLE_EQ(report_.out_of_bag[k].accuracy.class_average, expected.accuracy.class_average) << how;
      EXPECT_EQ(report_.out_of_bag[k].rise, expected.rise) << how << " after " << k + 1;
    }
    EXPECT_GT(report_.out_of_bag[3].accuracy.pixel, 0.55) << how;
    EXPECT_LT(report_.out_of_bag[3].accuracy.pixel, 1.0) << how;
  };
  expect_counted("by default");
  options.mirror_augmentation = true;
  expect_counted("mirrored samples");
  options.sampling = Sampling::kClasses;
  expect_counted("samples of each class");
  options.leaves.reweight = false;
  options.depth_filling = image::DepthFilling::kSimple;
  expect_counted("not re-weighted, depth filled");
}

TEST_P(OutOfBagOn, OfBoostedTreesAllLabelTheFramesThatNoneHasSeen) {
  add_noise(data_, 5);
  TrainOptions options = two_frames_a_tree();
  options.algorithm = forest::ForestKind::kBoosted;
  options.trees = 3;
  const forest::Forest forest = train(options);
  ASSERT_EQ(report_.out_of_bag.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const OutOfBagReport expected = count_plainly(forest, k + 1, data_.dataset(), options);
    EXPECT_EQ(report_.out_of_bag[k], expected) << "after " << k + 1;
    EXPECT_EQ(report_.out_of_bag[k].pixels, report_.out_of_bag[0].pixels);
  }
  EXPECT_GT(report_.out_of_bag[2].accuracy.pixel, report_.out_of_bag[0].accuracy.pixel);
}

TEST_P(OutOfBagOn, EvaluatesAtMost200PixelsOfAFrameAndNoMoreThanATreeDraws) {
  add_scenes(data_, 3);
  TrainOptions options = two_frames_a_tree();
  options.trees = 1;
  train(options);
  EXPECT_EQ(report_.out_of_bag.at(0).pixels, 200u);
  options.samples_per_frame = 50;
  train(options);
  EXPECT_EQ(report_.out_of_bag.at(0).pixels, 50u);
}

TEST(EvaluatedPixels, AreAboutAMillionAtMostAndOneOfAFrameAtLeast) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.frames_per_tree = 7;
  EXPECT_EQ(evaluated_pixels(options, 5000).samples_per_frame, 200);
  EXPECT_EQ(evaluated_pixels(options, 10000).samples_per_frame, 100);
  EXPECT_EQ(evaluated_pixels(options, 3000000).samples_per_frame, 1);
  options.samples_per_frame = 30;
  EXPECT_EQ(evaluated_pixels(options, 10).samples_per_frame, 30);
}

TEST_P(OutOfBagOn, FramesWithoutLabelsAreNotEvaluated) {
  add_two_to_one(data_);
  add_plain(data_, "d", {}, 0);
  TrainOptions options = trees_of_one_leaf();
  options.frames_per_tree = 3;
  options.trees = 12;
  train(options);
  EXPECT_EQ(report_.out_of_bag.back().pixels, 160u);
}

TEST_P(OutOfBagOn, NoFrameLeftOutGivesNoFigures) {
  add_two_to_one(data_);
  TrainOptions options = trees_of_one_leaf();
  for (const int frames : {0, 3, 4}) {
    options.frames_per_tree = frames;
    train(options);
    EXPECT_TRUE(report_.out_of_bag.empty());
    EXPECT_EQ(report_.seconds_out_of_bag, 0);
  }
}

TEST_P(OutOfBagOn, ThreadsAndMemoryChangeNothing) {
  add_scenes(data_, 5);
  TrainOptions options = two_frames_a_tree();
  options.trees = 4;
  options.mirror_augmentation = true;
  const auto figures = [&](const TrainResources& resources) {
    TrainReport report;
    train_forest(data_.dataset(), options, resources, {}, &report);
    EXPECT_EQ(report.frames_kept<5, resources.memory_budget_bytes> 0);
    return report.out_of_bag;
  };
  const std::string device = to_string(GetParam());
  const auto one = figures({.device = device, .threads = 1});
  EXPECT_EQ(one.size(), 4u);
  EXPECT_EQ(one, figures({.device = device, .threads = 2}));
  EXPECT_EQ(one, figures({.device = device, .threads = 2, .memory_budget_bytes = 20000}));
  EXPECT_EQ(one, figures({.device = "cpu"}));
}

TEST_P(OutOfBagOn, ProgressTellsItOnceATreeVoted) {
  add_scenes(data_, 3);
  TrainOptions options = two_frames_a_tree();
  options.trees = 3;
  std::vector<TrainProgress> told;
  TrainHooks hooks;
  hooks.progress = [&](const TrainProgress& progress) { told.push_back(progress); };
  train_forest(data_.dataset(), options, {.device = to_string(GetParam())}, hooks, &report_);
  for (const TrainProgress& progress : told) {
    ASSERT_EQ(progress.out_of_bag.has_value(), progress.tree > 0);
    if (progress.tree == 0) continue;
    EXPECT_EQ(*progress.out_of_bag, report_.out_of_bag[static_cast<std::size_t>(progress.tree - 1)].accuracy.pixel);
  }
  EXPECT_EQ(told.back().tree, 2);
}

TEST_P(OutOfBagOn, StopsWhenFlatWithTheTreesThatItHas) {
  add_two_to_one(data_);
  TrainOptions options = trees_of_one_leaf();
  options.trees = 40;
  options.early_stopping_rounds = 3;
  const forest::Forest stopped = train(options);
  EXPECT_EQ(stopped.labelling_trees().size(), 4u);  // the second, third and fourth tree do not change any label
  EXPECT_EQ(report_.out_of_bag.size(), 4u);

  options.trees = 4;
  options.early_stopping_rounds = 0;
  EXPECT_EQ(stopped.labelling_trees(), train(options).labelling_trees());
}

TEST_P(OutOfBagOn, EarlierFiguresInAReportStopNothing) {
  add_two_to_one(data_);
  TrainOptions options = trees_of_one_leaf();
  options.early_stopping_rounds = 1;
  report_.out_of_bag = {{0, {0.8, 0.5}, 160, {}}, {1, {0.8, 0.5}, 160, 0.0}};
  const TrainResources resources{.device = to_string(GetParam())};
  EXPECT_EQ(train_forest(data_.dataset(), options, resources, {}, &report_).labelling_trees().size(), 2u);
  EXPECT_EQ(report_.out_of_bag.size(), 2u);
}

TEST_P(OutOfBagOn, HasNoMoreTreesThanAskedFor) {
  add_two_to_one(data_);
  TrainOptions options = trees_of_one_leaf();
  options.early_stopping_rounds = 3;
  EXPECT_EQ(train(options).labelling_trees().size(), 2u);
}

/// Reports of trees; each after the first one has raised the accuracy on previously evaluated pixels by the given
/// amount.
std::vector<OutOfBagReport> rising(const std::vector<double>& rises) {
  std::vector<OutOfBagReport> reports = {{0, {0.6, 0.6}, 100}};
  for (const double rise : rises) reports.push_back({static_cast<int>(reports.size()), {0.6, 0.6}, 100, rise});
  return reports;
}

TEST(IsFlat, AfterARiseOfLessThanAThousandth) {
  EXPECT_TRUE(is_flat(rising({0.1, 0.0009}), 1));
  EXPECT_FALSE(is_flat(rising({0.1, 0.0011}), 1));
  EXPECT_TRUE(is_flat(rising({-0.1}), 1));
}

TEST(IsFlat, AddsUpTheRisesOfAllTheTreesAskedFor) {
  const auto slow = rising({0.1, 0.0006, 0.0006, 0.0006});
  EXPECT_TRUE(is_flat(slow, 1));
  EXPECT_FALSE(is_flat(slow, 2));
  EXPECT_TRUE(is_flat(rising({0.1, -0.1}), 2));
}

TEST(IsFlat, NeedsMoreTreesThanThatAndAWish) {
  EXPECT_FALSE(is_flat({}, 1));
  EXPECT_FALSE(is_flat(rising({}), 1));
  EXPECT_FALSE(is_flat(rising({0, 0}), 3));
  EXPECT_TRUE(is_flat(rising({0, 0, 0}), 3));
  EXPECT_FALSE(is_flat(rising({0, 0, 0}), 0));
}

TEST(IsFlat, NotWhileATreeVotedOnNothingKnown) {
  auto reports = rising({0, 0});
  reports[1].rise.reset();
  EXPECT_TRUE(is_flat(reports, 1));
  EXPECT_FALSE(is_flat(reports, 2));
}

TEST(EarlyStopping, NeedsFramesThatTreesHaveNotSeen) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  check_early_stopping(options, 60);
  options.early_stopping_rounds = 3;
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_early_stopping(options, 60); });
  options.frames_per_tree = 60;
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_early_stopping(options, 60); });
  options.frames_per_tree = 59;
  check_early_stopping(options, 60);
  options.frames_per_tree = 1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_early_stopping(options, 1); });
  check_early_stopping(options, 2);
}

TEST(EarlyStopping, IsCheckedBeforeTraining) {
  TrainingData data;
  add_two_to_one(data);
  TrainOptions options = small_training();
  options.early_stopping_rounds = 1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { train_forest(data.dataset(), options); });
}

}  // namespace
}  // namespace fernwood::train
