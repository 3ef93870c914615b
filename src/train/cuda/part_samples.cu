// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// How a CudaBackend parts the samples of a level, by splits of its own or of other ranks.

#include <algorithm>

#include "train/cuda/cuda_backend.h"

namespace fernwood::train {

/// Whether what best() told is chosen: then the sides of all samples are known.
bool CudaBackend::found_here(const std::vector<ChosenSplit>& chosen) const {
  return std::equal(chosen.begin(), chosen.end(), host_chosen_.data(), [](const ChosenSplit& a, const ChosenSplit& b) {
    if (a.best.candidate < 0 || b.best.candidate < 0) return a.best.candidate < 0 && b.best.candidate < 0;
    return a.feature == b.feature && a.threshold == b.threshold;
  });
}

/// Responses to the chosen features, where all candidates of the level were looked at here.
void CudaBackend::pick_ahead(const std::vector<ChosenSplit>& chosen, const Places& places) {
  std::vector<std::uint32_t> columns;
  for (const ChosenSplit& of_node : chosen)
    columns.push_back(static_cast<std::uint32_t>(std::max(0, of_node.best.candidate)));
  chosen_columns_.upload(columns, stream_);
  const View2<float> level = ahead_.level();
  pick_ahead_cuda({level.data, level.rows, level.cols}, frontier_.numbers(), places.rows, frontier_.row_nodes().data,
                  chosen_columns_.data(), places.responses, stream_);
}

/// Finds sides and counts of splits that were found elsewhere, or by what others counted too: responses and counts as
/// of a level with one candidate and threshold.
void CudaBackend::part_samples(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
  const std::size_t sets = options_.kind == forest::ForestKind::kFerns ? 1 : chosen.size();
  CandidateChunk chunk{0, Array2<forest::RegionFeature>(sets, 1), Array2<float>(sets, 1)};
  for (std::size_t set = 0; set < sets; ++set) {
    chunk.features(set, 0) = chosen[set].feature;
    // Nothing lies at or below NaN, so that a node without a split gets none.
    chunk.thresholds(set, 0) = chosen[set].best.candidate < 0 ? __builtin_nanf("") : chosen[set].threshold;
  }
  upload_chunk(chunk);
  level_chunk_ = 1;
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    host_chosen_.data()[n] = chosen[n];
    host_chosen_.data()[n].best.candidate = std::min(chosen[n].best.candidate, 0);
  }
  cuda::copy_to_gpu(static_cast<const ChosenSplit*>(host_chosen_.data()), chosen.size(), chosen_.data(), stream_);
  const Places places = places_of(chunk, false);
  const LevelArgs args = level_args(nodes, chunk, options_.score_used(), places);
  const std::size_t num_counts = nodes.class_counts.size();
  cuda::fill_with_zeros(View1<std::uint32_t>{args.left_counts, num_counts}, stream_);  // of nodes without samples here
  clock_.start(stream_);
  if (held_ && ahead_.holds_level())
    pick_ahead(chosen, places);
  else
    respond(chunk, places.responses);
  aggregate_cuda(args, nodes.most_classes(), stream_);
  note_sides_cuda(winner_args(args), stream_);
  clock_.end(&StageSeconds::split, stream_);
  cuda::copy_to_host(static_cast<const std::uint32_t*>(args.left_counts), num_counts, host_left_.data(), stream_);
  stream_.synchronize();
}

Array2<std::uint32_t> CudaBackend::split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
  if (!sides_known_ || !found_here(chosen)) part_samples(nodes, chosen);
  const std::vector<std::uint32_t>& class_counts = held(nodes).class_counts;
  const std::size_t num_classes = nodes.class_in_node.cols();
  Array2<std::uint32_t> counts(2 * nodes.size(), num_classes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const bool splits = chosen[n].best.candidate >= 0;
    const NodeSamples& node = nodes.nodes[n];
    for (std::size_t c = 0; c < num_classes; ++c) {
      if (!nodes.has_class(n, c)) continue;
      const std::size_t at = node.class_offset + nodes.class_in_node(n, c);
      counts(2 * n, c) = splits ? host_left_.data()[at] : 0;
      counts(2 * n + 1, c) = class_counts[at] - counts(2 * n, c);
    }
  }
  if (held_) side_counts_ = counts;
  return counts;
}

}  // namespace fernwood::train
