// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "train/trainer.h"

namespace fernwood::train {

/// Checks what is known before any work. @throws Error(kUsage) for options, and as check_checkpoint_path().
void check_training(const TrainOptions& options, std::size_t num_frames, const TrainHooks& hooks,
                    const Communicator* ranks);

/// Grows the planned trees one after another, or several at a time where ranks divide trees. If training is resumed,
/// the checkpoint is read before the trainer's frames are loaded, which takes longer.
/// @param frames  Training frames, ascending; context is also computed for the others, as at prediction.
/// @param hooks   Checkpoint, reports and stop token.
/// @param phase   Phase passed to the progress hook.
/// @return  Splits refer to the channels of the trainer's frames, see Trainer::finished().
/// @throws Error(kUsage, kResource, kInterrupted, kModel), and as Trainer::load_frames().
GrowingForest grow_forest(Trainer& trainer, const TrainOptions& options, const std::vector<std::uint32_t>& frames,
                          const TrainHooks& hooks, TrainReport& report,
                          TrainProgress::Phase phase = TrainProgress::Phase::kGrowing);

}  // namespace fernwood::train
