// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/forest/tree.h"
#include "train/frame_store.h"
#include "train/sample_set.h"

namespace fernwood::train {

/// Sends samples down a tree on the processor's cores. @return  [S] leaf that each ends in.
std::vector<std::uint32_t> find_leaves(const SampleSet& samples, const std::vector<forest::Node>& nodes,
                                       FrameStore& store, ThreadPool& pool);

}  // namespace fernwood::train
