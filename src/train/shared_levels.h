// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "train/ranks.h"
#include "train/train_device.h"

namespace fernwood::train {

/// What grows levels when ranks divide them: one of those below; null where each grows its own trees on its device.
/// @throws Error(kUsage) when ranks divide frames and the device cannot count for others.
std::unique_ptr<LevelBackend> share_levels(TrainDevice& device, Ranks& ranks, std::size_t counts_bytes);

/// Axis::kFeatures: evaluates the candidates dealt to this rank at all samples; the best splits of nodes travel, and
/// each rank parts all samples by them. @param device  Where; it may be any. Both must outlive what is returned.
std::unique_ptr<LevelBackend> share_candidates(LevelBackend& device, Ranks& ranks);

/// Axis::kFrames: responds to all candidates at the samples held here; what is counted of them is added up, a share of
/// the candidates on each rank, which scores it; the best splits of nodes travel, and what they part is counted
/// together.
/// @param counts_bytes  That counts may take on their way, about.
std::unique_ptr<LevelBackend> share_samples(CountingBackend& device, Ranks& ranks, std::size_t counts_bytes);

}  // namespace fernwood::train
