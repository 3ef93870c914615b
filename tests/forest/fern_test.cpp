// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/fern.h"

#include <gtest/gtest.h>

#include "forest/noise.h"

namespace fernwood::forest {
namespace {

using Ids = std::vector<std::int32_t>;

std::uint32_t leaf_of(const Fern& fern, std::uint32_t code) { return leaf_of_code(fern.leaf_words[code / 32], code); }

/// The leaf reached from the root when bit `depth - 1 - l` of `code` is the result of the test of level l.
std::int32_t walk(const Tree& tree, std::uint32_t code, int depth) {
  std::int32_t index = 0;
  for (int bit = depth - 1; !tree.nodes[static_cast<std::size_t>(index)].is_leaf(); --bit)
    index = tree.nodes[static_cast<std::size_t>(index)].child + static_cast<std::int32_t>(code >> bit & 1);
  return tree.nodes[static_cast<std::size_t>(index)].leaf_index();
}

/// A root; on its left a leaf; on its right a node with a leaf as its left child and two leaves below its right child.
Tree right_leaning_fern() {
  Tree tree;
  const RegionFeature feature{{0, 0, 1, 1}, {3, 0, 1, 1}, 0, 0};
  tree.nodes = {{1, 10, feature, 0}, {~2, 0, {}, 0}, {3, 20, feature, 0}, {~0, 0, {}, 0},
                {5, 30, feature, 0}, {~3, 0, {}, 0}, {~1, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(4, 2);
  return tree;
}

TEST(Fern, CodesHaveTheBitOfTheRootFirst) {
  EXPECT_EQ(next_code(0, 1.0f, 2.0f), 0u);
  EXPECT_EQ(next_code(0, 3.0f, 2.0f), 1u);
  EXPECT_EQ(next_code(0b101, 1.0f, 2.0f), 0b1010u);
  EXPECT_EQ(next_code(0b101, not_a_number(), 2.0f), 0b1011u) << "NaN goes right";
}

TEST(Fern, LeavesAreRunsOfCodes) {
  const Fern fern = make_fern(right_leaning_fern());
  ASSERT_EQ(fern.tests.size(), 3u);
  EXPECT_EQ(fern.tests[0].threshold, 10);
  EXPECT_EQ(fern.tests[2].threshold, 30);
  EXPECT_EQ(fern.leaf_ids, (Ids{2, 0, 3, 1}));
  EXPECT_EQ(fern.leaf_words, (std::vector<LeafWord>{{0b11010001, 0}}));
  Ids found;
  for (std::uint32_t code = 0; code < 8; ++code) found.push_back(static_cast<std::int32_t>(leaf_of(fern, code)));
  EXPECT_EQ(found, (Ids{0, 0, 0, 0, 1, 1, 2, 3}));
}

TEST(Fern, OneLeafNeedsNoTest) {
  Tree tree;
  tree.nodes = {{~0, 0, {}, 0}};
  tree.leaf_counts = Array2<std::uint32_t>(1, 2);
  const Fern fern = make_fern(tree);
  EXPECT_TRUE(fern.tests.empty());
  EXPECT_EQ(leaf_of(fern, 0), 0u);
}

TEST(Fern, EveryCodeNamesTheLeafThatAWalkComesTo) {
  Noise noise(1);
  for (int depth = 1; depth <= 12; ++depth) {
    const Tree tree = noise_fern(depth, 2, image::ChannelLayout({"lab"}), noise);
    const Fern fern = make_fern(tree);
    const int levels = static_cast<int>(fern.tests.size());
    for (std::uint32_t code = 0; code < 1u << levels; ++code)
      ASSERT_EQ(fern.leaf_ids[leaf_of(fern, code)], walk(tree, code, levels)) << "code " << code << " of " << levels;
  }
}

TEST(Fern, MayHave25Levels) {
  Tree tree;
  const RegionFeature feature{{0, 0, 1, 1}, {3, 0, 1, 1}, 0, 0};
  tree.nodes.resize(1);
  for (int level = 0; level < kMaxFernDepth; ++level) {  // a comb: only the right child is split further
    const std::size_t size = tree.nodes.size();
    tree.nodes.back() = {static_cast<std::int32_t>(size), static_cast<float>(level), feature, 0};
    tree.nodes.resize(size + 2);
    tree.nodes[size].child = ~level;
  }
  tree.nodes.back().child = ~kMaxFernDepth;
  tree.leaf_counts = Array2<std::uint32_t>(kMaxFernDepth + 1, 2);
  const Fern fern = make_fern(tree);
  EXPECT_EQ(fern.leaf_words.size(), std::size_t{1} << 20);
  for (const std::uint32_t code : {0u, 0xffffffu, 0x1000000u, 0x1800000u, 0x1fffffdu, 0x1fffffeu, 0x1ffffffu})
    EXPECT_EQ(fern.leaf_ids[leaf_of(fern, code)], walk(tree, code, kMaxFernDepth)) << code;
}

TEST(Fern, AnOddNodeIsFound) {
  Tree tree = right_leaning_fern();
  EXPECT_EQ(find_odd_node(tree), std::nullopt);
  Noise noise(2);
  tree = noise_fern(6, 2, image::ChannelLayout({"lab", "depth"}), noise);
  EXPECT_EQ(find_odd_node(tree), std::nullopt);
  std::size_t last = tree.nodes.size() - 1;
  while (tree.nodes[last].is_leaf()) --last;
  Tree other = tree;
  other.nodes[last].threshold += 1;
  EXPECT_EQ(find_odd_node(other), last);
  other = tree;
  other.nodes[last].feature.a.dx += 1;
  EXPECT_EQ(find_odd_node(other), last);
}

TEST(Fern, ProbabilitiesAreInTheOrderOfCodes) {
  Forest forest = noise_ferns(3, {4}, {"lab"}, 4);
  const Fern fern = make_fern(forest.labelling_trees()[0]);
  const Array2<float> by_id = leaf_votes(forest, forest.labelling_trees()[0], 0);
  const Array2<float> ordered = fern_probabilities(forest, forest.labelling_trees()[0], fern);
  ASSERT_EQ(ordered.rows(), by_id.rows());
  for (std::size_t leaf = 0; leaf < ordered.rows(); ++leaf)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(ordered(leaf, c), by_id(static_cast<std::size_t>(fern.leaf_ids[leaf]), c));
}

}  // namespace
}  // namespace fernwood::forest
