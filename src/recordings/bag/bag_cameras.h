// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fernwood/image/align_depth.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_topics.h"
#include "recordings/bag/frame_tree.h"

namespace fernwood::recordings {

/// A camera described by a recording.
struct BagCamera {
  image::Camera camera = {};
  image::Distortion distortion = {};
  std::string unread_distortion = {};  ///< Name of an unsupported distortion model; else empty.
  std::string problem = {};            ///< Why the description cannot be used; else empty.
  std::string origin = {};             ///< The topic.
};

/// The camera of a sensor_msgs/CameraInfo. @param is_rectified  Whether images are rectified: they then have other
/// intrinsics, those of P, and no distortion. Of K and P, the other one is used where one is not set.
BagCamera camera_of_info(const ros::CameraInfo& info, const dataset::FrameSize& size, bool is_rectified);

/// The camera of an image topic: by the camera_info topic beside it, as drivers name it, else by the only one with the
/// same coordinate frame. @param notes  A sentence is added for one that is not used, and for one that changes.
std::optional<BagCamera> find_camera(const Bag& bag, const ImageTopic& topic, std::vector<std::string>& notes);

/// Topics such as /tf and /tf_static.
std::vector<std::size_t> transform_topics(const Bag& bag);
/// Adds the transforms of a message of a topic in transform_topics().
void add_transforms(const Bag& bag, std::size_t topic, const BagMessage& message, FrameTree& tree);

/// Relation between the depth and the colour camera.
struct DepthAlignment {
  std::optional<image::CameraPair> cameras = {};  ///< Empty: depth is aligned, or shows the same view at another size.
  std::vector<std::string> notes = {};            ///< Assumptions, a sentence each.
};

/// Cameras of the chosen topics, where the recording describes them.
struct TopicCameras {
  const std::optional<BagCamera>&color, &depth;
};

/// @throws Error(kData), with the remedy, where depth is known not to be aligned, or has other proportions than colour,
/// and the recording lacks the relative pose of the cameras.
DepthAlignment align_topics(const Bag& bag, const ChosenTopics& chosen, const TopicCameras& cameras,
                            const FrameTree& tree);

}  // namespace fernwood::recordings
