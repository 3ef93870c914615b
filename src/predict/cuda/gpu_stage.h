// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <deque>
#include <string>

#include "predict/cuda/gpu_forest.h"
#include "predict/cuda/layout_choice.h"

namespace fernwood::predict {

/// A stage of a forest on the GPU in use, and how its trees are read. A layout that is named is that of all stages; for
/// "auto" each takes the one that is fastest for its own trees and pixels.
struct GpuStage {
  GpuStage(const forest::Forest& forest, std::size_t stage, const std::string& layout)
      : forest(forest, stage), layout(layout) {}

  GpuForest forest;
  LayoutChoice layout;
};

/// In order; the last one labels. A deque, for stages cannot be moved.
using GpuStages = std::deque<GpuStage>;

}  // namespace fernwood::predict
