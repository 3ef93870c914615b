// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/grow_tree.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "core/draw.h"
#include "fernwood/core/progress.h"

namespace fernwood::train {

namespace {

/// Samples whose responses thresholds are chosen among: of the whole level, or of each node.
constexpr std::uint32_t kThresholdSamplesPerLevel = 1024, kThresholdSamplesPerNode = 64;
/// Candidates whose thresholds a thread draws before it takes others.
constexpr std::size_t kThresholdsAtOnce = 64;

/// Samples to draw thresholds from.
struct ThresholdSamples {
  std::vector<std::uint32_t> places;  ///< [P] in node order, ascending
  std::vector<std::uint32_t> sets;  ///< [P] set of candidates: the node of each probe, or 0 if there is one set for all
};

/// Draws threshold samples among the places [begin, end) of node order.
void draw_places(const TrainOptions& options, LevelId id, std::uint32_t set, std::uint32_t begin, std::uint32_t end,
                 std::uint32_t count, ThresholdSamples& threshold_samples) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < count; ++i)
    places.push_back(begin + draw(options.seed, RngStream::kProbe, id.tree, id.level, i, set).below(0, end - begin));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  threshold_samples.places.insert(threshold_samples.places.end(), places.begin(), places.end());
  threshold_samples.sets.resize(threshold_samples.places.size(), set);
}

ThresholdSamples draw_threshold_samples(const OpenNodes& nodes, const TrainOptions& options, LevelId id) {
  ThresholdSamples threshold_samples;
  if (options.threshold_source != ThresholdSource::kResponses) return threshold_samples;
  if (options.candidates == CandidateScope::kNode)
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
      draw_places(options, id, n, nodes.nodes[n].begin, nodes.nodes[n].end, kThresholdSamplesPerNode,
                  threshold_samples);
  else
    draw_places(options, id, 0, 0, static_cast<std::uint32_t>(nodes.num_samples()), kThresholdSamplesPerLevel,
                threshold_samples);
  return threshold_samples;
}

/// The thresholds of every candidate of a chunk. @param dealt  Numbers of the candidates among those of the level.
void fill_thresholds(CandidateChunk& chunk, const Deal& dealt, const ThresholdSamples& threshold_samples,
                     LevelBackend& backend, const TrainOptions& options, LevelId id, ThreadPool& pool) {
  Array2<float> responses(chunk.size(), 0);
  if (!threshold_samples.places.empty())
    responses = backend.probe(chunk, threshold_samples.places, threshold_samples.sets);
  std::vector<std::uint32_t> starts(chunk.features.rows() + 1, 0);  // the threshold samples of each set
  for (const std::uint32_t set : threshold_samples.sets) ++starts[set + 1];
  for (std::size_t set = 0; set < chunk.features.rows(); ++set) starts[set + 1] += starts[set];
  pool.for_each((chunk.size() + kThresholdsAtOnce - 1) / kThresholdsAtOnce, [&](std::size_t part, int) {
    for (std::size_t set = 0; set < chunk.features.rows(); ++set)
      for (std::size_t f = part * kThresholdsAtOnce; f < std::min(chunk.size(), (part + 1) * kThresholdsAtOnce); ++f)
        draw_thresholds(options, id, static_cast<std::uint32_t>(set),
                        static_cast<std::uint32_t>(dealt.number(chunk.first + f)),
                        {responses.row(f) + starts[set], starts[set + 1] - starts[set]},
                        {chunk.thresholds.row(set * chunk.size() + f), chunk.thresholds.cols()});
  });
}

/// The candidates of a set, [1][F]. @param dealt  Those of them that are wanted.
Array2<forest::RegionFeature> set_features(const TrainOptions& options, const TreeChannels& channels, LevelId id,
                                           const Deal& dealt, std::uint32_t set) {
  const std::vector<forest::RegionFeature> drawn = draw_features(options, channels.layout, id, set);
  Array2<forest::RegionFeature> features(1, dealt.count_of(drawn.size()));
  for (std::size_t f = 0; f < features.cols(); ++f) {
    features(0, f) = drawn[dealt.number(f)];
    rename_channels(features(0, f), channels.in_frame);
  }
  return features;
}

/// The candidates of a level, [1 or nodes][F].
Array2<forest::RegionFeature> level_features(const TrainOptions& options, const TreeChannels& channels, LevelId id,
                                             const Deal& dealt, std::size_t num_nodes, ThreadPool& pool) {
  const std::size_t sets = options.candidates == CandidateScope::kNode ? num_nodes : 1;
  Array2<forest::RegionFeature> features(sets, dealt.count_of(static_cast<std::size_t>(options.features)));
  pool.for_each(sets, [&](std::size_t set, int) {
    const Array2<forest::RegionFeature> own =
        set_features(options, channels, id, dealt, static_cast<std::uint32_t>(set));
    std::copy_n(own.data(), own.size(), features.row(set));
  });
  return features;
}

/// Some of a level's candidates. @param level  All; thresholds may still be to draw.
CandidateChunk cut_chunk(const CandidateChunk& level, std::size_t first, std::size_t size, int num_thresholds) {
  const Array2<forest::RegionFeature>& features = level.features;
  size = std::min(size, features.cols() - first);
  CandidateChunk chunk{first, Array2<forest::RegionFeature>(features.rows(), size),
                       Array2<float>(features.rows() * size, static_cast<std::size_t>(num_thresholds))};
  for (std::size_t set = 0; set < features.rows(); ++set)
    std::copy_n(features.row(set) + first, size, chunk.features.row(set));
  if (!level.thresholds.empty())
    std::copy_n(level.thresholds.row(first), chunk.thresholds.size(), chunk.thresholds.data());
  return chunk;
}

/// All candidates of the next levels with their thresholds, if the backend looks at them now; else none.
std::deque<CandidateChunk> start_levels(const TrainOptions& options, const TreeChannels& channels, LevelId id,
                                        LevelBackend& backend, ThreadPool& pool) {
  const auto num_levels = static_cast<std::size_t>(options.max_depth) - id.level;
  std::vector<CandidateChunk> levels(can_start_levels(options) ? backend.levels_ahead(options, num_levels) : 0);
  if (levels.empty()) return {};
  const Deal dealt = backend.candidates();
  const auto level_id = [&](std::size_t i) { return LevelId{id.tree, id.level + static_cast<std::uint32_t>(i)}; };
  pool.for_each(levels.size(), [&](std::size_t i, int) {
    levels[i].features = set_features(options, channels, level_id(i), dealt, 0);
    levels[i].thresholds = Array2<float>(levels[i].size(), static_cast<std::size_t>(options.thresholds));
  });
  const std::size_t size = levels.front().size(), parts = (size + kThresholdsAtOnce - 1) / kThresholdsAtOnce;
  pool.for_each(levels.size() * parts, [&](std::size_t task, int) {
    Array2<float>& thresholds = levels[task / parts].thresholds;
    const std::size_t begin = task % parts * kThresholdsAtOnce;
    for (std::size_t f = begin; f < std::min(size, begin + kThresholdsAtOnce); ++f)
      draw_thresholds(options, level_id(task / parts), 0, static_cast<std::uint32_t>(dealt.number(f)), {},
                      {thresholds.row(f), thresholds.cols()});
  });
  backend.start_levels(levels);
  return {std::make_move_iterator(levels.begin()), std::make_move_iterator(levels.end())};
}

}  // namespace

void rename_channels(forest::RegionFeature& feature, const std::vector<std::uint8_t>& names) {
  feature.channel_a = names[feature.channel_a];
  if (feature.channel_b != forest::kNoChannel) feature.channel_b = names[feature.channel_b];
}

void grow_tree(GrowingTree& growing, std::uint32_t tree, const TrainOptions& options, const TreeChannels& channels,
               LevelBackend& backend, ThreadPool& pool, const GrowHooks& hooks) {
  std::deque<CandidateChunk> ahead;  // the levels that the backend has looked at, the next one first
  for (OpenNodes nodes(growing); nodes.size() > 0;) {
    hooks.level_begins(growing, nodes);
    const double start = seconds_now();
    const LevelId id{tree, static_cast<std::uint32_t>(growing.level)};
    LevelReport report;
    report.level = growing.level;
    report.nodes = nodes.size();
    report.samples = nodes.num_samples();
    report.responses = nodes.num_samples() * static_cast<std::uint64_t>(options.features);
    if (ahead.empty()) ahead = start_levels(options, channels, id, backend, pool);
    const ThresholdSamples threshold_samples = draw_threshold_samples(nodes, options, id);
    const Deal dealt = backend.candidates();
    CandidateChunk level;
    if (ahead.empty()) {
      level.features = level_features(options, channels, id, dealt, nodes.size(), pool);
    } else {
      level = std::move(ahead.front());
      ahead.pop_front();
    }
    const Array2<forest::RegionFeature>& features = level.features;
    const std::size_t numbers =
        threshold_samples.places.size() + features.rows() * static_cast<std::size_t>(options.thresholds);
    const std::size_t probe_bytes = numbers * sizeof(float);  // responses and thresholds of a candidate
    for (std::size_t first = 0; first < features.cols();) {
      CandidateChunk chunk =
          cut_chunk(level, first, backend.chunk_size(nodes, options, probe_bytes), options.thresholds);
      if (level.thresholds.empty()) fill_thresholds(chunk, dealt, threshold_samples, backend, options, id, pool);
      backend.evaluate(nodes, chunk, options);
      first += chunk.size();
    }
    const std::vector<std::uint32_t> children = split_nodes(growing, backend.choose(nodes), options);
    nodes = OpenNodes(growing);
    backend.descend(children, nodes);
    report.stages = backend.take_seconds();
    report.seconds = seconds_now() - start;
    hooks.level_done(growing, report);
  }
}

}  // namespace fernwood::train
