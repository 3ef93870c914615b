// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood {

/// A frame as training needs it.
struct LoadedFrame {
  PreparedFrame prepared;
  LabelImage labels;

  std::size_t size_bytes() const { return prepared.size_bytes() + labels.size() * sizeof(std::uint16_t); }
};

/// The frames of a data set, prepared: kept in memory as far as the budget goes, decoded again at each visit beyond it.
class FrameStore {
 public:
  FrameStore(const Dataset& dataset, const ClassMap& classes, const Preparation& preparation, std::size_t budget_bytes)
      : dataset_(dataset),
        classes_(classes),
        preparation_(preparation),
        budget_bytes_(budget_bytes),
        kept_(dataset.size()) {}

  using Visit = std::function<void(std::size_t position, const LoadedFrame& frame, int worker)>;
  /// Calls `visit(i, frame of indices[i], worker)` once for each i, on all threads of the pool.
  void visit(const std::vector<std::uint32_t>& indices, ThreadPool& pool, const Visit& visit);

  std::size_t kept_bytes() const { return kept_bytes_; }
  std::size_t num_kept() const;
  /// Frames decoded so far, again and again ones included.
  std::size_t num_decoded() const { return num_decoded_; }
  std::size_t num_frames() const { return kept_.size(); }

 private:
  LoadedFrame load(std::uint32_t index) const;

  const Dataset& dataset_;
  const ClassMap& classes_;
  Preparation preparation_;
  std::size_t budget_bytes_;
  std::vector<std::unique_ptr<const LoadedFrame>> kept_;  // [frame] or null
  std::atomic<std::size_t> kept_bytes_ = 0, num_decoded_ = 0;
};

}  // namespace fernwood
