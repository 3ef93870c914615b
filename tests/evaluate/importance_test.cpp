// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/importance.h"

#include <gmock/gmock.h>

#include "dataset/test_files.h"
#include "evaluate/altered_frames.h"
#include "sentences.h"

namespace fernwood::evaluate {
namespace {

constexpr std::uint8_t kRed = 0;
constexpr image::Rgb kFloorClass{255, 0, 0}, kWallClass{0, 255, 0};

forest::Forest forest_of(const forest::Tree& tree, std::size_t num_classes) {
  forest::Forest forest;
  const image::ClassInfo classes[] = {{"floor", kFloorClass}, {"wall", kWallClass}, {"door", {0, 0, 255}}};
  forest.classes.classes.assign(classes, classes + num_classes);
  forest.classes.void_colors = {{}};
  forest.class_pixels.assign(num_classes, 1);
  forest.preparation.channels = image::ChannelLayout({"rgb", "depth"});
  forest.leaves.reweight = false;
  forest.labelling_trees() = {tree};
  return forest;
}

TEST(MixedFrame, HasTheChannelsAskedForFromTheOtherWithTheirUnknownPixels) {
  const image::Preparation preparation{image::ChannelLayout({"rgb", "depth"}), image::DepthFilling::kNone};
  image::Frame frame{Array2<image::Rgb>(1, 2, image::Rgb{1, 2, 3}), Array2<std::uint16_t>(1, 2, 1000)};
  const image::PreparedFrame own(frame, preparation);
  frame = {Array2<image::Rgb>(1, 2, image::Rgb{10, 20, 30}), Array2<std::uint16_t>(1, 2, 3000)};
  frame.depth_mm(0, 0) = 0;
  const image::PreparedFrame other(frame, preparation);
  // Mean of a channel over both pixels.
  const auto mean = [](const image::FrameView& view, int channel) {
    bool known = false;
    return forest::region_mean(view, channel, view.pair_plane[channel], forest::RegionBox{0, 2, view.stride, 2, true},
                               &known);
  };
  MixedFrame mixed;
  mixed.mix(own.view(), other.view(), {false, true, false, true}, false);
  EXPECT_EQ(mean(mixed.view(), 0), 1 * 128.0f);
  EXPECT_EQ(mean(mixed.view(), 1), 20 * 128.0f);
  EXPECT_EQ(mean(mixed.view(), 2), 3 * 128.0f);
  EXPECT_EQ(mean(mixed.view(), 3), 3000.0f);  // of the single known pixel
  mixed.mix(other.view(), own.view(), {false, false, false, true}, false);
  EXPECT_EQ(mean(mixed.view(), 2), 30 * 128.0f);
  EXPECT_EQ(mean(mixed.view(), 3), 1000.0f);  // of both pixels
}

/// Rows of 4 pixels. The forest predicts wall where the pixel one (at 1 m) to the right is red or outside the frame.
class PermutationImportanceTest : public testing::Test {
 protected:
  PermutationImportanceTest() {
    forest::Tree tree;
    tree.nodes = {{1, 12800, {{1, 0, 0, 0}, {}, kRed, forest::kNoChannel}, 0}, {~0, 0, {}, 0}, {~1, 0, {}, 0}};
    tree.leaf_counts = Array2<std::uint32_t>(2, 2);
    tree.leaf_counts(0, 0) = tree.leaf_counts(1, 1) = 1;
    forest_ = forest_of(tree, 2);
  }
  void add(const std::string& name, std::uint8_t red, std::uint16_t depth_mm, image::Rgb truth,
           std::size_t cols = 4) const {
    dataset::write_png(folder_ / (name + "_colors.png"), Array2<image::Rgb>(1, cols, image::Rgb{red, 0, 0}));
    dataset::write_png16(folder_ / (name + "_depth.png"), Array2<std::uint16_t>(1, cols, depth_mm));
    dataset::write_png(folder_ / (name + "_ground_truth.png"), Array2<image::Rgb>(1, cols, truth));
  }
  PermutationImportance run(int threads = 2) const {
    ThreadPool pool(threads);
    return permutation_importance(forest_, dataset::Dataset::open(folder_.path()), 4711, pool);
  }
  dataset::TestFolder folder_;
  forest::Forest forest_;
};

TEST_F(PermutationImportanceTest, TellsWhatEachExchangeCosts) {
  add("far", 0, 1000, kFloorClass);
  add("near", 200, 500, kWallClass);
  const PermutationImportance found = run();
  EXPECT_EQ(found.num_frames, 2u);
  // far: the last pixel's region is outside the frame. near: all correct.
  EXPECT_DOUBLE_EQ(found.intact.pixel, 7.0 / 8);
  EXPECT_DOUBLE_EQ(found.intact.class_average, (3.0 / 4 + 1) / 2);
  // With red exchanged, far is all wall; near, whose offset is two pixels, is floor except for two pixels with regions
  // outside the frame. With scale exchanged, the offset in far is two pixels.
  const std::pair<const char*, double> expected[] = {{"rgb", 2.0 / 8},  {"red", 2.0 / 8},   {"green", 7.0 / 8},
                                                     {"blue", 7.0 / 8}, {"depth", 7.0 / 8}, {"scale", 6.0 / 8}};
  ASSERT_EQ(found.exchanged.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(found.exchanged[i].name, expected[i].first);
    EXPECT_DOUBLE_EQ(found.exchanged[i].accuracy.pixel, expected[i].second) << expected[i].first;
  }
}

TEST_F(PermutationImportanceTest, ExchangesContextAtOnceAndOneByOne) {
  // The first stage predicts wall where the pixel is red; the second stage adopts its prediction.
  const auto believe = [](std::uint8_t channel, float threshold) {
    forest::Tree tree;
    tree.nodes = {{1, threshold, {{}, {}, channel, forest::kNoChannel}, 0}, {~0, 0, {}, 0}, {~1, 0, {}, 0}};
    tree.leaf_counts = Array2<std::uint32_t>(2, 2);
    tree.leaf_counts(0, 0) = tree.leaf_counts(1, 1) = 1;
    return tree;
  };
  forest_.preparation.channels = image::ChannelLayout({"rgb", "depth"}, {"floor", "wall"});
  forest_.stages = {{believe(kRed, 12800)}, {believe(5, 8160)}};  // red, then p(wall)
  add("far", 0, 1000, kFloorClass);
  add("near", 200, 500, kWallClass);
  const PermutationImportance found = run();
  EXPECT_EQ(found.intact.pixel, 1.0);
  // The labelling stage no longer reads red.
  const std::pair<const char*, double> expected[] = {{"rgb", 1},      {"context", 0}, {"red", 1},
                                                     {"green", 1},    {"blue", 1},    {"depth", 1},
                                                     {"p(floor)", 1}, {"p(wall)", 0}, {"scale", 1}};
  ASSERT_EQ(found.exchanged.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(found.exchanged[i].name, expected[i].first);
    EXPECT_EQ(found.exchanged[i].accuracy.pixel, expected[i].second) << expected[i].first;
  }
  EXPECT_EQ(found.exchanged[1].channels, (std::vector<std::string>{"p(floor)", "p(wall)"}));
}

TEST_F(PermutationImportanceTest, IsTheSameOnAnyNumberOfThreads) {
  for (int i = 0; i < 5; ++i)
    add("frame" + std::to_string(i), static_cast<std::uint8_t>(50 * i), static_cast<std::uint16_t>(300 * (i + 1)),
        i < 2 ? kFloorClass : kWallClass);
  const PermutationImportance first = run(1);
  for (const int threads : {2, 3, 7}) {
    const PermutationImportance other = run(threads);
    for (std::size_t i = 0; i < first.exchanged.size(); ++i)
      EXPECT_EQ(other.exchanged[i].accuracy.pixel, first.exchanged[i].accuracy.pixel) << first.exchanged[i].name;
  }
}

TEST_F(PermutationImportanceTest, RefusesFramesThatHaveNoPartner) {
  add("far", 0, 1000, kFloorClass);
  fernwood::testdata::expect_refused(ErrorKind::kData, [&] { run(); });
  add("wide", 0, 1000, kFloorClass, 6);
  fernwood::testdata::expect_refused(ErrorKind::kData, [&] { run(); });
  forest_.labelling_trees().clear();
  fernwood::testdata::expect_refused(ErrorKind::kModel, [&] { run(); });
}

}  // namespace
}  // namespace fernwood::evaluate
