// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "train/data/byte_budget.h"

namespace fernwood::train {

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
