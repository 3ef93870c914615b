// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "train/distributed/ranks.h"
#include "train/train_device.h"

namespace fernwood::train {

/// What grows levels when ranks divide them by candidates or by samples; null where each grows its own trees on its
/// device. Both must outlive what is returned.
std::unique_ptr<LevelBackend> share_levels(TrainDevice& device, Ranks& ranks);

}  // namespace fernwood::train
