// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "dataset/frame_files.h"
#include "train/samples.h"

namespace fernwood::train {
namespace {

using Place = std::tuple<int, int, int>;  // x, y, label

std::set<Place> places(const std::vector<DrawnPixel>& pixels) {
  std::set<Place> found;
  for (const DrawnPixel& p : pixels) found.insert({p.x, p.y, p.label});
  return found;
}

std::map<int, int> count_classes(const std::vector<DrawnPixel>& pixels) {
  std::map<int, int> counts;
  for (const DrawnPixel& p : pixels) ++counts[p.label];
  return counts;
}

bool same(const std::vector<DrawnPixel>& a, const std::vector<DrawnPixel>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const DrawnPixel& p, const DrawnPixel& q) {
    return std::tuple(p.x, p.y, p.label, p.mirrored) == std::tuple(q.x, q.y, q.label, q.mirrored);
  });
}

/// 40 x 50 pixels: the first 10 rows are class 0, one row is class 2, one row and the left and right border are void,
/// the others are class 1.
image::LabelImage banded_labels() {
  image::LabelImage labels(40, 50, 1);
  std::fill(labels.row(0), labels.row(10), std::uint16_t{0});
  std::fill(labels.row(20), labels.row(21), std::uint16_t{2});
  std::fill(labels.row(30), labels.row(31), image::kVoid);
  for (std::size_t y = 0; y < 40; ++y) labels(y, 0) = labels(y, 49) = image::kVoid;
  return labels;
}

TrainOptions sampling(int samples, Sampling kind = Sampling::kPixels) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.samples_per_frame = samples;
  options.sampling = kind;
  options.mirror_augmentation = false;
  return options;
}

class DrawPixels : public testing::TestWithParam<Sampling> {};
INSTANTIATE_TEST_SUITE_P(Each, DrawPixels, testing::Values(Sampling::kPixels, Sampling::kClasses),
                         [](const auto& info) { return to_string(info.param); });

TEST_P(DrawPixels, FrameWithFewerPixelsThanWantedGivesThemAllOnce) {
  image::LabelImage labels(3, 4, image::kVoid);
  labels(0, 1) = 0;
  labels(2, 3) = 1;
  labels(1, 2) = 1;
  const auto pixels = draw_pixels(labels, sampling(100, GetParam()), 0, 0, 2);
  EXPECT_EQ(pixels.size(), 3u);
  EXPECT_EQ(places(pixels), (std::set<Place>{{1, 0, 0}, {3, 2, 1}, {2, 1, 1}}));
}

TEST_P(DrawPixels, GivesTheNumberWantedEachPixelOnceWithItsLabel) {
  const image::LabelImage labels = banded_labels();
  const auto pixels = draw_pixels(labels, sampling(90, GetParam()), 1, 2, 3);
  EXPECT_EQ(pixels.size(), 90u);
  EXPECT_EQ(places(pixels).size(), 90u);
  for (const DrawnPixel& p : pixels) {
    EXPECT_NE(p.label, image::kVoid);
    EXPECT_EQ(p.label, labels(p.y, p.x));
    EXPECT_FALSE(p.mirrored);
  }
}

TEST_P(DrawPixels, IsAFunctionOfSeedTreeAndFrame) {
  const image::LabelImage labels = banded_labels();
  TrainOptions options = sampling(90, GetParam());
  const auto pixels = draw_pixels(labels, options, 1, 2, 3);
  options.features = 1;
  options.max_depth = 1;
  options.min_samples = 1;
  EXPECT_TRUE(same(pixels, draw_pixels(labels, options, 1, 2, 3)));
  EXPECT_FALSE(same(pixels, draw_pixels(labels, options, 2, 2, 3)));
  EXPECT_FALSE(same(pixels, draw_pixels(labels, options, 1, 3, 3)));
  options.seed += 1;
  EXPECT_FALSE(same(pixels, draw_pixels(labels, options, 1, 2, 3)));
}

TEST_P(DrawPixels, FlipMirrorsAboutHalfAndMovesNoPixel) {
  TrainOptions options = sampling(900, GetParam());
  const image::LabelImage labels(40, 50, 0);
  const auto upright = draw_pixels(labels, options, 0, 0, 1);
  options.mirror_augmentation = true;
  const auto flipped = draw_pixels(labels, options, 0, 0, 1);
  EXPECT_EQ(places(upright), places(flipped));
  const auto mirrored = std::count_if(flipped.begin(), flipped.end(), [](const DrawnPixel& p) { return p.mirrored; });
  EXPECT_NEAR(static_cast<double>(mirrored), 450, 60);  // 4 standard deviations of 15
}

TEST_P(DrawPixels, AreInZOrder) {
  // Z-order: the pixels of each 2 x 2 square are consecutive, and so are 2 x 2 squares of these.
  const auto pixels = draw_pixels(image::LabelImage(4, 4, 0), sampling(16, GetParam()), 0, 0, 1);
  std::vector<std::pair<int, int>> order;
  for (const DrawnPixel& p : pixels) order.emplace_back(p.x, p.y);
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{0, 0},
                                                     {1, 0},
                                                     {0, 1},
                                                     {1, 1},  //
                                                     {2, 0},
                                                     {3, 0},
                                                     {2, 1},
                                                     {3, 1},  //
                                                     {0, 2},
                                                     {1, 2},
                                                     {0, 3},
                                                     {1, 3},  //
                                                     {2, 2},
                                                     {3, 2},
                                                     {2, 3},
                                                     {3, 3}}));
}

TEST_P(DrawPixels, FrameWithoutLabelsGivesNone) {
  EXPECT_TRUE(draw_pixels(image::LabelImage(5, 5, image::kVoid), sampling(10, GetParam()), 0, 0, 3).empty());
}

TEST(DrawPixelsOfAllClasses, OneComesFromEachRunOfEqualLength) {
  // 2000 labelled pixels and 100 samples: one in each run of 20 pixels, that is, of 20 columns of a row.
  std::set<int> places_in_run;
  for (std::uint32_t frame = 0; frame < 10; ++frame) {
    std::set<std::pair<int, int>> runs;
    for (const DrawnPixel& p : draw_pixels(image::LabelImage(20, 100, 0), sampling(100), 3, frame, 1)) {
      runs.insert({p.y, p.x / 20});
      places_in_run.insert(p.x % 20);
    }
    EXPECT_EQ(runs.size(), 100u);
  }
  EXPECT_EQ(places_in_run.size(), 20u);  // any position of the run, including its ends
}

TEST(DrawPixelsOfAllClasses, LabelsBeyondTheClassesAreVoid) {
  image::LabelImage labels(4, 4, 2);
  labels(1, 1) = 1;
  EXPECT_EQ(places(draw_pixels(labels, sampling(16), 0, 0, 2)), (std::set<Place>{{1, 1, 1}}));
}

TEST(DrawPixelsOfAllClasses, ClassesKeepTheirShares) {
  // Runs of 18 pixels: 480 of class 0 make 26.7 runs, 48 of class 2 make 2.7; runs across a border go to either class.
  const auto counts = count_classes(draw_pixels(banded_labels(), sampling(104), 0, 0, 3));  // 1872 labelled pixels
  EXPECT_NEAR(counts.at(0), 27, 1);
  EXPECT_NEAR(counts.at(2), 2.7, 1.5);
}

TEST(DrawPixelsOfEachClass, SplitsTheNumberEquallyAmongTheClassesPresent) {
  const auto counts = count_classes(draw_pixels(banded_labels(), sampling(100, Sampling::kClasses), 0, 0, 3));
  // floor(100 / 3), floor(200 / 3) - 33, 100 - 66.
  EXPECT_EQ(counts, (std::map<int, int>{{0, 33}, {1, 33}, {2, 34}}));
}

TEST(DrawPixelsOfEachClass, AbsentClassesTakeNoShareAndRareOnesGiveWhatTheyHave) {
  image::LabelImage labels(10, 10, 1);
  labels(3, 3) = 5;
  labels(9, 9) = 5;
  const auto counts = count_classes(draw_pixels(labels, sampling(40, Sampling::kClasses), 0, 0, 8));
  EXPECT_EQ(counts, (std::map<int, int>{{1, 20}, {5, 2}}));
}

TEST(DrawFrames, AllByDefaultOrWhenMoreAreWantedThanThereAre) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  EXPECT_EQ(draw_frames(all_frames(4), options, 0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  options.frames_per_tree = 4;
  EXPECT_EQ(draw_frames(all_frames(4), options, 7), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  options.frames_per_tree = 9;
  EXPECT_EQ(draw_frames(all_frames(4), options, 7), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(SeesAllFrames, UnlessFewerAreAskedForThanThereAre) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  EXPECT_TRUE(sees_all_frames(4, options));
  for (const int frames : {1, 3, 4, 5}) {
    options.frames_per_tree = frames;
    EXPECT_EQ(sees_all_frames(4, options), frames >= 4);
    EXPECT_EQ(sees_all_frames(4, options), draw_frames(all_frames(4), options, 0).size() == 4);
  }
}

TEST(DrawFrames, AreDistinctAscendingAndOfTheTree) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.frames_per_tree = 10;
  std::set<std::uint32_t> seen;
  for (std::uint32_t tree = 0; tree < 20; ++tree) {
    const auto frames = draw_frames(all_frames(30), options, tree);
    ASSERT_EQ(frames.size(), 10u);
    EXPECT_LT(frames.back(), 30u);
    for (std::size_t i = 1; i < frames.size(); ++i) EXPECT_LT(frames[i - 1], frames[i]);
    EXPECT_EQ(frames, draw_frames(all_frames(30), options, tree));
    seen.insert(frames.begin(), frames.end());
  }
  EXPECT_EQ(seen.size(), 30u);  // all 20 trees miss a given frame with probability 1/3000
  EXPECT_NE(draw_frames(all_frames(30), options, 0), draw_frames(all_frames(30), options, 1));
}

TEST(DrawSamples, FollowTheFramesWithTheDepthOfEachPixel) {
  const dataset::TestFolder folder;
  dataset::add_frame(
      folder, "a",
      {dataset::kFloor, dataset::kProp, dataset::kFloor, dataset::kBlack, dataset::kFloor, dataset::kFloor});
  dataset::add_frame(folder, "b", std::vector<image::Rgb>(6, dataset::kBlack));
  dataset::add_frame(
      folder, "c",
      {dataset::kBlack, dataset::kBlack, dataset::kProp, dataset::kBlack, dataset::kBlack, dataset::kBlack});
  dataset::add_depth(folder, "c", 2, 3, 500);
  const dataset::Dataset dataset = dataset::Dataset::open(folder.path());
  ThreadPool pool(1);
  const image::ClassMap classes = dataset.scan_truth(pool).classes;  // floor 0, prop 1
  const image::Preparation preparation{image::ChannelLayout({"lab", "depth"})};
  FrameStore store(dataset, classes, preparation, 1 << 20);
  const SampleSet samples = draw_samples(store, sampling(100), 0, classes.size(), pool);
  EXPECT_EQ(samples.frames, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(samples.frame_starts, (std::vector<std::uint32_t>{0, 5, 5, 6}));
  // Z-order of frame a is (0,0) (1,0) (1,1) (2,0) (2,1); (0,1) is void.
  EXPECT_EQ(columns(samples), (std::vector<std::int32_t>{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(rows(samples), (std::vector<std::int32_t>{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(samples.labels, (std::vector<std::uint16_t>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(inv_depths_y(samples), (std::vector<float>{0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 2.0f}));
  EXPECT_EQ(inv_depths_x(samples), inv_depths_y(samples));
}

TEST(DrawSamples, AreTheSameOnAnyNumberOfThreadsAndWithAnyMemory) {
  const dataset::TestFolder folder;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    dataset::add_color(folder, name, 30, 40);
    dataset::add_depth(folder, name, 30, 40);
    dataset::add_truth(folder, name, std::vector<image::Rgb>(1200, dataset::kFloor), 30, 40);
  }
  const dataset::Dataset dataset = dataset::Dataset::open(folder.path());
  ThreadPool one(1), two(2);
  const image::ClassMap classes = dataset.scan_truth(one).classes;
  TrainOptions options = sampling(50);
  options.mirror_augmentation = true;
  options.frames_per_tree = 3;
  const image::Preparation preparation{image::ChannelLayout({"lab", "depth"})};
  FrameStore kept(dataset, classes, preparation, 1 << 24);
  FrameStore streamed(dataset, classes, preparation, 0);
  const SampleSet a = draw_samples(kept, options, 1, 1, one), b = draw_samples(streamed, options, 1, 1, two);
  EXPECT_EQ(a.size(), 150u);
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(columns(a), columns(b));
  EXPECT_EQ(rows(a), rows(b));
  EXPECT_EQ(inv_depths_x(a), inv_depths_x(b));
  EXPECT_NE(inv_depths_x(a), inv_depths_y(a));  // some samples are mirrored
}

}  // namespace
}  // namespace fernwood::train
