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

/// Frames that many requests read, decoded and prepared once as far as memory goes: both take longer than a small
/// forest grows. For many threads; nobody waits for another's frame.
class FrameMemo {
 public:
  using Read = std::function<image::Frame(std::size_t frame)>;
  explicit FrameMemo(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}

  /// @param read  Called where the frame is not kept. A frame of the same number is always the same.
  std::shared_ptr<const image::Frame> decoded(std::size_t frame, const Read& read);
  std::shared_ptr<const image::PreparedFrame> prepared(std::size_t frame, const image::Preparation& preparation,
                                                       const Read& read);

 private:
  struct Kept {
    std::shared_ptr<const image::Frame> decoded;
    std::shared_ptr<const image::PreparedFrame> prepared;
    image::Preparation preparation;  ///< Of `prepared`.
  };
  /// Whether there is room for so much more, which then is taken.
  bool takes(std::size_t size_bytes);

  const std::size_t budget_bytes_;
  std::mutex mutex_;
  std::size_t kept_bytes_ = 0;
  std::map<std::size_t, Kept> frames_;
};

}  // namespace fernwood::teach
