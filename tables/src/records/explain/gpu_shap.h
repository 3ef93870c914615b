// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>

#include "fernwood/core/device.h"
#include "records/explain/shap_block.h"

namespace fernwood::records {

/// Adds the trees of a forest to blocks of records on a GPU.
class GpuShap {
 public:
  virtual ~GpuShap() = default;

  /// Adds all trees, with the bits of ShapBlock::add_trees() without a background. Calls of different workers may
  /// overlap.
  virtual void add_trees(ShapBlock& block, int worker) = 0;
};

/// @param forest  Must outlive the object. @throws Error(kDevice) in a build without CUDA.
std::unique_ptr<GpuShap> make_gpu_shap(const ShapForest& forest, ShapEffects effects, Device device, int num_workers);

}  // namespace fernwood::records
