// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow_tree.h"

#include <algorithm>

#include "fernwood/core/draw.h"
#include "fernwood/core/timer.h"
#include "train/candidates.h"

namespace fernwood {

namespace {

/// Samples whose responses thresholds are chosen among: of the whole level, or of each node.
constexpr std::uint32_t kProbesPerLevel = 1024, kProbesPerNode = 64;

struct Probes {
  SampleSet samples;
  std::vector<std::uint32_t> node_of;  ///< [P] node of each probe, or 0 when candidates are the level's
};

/// Draws probes among the samples [begin, end) of an order.
void draw_positions(const TrainOptions& options, LevelId id, std::uint32_t node, std::uint32_t begin, std::uint32_t end,
                    std::uint32_t count, const std::uint32_t* order, std::vector<std::uint32_t>& positions) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at =
        begin + draw(options.seed, Purpose::kProbe, id.tree, id.level, i, node).below(0, end - begin);
    positions.push_back(order ? order[at] : at);
  }
}

Probes draw_probes(const Frontier& frontier, const TrainOptions& options, LevelId id) {
  std::vector<std::uint32_t> positions;
  const bool per_node = options.candidates == CandidateScope::kNode;
  if (per_node)
    for (std::uint32_t n = 0; n < frontier.num_nodes(); ++n)
      draw_positions(options, id, n, frontier.nodes()[n].begin, frontier.nodes()[n].end, kProbesPerNode,
                     frontier.frame_order().data(), positions);
  else
    draw_positions(options, id, 0, 0, static_cast<std::uint32_t>(frontier.num_samples()), kProbesPerLevel, nullptr,
                   positions);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  Probes probes{frontier.samples().picked(positions), {}};
  for (const std::uint32_t position : positions) probes.node_of.push_back(per_node ? frontier.node_of()[position] : 0);
  return probes;
}

/// The thresholds of every candidate of a chunk.
void fill_thresholds(CandidateChunk& chunk, const Probes& probes, LevelBackend& backend, const TrainOptions& options,
                     LevelId id) {
  Array2<float> responses(chunk.size(), 0);
  if (options.threshold_source == ThresholdSource::kResponses)
    responses = backend.probe(chunk, probes.samples, probes.node_of);
  std::vector<std::vector<std::uint32_t>> of_set(chunk.features.rows());
  for (std::uint32_t p = 0; p < probes.node_of.size(); ++p) of_set[probes.node_of[p]].push_back(p);
  std::vector<float> own;
  for (std::size_t set = 0; set < of_set.size(); ++set)
    for (std::size_t f = 0; f < chunk.size(); ++f) {
      own.clear();
      if (responses.cols() > 0)
        for (const std::uint32_t p : of_set[set]) own.push_back(responses(f, p));
      draw_thresholds(options, id, static_cast<std::uint32_t>(set), static_cast<std::uint32_t>(chunk.first + f),
                      {own.data(), own.size()},
                      {chunk.thresholds.row(set * chunk.size() + f), chunk.thresholds.cols()});
    }
}

/// All candidates of a level, [1 or nodes][F].
Array2<RegionFeature> level_features(const TrainOptions& options, const ChannelLayout& channels, LevelId id,
                                     std::size_t num_nodes) {
  const std::size_t sets = options.candidates == CandidateScope::kNode ? num_nodes : 1;
  Array2<RegionFeature> features(sets, static_cast<std::size_t>(options.features));
  for (std::size_t set = 0; set < sets; ++set)
    std::ranges::copy(draw_features(options, channels, id, static_cast<std::uint32_t>(set)), features.row(set));
  return features;
}

CandidateChunk cut_chunk(const Array2<RegionFeature>& features, std::size_t first, std::size_t size,
                         int num_thresholds) {
  size = std::min(size, features.cols() - first);
  CandidateChunk chunk{first, Array2<RegionFeature>(features.rows(), size),
                       Array2<float>(features.rows() * size, static_cast<std::size_t>(num_thresholds))};
  for (std::size_t set = 0; set < features.rows(); ++set)
    std::copy_n(features.row(set) + first, size, chunk.features.row(set));
  return chunk;
}

/// Notes feature and threshold of nodes whose best split lies in the chunk.
void note_winners(const CandidateChunk& chunk, const std::vector<BestSplit>& best, std::vector<ChosenSplit>& chosen) {
  for (std::size_t n = 0; n < best.size(); ++n) {
    if (best[n].candidate < static_cast<std::int64_t>(chunk.first)) continue;
    const std::size_t set = chunk.per_node() ? n : 0, f = static_cast<std::size_t>(best[n].candidate) - chunk.first;
    chosen[n] = {best[n], chunk.features(set, f),
                 chunk.thresholds(set * chunk.size() + f, static_cast<std::size_t>(best[n].threshold))};
  }
}

}  // namespace

void grow_tree(GrowingTree& growing, Frontier& frontier, std::uint32_t tree, const TrainOptions& options,
               const ChannelLayout& channels, LevelBackend& backend, const GrowHooks& hooks) {
  while (!frontier.empty()) {
    const double start = seconds_now();
    hooks.level_begins(growing, frontier);
    const LevelId id{tree, static_cast<std::uint32_t>(growing.level)};
    LevelReport report;
    report.tree = static_cast<int>(tree);
    report.level = growing.level;
    report.nodes = frontier.num_nodes();
    report.samples = frontier.num_samples();
    report.responses = frontier.num_samples() * static_cast<std::uint64_t>(options.features);
    const Probes probes = draw_probes(frontier, options, id);
    const Array2<RegionFeature> features = level_features(options, channels, id, frontier.num_nodes());
    const std::size_t numbers = probes.samples.size() + features.rows() * static_cast<std::size_t>(options.thresholds);
    const std::size_t probe_bytes = numbers * sizeof(float);  // responses and thresholds of a candidate
    std::vector<BestSplit> best(frontier.num_nodes());
    std::vector<ChosenSplit> chosen(frontier.num_nodes());
    for (std::size_t first = 0; first < features.cols();) {
      CandidateChunk chunk = cut_chunk(features, first, backend.chunk_size(frontier, probe_bytes), options.thresholds);
      fill_thresholds(chunk, probes, backend, options, id);
      backend.evaluate(frontier, chunk, options.score, best);
      note_winners(chunk, best, chosen);
      first += chunk.size();
    }
    frontier.split(growing, chosen, backend.sides(frontier, chosen), options);
    report.stages = backend.take_seconds();
    report.seconds = seconds_now() - start;
    hooks.level_done(growing, report);
  }
}

}  // namespace fernwood
