// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/memory_plan.h"

#include <algorithm>

namespace fernwood::train {

namespace {

/// Host memory is divided into kAllParts. If the prepared frames fit into kFrameParts, they get these; otherwise frames
/// and bins share all parts but one.
constexpr std::size_t kAllParts = 12, kFrameParts = 8;

/// Colour and depth in the form in which frames are read, which a GPU prepares itself: transferring and preparing a
/// frame again at every level costs less than exchanging counts.
constexpr std::size_t kReadPixelBytes = sizeof(image::Rgb) + sizeof(std::uint16_t);

/// With all frames loaded, more GPU memory does not make levels faster; otherwise each chunk visits all frames again.
constexpr std::size_t kMaxGpuLevelBytes = std::size_t{32} << 30;

/// Approximate host memory for all frames, with labels; other data take `pixel_bytes` per pixel.
std::size_t bytes_of_frames(const dataset::Dataset& dataset, std::size_t pixel_bytes) {
  const dataset::FrameSize size = dataset.frame_size(0);
  return dataset.size() * size.rows * size.cols * (pixel_bytes + sizeof(std::uint16_t));
}

std::size_t bins_of_level(const LevelNeeds& needs) { return needs.samples * needs.candidates; }

}  // namespace

MemoryPlan MemoryPlan::of_machine(const TrainResources& resources, const NodeLocalRanks& neighbours, Device trains_on) {
  const auto num_ranks = static_cast<std::size_t>(neighbours.count);
  return {memory_limit(resources.memory_budget_bytes, {.parts = 3, .all = 4 * num_ranks}), trains_on};
}

std::size_t MemoryPlan::frames_bytes() const {
  return trains_on.is_cpu() ? budget_bytes / kAllParts * kFrameParts : budget_bytes;
}

std::size_t MemoryPlan::frames_of(const dataset::Dataset& dataset, const forest::Forest& model) const {
  // The CPU stores one 32-bit sum per channel, and one for the known pixels of depth.
  const auto num_sums = static_cast<std::size_t>(model.preparation.channels.num_channels()) + 1;
  return bytes_of_frames(dataset, trains_on.is_cpu() ? num_sums * sizeof(std::uint32_t) : kReadPixelBytes);
}

std::size_t MemoryPlan::waiting_frames_bytes() const { return budget_bytes / kAllParts; }

/// If all frames are held, a chunk need not be large, and total memory stays near that of the frames; if frames are
/// decoded again for every chunk, bins and frames share the memory.
LevelBudget MemoryPlan::levels(std::size_t kept_bytes, bool all_are_kept, std::size_t all_bytes,
                               std::size_t num_shares) const {
  const std::size_t beside_frames = std::clamp(kept_bytes / 16, std::size_t{16} << 20, std::size_t{256} << 20);
  return {.bytes = all_are_kept ? beside_frames : budget_bytes / kAllParts * (kAllParts - 1),
          .counts_bytes = num_shares > 1 ? budget_bytes / 8 : 0,
          .all_frames_held = all_are_kept,
          .all_frames_bytes = all_bytes};
}

LevelBudget MemoryPlan::gpu_levels(std::size_t free_bytes, bool all_frames_held) {
  const std::size_t most = free_bytes / 5 * 4;
  return {.bytes = all_frames_held ? std::min(most, kMaxGpuLevelBytes) : most, .all_frames_held = all_frames_held};
}

std::size_t fit_levels(const LevelNeeds& needs, std::size_t bins_bytes) {
  return std::min(needs.levels, bins_bytes / std::max<std::size_t>(1, bins_of_level(needs)));
}

std::size_t divide_with_frames(const LevelNeeds& needs, const LevelBudget& budget) {
  const std::size_t part_bytes = budget.bytes / kAllParts;
  std::size_t best = part_bytes;
  double fewest = 0;
  for (std::size_t part = 1; part < kAllParts; ++part) {
    const std::size_t bins_bytes = part_bytes * part;
    const std::size_t fitting = fit_levels(needs, bins_bytes);
    // Passes over the frames: one per group of levels; or one per chunk, and another to partition the samples of a
    // level.
    const std::size_t visits = fitting > 0
                                   ? (needs.levels + fitting - 1) / fitting
                                   : needs.levels * (bins_of_level(needs) / std::max<std::size_t>(1, bins_bytes) + 2);
    const double left = static_cast<double>(budget.all_frames_bytes) - static_cast<double>(budget.bytes - bins_bytes);
    const double decoded = static_cast<double>(visits + 1) * std::max(0.0, left);  // drawing samples is one more pass
    if (part == 1 || decoded < fewest) best = bins_bytes, fewest = decoded;
  }
  return best;
}

LevelMemory divide_gpu_memory(const LevelNeeds& needs, const LevelBudget& budget) {
  // If all frames are held, evaluating this many candidates takes as long as loading the windows for them.
  constexpr std::size_t kEnough = 8192;
  constexpr std::size_t kNumberBytes = sizeof(std::uint32_t);
  const std::size_t numbers = budget.bytes / kNumberBytes, columns = row_length(needs.candidates);
  const std::size_t all = (needs.samples + needs.counts) * columns + needs.padding;
  const std::size_t counts = std::min(needs.counts * columns + needs.padding, numbers / 4);
  const std::size_t level = needs.samples * columns;
  if (level > 0) {
    std::size_t ahead = std::min((numbers - counts) / level, needs.levels);
    if (budget.all_frames_held) ahead = std::min(ahead, kEnough / columns);
    if (ahead > 1) return {counts * kNumberBytes, ahead};
  }
  return {std::min(all, numbers) * kNumberBytes, 0};
}

}  // namespace fernwood::train
