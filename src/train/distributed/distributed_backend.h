// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "train/distributed/ranks.h"
#include "train/train_device.h"

namespace fernwood::train {

/// Backend that grows levels if ranks divide them by candidates or by samples; null if each rank grows its own trees.
/// Both arguments must outlive it.
std::unique_ptr<LevelBackend> share_levels(TrainDevice& device, Ranks& ranks);

}  // namespace fernwood::train
