// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/level_candidates.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/draw.h"

namespace fernwood::train {

namespace {

/// Number of threshold samples: per level, or per node.
constexpr std::uint32_t kThresholdSamplesPerLevel = 1024, kThresholdSamplesPerNode = 64;
/// Number of candidates whose thresholds a thread draws at a time.
constexpr std::size_t kThresholdsAtOnce = 64;

}  // namespace

void LevelCandidates::begin_level(const OpenNodes& nodes, std::uint32_t level) {
  nodes_ = &nodes;
  level_ = level;
  next_ = 0;
  if (ahead_.empty()) start_levels();
  draw_threshold_samples();
  dealt_ = backend_.candidates();
  candidates_ = {};
  if (ahead_.empty()) {
    candidates_.features = level_features();
  } else {
    candidates_ = std::move(ahead_.front());
    ahead_.pop_front();
  }
}

std::optional<CandidateChunk> LevelCandidates::next_chunk() {
  const Array2<forest::RegionFeature>& features = candidates_.features;
  const std::size_t sets = features.rows(), left = features.cols() - next_;
  if (left == 0) return std::nullopt;
  const auto num_thresholds = static_cast<std::size_t>(options_.thresholds);
  const std::size_t candidate_bytes = (threshold_samples_.places.size() + sets * num_thresholds) * sizeof(float);
  const std::size_t size = std::min(left, backend_.chunk_size(*nodes_, options_, candidate_bytes));
  CandidateChunk chunk{next_, Array2<forest::RegionFeature>(sets, size), Array2<float>(sets * size, num_thresholds)};
  for (std::size_t set = 0; set < sets; ++set) std::copy_n(features.row(set) + next_, size, chunk.features.row(set));
  if (candidates_.thresholds.empty())
    fill_thresholds(chunk);
  else
    std::copy_n(candidates_.thresholds.row(next_), chunk.thresholds.size(), chunk.thresholds.data());
  next_ += size;
  return chunk;
}

/// Draws the threshold samples of a set from the positions [begin, end) of node order.
void LevelCandidates::draw_places(std::uint32_t set, std::uint32_t begin, std::uint32_t end, std::uint32_t count) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < count; ++i)
    places.push_back(begin + draw(options_.seed, RngStream::kProbe, tree_, level_, i, set).below(0, end - begin));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  threshold_samples_.places.insert(threshold_samples_.places.end(), places.begin(), places.end());
  threshold_samples_.sets.resize(threshold_samples_.places.size(), set);
}

void LevelCandidates::draw_threshold_samples() {
  threshold_samples_ = {};
  if (options_.threshold_source != ThresholdSource::kResponses) return;
  if (options_.candidates == CandidateScope::kNode)
    for (std::uint32_t n = 0; n < nodes_->size(); ++n)
      draw_places(n, nodes_->nodes[n].begin, nodes_->nodes[n].end, kThresholdSamplesPerNode);
  else
    draw_places(0, 0, static_cast<std::uint32_t>(nodes_->num_samples()), kThresholdSamplesPerLevel);
}

/// The candidates of a set, [1][F]. @param dealt  The subset to return.
Array2<forest::RegionFeature> LevelCandidates::set_features(LevelId id, const Deal& dealt, std::uint32_t set) const {
  const std::vector<forest::RegionFeature> drawn = draw_features(options_, channels_, id, set);
  Array2<forest::RegionFeature> features(1, dealt.count_of(drawn.size()));
  for (std::size_t f = 0; f < features.cols(); ++f) {
    features(0, f) = drawn[dealt.number(f)];
    rename_channels(features(0, f), channels_.in_frame);
  }
  return features;
}

/// The candidates of the level, [1 or nodes][F].
Array2<forest::RegionFeature> LevelCandidates::level_features() const {
  const std::size_t sets = options_.candidates == CandidateScope::kNode ? nodes_->size() : 1;
  Array2<forest::RegionFeature> features(sets, dealt_.count_of(static_cast<std::size_t>(options_.features)));
  pool_.for_each(sets, [&](std::size_t set, int) {
    const Array2<forest::RegionFeature> own = set_features(id(), dealt_, static_cast<std::uint32_t>(set));
    std::copy_n(own.data(), own.size(), features.row(set));
  });
  return features;
}

/// Draws all candidates of this level and of the further levels that the backend evaluates in the same pass, if any.
void LevelCandidates::start_levels() {
  if (!can_start_levels(options_)) return;
  std::vector<CandidateChunk> levels(
      backend_.levels_ahead(options_, static_cast<std::size_t>(options_.max_depth) - level_));
  if (levels.empty()) return;
  const Deal dealt = backend_.candidates();
  const auto level_id = [&](std::size_t i) { return LevelId{tree_, level_ + static_cast<std::uint32_t>(i)}; };
  pool_.for_each(levels.size(), [&](std::size_t i, int) {
    levels[i].features = set_features(level_id(i), dealt, 0);
    levels[i].thresholds = Array2<float>(levels[i].size(), static_cast<std::size_t>(options_.thresholds));
  });
  const std::size_t size = levels.front().size(), parts = (size + kThresholdsAtOnce - 1) / kThresholdsAtOnce;
  pool_.for_each(levels.size() * parts, [&](std::size_t task, int) {
    Array2<float>& thresholds = levels[task / parts].thresholds;
    const std::size_t begin = task % parts * kThresholdsAtOnce;
    for (std::size_t f = begin; f < std::min(size, begin + kThresholdsAtOnce); ++f)
      draw_thresholds(options_, level_id(task / parts), 0, static_cast<std::uint32_t>(dealt.number(f)), {},
                      {thresholds.row(f), thresholds.cols()});
  });
  backend_.start_levels(levels);
  ahead_.assign(std::make_move_iterator(levels.begin()), std::make_move_iterator(levels.end()));
}

/// Draws the thresholds of every candidate of a chunk, from responses where the options require it.
void LevelCandidates::fill_thresholds(CandidateChunk& chunk) const {
  Array2<float> responses(chunk.size(), 0);
  if (!threshold_samples_.places.empty())
    responses = backend_.probe(chunk, threshold_samples_.places, threshold_samples_.sets);
  const std::size_t sets = chunk.features.rows();
  std::vector<std::uint32_t> starts(sets + 1, 0);  // first threshold sample of each set
  for (const std::uint32_t set : threshold_samples_.sets) ++starts[set + 1];
  for (std::size_t set = 0; set < sets; ++set) starts[set + 1] += starts[set];
  pool_.for_each((chunk.size() + kThresholdsAtOnce - 1) / kThresholdsAtOnce, [&](std::size_t part, int) {
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t f = part * kThresholdsAtOnce; f < std::min(chunk.size(), (part + 1) * kThresholdsAtOnce); ++f)
        draw_thresholds(options_, id(), static_cast<std::uint32_t>(set),
                        static_cast<std::uint32_t>(dealt_.number(chunk.first + f)),
                        {responses.row(f) + starts[set], starts[set + 1] - starts[set]},
                        {chunk.thresholds.row(set * chunk.size() + f), chunk.thresholds.cols()});
  });
}

}  // namespace fernwood::train
