// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <string>

#include "fernwood/train/options.h"
#include "train/distributed/ranks.h"

namespace fernwood::train {

/// What a rank has room for.
struct RankRoom {
  std::size_t frame_bytes;  ///< Of all frames of the data set, as they are held.
  std::size_t room_bytes;   ///< That it has for frames.
  bool gpus_link = false;   ///< Ranks are GPUs, between which counts may go; the same on all.
};

/// What ranks divide: as told, or by "auto" what costs least. Trees, which need no exchange, where there are enough of
/// them and they do not depend on one another; else candidates; frames where one rank cannot hold them all, and for
/// boosted trees on GPUs that are linked: these have few nodes to count for, while to bring the windows of all samples
/// takes longer than to look at candidates there.
/// @param split  As of TrainResources. @return  The same on all ranks.
/// @throws Error(kUsage) for another name, and for trees that are boosted.
Parallelism choose_parallelism(const std::string& split, const TrainOptions& options, const RankRoom& room,
                               Ranks& ranks);

}  // namespace fernwood::train
