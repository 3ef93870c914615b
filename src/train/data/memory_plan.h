// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>

#include "fernwood/core/communicator.h"
#include "fernwood/core/device.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

// Who gets how much of a machine's memory and of a GPU's while forests are trained. All numbers and rules of this are
// here; who holds something asks how much it may.

namespace fernwood::train {

/// What the levels of trees may take, once frames are loaded.
struct LevelBudget {
  std::size_t bytes = 0;  ///< On the processor for bins of candidates, on a GPU for their responses and counts.
  /// On the processor, for counts on their way to other ranks; 0: there are none.
  std::size_t counts_bytes = 0;
  /// On the processor, where not all frames are held: of all, about. They have what levels leave of `bytes`. Else 0.
  std::size_t all_frames_bytes = 0;
  bool all_frames_held = true;  ///< None is ever brought anew.

  bool is_shared_with_frames() const { return all_frames_bytes > 0; }
};

/// How a rank divides the memory that it may take.
class MemoryPlan {
 public:
  /// @param budget_bytes  Of the machine's memory. @param trains_on  Where trees are grown.
  MemoryPlan(std::size_t budget_bytes, Device trains_on);
  /// As resources say, or three quarters of what is free, of which ranks beside this one have their share.
  static MemoryPlan of_machine(const TrainResources& resources, const NodeLocalRanks& neighbours, Device trains_on);

  /// For frames as the device wants them: prepared on the processor, as they are read for a GPU.
  std::size_t frames_bytes() const;
  /// Of a data set's frames in that form, about. @param model  Its preparation is known.
  std::size_t frames_of(const dataset::Dataset& dataset, const forest::Forest& model) const;
  /// For frames while trees have not told what they leave of memory.
  std::size_t waiting_frames_bytes() const;
  /// For frames that were read, but not loaded. A GPU is loaded with them as they are, so that where all fit none is
  /// held twice.
  std::size_t read_frames_bytes(const dataset::Dataset& dataset) const;

  /// On the processor. @param kept_bytes  Of frames that are held. @param all_bytes  Of all, as if they were like the
  /// first. @param num_shares  Ranks that add up what they count.
  LevelBudget levels(std::size_t kept_bytes, bool all_are_kept, std::size_t all_bytes, std::size_t num_shares) const;

  /// Of a GPU's memory for frames, before any is there. @param wanted_bytes  That the user wants it to have; 0: no
  /// wish.
  static std::size_t gpu_frames_bytes(std::size_t free_bytes, std::size_t wanted_bytes);
  /// Of what is free beside them.
  static LevelBudget gpu_levels(std::size_t free_bytes, bool all_frames_held);

 private:
  std::size_t parts(std::size_t count) const;

  std::size_t budget_bytes_;
  bool on_cpu_;
};

/// What the levels of a tree ask for.
struct LevelNeeds {
  std::size_t samples = 0;
  std::size_t candidates = 0;     ///< Of a level.
  std::size_t levels = 0;         ///< That the tree can still have.
  bool can_start_levels = false;  ///< See can_start_levels().
  // On a GPU, in numbers of 4 bytes:
  std::size_t counts = 0;   ///< For each candidate, shared scores among them.
  std::size_t padding = 0;  ///< Whatever the candidates.
};

/// What they get.
struct LevelMemory {
  std::size_t bytes = 0;  ///< For bins of a chunk or of levels; on a GPU for a chunk's responses and counts.
  /// On a GPU: levels whose responses are found in one visit of the frames; then `bytes` has no room for those of a
  /// chunk. 0: chunk after chunk. On the processor fit_levels() tells, level by level.
  std::size_t levels_ahead = 0;
};

/// Levels whose bins, a byte for each sample and candidate, fit; 0: a level takes several chunks.
std::size_t fit_levels(const LevelNeeds& needs, std::size_t bins_bytes);
/// On the processor, where not all frames are held: bins have what makes growing a tree decode the fewest frames.
LevelMemory divide_with_frames(const LevelNeeds& needs, const LevelBudget& budget);

/// Responses of a sample lie in whole cache lines of a GPU. @return  Numbers of 4 bytes.
inline std::size_t row_length(std::size_t num_features) { return (num_features + 31) / 32 * 32; }
/// Of a GPU: whole levels ahead where memory has room for two at least, beside counts. To bring the frames, or only the
/// windows of their samples, takes longer than to look at a thousand candidates there.
LevelMemory divide_gpu_memory(const LevelNeeds& needs, const LevelBudget& budget);

}  // namespace fernwood::train
