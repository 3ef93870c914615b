// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Partitioning of a level's samples by CudaBackend: by its own splits, whose sides it has; by splits of other ranks,
// which send the sides; or by splits found together with ranks that hold other samples.

#include <algorithm>

#include "train/cuda/cuda_backend.h"

namespace fernwood::train {

/// Sides of splits that were found together with other ranks: from the responses to all candidates if these are stored,
/// else from responses to the splits, as for a level with one candidate.
void CudaBackend::find_sides(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    host_chosen_.data()[n] = chosen[n];
    if (!level_responses_) host_chosen_.data()[n].best.candidate = std::min(chosen[n].best.candidate, 0);
  }
  cuda::copy_to_gpu(static_cast<const ChosenSplit*>(host_chosen_.data()), chosen.size(), chosen_.data(), stream_);
  if (level_responses_) return note_sides_cuda(winner_args(*level_responses_), stream_);
  std::vector<forest::RegionFeature> features;
  for (const ChosenSplit& split : chosen) features.push_back(split.feature);
  Slot& slot = slots_[slot_];
  slot.scored.wait_event(stream_);
  slot.features.upload({features.data(), features.size()}, stream_);
  level_chunk_ = 1;
  const CandidateChunk one{0, std::vector<forest::RegionFeature>(1), Array2<float>(1, 1)};
  const Places places = places_of(one, false);
  visit_frames([&](const SampledFrames& samples) {
    respond_to_splits_cuda(samples, slot.features.data(), frontier_.node_of().data, places.responses, stream_);
  });
  response_bytes_ += 2 * places.responses.rows * sizeof(float);
  note_sides_cuda(winner_args(level_args(nodes, one, options_.score_used(), places)), stream_);
}

/// Counts the samples left of the splits, from known sides. @param chosen  [N]
Array2<std::uint32_t> CudaBackend::count_sides(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
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

/// Copies the number of samples of each node's classes left of the splits to the host.
void CudaBackend::count_left(const OpenNodes& nodes) {
  cuda::fill_with_zeros(chosen_left_.view(), stream_);
  count_left_cuda({.nodes = nodes_.data(),
                   .slices = {slices_.data(), slices_.size()},
                   .node_classes = frontier_.node_classes(),
                   .sides = frontier_.sides(),
                   .pairs = nodes.pairs,
                   .left = chosen_left_.data()},
                  nodes.most_classes(), stream_);
  cuda::copy_to_host(chosen_left_.data(), chosen_left_.size(), host_left_.data(), stream_);
  clock_.end(&StageSeconds::split, stream_);
  stream_.synchronize();
}

Array2<std::uint32_t> CudaBackend::split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
  if (!sides_known_) {
    clock_.start(stream_);
    find_sides(nodes, chosen);
    count_left(nodes);
  }
  return count_sides(nodes, chosen);
}

std::vector<std::uint32_t> CudaBackend::partition_bits(const OpenNodes&, const std::vector<std::uint8_t>& asked) {
  host_sides_.resize(num_side_words(frontier_.size()));
  clock_.start(stream_);
  frontier_.pack_sides(asked, stream_);
  cuda::copy_to_host(frontier_.packed_sides(), host_sides_.size(), host_sides_.data(), stream_);
  clock_.end(&StageSeconds::split, stream_);
  stream_.synchronize();
  return {host_sides_.data(), host_sides_.data() + host_sides_.size()};
}

Array2<std::uint32_t> CudaBackend::split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen,
                                            const std::vector<std::uint32_t>& sides) {
  clock_.start(stream_);
  frontier_.unpack_sides(sides, stream_);
  count_left(nodes);
  return count_sides(nodes, chosen);
}

}  // namespace fernwood::train
