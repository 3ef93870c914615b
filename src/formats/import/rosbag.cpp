// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Recordings of ROS, without labels.

#include "dataset/bag/bag_recording.h"
#include "dataset/import/annotations.h"
#include "dataset/import/formats.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

ImportPlan plan_rosbag(const ImportOptions& options) {
  const auto recording =
      std::make_shared<const BagRecording>(options.in, TopicRequest{options.colors, options.depth, true});
  ImportPlan plan;
  plan.config.camera = recording->config().camera;
  plan.config.camera_origin = recording->config().camera_origin;
  plan.config.up = recording->config().up;
  plan.notes = recording->notes();
  for (std::size_t i = 0; i < recording->frames().size(); ++i) {
    ImportedFrame& frame = plan.frames.emplace_back();
    frame.name = recording->frames()[i].name;
    frame.pose = recording->frames()[i].pose;
    frame.up = recording->frames()[i].up;
    if (recording->has_color()) frame.read_color = [recording, i] { return recording->read_color(i); };
    if (recording->has_depth())
      frame.read_depth_mm = [recording, i] { return recording->read_depth(i, recording->color_size()); };
  }
  settle_names(options.in, plan.frames);
  return plan;
}

}  // namespace fernwood::dataset
