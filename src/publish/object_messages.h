// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <span>

#include "fernwood/image/labels.h"
#include "fernwood/objects/objects.h"
#include "fernwood/ros/messages.h"

namespace fernwood::publish {

/// The objects of a frame as vision_msgs/Detection3DArray and visualization_msgs/MarkerArray.
struct ObjectMessages {
  ros::EncodedMessage detections, markers;
};

/// Objects without depth are left out. @param ids  [number - 1] Of objects::ObjectTracker; empty: the numbers.
ObjectMessages object_messages(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                               const image::ClassMap& classes, const ros::MessageHeader& header);

}  // namespace fernwood::publish
