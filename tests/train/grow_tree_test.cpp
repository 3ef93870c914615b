// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/grow_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "train/cpu/cpu_backend.h"
#include "train/samples.h"

namespace fernwood::train {
namespace {

/// A backend with scripted results: at every level the same candidate is best for all nodes, and at level l each sample
/// goes to the side given by bit l of its x.
class ScriptedBackend : public LevelBackend {
 public:
  std::size_t chunk = 4;
  std::int32_t best_candidate = 0, best_threshold = 0;
  /// Recorded calls: first candidate and size of each chunk, the chunks, the splits of each level.
  std::vector<std::pair<std::size_t, std::size_t>> chunks;
  std::vector<CandidateChunk> seen;
  std::vector<std::vector<ChosenSplit>> chosen;

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes&, const TrainOptions&) override {
    const dataset::Dataset nothing;
    const image::ClassMap classes;
    const image::Preparation no_channels;
    FrameStore store(nothing, classes, no_channels, 0);
    ThreadPool pool(1);
    frontier_.emplace(samples, growing, store, pool);
  }
  std::size_t chunk_size(const OpenNodes&, const TrainOptions&) const override { return chunk; }
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions&) override {
    chunks.emplace_back(chunk.first, chunk.size());
    seen.push_back(chunk);
    splits_.resize(nodes.size());
    const auto f = static_cast<std::size_t>(best_candidate) - chunk.first;
    if (f >= chunk.size()) return;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      splits_[n] = {{0.5f, best_candidate, best_threshold},
                    chunk.features[f],
                    chunk.thresholds(f, static_cast<std::size_t>(best_threshold))};
    }
  }
  LevelBest best(const OpenNodes&) override { return {splits_}; }
  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& splits) override {
    sides_.clear();
    for (const std::int32_t x : columns(frontier_->samples()))
      sides_.push_back(static_cast<std::uint8_t>(x >> chosen.size() & 1));
    chosen.push_back(splits);
    return frontier_->count_sides(sides_, nodes.size(), nodes.class_in_node.cols());
  }
  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override {
    frontier_->descend(children, sides_, nodes);
    splits_.clear();
  }
  StageSeconds take_seconds() override { return {}; }
  std::vector<std::uint32_t> partition_bits(const OpenNodes&, const std::vector<std::uint8_t>&) override { return {}; }
  Array2<std::uint32_t> split_by(const OpenNodes&, const std::vector<ChosenSplit>&,
                                 const std::vector<std::uint32_t>&) override {
    return {};
  }
  void evaluate_share(const OpenNodes&, const CandidateChunk&, const TrainOptions&, Ranks&) override {}

 private:
  std::optional<Frontier> frontier_;
  std::vector<ChosenSplit> splits_;
  std::vector<std::uint8_t> sides_;
};

/// Sixteen samples at x = 0 … 15 of class x / 4: only bits 2 and 3 of x separate the classes.
SampleSet sixteen_samples() {
  SampleSet samples;
  samples.frames = {0};
  samples.frame_starts = {0, 16};
  for (int x = 0; x < 16; ++x) samples.append({x, 0, 1}, static_cast<std::uint16_t>(x / 4));
  return samples;
}

TrainOptions ten_candidates() {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.features = 10;
  options.thresholds = 3;
  options.max_depth = 4;
  options.min_samples = 1;
  return options;
}

struct Grown {
  forest::Tree tree;
  std::vector<LevelReport> reports;
};

Grown grow(const TrainOptions& options, ScriptedBackend& backend) {
  const SampleSet samples = sixteen_samples();
  GrowingTree growing = start_tree(samples, 4, options);
  ThreadPool pool(1);
  OneRank one;
  TreeLevels levels(backend, one.ranks, pool, options, 5, {image::ChannelLayout({"lab", "depth"}), {0, 1, 2, 3}});
  levels.start(samples, growing);
  Grown grown;
  int announced = 0;
  const GrowHooks hooks{[&](const GrowingTree& tree, const OpenNodes&) { EXPECT_EQ(tree.level, announced++); },
                        [&](const GrowingTree&, const LevelReport& report) { grown.reports.push_back(report); }};
  grow_tree(growing, options, levels, hooks);
  EXPECT_EQ(announced, static_cast<int>(grown.reports.size()));
  grown.tree = growing.tree();
  return grown;
}

TEST(OpenNodes, WithFewerSamplesAreTheSameNodes) {
  TrainOptions options = defaults_of(forest::ForestKind::kForest);
  options.min_samples = 2;
  SampleSet samples;
  for (int i = 0; i < 300; ++i) samples.append({i, 0, 1}, static_cast<std::uint16_t>(i % 3));
  GrowingTree growing = start_tree(samples, 4, options);
  LevelOutcome outcome{{{{0.5f, 0, 0}}}, Array2<std::uint32_t>(2, 4)};  // classes 0 and 1 go left, 1 and 2 right
  for (const auto& [side, c, count] : {std::tuple{0, 0, 100u}, {0, 1, 40u}, {1, 1, 60u}, {1, 2, 100u}})
    outcome.counts(static_cast<std::size_t>(side), static_cast<std::size_t>(c)) = count;
  split_nodes(growing, outcome, options);
  const OpenNodes all(growing);
  ASSERT_EQ(all.size(), 2u);
  // The first half of the samples, some of which ended in leaves above.
  std::vector<std::uint32_t> node_of;
  for (std::uint32_t s = 0; s < 150; ++s) node_of.push_back(s < 9 ? kNoNode : s % 3 == 0 ? 0 : s % 3 == 2 ? 1 : s % 2);
  const Array2<std::uint32_t> counts = count_rows(samples, node_of, all);
  EXPECT_EQ(counts(0, 0), 47u);
  EXPECT_EQ(counts(1, 2), 47u);
  EXPECT_EQ(counts(0, 1) + counts(1, 1), 47u);
  const OpenNodes some = all.with_samples(counts);
  EXPECT_EQ(some.num_samples(), 141u);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(some.nodes[n].end - some.nodes[n].begin, counts(n, 0) + counts(n, 1) + counts(n, 2));
    EXPECT_EQ(some.nodes[n].class_offset, all.nodes[n].class_offset);
    EXPECT_EQ(some.nodes[n].entropy, all.nodes[n].entropy);
    EXPECT_EQ(some.class_counts[some.nodes[n].class_offset + some.class_in_node(n, 1)], counts(n, 1));
  }
  EXPECT_EQ(some.nodes[1].begin, some.nodes[0].end);
}

TEST(GrowTree, OffersEveryCandidateOnceInChunks) {
  ScriptedBackend backend;
  TrainOptions options = ten_candidates();
  options.max_depth = 1;
  grow(options, backend);
  EXPECT_EQ(backend.chunks, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {4, 4}, {8, 2}}));
  const std::vector<forest::RegionFeature> drawn =
      draw_features(options, TreeChannels{image::ChannelLayout({"lab", "depth"}), {}}, {5, 0});
  std::vector<forest::RegionFeature> offered;
  for (const CandidateChunk& chunk : backend.seen)
    offered.insert(offered.end(), chunk.features.begin(), chunk.features.end());
  EXPECT_EQ(offered, drawn);
}

TEST(GrowTree, TakesFeatureAndThresholdOfTheBestWhateverItsChunk) {
  const std::vector<forest::RegionFeature> drawn =
      draw_features(ten_candidates(), TreeChannels{image::ChannelLayout({"lab", "depth"}), {}}, {5, 0});
  for (const std::int32_t candidate : {0, 3, 4, 9}) {
    std::set<float> thresholds;
    for (const std::size_t chunk : {1u, 4u, 10u, 100u}) {
      ScriptedBackend backend;
      backend.chunk = chunk;
      backend.best_candidate = candidate;
      backend.best_threshold = 1;
      const forest::Tree tree = grow(ten_candidates(), backend).tree;
      EXPECT_EQ(tree.nodes[0].feature, drawn[static_cast<std::size_t>(candidate)]);
      thresholds.insert(tree.nodes[0].threshold);
    }
    EXPECT_EQ(thresholds.size(), 1u) << "the chunk size has an effect";
  }
}

TEST(GrowTree, GrowsLevelByLevelUntilAllIsPure) {
  ScriptedBackend backend;
  const Grown grown = grow(ten_candidates(), backend);
  // Bits 0 and 1 do not separate classes, bits 2 and 3 do: a full tree of depth 4 with one sample in each leaf.
  EXPECT_EQ(grown.tree.nodes.size(), 31u);
  EXPECT_EQ(grown.tree.depth(), 4);
  for (std::size_t leaf = 0; leaf < 16; ++leaf)
    for (std::size_t c = 0; c < 4; ++c)
      // The bits of a leaf's index are those of x in reverse order, as the first level splits by bit 0.
      EXPECT_EQ(grown.tree.leaf_counts(leaf, c), c == (leaf >> 1 & 1) + 2 * (leaf & 1) ? 1u : 0u);
  ASSERT_EQ(grown.reports.size(), 4u);
  for (std::size_t level = 0; level < 4; ++level) {
    EXPECT_EQ(grown.reports[level].level, static_cast<int>(level));
    EXPECT_EQ(grown.reports[level].nodes, std::size_t{1} << level);
    EXPECT_EQ(grown.reports[level].samples, 16u);
    EXPECT_EQ(grown.reports[level].responses, 160u);
  }
}

TEST(GrowTree, StopsAtTheGreatestDepth) {
  ScriptedBackend backend;
  TrainOptions options = ten_candidates();
  options.max_depth = 2;
  const forest::Tree tree = grow(options, backend).tree;
  EXPECT_EQ(tree.depth(), 2);
  EXPECT_EQ(tree.num_leaves(), 4u);
  for (std::size_t leaf = 0; leaf < 4; ++leaf)
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(tree.leaf_counts(leaf, c), 1u);
}

TEST(GrowTree, StopsBelowTheLeastNumberOfSamples) {
  ScriptedBackend backend;
  TrainOptions options = ten_candidates();
  options.min_samples = 5;  // nodes have 16, 8 and 4 samples
  EXPECT_EQ(grow(options, backend).tree.depth(), 2);
}

TEST(GrowTree, RootWithoutUsefulCandidateIsALeaf) {
  ScriptedBackend backend;
  backend.best_candidate = 1000;  // not among the candidates
  const forest::Tree tree = grow(ten_candidates(), backend).tree;
  EXPECT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.leaf_counts(0, 3), 4u);
}

TEST(GrowTree, LevelCandidatesChangeFromLevelToLevelAndServeAllNodes) {
  ScriptedBackend backend;
  backend.chunk = 10;
  grow(ten_candidates(), backend);
  ASSERT_EQ(backend.seen.size(), 4u);
  EXPECT_NE(backend.seen[0].features, backend.seen[1].features);
  for (const ChosenSplit& split : backend.chosen[2]) EXPECT_EQ(split.feature, backend.chosen[2][0].feature);
}

TEST(GrowTree, ThresholdsLieOnBothSidesOfZero) {
  ScriptedBackend backend;
  grow(ten_candidates(), backend);
  for (const CandidateChunk& chunk : backend.seen)
    for (std::size_t f = 0; f < chunk.size(); ++f) {
      const float* thresholds = chunk.thresholds.row(f);
      EXPECT_LT(thresholds[0], 0);
      EXPECT_EQ(thresholds[1], 0);
      EXPECT_GT(thresholds[2], 0);
    }
}

}  // namespace
}  // namespace fernwood::train
