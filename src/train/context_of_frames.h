// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "fernwood/image/context.h"
#include "train/stage_plan.h"
#include "train/train_device.h"

namespace fernwood::train {

/// What a stage thinks of the training frames: of each by those of its trees that have not seen the frame's fold.
/// @param forest         With all trees of the stage, in the places of the plan.
/// @param fold_of_frame  [frame]
/// @return  [frame] The same on every device and any number of threads.
std::vector<image::ContextMaps> context_of_frames(const forest::Forest& forest, const std::vector<PlannedTree>& plan,
                                                  int stage, const std::vector<int>& fold_of_frame, TrainDevice& device,
                                                  ThreadPool& pool);

}  // namespace fernwood::train
