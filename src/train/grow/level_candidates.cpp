// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/candidates.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fernwood::train {

namespace {

/// Number of candidates whose thresholds a thread draws at a time.
constexpr std::size_t kThresholdsAtOnce = 64;

}  // namespace

void LevelCandidates::begin_level(const OpenNodes& nodes, std::uint32_t level) {
  nodes_ = &nodes;
  level_ = level;
  next_ = 0;
  dealt_ = backend_.candidates();
  if (ahead_.empty()) start_levels();
  if (ahead_.empty()) {
    candidates_ = {0, dealt_features({tree_, level_}), {}};
  } else {
    candidates_ = std::move(ahead_.front());
    ahead_.pop_front();
  }
}

std::optional<CandidateChunk> LevelCandidates::next_chunk() {
  const std::size_t left = candidates_.size() - next_;
  if (left == 0) return std::nullopt;
  const auto num_thresholds = static_cast<std::size_t>(options_.thresholds);
  const std::size_t size = std::min(left, backend_.chunk_size(*nodes_, options_, num_thresholds * sizeof(float)));
  const auto first = candidates_.features.begin() + static_cast<std::ptrdiff_t>(next_);
  CandidateChunk chunk{next_, {first, first + static_cast<std::ptrdiff_t>(size)}, {size, num_thresholds}};
  if (candidates_.thresholds.empty())
    fill_thresholds({tree_, level_}, next_, chunk.thresholds);
  else
    std::copy_n(candidates_.thresholds.row(next_), chunk.thresholds.size(), chunk.thresholds.data());
  next_ += size;
  return chunk;
}

/// This rank's candidates of a level.
std::vector<forest::RegionFeature> LevelCandidates::dealt_features(LevelId id) const {
  const std::vector<forest::RegionFeature> drawn = draw_features(options_, channels_, id);
  std::vector<forest::RegionFeature> features(dealt_.count_of(drawn.size()));
  for (std::size_t f = 0; f < features.size(); ++f) {
    features[f] = drawn[dealt_.number(f)];
    rename_channels(features[f], channels_.in_frame);
  }
  return features;
}

/// Draws all candidates of this level and of the further levels that the backend evaluates in the same pass, if any.
void LevelCandidates::start_levels() {
  std::vector<CandidateChunk> levels(
      backend_.levels_ahead(options_, static_cast<std::size_t>(options_.max_depth) - level_));
  if (levels.empty()) return;
  const auto level_id = [&](std::size_t i) { return LevelId{tree_, level_ + static_cast<std::uint32_t>(i)}; };
  pool_.for_each(levels.size(), [&](std::size_t i, int) {
    levels[i].features = dealt_features(level_id(i));
    levels[i].thresholds = {levels[i].size(), static_cast<std::size_t>(options_.thresholds)};
  });
  for (std::size_t i = 0; i < levels.size(); ++i) fill_thresholds(level_id(i), 0, levels[i].thresholds);
  backend_.start_levels(levels);
  ahead_.assign(std::make_move_iterator(levels.begin()), std::make_move_iterator(levels.end()));
}

/// Draws the thresholds of successive candidates. @param first  Index of the first among this rank's candidates.
void LevelCandidates::fill_thresholds(LevelId id, std::size_t first, Array2<float>& thresholds) const {
  pool_.for_each((thresholds.rows() + kThresholdsAtOnce - 1) / kThresholdsAtOnce, [&](std::size_t part, int) {
    const std::size_t begin = part * kThresholdsAtOnce;
    for (std::size_t f = begin; f < std::min(thresholds.rows(), begin + kThresholdsAtOnce); ++f)
      draw_thresholds(options_, id, static_cast<std::uint32_t>(dealt_.number(first + f)),
                      {thresholds.row(f), thresholds.cols()});
  });
}

}  // namespace fernwood::train
