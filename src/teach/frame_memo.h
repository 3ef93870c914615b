// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

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
  std::shared_ptr<const image::Frame> decoded(std::size_t frame, const Read& read) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = frames_.find(frame); found != frames_.end() && found->second.decoded)
        return found->second.decoded;
    }
    const auto decoded = std::make_shared<const image::Frame>(read(frame));
    const std::lock_guard lock(mutex_);
    Kept& kept = frames_[frame];
    if (!kept.decoded && budget_.take(decoded->size_bytes())) kept.decoded = decoded;
    return decoded;
  }
  std::shared_ptr<const image::PreparedFrame> prepared(std::size_t frame, const image::Preparation& preparation,
                                                       const Read& read) {
    if (preparation.head) {  // the head changes with each forest
      image::Preparation without = preparation;
      without.head = nullptr;
      return std::make_shared<const image::PreparedFrame>(
          prepared(frame, without, read)->with_scores(*preparation.head));
    }
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = frames_.find(frame);
          found != frames_.end() && found->second.prepared && found->second.preparation == preparation)
        return found->second.prepared;
    }
    auto prepared = std::make_shared<const image::PreparedFrame>(*decoded(frame, read), preparation);
    const std::lock_guard lock(mutex_);
    Kept& kept = frames_[frame];
    // A frame of another preparation is replaced: requests rarely change theirs.
    if (kept.prepared) budget_.give_back(std::exchange(kept.prepared, nullptr)->size_bytes());
    if (budget_.take(prepared->size_bytes())) {
      kept.prepared = prepared;
      kept.preparation = preparation;
    }
    return prepared;
  }

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
