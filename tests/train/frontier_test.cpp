// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu/cpu_backend.h"
#include "train/samples.h"

#include <gtest/gtest.h>

namespace fernwood::train {
namespace {

using Counts = std::vector<std::uint32_t>;

/// Samples of two frames, identified by their x, which is the index of the sample.
SampleSet samples_of(const std::vector<std::uint16_t>& first_frame, const std::vector<std::uint16_t>& second_frame) {
  SampleSet samples;
  samples.frames = {3, 7};
  for (const auto* labels : {&first_frame, &second_frame}) {
    samples.frame_starts.push_back(static_cast<std::uint32_t>(samples.size()));
    for (const std::uint16_t label : *labels) samples.append({static_cast<std::int32_t>(samples.size()), 0, 1}, label);
  }
  samples.frame_starts.push_back(static_cast<std::uint32_t>(samples.size()));
  return samples;
}

TrainOptions stopping(int max_depth, int min_samples) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.max_depth = max_depth;
  options.min_samples = min_samples;
  return options;
}

/// The frontier of the root, without reading any frame.
Frontier root_frontier(const SampleSet& samples, const GrowingTree& growing) {
  const dataset::Dataset nothing;
  const image::ClassMap classes;
  const image::Preparation no_channels;
  FrameStore store(nothing, classes, no_channels, 0);
  ThreadPool pool(1);
  return Frontier(samples, growing, store, pool);
}

/// Applies the chosen splits to the open nodes, moves the samples to the children, and returns the new open nodes.
OpenNodes split(Frontier& frontier, GrowingTree& growing, const std::vector<ChosenSplit>& chosen,
                const std::vector<std::uint8_t>& sides, const TrainOptions& options) {
  const LevelOutcome outcome{chosen, frontier.count_sides(sides, growing.open.size(), growing.num_classes)};
  const auto children = split_nodes(growing, outcome, options);
  OpenNodes nodes(growing);
  frontier.descend(children, sides, nodes);
  return nodes;
}

ChosenSplit chosen(float threshold) { return {{0.5f, 4, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}, 1, 2}, threshold}; }

forest::Node inner(std::int32_t child, float threshold) { return {child, threshold, chosen(0).feature, 0}; }
forest::Node leaf(std::int32_t index) { return {~index, 0, {}, 0}; }

TEST(StartTree, IsOneOpenLeafWithAllSamples) {
  const GrowingTree growing = start_tree(samples_of({0, 2, 2}, {0, 0}), 3, stopping(5, 5));
  EXPECT_EQ(growing.nodes, std::vector<forest::Node>{leaf(0)});
  EXPECT_EQ(growing.leaf_counts, (Counts{3, 0, 2}));
  EXPECT_EQ(growing.open, std::vector<std::int32_t>{0});
  EXPECT_EQ(growing.level, 0);
  EXPECT_EQ(growing.num_leaves(), 1u);
  EXPECT_EQ(growing.num_closed(), 0u);
}

TEST(StartTree, IsClosedWhenPureOrTooSmall) {
  EXPECT_TRUE(start_tree(samples_of({1, 1}, {1}), 3, stopping(5, 1)).open.empty());
  EXPECT_TRUE(start_tree(samples_of({}, {}), 3, stopping(5, 1)).open.empty());
  EXPECT_TRUE(start_tree(samples_of({0, 2, 2}, {0, 0}), 3, stopping(5, 6)).open.empty());
  EXPECT_FALSE(start_tree(samples_of({0, 2, 2}, {0, 0}), 3, stopping(5, 5)).open.empty());
}

TEST(GrowingTree, IsATreeAtAnyTime) {
  const forest::Tree tree = start_tree(samples_of({0, 2, 2}, {0, 0}), 3, stopping(5, 1)).tree();
  EXPECT_EQ(tree.nodes, std::vector<forest::Node>{leaf(0)});
  EXPECT_EQ(tree.num_leaves(), 1u);
  EXPECT_EQ(Counts(tree.leaf_counts.begin(), tree.leaf_counts.end()), (Counts{3, 0, 2}));
}

TEST(Frontier, OfTheRootHoldsAllSamplesInBothOrders) {
  const SampleSet samples = samples_of({4, 1, 4}, {1, 4});
  const GrowingTree growing = start_tree(samples, 6, stopping(5, 1));
  const Frontier frontier = root_frontier(samples, growing);
  const OpenNodes nodes(growing);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes.num_samples(), 5u);
  EXPECT_EQ(frontier.num_samples(), 5u);
  EXPECT_EQ(frontier.frame_order(), (Counts{0, 1, 2, 3, 4}));
  EXPECT_EQ(frontier.node_of(), (Counts{0, 0, 0, 0, 0}));
  // Classes 1 and 4 have the numbers 0 and 1 within the node.
  EXPECT_EQ(frontier.node_classes(), (std::vector<std::uint16_t>{1, 0, 1, 0, 1}));
  EXPECT_EQ(nodes.class_counts, (Counts{2, 3}));
  EXPECT_EQ(nodes.class_in_node(0, 4), 1);
  EXPECT_FALSE(nodes.has_class(0, 2));
  const NodeSamples& node = nodes.nodes[0];
  EXPECT_EQ(node.begin, 0u);
  EXPECT_EQ(node.end, 5u);
  EXPECT_EQ(node.num_classes, 2u);
  EXPECT_NEAR(node.entropy, 0.9709506f, 1e-6f);  // -2/5 log2 2/5 - 3/5 log2 3/5
}

TEST(Frontier, OfAClosedTreeIsEmpty) {
  const SampleSet samples = samples_of({1, 1}, {1});
  const GrowingTree growing = start_tree(samples, 2, stopping(5, 1));
  EXPECT_EQ(OpenNodes(growing).size(), 0u);
  EXPECT_EQ(OpenNodes(growing).num_samples(), 0u);
  EXPECT_EQ(root_frontier(samples, growing).num_samples(), 0u);
}

TEST(Frontier, SplitSendsSamplesToTheirSides) {
  const SampleSet samples = samples_of({0, 1, 2, 0}, {1, 2, 1});
  GrowingTree growing = start_tree(samples, 3, stopping(5, 2));
  Frontier frontier = root_frontier(samples, growing);
  const OpenNodes nodes = split(frontier, growing, {chosen(1.5f)}, {1, 0, 0, 1, 1, 0, 1}, stopping(5, 2));
  EXPECT_EQ(growing.level, 1);
  EXPECT_EQ(growing.nodes, (std::vector<forest::Node>{inner(1, 1.5f), leaf(0), leaf(1)}));
  EXPECT_EQ(growing.open, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(growing.leaf_counts, (Counts{0, 1, 2,     // left: samples 1, 2, 5
                                         2, 2, 0}));  // right: samples 0, 3, 4, 6
  EXPECT_EQ(growing.num_closed(), 0u);
  EXPECT_EQ(frontier.node_of(), (Counts{1, 0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(frontier.frame_order(), (Counts{1, 2, 5, 0, 3, 4, 6}));
  EXPECT_EQ(frontier.node_classes(), (std::vector<std::uint16_t>{0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(nodes.class_counts, (Counts{1, 2, 2, 2}));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes.nodes[1].begin, 3u);
  EXPECT_EQ(nodes.nodes[1].end, 7u);
  EXPECT_EQ(nodes.nodes[1].class_offset, 2u);
  EXPECT_EQ(nodes.nodes[1].entropy, 1.0f);
}

TEST(Frontier, ClosedChildrenComeBeforeOpenOnesAndTheirSamplesLeave) {
  // The left child is pure, the right one stays open.
  const SampleSet samples = samples_of({0, 1, 2}, {0, 1});
  GrowingTree growing = start_tree(samples, 3, stopping(5, 2));
  Frontier frontier = root_frontier(samples, growing);
  split(frontier, growing, {chosen(0)}, {0, 1, 1, 0, 1}, stopping(5, 2));
  EXPECT_EQ(growing.nodes, (std::vector<forest::Node>{inner(1, 0), leaf(0), leaf(1)}));
  EXPECT_EQ(growing.open, std::vector<std::int32_t>{2});
  EXPECT_EQ(growing.num_closed(), 1u);
  EXPECT_EQ(growing.leaf_counts, (Counts{2, 0, 0, 0, 2, 1}));
  EXPECT_EQ(columns(frontier.samples()), (std::vector<std::int32_t>{1, 2, 4}));
  EXPECT_EQ(frontier.samples().frames, (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(frontier.samples().frame_starts, (Counts{0, 2, 3}));

  // The right child is split into an open left and a closed right child; the frame without samples is removed.
  split(frontier, growing, {chosen(2)}, {0, 0, 1}, stopping(5, 2));
  EXPECT_EQ(growing.nodes, (std::vector<forest::Node>{inner(1, 0), leaf(0), inner(3, 2), leaf(2), leaf(1)}));
  EXPECT_EQ(growing.leaf_counts, (Counts{2, 0, 0, 0, 1, 0, 0, 1, 1}));
  EXPECT_EQ(growing.open, std::vector<std::int32_t>{3});
  EXPECT_EQ(frontier.samples().frames, (std::vector<std::uint32_t>{3}));
}

TEST(Frontier, NodeWithoutUsefulSplitBecomesALeafWithAllItsSamples) {
  const SampleSet samples = samples_of({0, 1, 0, 1, 1}, {0, 1, 0});
  GrowingTree growing = start_tree(samples, 2, stopping(5, 1));
  Frontier frontier = root_frontier(samples, growing);
  split(frontier, growing, {chosen(0)}, {0, 0, 1, 1, 1, 0, 0, 1}, stopping(5, 1));
  ASSERT_EQ(growing.open, (std::vector<std::int32_t>{1, 2}));
  split(frontier, growing, {ChosenSplit{}, chosen(1)}, {0, 1, 0, 0, 0, 1, 0, 1}, stopping(5, 1));
  // Node 1 is a leaf with 2 + 2 samples; node 2 has 2 + 2 and is split into 1 + 2 (open) and 1 + 0 (closed).
  EXPECT_EQ(growing.nodes, (std::vector<forest::Node>{inner(1, 0), leaf(0), inner(3, 1), leaf(2), leaf(1)}));
  EXPECT_EQ(growing.leaf_counts, (Counts{2, 2, 1, 0, 1, 2}));
  EXPECT_EQ(growing.open, std::vector<std::int32_t>{3});
  EXPECT_EQ(columns(frontier.samples()), (std::vector<std::int32_t>{2, 3, 4}));
}

TEST(Frontier, NothingIsOpenAtTheGreatestDepth) {
  const SampleSet samples = samples_of({0, 1, 0, 1}, {});
  GrowingTree growing = start_tree(samples, 2, stopping(1, 1));
  ASSERT_EQ(growing.open.size(), 1u);
  Frontier frontier = root_frontier(samples, growing);
  split(frontier, growing, {chosen(0)}, {0, 0, 1, 1}, stopping(1, 1));
  EXPECT_TRUE(growing.open.empty());
  EXPECT_EQ(frontier.num_samples(), 0u);
  EXPECT_EQ(growing.num_closed(), 2u);
  EXPECT_EQ(growing.tree().depth(), 1);
}

TEST(Frontier, ChildWithAsManySamplesAsNeededIsSplitFurther) {
  const SampleSet samples = samples_of({0, 1, 0, 0, 1}, {});
  GrowingTree growing = start_tree(samples, 2, stopping(9, 3));
  Frontier frontier = root_frontier(samples, growing);
  split(frontier, growing, {chosen(0)}, {0, 0, 1, 1, 1}, stopping(9, 3));  // 2 samples go left, 3 right
  EXPECT_EQ(growing.open, std::vector<std::int32_t>{2});
}

}  // namespace
}  // namespace fernwood::train
