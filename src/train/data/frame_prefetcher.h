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

/// Frames that were read for the checksum of the data, until they are loaded: to decode them again takes as long as all
/// else that loading does.
class FramePrefetcher {
 public:
  FramePrefetcher(std::size_t num_frames, std::size_t budget_bytes) : frames_(num_frames), budget_(budget_bytes) {}

  /// Keeps a frame while there is room. On any thread; of each frame once.
  void keep(std::size_t index, dataset::LabelledFrame frame) {
    const std::size_t size_bytes = frame.frame.color.size() * sizeof(image::Rgb) +
                                   (frame.frame.depth_mm.size() + frame.labels.size()) * sizeof(std::uint16_t) +
                                   frame.frame.maps.values.size() * sizeof(float);
    if (budget_.take(size_bytes)) frames_[index] = std::move(frame);
  }

  /// A frame that is kept, or null. It stays until it is taken.
  const dataset::LabelledFrame* find(std::size_t index) const {
    return index < frames_.size() && frames_[index] ? &*frames_[index] : nullptr;
  }

  /// A frame that is kept, and from then on is not.
  std::optional<dataset::LabelledFrame> take(std::size_t index) {
    return index < frames_.size() ? std::exchange(frames_[index], std::nullopt) : std::nullopt;
  }

  void clear() { frames_.clear(); }

 private:
  std::vector<std::optional<dataset::LabelledFrame>> frames_;
  ByteBudget budget_;
};

}  // namespace fernwood::train
