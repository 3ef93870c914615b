// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Partitioning of a level's samples by CpuBackend: by its own splits, or by partition bits from other ranks.

#include "fernwood/core/progress.h"
#include "train/cpu/cpu_backend.h"

namespace fernwood::train {

void CpuBackend::find_sides(const std::vector<ChosenSplit>& chosen) {
  levels_.empty() ? look_sides_up(chosen) : read_sides(chosen);
}

/// Computes the responses to the splits in a pass over the frames.
void CpuBackend::look_sides_up(const std::vector<ChosenSplit>& chosen) {
  std::vector<forest::RegionFeature> features(chosen.size());
  for (std::size_t n = 0; n < chosen.size(); ++n) features[n] = chosen[n].feature;
  sides_.resize(frontier_->num_samples());
  for_each_block(
      frontier_->samples(), [&](const image::FrameView& frame, std::size_t first, std::size_t count, Worker& worker) {
        const double start = seconds_now();
        const std::uint32_t* nodes = frontier_->node_of().data() + first;
        responders_.respond_each(frame, features.data(), nodes, frontier_->samples().sites.data() + first, count,
                                 worker.responses.data());
        for (std::size_t i = 0; i < count; ++i)
          sides_[first + i] = static_cast<std::uint8_t>(side(worker.responses[i], chosen[nodes[i]].threshold));
        worker.seconds.split += seconds_now() - start;
      });
}

/// Uses bins computed ahead: thresholds with an index lower than a sample's bin lie below its response.
void CpuBackend::read_sides(const std::vector<ChosenSplit>& chosen) {
  const std::vector<std::uint32_t>& node_of = frontier_->node_of();
  sides_.assign(node_of.size(), 0);
  for (std::size_t s = 0; s < node_of.size(); ++s) {
    const BestSplit& best = chosen[node_of[s]].best;
    if (best.candidate >= 0)
      sides_[s] = levels_.front().row(static_cast<std::size_t>(best.candidate))[s] > best.threshold;
  }
}

Array2<std::uint32_t> CpuBackend::split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) {
  find_sides(chosen);
  return frontier_->count_sides(sides_, nodes.size(), nodes.class_in_node.cols());
}

std::vector<std::uint32_t> CpuBackend::partition_bits(const OpenNodes&, const std::vector<std::uint8_t>& asked) {
  find_sides(chosen_);
  std::vector<std::uint32_t> words(num_side_words(sides_.size()), 0);
  for (std::size_t s = 0; s < sides_.size(); ++s)
    if (asked[frontier_->node_of()[s]] != 0) words[s / 32] |= std::uint32_t{sides_[s]} << s % 32;
  return words;
}

Array2<std::uint32_t> CpuBackend::split_by(const OpenNodes& nodes, const std::vector<ChosenSplit>&,
                                           const std::vector<std::uint32_t>& sides) {
  for (std::uint32_t s = 0; s < sides_.size(); ++s) sides_[s] = static_cast<std::uint8_t>(side_bit(sides.data(), s));
  return frontier_->count_sides(sides_, nodes.size(), nodes.class_in_node.cols());
}

}  // namespace fernwood::train
