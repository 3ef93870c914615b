// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "fernwood/dataset/dataset.h"

namespace fernwood::train {

/// Memory budget for cached objects. Thread-safe, except for set_most().
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Reserves memory. @return  Whether the budget allowed it; if not, nothing is reserved.
  bool take(std::size_t size_bytes) {
    if (taken_bytes_.fetch_add(size_bytes) + size_bytes <= most_bytes_) return true;
    taken_bytes_ -= size_bytes;
    return false;
  }
  void give_back(std::size_t size_bytes) { taken_bytes_ -= size_bytes; }

  /// Sets the limit, even below what is already reserved.
  void set_most(std::size_t most_bytes) { most_bytes_ = most_bytes; }
  bool is_exceeded() const { return taken_bytes_ > most_bytes_; }
  std::size_t taken_bytes() const { return taken_bytes_; }

 private:
  std::size_t most_bytes_;
  std::atomic<std::size_t> taken_bytes_ = 0;
};

/// Caches frames that were read for the checksum of the data until they are loaded: decoding them again would take as
/// long as the rest of loading.
class FramePrefetcher {
 public:
  FramePrefetcher(std::size_t num_frames, std::size_t budget_bytes) : frames_(num_frames), budget_(budget_bytes) {}

  /// Caches a frame if the budget permits. Any thread; once per frame.
  void keep(std::size_t index, dataset::LabelledFrame frame) {
    const std::size_t size_bytes = frame.frame.color.size() * sizeof(image::Rgb) +
                                   (frame.frame.depth_mm.size() + frame.labels.size()) * sizeof(std::uint16_t) +
                                   frame.frame.maps.values.size() * sizeof(float);
    if (budget_.take(size_bytes)) frames_[index] = std::move(frame);
  }

  /// A cached frame, or null. The pointer is valid until the frame is taken.
  const dataset::LabelledFrame* find(std::size_t index) const {
    return index < frames_.size() && frames_[index] ? &*frames_[index] : nullptr;
  }

  /// Removes a cached frame and returns it.
  std::optional<dataset::LabelledFrame> take(std::size_t index) {
    return index < frames_.size() ? std::exchange(frames_[index], std::nullopt) : std::nullopt;
  }

  void clear() { frames_.clear(); }

 private:
  std::vector<std::optional<dataset::LabelledFrame>> frames_;
  ByteBudget budget_;
};

}  // namespace fernwood::train
