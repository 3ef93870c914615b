// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "fernwood/forest/forest.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::forest {
namespace {

constexpr std::uint8_t kRed = 0, kDepth = 3;

/// 1 x 5 pixels at 1 m, the last with unknown depth; red is 0, 1, 2, 10, 20 (times 128 in its channel).
image::PreparedFrame row_frame() {
  image::Frame frame{Array2<image::Rgb>(1, 5), Array2<std::uint16_t>(1, 5, 1000)};
  const std::uint8_t reds[] = {0, 1, 2, 10, 20};
  for (std::size_t x = 0; x < 5; ++x) frame.color(0, x).r = reds[x];
  frame.depth_mm(0, 4) = 0;
  return image::PreparedFrame(frame, {image::ChannelLayout({"rgb", "depth"}), image::DepthFilling::kNone});
}

/// Difference between the pixel on the right and the pixel itself.
RegionFeature step_to_the_right(std::uint8_t channel) { return {{1, 0, 0, 0}, {0, 0, 0, 0}, channel, channel}; }

Node inner(std::int32_t child, float threshold, std::uint8_t channel) {
  return {child, threshold, step_to_the_right(channel), 0};
}
Node leaf(std::int32_t index) { return {~index, 0, {}, 0}; }

/// The root goes left where red rises by up to 1. Its left child, node 1, tests depth with a threshold above all
/// known responses.
Tree five_nodes() {
  Tree tree;
  tree.nodes = {inner(1, 128, kRed), inner(3, 1e9f, kDepth), leaf(0), leaf(1), leaf(2)};
  tree.leaf_counts = Array2<std::uint32_t>(3, 2);
  return tree;
}

TEST(FindLeaf, FollowsTheTestsAndNanGoesRight) {
  const image::PreparedFrame frame = row_frame();
  const Tree tree = five_nodes();
  const auto leaf_at = [&](int x) {
    return find_leaf(tree.nodes.data(), frame.view(), pixel_site(frame.view(), x, 0, false));
  };
  EXPECT_EQ(leaf_at(0), 1);  // rises by exactly 128: left; depth differs by 0: left
  EXPECT_EQ(leaf_at(1), 1);
  EXPECT_EQ(leaf_at(2), 0);  // rises by 8 * 128: right
  EXPECT_EQ(leaf_at(3), 0);  // rises by 10 * 128: right
  EXPECT_EQ(leaf_at(4), 0);  // unknown depth: NaN goes right
}

TEST(FindLeaf, NanGoesRightAtInnerNodesToo) {
  const image::PreparedFrame frame = row_frame();
  Tree tree = five_nodes();
  tree.nodes[0].threshold = 1e9f;  // all known responses go left
  const auto leaf_at = [&](int x) {
    return find_leaf(tree.nodes.data(), frame.view(), pixel_site(frame.view(), x, 0, false));
  };
  EXPECT_EQ(leaf_at(2), 1);
  EXPECT_EQ(leaf_at(3), 2);  // red on the right is known, but depth is not
}

TEST(FindLeaf, MirroredLooksToTheLeft) {
  const image::PreparedFrame frame = row_frame();
  const Tree tree = five_nodes();
  const auto leaf_at = [&](int x) {
    return find_leaf(tree.nodes.data(), frame.view(), pixel_site(frame.view(), x, 0, true));
  };
  EXPECT_EQ(leaf_at(3), 1);  // mirrored: red falls by 8
  EXPECT_EQ(leaf_at(0), 0);  // the region leaves the frame
}

TEST(FindLeaf, ALoneRootIsTheLeaf) {
  const image::PreparedFrame frame = row_frame();
  const Node root = leaf(0);
  EXPECT_EQ(find_leaf(&root, frame.view(), pixel_site(frame.view(), 0, 0, false)), 0);
}

TEST(Tree, DepthIsTheLongestPath) {
  EXPECT_EQ(five_nodes().depth(), 2);
  Tree lone;
  lone.nodes = {leaf(0)};
  EXPECT_EQ(lone.depth(), 0);
  EXPECT_EQ(five_nodes().num_leaves(), 3u);
}

}  // namespace
}  // namespace fernwood::forest
