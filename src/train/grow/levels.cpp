// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "train/grow/grow_tree.h"

namespace fernwood::train {

namespace {

/// Number of candidates whose thresholds a thread draws at a time.
constexpr std::size_t kThresholdsAtOnce = 64;

}  // namespace

TreeLevels::TreeLevels(LevelBackend& device, Ranks& ranks, ThreadPool& pool, const TrainOptions& options,
                       std::uint32_t tree, TreeChannels channels)
    : device_(device),
      ranks_(ranks),
      pool_(pool),
      options_(options),
      own_options_(options),
      tree_(tree),
      channels_(std::move(channels)),
      dealt_(ranks.candidates()) {
  own_options_.features = static_cast<int>(dealt_.count_of(static_cast<std::size_t>(options.features)));
}

LevelOutcome TreeLevels::find_splits(const OpenNodes& nodes, std::uint32_t level) {
  if (ahead_.empty()) look_ahead(level);
  CandidateChunk all;
  if (ahead_.empty()) {
    all.features = dealt_features({tree_, level});
  } else {
    all = std::move(ahead_.front());
    ahead_.pop_front();
  }
  const auto num_thresholds = static_cast<std::size_t>(options_.thresholds);
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t size = std::min(all.size() - first, ranks_.least(device_.chunk_size(nodes, own_options_)));
    const auto begin = all.features.begin() + static_cast<std::ptrdiff_t>(first);
    CandidateChunk chunk{first, {begin, begin + static_cast<std::ptrdiff_t>(size)}, {size, num_thresholds}};
    if (all.thresholds.empty())
      fill_thresholds({tree_, level}, first, chunk.thresholds);
    else
      std::copy_n(all.thresholds.row(first), chunk.thresholds.size(), chunk.thresholds.data());
    ranks_.num_shares() > 1 ? device_.evaluate_share(nodes, chunk, own_options_, ranks_)
                            : device_.evaluate(nodes, chunk, own_options_);
    first += size;
  }
  return choose(nodes);
}

/// The best splits of all ranks, by which the samples of every node are partitioned.
LevelOutcome TreeLevels::choose(const OpenNodes& nodes) {
  LevelBest best = device_.best(nodes);
  // From here on candidates have global indices; a rank's own candidates have the same order in both numberings.
  const auto renumber = [&](std::int32_t& candidate) {
    if (candidate >= 0) candidate = static_cast<std::int32_t>(dealt_.number(static_cast<std::size_t>(candidate)));
  };
  for (ChosenSplit& chosen : best.chosen) renumber(chosen.best.candidate);
  if (best.shared) renumber(best.shared->candidate);
  if (ranks_.parallelism() != Parallelism::kTrees) ranks_.gather_best(best);
  if (ranks_.parallelism() == Parallelism::kFeatures) {
    std::vector<std::uint8_t> mine;
    for (const ChosenSplit& split : best.chosen)
      mine.push_back(split.best.candidate >= 0 && dealt_.has(static_cast<std::size_t>(split.best.candidate)));
    std::vector<std::uint32_t> sides = device_.partition_bits(nodes, mine);
    ranks_.sum(std::span(sides));  // for each bit, all ranks but one have 0
    Array2<std::uint32_t> counts = device_.split_by(nodes, best.chosen, sides);
    return {std::move(best.chosen), std::move(counts)};
  }
  Array2<std::uint32_t> counts = device_.split(nodes, best.chosen);
  ranks_.sum_over_samples(std::span(counts.data(), counts.size()));
  return {std::move(best.chosen), std::move(counts)};
}

/// This rank's candidates of a level.
std::vector<forest::RegionFeature> TreeLevels::dealt_features(LevelId id) const {
  const std::vector<forest::RegionFeature> drawn = draw_features(options_, channels_, id);
  std::vector<forest::RegionFeature> features(dealt_.count_of(drawn.size()));
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f] = drawn[dealt_.number(f)];
    rename_channels(features[f], channels_.in_frame);
  }
  return features;
}

/// Draws all candidates of this level and of the further levels that the device evaluates in the same pass, if any.
void TreeLevels::look_ahead(std::uint32_t level) {
  std::vector<CandidateChunk> levels(
      device_.levels_ahead(own_options_, static_cast<std::size_t>(options_.max_depth) - level));
  if (levels.empty()) return;
  const auto level_id = [&](std::size_t i) { return LevelId{tree_, level + static_cast<std::uint32_t>(i)}; };
  pool_.for_each(levels.size(), [&](std::size_t i, int) {
    levels[i].features = dealt_features(level_id(i));
    levels[i].thresholds = {levels[i].size(), static_cast<std::size_t>(options_.thresholds)};
  });
  for (std::size_t i = 0; i < levels.size(); ++i) fill_thresholds(level_id(i), 0, levels[i].thresholds);
  device_.start_levels(levels);
  ahead_.assign(std::make_move_iterator(levels.begin()), std::make_move_iterator(levels.end()));
}

/// Draws the thresholds of successive candidates. @param first  Index of the first among this rank's candidates.
void TreeLevels::fill_thresholds(LevelId id, std::size_t first, Array2<float>& thresholds) const {
  pool_.for_each((thresholds.rows() + kThresholdsAtOnce - 1) / kThresholdsAtOnce, [&](std::size_t part, int) {
    const std::size_t begin = part * kThresholdsAtOnce;
    for (std::size_t f = begin; f < std::min(thresholds.rows(), begin + kThresholdsAtOnce); ++f)
      draw_thresholds(options_, id, static_cast<std::uint32_t>(dealt_.number(first + f)),
                      {thresholds.row(f), thresholds.cols()});
  });
}

}  // namespace fernwood::train
