// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/packed_node.h"

#include <gtest/gtest.h>

#include "forest/noise.h"

namespace fernwood::predict {
namespace {

TEST(PackedNode, InnerNodesStayWhatTheyAre) {
  const forest::Region far = {-127, 127, 1, 127}, near = {0, -1, 9, 1};
  for (const std::int32_t child : {1, 3, 4711, (1 << 23) - 1})
    for (const std::uint8_t channel_b : {std::uint8_t{0}, std::uint8_t{13}, forest::kNoChannel}) {
      const forest::Node node = {child, -1.5f, {far, near, 13, channel_b}, 0};
      EXPECT_EQ(unpack(pack(node)), node);
      EXPECT_FALSE(unpack(pack(node)).is_leaf());
    }
}

TEST(PackedNode, FeatureMapsKeepTheirNumber) {
  for (const std::int32_t map : {0, 255, 256, image::kMaxMaps - 1}) {
    const forest::Node node = {5, 2.0f, forest::map_feature(map), 0};
    EXPECT_EQ(unpack(pack(node)), node);
  }
}

TEST(PackedNode, LeavesKeepTheirIndex) {
  for (const std::int32_t leaf : {0, 1, (1 << 22) - 1}) {
    forest::Node node;
    node.child = ~leaf;
    EXPECT_TRUE(unpack(pack(node)).is_leaf());
    EXPECT_EQ(unpack(pack(node)).leaf_index(), leaf);
  }
}

TEST(PackedNode, WordsAreTheStatedBits) {
  const PackedNode packed = pack({7, 1.0f, {{1, 2, 3, 4}, {-1, 0, 0, 0}, 2, 5}, 0});
  EXPECT_EQ(packed.word, 3u | 2u << 22 | 5u << 26);  // 7 = 2 * 3 + 1
  EXPECT_EQ(packed.threshold, 0x3f800000u);
  EXPECT_EQ(packed.a, 0x04030201u);
  EXPECT_EQ(packed.b, 0x000000ffu);
}

TEST(PackedNode, WholeTreesLeadToTheSameLeaves) {
  const forest::Forest forest = forest::noise_forest(3, 3, {"lab", "depth"}, 1);
  const image::PreparedFrame prepared(forest::noise_frame(20, 30, 2), forest.preparation);
  for (const forest::Tree& tree : forest.labelling_trees()) {
    ASSERT_TRUE(can_pack(tree, 4));
    struct Unpacked {
      std::vector<PackedNode> nodes;
      forest::Node operator[](std::int32_t index) const { return unpack(nodes[static_cast<std::size_t>(index)]); }
    } unpacked;
    for (const forest::Node& node : tree.nodes) unpacked.nodes.push_back(pack(node));
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x) {
        const forest::PixelSite site = forest::pixel_site(prepared.view(), x, y, false);
        ASSERT_EQ(forest::find_leaf(unpacked, prepared.view(), site),
                  forest::find_leaf(tree.nodes.data(), prepared.view(), site));
      }
  }
}

TEST(PackedNode, TooManyChannelsOrAnotherOrderCannotBePacked) {
  forest::Tree tree = forest::noise_forest(3, 1, {"lab"}, 1).labelling_trees()[0];
  EXPECT_TRUE(can_pack(tree, 14));
  EXPECT_FALSE(can_pack(tree, 15));
  tree.nodes[0].child = 2;
  EXPECT_FALSE(can_pack(tree, 3));
}

}  // namespace
}  // namespace fernwood::predict
