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

/// Room on the GPU for the responses of whole levels, which are found in one visit of the frames.
class ResponsesAhead {
 public:
  /// Makes room, and a little more: other trees may have more samples.
  void reserve(std::size_t num_levels, std::size_t num_samples, std::size_t num_features);
  bool has_room() const { return responses_.size() > 0; }
  void release() { responses_ = {}; }
  std::size_t levels_that_fit(std::size_t num_samples, std::size_t num_features) const {
    return responses_.size() / std::max<std::size_t>(1, num_samples * row_length(num_features));
  }

  /// Levels are to be looked at now. @param levels  All candidates of each, as many in each.
  void begin(const std::vector<CandidateChunk>& levels, std::size_t num_samples, const cuda::Stream& stream);
  /// What stage 1 is to look at, and where it writes.
  const GpuResponsePlan& plan() const { return plan_; }
  std::size_t level_size() const { return num_samples_ * columns_; }

  /// Whether the responses of the level that grows are here.
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
