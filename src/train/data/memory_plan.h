// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "core/memory_budget.h"
#include "fernwood/core/communicator.h"
#include "fernwood/core/device.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

// Division of the memory of a machine and of a GPU during training. All rules are here and in memory_plan.cpp; owners
// of memory ask for their limits, and count what they take in a MemoryBudget.

namespace fernwood::train {

/// Memory for the levels of trees, after frames are loaded.
struct LevelBudget {
  std::size_t bytes = 0;  ///< CPU: for bins of candidates; GPU: for their responses and counts.
  /// CPU: for counts in transit to other ranks; 0: not needed.
  std::size_t counts_bytes = 0;
  bool all_frames_held = true;  ///< No frame is ever loaded again.
  /// CPU: approximate size of all frames. Unless all are held, they use what levels leave of `bytes`.
  std::size_t all_frames_bytes = 0;
};

/// How a rank divides its memory.
struct MemoryPlan {
  std::size_t budget_bytes = 0;  ///< Host memory.
  Device trains_on;              ///< Device that grows the trees.

  /// Uses the budget in `resources`, or this rank's share of three quarters of the available memory, which the ranks of
  /// the machine divide equally.
  static MemoryPlan of_machine(const TrainResources& resources, const NodeLocalRanks& neighbours, Device trains_on);

  /// Budget for frames in the device's format: prepared for the CPU, as read for a GPU.
  std::size_t frames_bytes() const;
  /// Approximate size of a data set's frames in that format. @param model  Its preparation must be set.
  std::size_t frames_of(const dataset::Dataset& dataset, const forest::Forest& model) const;
  /// Budget for frames until trees have reported the memory that they leave.
  std::size_t waiting_frames_bytes() const;
  /// CPU only: budget for frames that were read until they are prepared. Where all prepared frames fit, they may take
  /// as much: they are smaller, and both together stay within the budget while one becomes the other.
  std::size_t read_frames_bytes(const dataset::Dataset& dataset, const forest::Forest& model) const {
    return frames_of(dataset, model) <= frames_bytes() ? frames_bytes() : waiting_frames_bytes();
  }

  /// CPU only. @param kept_bytes  Size of the frames that are held. @param all_bytes  Size of all frames, estimated
  /// from the first. @param num_shares  Number of ranks that add up their counts.
  LevelBudget levels(std::size_t kept_bytes, bool all_are_kept, std::size_t all_bytes, std::size_t num_shares) const;

  /// Share of a GPU's memory for frames, before any is loaded.
  static constexpr MemoryShare kGpuFrames{.parts = 3, .all = 5};
  /// GPU memory for levels. @param free_bytes  Free memory after frames are loaded.
  static LevelBudget gpu_levels(std::size_t free_bytes, bool all_frames_held);
};

/// Memory requirements of the levels of a tree.
struct LevelNeeds {
  std::size_t samples = 0;
  std::size_t candidates = 0;  ///< Per level.
  std::size_t levels = 0;      ///< Maximum number of remaining levels.
  // GPU only, in units of 4 bytes:
  std::size_t counts = 0;   ///< Per candidate, including shared scores.
  std::size_t padding = 0;  ///< Independent of the number of candidates.
};

/// Number of levels whose bins, one byte per sample and candidate, fit; 0: a level takes several chunks.
std::size_t fit_levels(const LevelNeeds& needs, std::size_t bins_bytes);
/// CPU, if not all frames are held: the bytes of bins of a chunk or of levels for which growing a tree decodes the
/// fewest frames.
std::size_t divide_with_frames(const LevelNeeds& needs, const LevelBudget& budget);

/// GPU memory of the levels of a tree.
struct LevelMemory {
  std::size_t bytes = 0;  ///< For a chunk's responses and counts.
  /// Number of levels whose responses are computed in one pass over the frames; then `bytes` does not include the
  /// responses of a chunk. 0: chunk by chunk. On the CPU, fit_levels() decides at each level.
  std::size_t levels_ahead = 0;
};

/// Length of a sample's row of responses, rounded up to whole cache lines of a GPU, in units of 4 bytes.
inline std::size_t row_length(std::size_t num_features) { return (num_features + 31) / 32 * 32; }
/// Batches whole levels if memory has room for at least two of them beside the counts. Loading frames, or only the
/// windows of their samples, takes longer than evaluating a thousand candidates in them.
LevelMemory divide_gpu_memory(const LevelNeeds& needs, const LevelBudget& budget);

}  // namespace fernwood::train
