// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>

#include "fernwood/recordings/frame_source.h"

namespace fernwood::recordings {

/// Makes the stamps of frames strictly ascending, since readers distinguish frames by their stamps.
class AscendingStamps {
 public:
  std::int64_t add(const CapturedFrame& frame) {
    constexpr std::int64_t kStepNs = 1'000'000;  // below any camera's period, above the rounding of doubles
    const std::int64_t own = own_stamp(frame);
    std::int64_t stamp = own;
    if (!last_ || own > *last_) {
      moved_by_ = 0;
    } else if (__builtin_add_overflow(own, moved_by_, &stamp) || stamp <= *last_ || stamp > kMaxNs) {
      stamp = *last_ + kStepNs;
      if (__builtin_sub_overflow(stamp, own, &moved_by_)) moved_by_ = 0;
    }
    last_ = stamp;
    unlabelled_.push_back({frame.frame.get(), own, *last_});
    if (unlabelled_.size() > kMaxUnlabelled) unlabelled_.pop_front();
    return *last_;
  }
  /// Stamp of a frame that was added; of equal frames, the first not found yet. Frames added before it are forgotten.
  std::optional<std::int64_t> find(const CapturedFrame& frame) {
    for (std::size_t i = 0; i < unlabelled_.size(); ++i) {
      const Added added = unlabelled_[i];
      if (added.frame != frame.frame.get() || added.own_ns != own_stamp(frame)) continue;
      unlabelled_.erase(unlabelled_.begin(), unlabelled_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return added.stamp_ns;
    }
    return std::nullopt;
  }

 private:
  /// Stamps beyond 146 years from 1970 are wrong anyway, and steps from them would overflow.
  static std::int64_t own_stamp(const CapturedFrame& frame) {
    const std::int64_t own = frame.stamp_ns != 0 ? frame.stamp_ns : std::llround(frame.time_s * 1e9);
    return std::clamp(own, -kMaxNs, kMaxNs);
  }

  static constexpr std::int64_t kMaxNs = std::int64_t{1} << 62;
  static constexpr std::size_t kMaxUnlabelled = 256;  // far more than are waiting to be labelled
  struct Added {
    const image::Frame* frame;
    std::int64_t own_ns, stamp_ns;
  };
  std::optional<std::int64_t> last_;
  std::int64_t moved_by_ = 0;
  std::deque<Added> unlabelled_;
};

}  // namespace fernwood::recordings
