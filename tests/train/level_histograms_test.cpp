// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Stages 2 and 3 of level_kernels.h.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "forest/noise.h"
#include "train/cpu/level_kernels.h"

namespace fernwood::train {
namespace {

/// Owns the arrays to which a CandidateRow points.
struct Level {
  std::vector<std::uint8_t> bins;           // in frame order
  std::vector<std::uint32_t> frame_order;   // by position in node order
  std::vector<std::uint16_t> node_classes;  // in node order
  std::vector<NodeSamples> nodes;
  std::vector<std::uint32_t> class_counts;
  int num_thresholds = 0;

  CandidateRow row(std::int32_t candidate = 0, ScoreKind score = ScoreKind::kInformationGain) const {
    return {bins.data(),         frame_order.data(), node_classes.data(), view_of(nodes),
            class_counts.data(), num_thresholds,     candidate,           score};
  }
  std::size_t histogram_size(std::size_t begin, std::size_t end) const {
    std::size_t classes = 0;
    for (std::size_t n = begin; n < end; ++n) classes += nodes[n].num_classes;
    return classes * histogram_stride(num_thresholds);
  }
};

struct LabelledBin {
  int bin, label;
};

/// A level in which the sample at position i of the node order has position order[i] in the frame order.
Level make_level(int num_thresholds, const std::vector<std::vector<LabelledBin>>& nodes,
                 const std::vector<std::uint32_t>& order) {
  Level level;
  level.num_thresholds = num_thresholds;
  level.frame_order = order;
  level.bins.resize(order.size());
  for (const std::vector<LabelledBin>& samples : nodes) {
    const auto begin = static_cast<std::uint32_t>(level.node_classes.size());
    std::vector<std::uint32_t> counts;
    for (const LabelledBin& sample : samples) {
      const auto label = static_cast<std::size_t>(sample.label);
      if (counts.size() <= label) counts.resize(label + 1);
      ++counts[label];
      level.bins[order[level.node_classes.size()]] = static_cast<std::uint8_t>(sample.bin);
      level.node_classes.push_back(static_cast<std::uint16_t>(sample.label));
    }
    float entropy = 0;
    for (const std::uint32_t count : counts)
      entropy += entropy_term(static_cast<float>(count), 1.0f / static_cast<float>(samples.size()));
    level.nodes.push_back({begin, static_cast<std::uint32_t>(level.node_classes.size()),
                           static_cast<std::uint32_t>(level.class_counts.size()),
                           static_cast<std::uint32_t>(counts.size()), entropy});
    level.class_counts.insert(level.class_counts.end(), counts.begin(), counts.end());
  }
  return level;
}

std::vector<std::uint32_t> shuffled(std::size_t count, forest::Noise& noise) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(noise.between(0, static_cast<int>(i) - 1))]);
  return order;
}

/// Nodes of 2 to 300 samples and 2 to `most_classes` classes; bins are correlated with classes, so that scores differ.
Level noise_level(int num_thresholds, int num_nodes, int most_classes, forest::Noise& noise) {
  std::vector<std::vector<LabelledBin>> nodes(static_cast<std::size_t>(num_nodes));
  std::size_t count = 0;
  for (auto& samples : nodes) {
    const int num_classes = noise.between(2, most_classes);
    for (int c = 0; c < num_classes; ++c) samples.push_back({noise.between(0, num_thresholds), c});
    for (int i = noise.between(0, 300 - num_classes); i > 0; --i) {
      const int label = noise.between(0, num_classes - 1);
      const int bin = noise.between(0, num_thresholds) * (label + 1) / num_classes;
      samples.push_back({noise.one_in(8) ? num_thresholds : bin, label});
    }
    count += samples.size();
  }
  return make_level(num_thresholds, nodes, shuffled(count, noise));
}

class Stage23 : public testing::TestWithParam<Isa> {
 protected:
  std::vector<std::uint32_t> aggregate(const Level& level, std::size_t begin, std::size_t end) const {
    std::vector<std::uint32_t> histograms(level.histogram_size(begin, end) + 16, 0);
    kernels_.aggregate(level.row(), begin, end, histograms.data());
    EXPECT_TRUE(std::all_of(histograms.end() - 16, histograms.end(), [](auto n) { return n == 0; }));
    histograms.resize(histograms.size() - 16);
    return histograms;
  }
  /// Runs stages 2 and 3 for nodes [begin, end).
  void evaluate(const Level& level, const CandidateRow& row, std::size_t begin, std::size_t end,
                std::vector<BestSplit>& best) const {
    std::vector<std::uint32_t> histograms(level.histogram_size(begin, end), 0);
    kernels_.aggregate(row, begin, end, histograms.data());
    kernels_.score(row, begin, end, histograms.data(), best.data());
    EXPECT_EQ(std::ranges::count(histograms, 0u), static_cast<std::ptrdiff_t>(histograms.size()));
  }
  std::vector<BestSplit> evaluate(const Level& level, const CandidateRow& row) const {
    std::vector<BestSplit> best(level.nodes.size());
    evaluate(level, row, 0, level.nodes.size(), best);
    return best;
  }
  const LevelKernels& kernels_ = level_kernels(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Each, Stage23, testing::ValuesIn(available_isas()),
                         [](const auto& info) { return to_string(info.param); });

void expect_split(const BestSplit& got, float score, std::int32_t candidate, std::int32_t threshold) {
  EXPECT_EQ(got.score, score);
  EXPECT_EQ(got.candidate, candidate);
  EXPECT_EQ(got.threshold, threshold);
}

/// A node that threshold 1 splits perfectly; at thresholds 0 and 2, one of four samples is on the wrong side.
const std::vector<LabelledBin> kParted = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};

TEST_P(Stage23, CountsEachSampleOnceAndNanInTheLastBin) {
  // With two thresholds, bin 2 holds the responses above both and those that are NaN.
  const Level level =
      make_level(2, {{{0, 0}, {2, 0}, {1, 1}}, {{2, 0}, {0, 1}, {0, 1}, {2, 2}}}, {4, 0, 6, 1, 5, 3, 2});
  const std::size_t stride = histogram_stride(2);
  std::vector<std::uint32_t> wanted(5 * stride, 0);
  wanted[0] = wanted[2] = 1;   // node 0, class 0: bins 0 and 2
  wanted[stride + 1] = 1;      // node 0, class 1: bin 1
  wanted[2 * stride + 2] = 1;  // node 1, class 0
  wanted[3 * stride] = 2;      // node 1, class 1
  wanted[4 * stride + 2] = 1;  // node 1, class 2
  EXPECT_EQ(aggregate(level, 0, 2), wanted);
  EXPECT_EQ(aggregate(level, 1, 2),
            std::vector<std::uint32_t>(wanted.begin() + static_cast<std::ptrdiff_t>(2 * stride), wanted.end()));
}

TEST_P(Stage23, CountsManyNodesLikeAPlainLoop) {
  forest::Noise noise(1);
  for (const int num_thresholds : {1, 15, 16, 50, 255}) {
    const Level level = noise_level(num_thresholds, 9, 40, noise);
    std::vector<std::uint32_t> wanted(level.histogram_size(0, 9), 0);
    std::size_t first_class = 0;
    for (const NodeSamples& node : level.nodes) {
      for (std::uint32_t s = node.begin; s < node.end; ++s)
        ++wanted[(first_class + level.node_classes[s]) * histogram_stride(num_thresholds) +
                 level.bins[level.frame_order[s]]];
      first_class += node.num_classes;
    }
    EXPECT_EQ(aggregate(level, 0, 9), wanted) << num_thresholds;
  }
}

TEST_P(Stage23, PerfectSplitIsFound) {
  const Level level = make_level(3, {kParted}, {0, 1, 2, 3});
  expect_split(evaluate(level, level.row(7))[0], 1.0f, 7, 1);  // 1 bit minus 0
}

TEST_P(Stage23, LeftIsTheSamplesUpToTheThreshold) {
  // Two of four classes lie up to threshold 2, two in the last bin: 2 bits minus 1.
  const Level level = make_level(4, {{{4, 0}, {2, 1}, {4, 2}, {2, 3}}}, {3, 2, 1, 0});
  expect_split(evaluate(level, level.row(0))[0], 1.0f, 0, 2);  // threshold 3 has the same gain, but comes later
}

TEST_P(Stage23, LowestOfEqualThresholdsWins) {
  const Level level = make_level(40, {{{5, 0}, {30, 1}, {5, 0}, {30, 1}}}, {0, 1, 2, 3});
  expect_split(evaluate(level, level.row(0))[0], 1.0f, 0, 5);
}

TEST_P(Stage23, UselessCandidateChangesNothing) {
  // All samples in one bin; all NaN; the same mixture of classes on both sides.
  for (const auto& samples :
       std::vector<std::vector<LabelledBin>>{{{0, 0}, {0, 1}}, {{3, 0}, {3, 1}}, {{0, 0}, {0, 1}, {2, 0}, {2, 1}}}) {
    const Level level = make_level(
        3, {samples}, samples.size() == 2 ? std::vector<std::uint32_t>{1, 0} : std::vector<std::uint32_t>{1, 0, 3, 2});
    for (const ScoreKind kind : {ScoreKind::kInformationGain, ScoreKind::kNormalizedInformationGain})
      EXPECT_LT(evaluate(level, level.row(0, kind))[0].candidate, 0);
  }
}

TEST_P(Stage23, ReplacesOnlyWorseSplits) {
  const Level level = make_level(3, {kParted}, {0, 1, 2, 3});
  std::vector<BestSplit> best = {{0.75f, 3, 2}};
  evaluate(level, level.row(5), 0, 1, best);
  expect_split(best[0], 1.0f, 5, 1);
  evaluate(level, level.row(6), 0, 1, best);  // equal, but later
  expect_split(best[0], 1.0f, 5, 1);
  evaluate(level, level.row(4), 0, 1, best);  // equal, and earlier
  expect_split(best[0], 1.0f, 4, 1);
  best = {{1.5f, 3, 2}};
  evaluate(level, level.row(2), 0, 1, best);
  expect_split(best[0], 1.5f, 3, 2);
}

TEST_P(Stage23, TouchesOnlyTheNodesAskedAbout) {
  const Level level = make_level(3, {kParted, kParted, kParted}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  std::vector<BestSplit> best(3);
  evaluate(level, level.row(8), 1, 2, best);
  EXPECT_LT(best[0].candidate, 0);
  expect_split(best[1], 1.0f, 8, 1);
  EXPECT_LT(best[2].candidate, 0);
}

/// Entropy of counts in bits, in double precision.
double entropy_of(const std::vector<double>& counts) {
  double total = 0, entropy = 0;
  for (const double count : counts) total += count;
  for (const double count : counts)
    if (count > 0) entropy -= count / total * std::log2(count / total);
  return entropy;
}

/// Reference score of one threshold at one node, counted over samples, with entropies from the math library.
double plain_score(const Level& level, const NodeSamples& node, int threshold, ScoreKind kind) {
  std::vector<double> left(node.num_classes, 0), right(node.num_classes, 0), all(node.num_classes, 0);
  double num_left = 0, num_right = 0;
  for (std::uint32_t s = node.begin; s < node.end; ++s) {
    const bool goes_left = level.bins[level.frame_order[s]] <= threshold;
    (goes_left ? left : right)[level.node_classes[s]] += 1;
    (goes_left ? num_left : num_right) += 1;
    all[level.node_classes[s]] += 1;
  }
  return split_score(kind, static_cast<float>(entropy_of(all)), static_cast<float>(entropy_of(left)),
                     static_cast<float>(entropy_of(right)), static_cast<float>(num_left),
                     static_cast<float>(num_right));
}

class Scores : public testing::TestWithParam<std::tuple<Isa, ScoreKind>> {};
INSTANTIATE_TEST_SUITE_P(Each, Scores,
                         testing::Combine(testing::ValuesIn(available_isas()),
                                          testing::Values(ScoreKind::kInformationGain,
                                                          ScoreKind::kNormalizedInformationGain)));

TEST_P(Scores, AgreeWithAPlainLoopOverTheSamples) {
  const auto [isa, kind] = GetParam();
  const LevelKernels& kernels = level_kernels(isa);
  forest::Noise noise(2);
  for (const int num_thresholds : {1, 7, 16, 50, 255}) {
    const Level level = noise_level(num_thresholds, 6, 40, noise);
    std::vector<std::uint32_t> histograms(level.histogram_size(0, 6), 0);
    std::vector<BestSplit> best(6);
    kernels.aggregate(level.row(0, kind), 0, 6, histograms.data());
    kernels.score(level.row(0, kind), 0, 6, histograms.data(), best.data());
    for (std::size_t n = 0; n < 6; ++n) {
      double highest = -1;
      for (int t = 0; t < num_thresholds; ++t) highest = std::max(highest, plain_score(level, level.nodes[n], t, kind));
      if (best[n].candidate < 0) {
        EXPECT_LE(highest, 2e-5);
        continue;
      }
      EXPECT_NEAR(best[n].score, highest, 1e-5);
      EXPECT_NEAR(best[n].score, plain_score(level, level.nodes[n], best[n].threshold, kind), 1e-5);
    }
  }
}

TEST(AllScores, AreTheSameBitsOnEveryInstructionSet) {
  forest::Noise noise(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Level level = noise_level(noise.between(1, 255), 8, 60, noise);
    const auto kind = trial % 2 == 0 ? ScoreKind::kInformationGain : ScoreKind::kNormalizedInformationGain;
    const auto evaluate = [&](Isa isa) {
      std::vector<BestSplit> best(8);
      std::vector<std::uint32_t> histograms(level.histogram_size(0, 8), 0);
      level_kernels(isa).aggregate(level.row(4, kind), 0, 8, histograms.data());
      level_kernels(isa).score(level.row(4, kind), 0, 8, histograms.data(), best.data());
      return best;
    };
    const std::vector<BestSplit> baseline = evaluate(Isa::kBaseline);
    for (const Isa isa : available_isas()) {
      const std::vector<BestSplit> best = evaluate(isa);
      for (std::size_t n = 0; n < 8; ++n)
        expect_split(best[n], baseline[n].score, baseline[n].candidate, baseline[n].threshold);
    }
  }
}

TEST_P(Scores, OfFernsAreSumsOverTheNodes) {
  const auto [isa, kind] = GetParam();
  const LevelKernels& kernels = level_kernels(isa);
  forest::Noise noise(4);
  for (const int num_thresholds : {1, 16, 50, 255}) {
    const Level level = noise_level(num_thresholds, 6, 40, noise);
    std::vector<std::uint32_t> histograms(level.histogram_size(0, 6), 0);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(num_thresholds), 7);
    kernels.aggregate(level.row(0, kind), 0, 6, histograms.data());
    kernels.add_shared_scores(level.row(0, kind), 0, 6, histograms.data(), sums.data());
    EXPECT_EQ(std::ranges::count(histograms, 0u), static_cast<std::ptrdiff_t>(histograms.size()));
    for (int t = 0; t < num_thresholds; ++t) {
      double wanted = 0;
      for (const NodeSamples& node : level.nodes)
        wanted += std::max(0.0, plain_score(level, node, t, kind)) * (node.end - node.begin);
      EXPECT_NEAR(static_cast<double>(sums[static_cast<std::size_t>(t)] - 7) / (1 << 24), wanted, 1e-2);
    }
  }
}

}  // namespace
}  // namespace fernwood::train
