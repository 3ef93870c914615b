// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "fernwood/recordings/frame_source.h"

namespace fernwood::recordings {

/// A recording with numbered frames: returns them in order, decoded on demand or in advance.
class IndexedSource : public FrameSource {
 public:
  std::optional<CapturedFrame> next() final {
    if (next_ == num_frames_ && loops_) next_ = 0;
    if (stopped_ || next_ == num_frames_) return std::nullopt;
    const std::size_t index = next_++;
    return decoded_.empty() ? decode(index) : decoded_[index];
  }
  void stop() final { stopped_ = true; }
  bool is_live() const final { return false; }

 protected:
  /// To be called in the constructor of the derived class, once decode() works.
  void begin(std::size_t num_frames, const SourceOptions& options) {
    num_frames_ = num_frames;
    loops_ = options.loop;
    if (options.max_decoded == 0) return;
    num_frames_ = std::min(options.max_decoded, num_frames_);
    for (std::size_t i = 0; i < num_frames_; ++i) decoded_.push_back(decode(i));
  }
  virtual CapturedFrame decode(std::size_t index) const = 0;

 private:
  std::size_t num_frames_ = 0, next_ = 0;
  bool loops_ = false;
  std::vector<CapturedFrame> decoded_;  // empty, or all frames
  std::atomic<bool> stopped_ = false;
};

/// Wraps a source that returns depth of its own camera (FrameSource::depth_cameras()), and aligns depth to colour;
/// returns other sources unchanged.
std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source);

/// Opens a recording in files by its kind, "frames", "tum", "mcap" or "rosbag", and the topics of "ros"; null for
/// another kind. @param place  As in formats::open_source().
std::unique_ptr<FrameSource> open_recording(const std::string& kind, const std::string& place,
                                            const SourceOptions& options);

}  // namespace fernwood::recordings
