// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <vector>

#include "core/cuda/buffer.h"
#include "fernwood/core/array.h"
#include "train/cuda/level/respond.h"
#include "train/data/memory_plan.h"
#include "train/train_device.h"

namespace fernwood::train {

/// GPU memory for the responses of whole levels, which are computed in one pass over the frames.
class ResponsesAhead {
 public:
  /// Allocates memory with a small reserve: other trees may have more samples.
  void reserve(std::size_t num_levels, std::size_t num_samples, std::size_t num_features);
  bool has_room() const { return responses_.size() > 0; }
  void release() { responses_ = {}; }
  std::size_t levels_that_fit(std::size_t num_samples, std::size_t num_features) const {
    return responses_.size() / std::max<std::size_t>(1, num_samples * row_length(num_features));
  }

  /// Begins the evaluation of levels. @param levels  All candidates of each level, equal in number.
  void begin(const std::vector<CandidateChunk>& levels, std::size_t num_samples, const cuda::Stream& stream);
  /// Features for stage 1, and the layout of its output.
  const GpuResponsePlan& plan() const { return plan_; }
  std::size_t level_size() const { return num_samples_ * columns_; }

  /// Whether the responses of the current level are stored.
  bool holds_level() const { return level_ < num_levels_; }
  View2<float> level() { return {responses_.data() + level_ * level_size(), num_samples_, columns_}; }
  void end_level() { level_ = std::min(level_ + 1, num_levels_); }
  void forget() { level_ = num_levels_ = 0; }

 private:
  cuda::GpuBuffer<float> responses_;  // [level][sample][columns]
  GpuResponsePlan plan_;
  std::size_t num_samples_ = 0, columns_ = 0, level_ = 0, num_levels_ = 0;
};

}  // namespace fernwood::train
