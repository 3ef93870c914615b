// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "core/memory_budget.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::teach {

/// Caches frames that many requests read, decoded and prepared as far as the memory budget allows: both steps take
/// longer than growing a small forest. Thread-safe; threads do not wait for each other's frames.
class FrameMemo {
 public:
  using Read = std::function<image::Frame(std::size_t frame)>;
  explicit FrameMemo(std::size_t budget_bytes) : budget_(budget_bytes) {}

  /// @param read  Called if the frame is not cached. Frames of the same number must be identical.
  std::shared_ptr<const image::Frame> decoded(std::size_t frame, const Read& read);
  std::shared_ptr<const image::PreparedFrame> prepared(std::size_t frame, const image::Preparation& preparation,
                                                       const Read& read);

 private:
  struct Kept {
    std::shared_ptr<const image::Frame> decoded;
    std::shared_ptr<const image::PreparedFrame> prepared;
    image::Preparation preparation;  ///< That of `prepared`.
  };

  std::mutex mutex_;
  MemoryBudget budget_;
  std::map<std::size_t, Kept> frames_;
};

}  // namespace fernwood::teach
