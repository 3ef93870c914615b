// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/bag_source.h"

#include <algorithm>
#include <atomic>

#include "dataset/bag/bag_recording.h"

namespace fernwood::dataset {

namespace {

/// Delivers the frames of a recording, decoded when they are asked for or beforehand.
class BagSource final : public FrameSource {
 public:
  BagSource(const BagPlace& place, const SourceOptions& options)
      : recording_(place.path, place.topics), loops_(options.loop), num_frames_(recording_.frames().size()) {
    if (options.max_decoded == 0) return;
    num_frames_ = std::min(options.max_decoded, num_frames_);
    for (std::size_t i = 0; i < num_frames_; ++i) decoded_.push_back(decode(i));
  }

  std::optional<CapturedFrame> next() override {
    if (next_ == num_frames_ && loops_) next_ = 0;
    if (stopped_ || next_ == num_frames_) return std::nullopt;
    const std::size_t index = next_++;
    return decoded_.empty() ? decode(index) : decoded_[index];
  }
  void stop() override { stopped_ = true; }
  bool has_color() const override { return recording_.has_color(); }
  bool has_depth() const override { return recording_.has_depth(); }
  bool has_camera() const override { return recording_.reading().camera.has_value(); }
  bool is_live() const override { return false; }
  std::vector<std::string> warnings() const override { return recording_.notes(); }
  std::string name() const override { return recording_.name(); }

 private:
  CapturedFrame decode(std::size_t index) const {
    const BagFrame& frame = recording_.frames()[index];
    return {std::make_shared<image::Frame>(recording_.read_frame(index)), frame.time_s, frame.name};
  }

  BagRecording recording_;
  bool loops_;
  std::size_t num_frames_;
  std::vector<CapturedFrame> decoded_;  // empty, or all
  std::size_t next_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

std::unique_ptr<FrameSource> open_bag_source(const std::string& place, const SourceOptions& options) {
  return std::make_unique<BagSource>(parse_bag_place(place), options);
}

}  // namespace fernwood::dataset
