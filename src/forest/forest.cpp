// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/forest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/isa.h"
#include "forest/leaf.h"
#include "forest/respond_kernels.h"

namespace fernwood::forest {

namespace {

/// [class] Number of samples in all leaves of a tree, from which it was grown (Q in the thesis).
std::vector<std::uint64_t> class_samples(const Tree& tree) {
  std::vector<std::uint64_t> samples(tree.leaf_counts.cols(), 0);
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
    for (std::size_t c = 0; c < samples.size(); ++c) samples[c] += tree.leaf_counts(leaf, c);
  return samples;
}

/// [class] Share of each class; the counts must not all be 0.
std::vector<float> shares(const std::vector<std::uint64_t>& counts) {
  const float total = static_cast<float>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  std::vector<float> result;
  for (const std::uint64_t count : counts) result.push_back(static_cast<float>(count) / total);
  return result;
}

bool all_zero(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == 0;
}

/// [class] p(c | D) / p(c | Q) of thesis eq. 3.7, or all 1 without re-weighting. A class without samples gets 0: its
/// leaf counts are 0 anyway. Without class pixels or samples, all weights are 1.
std::vector<float> sampling_weights(const Forest& forest, const Tree& tree) {
  std::vector<float> weights(tree.leaf_counts.cols(), 1.0f);
  const std::vector<std::uint64_t> samples = class_samples(tree);
  if (!forest.leaves.reweight || all_zero(forest.class_pixels) || all_zero(samples)) return weights;
  const std::vector<float> in_data_set = shares(forest.class_pixels), in_samples = shares(samples);
  for (std::size_t c = 0; c < weights.size(); ++c)
    weights[c] = in_samples[c] > 0.0f ? in_data_set[c] / in_samples[c] : 0.0f;
  return weights;
}

/// [class] The factors of a leaf's shares: sampling weights times class weights.
std::vector<float> leaf_weights(const Forest& forest, const Tree& tree) {
  std::vector<float> weights = sampling_weights(forest, tree);
  const std::vector<float>& asked_for = forest.leaves.class_weights;
  for (std::size_t c = 0; c < asked_for.size(); ++c) weights[c] *= asked_for[c];
  return weights;
}

/// Score of a class with weight 0.
constexpr float kNeverScore = -20.0f;
constexpr float kLogOf2 = 0.69314718f;

/// @param weights  [class] Factors of the probabilities; empty: all 1.
Array2<float> boosted_votes(const Tree& tree, const std::vector<float>& weights) {
  Array2<float> votes = tree.leaf_scores;
  for (std::size_t leaf = 0; leaf < votes.rows(); ++leaf) {
    float* const row = votes.row(leaf);
    for (std::size_t c = 0; c < weights.size(); ++c)
      row[c] += weights[c] > 0 ? log2_of(weights[c]) * kLogOf2 : kNeverScore;
    const float least = *std::min_element(row, row + votes.cols());
    for (std::size_t c = 0; c < votes.cols(); ++c) row[c] = row[c] - least + 1;
  }
  return votes;
}

bool is_empty(const Tree& tree, std::size_t leaf) {
  const std::uint32_t* counts = tree.leaf_counts.row(leaf);
  return std::all_of(counts, counts + tree.leaf_counts.cols(), [](std::uint32_t count) { return count == 0; });
}

/// [leaf] The node that provides a leaf's counts: the leaf itself, or for an empty leaf its nearest ancestor with
/// samples.
std::vector<std::size_t> answering_nodes(const Tree& tree, const Array2<std::uint64_t>& counts) {
  std::vector<std::size_t> of_leaf(tree.num_leaves(), 0), of_node(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const std::uint64_t* row = counts.row(i);
    if (std::any_of(row, row + counts.cols(), [](std::uint64_t count) { return count > 0; })) of_node[i] = i;
    const Node& node = tree.nodes[i];
    if (node.is_leaf())
      of_leaf[static_cast<std::size_t>(node.leaf_index())] = of_node[i];
    else
      of_node[static_cast<std::size_t>(node.child)] = of_node[static_cast<std::size_t>(node.child) + 1] = of_node[i];
  }
  return of_leaf;
}

}  // namespace

std::string to_string(ForestKind kind) {
  if (kind == ForestKind::kBoosted) return "boosted";
  return kind == ForestKind::kForest ? "forest" : "ferns";
}

int Tree::depth() const {
  std::vector<int> level(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    deepest = std::max(deepest, level[i]);
    if (!nodes[i].is_leaf()) level[nodes[i].child] = level[nodes[i].child + 1] = level[i] + 1;
  }
  return deepest;
}

Array2<std::uint64_t> node_counts(const Tree& tree) {
  Array2<std::uint64_t> counts(tree.nodes.size(), tree.leaf_counts.cols());
  // In reverse order, because children come after their parent.
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    for (std::size_t c = 0; c < counts.cols(); ++c)
      counts(i, c) = node.is_leaf() ? tree.leaf_counts(static_cast<std::size_t>(node.leaf_index()), c)
                                    : counts(static_cast<std::size_t>(node.child), c) +
                                          counts(static_cast<std::size_t>(node.child) + 1, c);
  }
  return counts;
}

Array2<float> leaf_votes(const Forest& forest, const Tree& tree, std::size_t place) {
  const std::vector<float> weights = leaf_weights(forest, tree);
  if (forest.kind == ForestKind::kBoosted) return boosted_votes(tree, place == 0 ? weights : std::vector<float>());
  Array2<float> probabilities(tree.num_leaves(), tree.leaf_counts.cols());
  const auto fill = [&](std::size_t leaf, const auto* counts) {
    leaf_row(counts, weights.data(), static_cast<std::int32_t>(weights.size()), probabilities.row(leaf));
  };
  bool any_empty = false;
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf) {
    any_empty |= is_empty(tree, leaf);
    fill(leaf, tree.leaf_counts.row(leaf));
  }
  if (!any_empty || tree.nodes.size() <= 1) return probabilities;
  const Array2<std::uint64_t> counts = node_counts(tree);
  const std::vector<std::size_t> nodes = answering_nodes(tree, counts);
  for (std::size_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
    if (is_empty(tree, leaf)) fill(leaf, counts.row(nodes[leaf]));
  return probabilities;
}

std::vector<ClassPriorCorrection> correct_probabilities(const Forest& forest, bool smoothed) {
  const std::vector<float>& weights = smoothed ? forest.label_weights.smoothed : forest.label_weights.plain;
  std::vector<ClassPriorCorrection> correction(forest.classes.size());
  for (std::size_t c = 0; c < weights.size(); ++c) correction[c].factor = weights[c];
  return correction;
}

std::vector<ClassPriorCorrection> correct_sums(const Forest& forest) {
  std::vector<ClassPriorCorrection> correction = correct_probabilities(forest, false);
  if (forest.kind != ForestKind::kBoosted || correction.empty()) return correction;
  const float least = std::ranges::min_element(correction, {}, &ClassPriorCorrection::factor)->factor;
  for (ClassPriorCorrection& of_class : correction)
    of_class = {1.0f, (log2_of(of_class.factor) - log2_of(least)) * kLogOf2};
  return correction;
}

using RespondKernelPair = RespondKernels[2];  // indexed by Gather
FW_ISA_TABLES(RespondKernelPair, respond_kernels_table)

const RespondKernels& respond_kernels(const KernelVariant& choice) {
  return respond_kernels_table_of(choice.isa)[static_cast<std::size_t>(choice.gather)];
}

namespace {

using PairCounts = std::map<std::pair<int, int>, std::vector<std::uint64_t>>;

void grow_to(std::vector<std::uint64_t>& counts, int level) {
  if (counts.size() <= static_cast<std::size_t>(level)) counts.resize(static_cast<std::size_t>(level) + 1, 0);
}

void count_splits(const Tree& tree, PairCounts& pairs, std::vector<std::uint64_t>& by_level) {
  std::vector<int> level(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) continue;
    const auto child = static_cast<std::size_t>(node.child);
    level[child] = level[child + 1] = level[i] + 1;
    std::vector<std::uint64_t>& counts = pairs[{node.feature.channel_a, node.feature.channel_b}];
    grow_to(counts, level[i]);
    grow_to(by_level, level[i]);
    ++counts[static_cast<std::size_t>(level[i])];
    ++by_level[static_cast<std::size_t>(level[i])];
  }
}

ForestSummary::TreeSummary summarize(const Tree& tree) {
  const std::uint64_t samples = std::accumulate(tree.leaf_counts.begin(), tree.leaf_counts.end(), std::uint64_t{0});
  return {tree.nodes.size(), tree.num_leaves(), tree.depth(), samples};
}

}  // namespace

ForestSummary summarize(const Forest& forest) {
  ForestSummary summary;
  PairCounts pairs;
  for (const std::vector<Tree>& stage : forest.stages) {
    std::vector<ForestSummary::TreeSummary>& trees = summary.stages.emplace_back();
    for (const Tree& tree : stage) trees.push_back(summarize(tree));
  }
  for (const Tree& tree : forest.labelling_trees()) count_splits(tree, pairs, summary.splits_by_level);
  const image::Preparation& preparation = forest.preparation;
  for (auto& [pair, counts] : pairs) {
    counts.resize(summary.splits_by_level.size(), 0);
    summary.channel_pairs.push_back({preparation.channel_name(pair.first),
                                     pair.second == kNoChannel ? "" : preparation.channel_name(pair.second),
                                     std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), counts});
  }
  std::stable_sort(summary.channel_pairs.begin(), summary.channel_pairs.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return summary;
}

}  // namespace fernwood::forest
