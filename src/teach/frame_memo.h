// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "fernwood/image/frame.h"
#include "fernwood/image/prepared_frame.h"

namespace fernwood::teach {

/// Caches frames that many requests read, decoded and prepared as far as the memory budget allows: both steps take
/// longer than growing a small forest. Thread-safe; threads do not wait for each other's frames.
class FrameMemo {
 public:
  using Read = std::function<image::Frame(std::size_t frame)>;
  explicit FrameMemo(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}

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
  /// Reserves memory if the budget allows it. @return  Whether it did.
  bool takes(std::size_t size_bytes);

  const std::size_t budget_bytes_;
  std::mutex mutex_;
  std::size_t kept_bytes_ = 0;
  std::map<std::size_t, Kept> frames_;
};

}  // namespace fernwood::teach
