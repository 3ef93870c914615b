// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <map>

#include "fernwood/core/default_floats.h"
#include "fernwood/evaluate/importance.h"
#include "train/grow/score.h"

namespace fernwood::evaluate {
namespace {

/// Number of samples of a node, and the entropy of their classes in bits.
struct Purity {
  float samples = 0, entropy = 0;

  Purity(const std::uint64_t* counts, std::size_t num_classes) {
    for (std::size_t c = 0; c < num_classes; ++c) samples += static_cast<float>(counts[c]);
    if (samples == 0.0f) return;
    for (std::size_t c = 0; c < num_classes; ++c)
      entropy += train::entropy_term(static_cast<float>(counts[c]), 1 / samples);
  }
};

/// Information gain of a split in bits per sample of the tree; 0 for a split that separates nothing.
double gain_of_split(const Array2<std::uint64_t>& counts, std::size_t node, std::size_t child) {
  const auto purity = [&](std::size_t i) { return Purity(counts.row(i), counts.cols()); };
  const Purity all = purity(0), here = purity(node), left = purity(child), right = purity(child + 1);
  const float score = train::split_score(train::ScoreKind::kInformationGain, here.entropy, left.entropy, right.entropy,
                                         left.samples, right.samples);
  return score > 0.0f ? static_cast<double>(score * here.samples / all.samples) : 0.0;
}

struct PairSum {
  std::uint64_t splits = 0;
  double gain = 0;
};
using PairSums = std::map<std::pair<std::uint8_t, std::uint8_t>, PairSum>;

PairSums sum_gains(const forest::Forest& forest) {
  PairSums sums;
  for (const forest::Tree& tree : forest.labelling_trees()) {
    const Array2<std::uint64_t> counts = forest::node_counts(tree);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const forest::Node& node = tree.nodes[i];
      if (node.is_leaf()) continue;
      PairSum& sum = sums[{node.feature.channel_a, node.feature.channel_b}];
      ++sum.splits;
      sum.gain += gain_of_split(counts, i, static_cast<std::size_t>(node.child));
    }
  }
  return sums;
}

}  // namespace

GainImportance gain_importance(const forest::Forest& forest) {
  const DefaultFloats floats;
  const image::Preparation& preparation = forest.preparation;
  const int num_channels = preparation.channels.num_channels();
  GainImportance importance;
  for (int c = 0; c < num_channels; ++c) importance.channels.push_back({preparation.channel_name(c), 0});
  if (preparation.has_maps()) importance.channels.push_back({preparation.channel_name(image::kMapChannel), 0});
  const PairSums sums = sum_gains(forest);
  double total = 0;
  for (const auto& [pair, sum] : sums) total += sum.gain;
  for (const auto& [pair, sum] : sums) {
    const double share = total > 0 ? sum.gain / total : 0;
    const bool absolute = pair.second == forest::kNoChannel;
    const std::size_t first = pair.first == image::kMapChannel ? static_cast<std::size_t>(num_channels) : pair.first;
    importance.channels[first].share += absolute ? share : share / 2;
    if (!absolute) importance.channels[pair.second].share += share / 2;
    importance.pairs.push_back({preparation.channel_name(pair.first),
                                absolute ? "" : preparation.channel_name(pair.second), sum.splits, share});
  }
  std::ranges::stable_sort(importance.pairs, [](const auto& a, const auto& b) { return a.share > b.share; });
  return importance;
}

}  // namespace fernwood::evaluate
