// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backbone/small_network.h"
#include "evaluate/explained_pixel.h"
#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "forest/noise_stages.h"
#include "sentences.h"

namespace fernwood::evaluate {
namespace {

using testdata::explain_small;
using testdata::small_forest;
using testdata::small_frame;
using testdata::small_tree;
using testing::ElementsAre;

void expect_span(const SeenRegion& region, int x0, int y0, int width, int height) {
  ASSERT_TRUE(region.span.has_value());
  EXPECT_EQ(region.span->x0, x0);
  EXPECT_EQ(region.span->y0, y0);
  EXPECT_EQ(region.span->width, width);
  EXPECT_EQ(region.span->height, height);
}

TEST(Explain, GivesRectanglesMeansAndSidesOfThePath) {
  const PixelExplanation pixel = explain_small(2, 2);
  EXPECT_EQ(pixel.depth_mm, 500);
  ASSERT_EQ(pixel.trees.size(), 1u);
  const std::vector<SeenTest>& path = pixel.trees[0].path;
  ASSERT_EQ(path.size(), 2u);

  // Root: red 42 at (4, 2) minus red 20 at (2, 0); a step of red is 128 in its channel.
  expect_span(path[0].a, 4, 2, 1, 1);
  ASSERT_TRUE(path[0].b.has_value());
  expect_span(*path[0].b, 2, 0, 1, 1);
  EXPECT_EQ(path[0].a.mean, 42.0f * 128);
  EXPECT_EQ(path[0].b->mean, 20.0f * 128);
  EXPECT_EQ(path[0].response, 22.0f * 128);
  EXPECT_EQ(path[0].threshold, 1000.0f);
  EXPECT_TRUE(path[0].right);  // 2816 > 1000

  // Node 2: columns 0 to 4 of row 2, all at 500 mm, which is not above the threshold.
  EXPECT_EQ(path[1].node, 2);
  expect_span(path[1].a, 0, 2, 5, 1);
  EXPECT_EQ(path[1].a.channel, "depth");
  EXPECT_FALSE(path[1].b.has_value());
  EXPECT_EQ(path[1].response, 500.0f);
  EXPECT_FALSE(path[1].right);
}

TEST(Explain, FollowsTheStageThatLabelsAndNamesItsContext) {
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 3}, {"lab", "depth"}, 1);
  const image::Frame frame = forest::noise_frame(24, 31, 2);
  const predict::Prediction wanted =
      predict::make_predictor(forest, {.device = "cpu"})->predict(frame, {.probabilities = true, .per_tree = false});
  const image::PreparedFrame prepared = predict::prepare_for(forest, frame);
  bool sees_context = false;
  for (int y = 0; y < 24; y += 5)
    for (int x = 0; x < 31; x += 3) {
      const PixelExplanation pixel = explain(forest, prepared, x, y);
      const auto row = static_cast<std::size_t>(y), col = static_cast<std::size_t>(x);
      EXPECT_EQ(pixel.label, wanted.labels(row, col)) << x << "," << y;
      for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(pixel.probabilities[c], wanted.probabilities[c](row, col));
      for (const SeenTree& tree : pixel.trees)
        for (const SeenTest& test : tree.path) sees_context |= test.a.channel.starts_with("p(class ");
    }
  EXPECT_TRUE(sees_context);
}

TEST(Explain, NamesFeatureMapsAndGivesTheirValueAtThePixel) {
  forest::Forest forest = forest::noise_forest(3, 1, {"lab", "depth"}, 1);
  forest.preparation.maps = backbone::noise_backbone(1, 2);
  forest.labelling_trees()[0].nodes[0].feature = forest::map_feature(25);
  const image::PreparedFrame prepared = predict::prepare_for(forest, forest::noise_frame(40, 50, 2));
  const PixelExplanation pixel = explain(forest, prepared, 17, 23);
  const SeenTest& root = pixel.trees[0].path[0];
  EXPECT_EQ(root.a.channel, "map 1 of stride 16");
  EXPECT_EQ(root.a.image, image::FrameImage::kColor);
  expect_span(root.a, 17, 23, 1, 1);
  EXPECT_FALSE(root.b.has_value());
  EXPECT_EQ(root.response, image::map_value(prepared.view().maps, 25, 17, 23));
}

TEST(Explain, CountsTheSamplesBelowEveryNodeOfThePath) {
  const SeenTree tree = explain_small(2, 2).trees[0];
  EXPECT_THAT(tree.path[0].counts, ElementsAre(36, 64));  // leaf counts 5 + 30 + 1, 15 + 10 + 39
  EXPECT_THAT(tree.path[1].counts, ElementsAre(31, 49));
  EXPECT_THAT(tree.counts, ElementsAre(30, 10));
  EXPECT_EQ(tree.node, 3);
  EXPECT_EQ(tree.leaf, 1);
  EXPECT_THAT(tree.probabilities, ElementsAre(0.75f, 0.25f));
}

TEST(Explain, ARegionThatLeavesTheFrameIsShownAndSendsThePixelRight) {
  const PixelExplanation pixel = explain_small(5, 1);
  const SeenTest& root = pixel.trees[0].path[0];
  expect_span(root.a, 7, 1, 1, 1);
  EXPECT_FALSE(root.a.inside);
  EXPECT_EQ(root.a.mean, std::nullopt);
  expect_span(*root.b, 5, -1, 1, 1);
  EXPECT_EQ(root.response, std::nullopt);
  EXPECT_TRUE(root.right);
  // Columns 3 to 7, of which one is outside.
  EXPECT_EQ(pixel.trees[0].path[1].response, std::nullopt);
  EXPECT_EQ(pixel.trees[0].leaf, 2);
}

TEST(Explain, MeansLeaveUnknownPixelsOut) {
  // Node 2 evaluates columns 2 to 6 of row 3, of which the last is unknown: the mean is 500, not 400.
  const SeenTest test = explain_small(4, 3).trees[0].path[1];
  expect_span(test.a, 2, 3, 5, 1);
  EXPECT_EQ(test.response, 500.0f);
}

TEST(Explain, WithoutDepthNothingIsKnownAndEveryTestSaysRight) {
  const PixelExplanation pixel = explain_small(6, 2);
  EXPECT_EQ(pixel.depth_mm, 0);
  for (const SeenTest& test : pixel.trees[0].path) {
    EXPECT_FALSE(test.a.span.has_value());
    EXPECT_EQ(test.response, std::nullopt);
    EXPECT_TRUE(test.right);
  }
  EXPECT_EQ(pixel.trees[0].leaf, 2);
}

TEST(Explain, AModelWithoutDepthSeesRegionsAsFromOneMetre) {
  forest::Forest forest = small_forest();
  forest.preparation.channels = image::ChannelLayout({"rgb"});
  forest.labelling_trees()[0].nodes[2] = {3, 0, {{0, 0, 1, 0}, {}, 1, forest::kNoChannel}, 0};
  const PixelExplanation pixel = explain_small(2, 2, forest);
  EXPECT_EQ(pixel.depth_mm, std::nullopt);
  expect_span(pixel.trees[0].path[0].a, 3, 2, 1, 1);
  expect_span(pixel.trees[0].path[1].a, 1, 2, 3, 1);
}

TEST(Explain, ARootThatIsALeafHasNoPath) {
  forest::Tree lone;
  lone.nodes = {{~0, 0, {}, 0}};
  lone.leaf_counts = Array2<std::uint32_t>(1, 2, 7);
  const SeenTree tree = explain_small(0, 0, small_forest({lone})).trees[0];
  EXPECT_TRUE(tree.path.empty());
  EXPECT_THAT(tree.counts, ElementsAre(7, 7));
}

TEST(Explain, AgreesWithThePredictorAtEveryPixel) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 5);
  const image::Frame frame = forest::noise_frame(12, 17, 6);
  const image::PreparedFrame prepared(frame, forest.preparation);
  const predict::Prediction prediction =
      predict::make_predictor(forest, {.device = "cpu"})->predict(frame, {.probabilities = true});
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 17; ++x) {
      const PixelExplanation pixel = explain(forest, prepared, x, y);
      EXPECT_EQ(pixel.label, prediction.labels(y, x));
      for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(pixel.probabilities[c], prediction.probabilities[c](y, x));
      const forest::PixelSite site = forest::pixel_site(prepared.view(), x, y, false);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(pixel.trees[k].leaf,
                  forest::find_leaf(forest.labelling_trees()[k].nodes.data(), prepared.view(), site));
    }
}

TEST(Explain, RefusesPixelsOutsideTheFrameAndForestsWithoutTrees) {
  for (const auto& [x, y] : {std::pair{-1, 0}, {0, -1}, {7, 0}, {0, 5}})
    fernwood::testdata::expect_refused(ErrorKind::kUsage, [&x = x, &y = y] { explain_small(x, y); });
  EXPECT_THROW(explain_small(0, 0, small_forest({})), Error);
}

TEST(NearestKnownPixel, IsTheFirstOfTheNearestInReadingOrder) {
  using Place = std::optional<std::pair<std::int32_t, std::int32_t>>;
  image::Frame frame{{}, Array2<std::uint16_t>(5, 7, 0)};
  const image::Preparation depth{image::ChannelLayout({"depth"}), image::DepthFilling::kNone};
  const auto nearest = [&](int x, int y) {
    return nearest_known_pixel(image::PreparedFrame(frame, depth).view(), x, y);
  };
  EXPECT_EQ(nearest(3, 3), Place());
  frame.depth_mm(0, 0) = frame.depth_mm(4, 6) = frame.depth_mm(1, 4) = 900;
  EXPECT_EQ(nearest(0, 0), (Place{{0, 0}}));
  EXPECT_EQ(nearest(6, 3), (Place{{6, 4}}));
  EXPECT_EQ(nearest(2, 1), (Place{{4, 1}}));  // squared distance 4, against 5 to (0, 0)
  EXPECT_EQ(nearest(6, 2), (Place{{6, 4}}));  // 4 against 5 to (4, 1)
  frame.depth_mm(0, 6) = 900;
  EXPECT_EQ(nearest(6, 2), (Place{{6, 0}}));  // 4 upwards and downwards; the upper one comes first
}

}  // namespace
}  // namespace fernwood::evaluate
