// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/bag_source.h"

#include <algorithm>

#include "dataset/bag/bag_recording.h"
#include "dataset/poses.h"
#include "dataset/source/indexed_source.h"

namespace fernwood::dataset {

namespace {

/// Returns the frames of a recording of ROS.
class BagSource final : public IndexedSource {
 public:
  BagSource(const BagPlace& place, const SourceOptions& options) : recording_(place.path, place.topics) {
    begin(recording_.frames().size(), options);
  }

  bool has_color() const override { return recording_.has_color(); }
  bool has_depth() const override { return recording_.has_depth(); }
  bool has_camera() const override { return recording_.config().has_camera(); }
  bool has_poses() const override {
    return std::ranges::any_of(recording_.frames(), [](const BagFrame& frame) { return frame.pose.has_value(); });
  }
  std::vector<std::string> warnings() const override { return recording_.notes(); }
  std::string name() const override { return recording_.name(); }

 private:
  CapturedFrame decode(std::size_t index) const override {
    const BagFrame& frame = recording_.frames()[index];
    return {std::make_shared<image::Frame>(recording_.read_frame(index)),      frame.time_s,  frame.name,
            frame.pose ? std::optional(motion_of(*frame.pose)) : std::nullopt, frame.time_ns, recording_.frame_id()};
  }

  BagRecording recording_;
};

}  // namespace

std::unique_ptr<FrameSource> open_bag_source(const std::string& place, const SourceOptions& options) {
  return std::make_unique<BagSource>(parse_bag_place(place), options);
}

}  // namespace fernwood::dataset
