// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_tree.h"

#include "stream/stream_runs.h"

namespace fernwood::stream {
namespace {

double bits_of(const std::vector<std::uint64_t>& counts) { return class_bits(counts); }

TEST(ClassBits, AreThoseOfThePaper) {
  // 4 log2(1) + 1/2 log2(4 / 2) + log2(pi): Gamma(1) = 1
  EXPECT_NEAR(bits_of({4, 0}), 0.5 + 1.6514961295, 1e-9);
  // 8 bits for 8 fair tosses, 1/2 log2(4).
  EXPECT_NEAR(bits_of({4, 4}), 8 + 1 + 1.6514961295, 1e-9);
  // Three classes: 4 + 4 + 4 bits, log2(4), log2(pi^1.5 / Gamma(1.5)) = log2(5.5683279968 / 0.8862269255) = log2(2 pi)
  EXPECT_NEAR(bits_of({4, 2, 2}), 4 + 4 + 4 + 2 + 2.6514961295, 1e-9);
  // Four classes: 3/2 log2(50), log2(pi^2 / Gamma(2)) = log2(pi^2)
  EXPECT_NEAR(bits_of({100, 0, 0, 0}), 1.5 * 5.6438561898 + 2 * 1.6514961295, 1e-9);
  EXPECT_EQ(bits_of({0, 0, 0}), 0);
  // For a single record the formula is negative; bits are at least 0.
  EXPECT_GE(bits_of({1, 0, 0, 0, 0, 0, 0, 0, 0}), 0);
}

records::Split test_of(std::uint16_t attribute, float threshold) {
  records::Split split;
  split.attribute = attribute;
  split.threshold = threshold;
  return split;
}

/// A tree whose root separates `left` from the rest, and whose left child separates `low` from the rest of `left`.
StreamTree two_tests(const std::vector<std::uint64_t>& low, const std::vector<std::uint64_t>& left,
                     const std::vector<std::uint64_t>& all) {
  StreamTree tree({.num_classes = 2});
  tree.add_counts(0, all);
  tree.split(0, test_of(0, 0.5f), left, all);
  tree.split(1, test_of(1, 0.5f), low, left);
  return tree;
}

TEST(PruneByMdl, KeepsTestsThatPayAndCutsThoseThatDoNot) {
  StreamTree tree = two_tests({50, 5}, {100, 10}, {110, 100});
  prune_by_mdl(tree, 2, 10);
  EXPECT_EQ(tree.num_leaves(), 2u);  // the upper test separates classes, the lower one does not
  EXPECT_THAT(tree.counts(1), testing::ElementsAre(100, 10));
  EXPECT_THAT(tree.counts(2), testing::ElementsAre(10, 90));

  tree = two_tests({50, 0}, {50, 50}, {100, 100});
  prune_by_mdl(tree, 2, 10);
  EXPECT_EQ(tree.num_leaves(), 3u);  // the upper test has no gain by itself, but enables that of the lower one

  tree = two_tests({26, 25}, {50, 50}, {100, 100});
  prune_by_mdl(tree, 2, 10);
  EXPECT_EQ(tree.num_leaves(), 1u);  // both are cut; cut nodes are counted once
  EXPECT_THAT(tree.counts(0), testing::ElementsAre(100, 100));
}

TEST(PruneByMdl, CutsTestsWithTestsBelow) {
  // The lower test saves some bits; the upper test costs more bits than both save.
  for (std::uint32_t part = 5; part <= 60; ++part) {
    StreamTree tree = two_tests({part, 0}, {70, 30}, {500, 300});
    prune_by_mdl(tree, 1000, 254);
    const records::RecordTree finished = tree.finish(20);
    EXPECT_EQ(tree.num_leaves(), finished.num_leaves()) << part;
  }
  StreamTree tree({.num_classes = 2});
  tree.add_counts(0, std::vector<std::uint64_t>{80, 80});
  tree.split(0, test_of(0, 0.5f), std::vector<std::uint64_t>{40, 40}, std::vector<std::uint64_t>{80, 80});
  for (const std::int32_t node : {1, 2}) {
    tree.split(node, test_of(1, 0.5f), std::vector<std::uint64_t>{20, 20}, std::vector<std::uint64_t>{40, 40});
  }
  tree.cut(0, std::vector<std::uint64_t>{80, 80});
  EXPECT_EQ(tree.num_leaves(), 1u);
  EXPECT_EQ(tree.finish(20).nodes.size(), 1u);
}

TEST(StreamTree, ChildrenShareAllThatTheirParentHasSeen) {
  StreamTree tree({.num_classes = 3});
  tree.add_counts(0, std::vector<std::uint64_t>{100, 30, 7});
  // The split was found on fewer records, none of which had the last class.
  tree.split(0, test_of(0, 0.5f), std::vector<std::uint64_t>{10, 5, 0}, std::vector<std::uint64_t>{40, 10, 0});
  EXPECT_THAT(tree.counts(1), testing::ElementsAre(25, 15, 2));  // 7 * 15 / 50
  EXPECT_THAT(tree.counts(2), testing::ElementsAre(75, 15, 5));
}

/// two_tests() with an alternate of the root's left child, which has been split, and one of the right child.
StreamTree with_alternates() {
  StreamTree tree = two_tests({10, 0}, {10, 20}, {30, 30});
  tree.begin_alternate(1);
  tree.begin_alternate(2);
  tree.add_counts(5, std::vector<std::uint64_t>{4, 4});
  tree.split(5, test_of(2, 0.25f), std::vector<std::uint64_t>{4, 0}, std::vector<std::uint64_t>{4, 4});
  return tree;
}

TEST(StreamTree, AnAlternateTakesThePlaceOfItsNode) {
  // Nodes: 0 (1, 2), 1 (3, 4); 5 (7, 8) is the alternate of node 1, and 6 that of node 2.
  StreamTree tree = with_alternates();
  EXPECT_EQ(tree.num_leaves(), 6u);
  const Alternate first = tree.alternates()[0];
  EXPECT_EQ(tree.replace({&first, 1}, {}), (std::vector<std::int32_t>{0, -1, 2, -1, -1, 1, 3, 4, 5}));
  EXPECT_EQ(tree.nodes()[1], (records::RecordNode{0.25f, 4, 2, 0}));
  EXPECT_EQ(tree.alternates(), (std::vector<Alternate>{{2, 3, 0}}));
  EXPECT_EQ(tree.num_leaves(), 4u);
  EXPECT_EQ(tree.depth(4), 2);
  EXPECT_EQ(std::vector<std::uint64_t>(tree.counts(4).begin(), tree.counts(4).end()),
            (std::vector<std::uint64_t>{4, 0}));
}

TEST(StreamTree, AReplacedPartTakesItsAlternatesAlong) {
  StreamTree tree = two_tests({10, 0}, {10, 20}, {30, 30});
  tree.begin_alternate(0);
  tree.begin_alternate(3);
  const Alternate of_root = tree.alternates()[0];
  EXPECT_EQ(tree.most_nested(), 2);
  EXPECT_EQ(tree.replace({&of_root, 1}, {}), (std::vector<std::int32_t>{-1, -1, -1, -1, -1, 0, -1}));
  EXPECT_EQ(tree.num_leaves(), 1u);
  EXPECT_TRUE(tree.alternates().empty());
}

TEST(StreamTree, RecordsFindTheAlternatesThatTheyBelongTo) {
  StreamTree tree = with_alternates();
  tree.begin_alternate(0);  // node 9, above the other alternates
  for (std::int32_t n = 0; n < 10; ++n)
    if (tree.nodes()[static_cast<std::size_t>(n)].is_leaf()) tree.set_slot(n, n);
  const auto slot = [&](int num_above, std::array<float, 3> values) {
    const std::vector<records::RecordNode> nodes = tree.nodes_to_alternates(num_above);
    return slot_of(nodes[static_cast<std::size_t>(
        descend(nodes.data(), 0, [&](std::size_t attribute) { return values[attribute]; }))]);
  };
  EXPECT_EQ(tree.most_nested(), 2);
  EXPECT_EQ(slot(0, {0, 0, 0}), 9);
  EXPECT_EQ(slot(1, {0, 0, 0}), 7);
  EXPECT_EQ(slot(1, {0, 0, 1}), 8);
  EXPECT_EQ(slot(1, {1, 0, 0}), 6);
}

}  // namespace
}  // namespace fernwood::stream
