// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_topics.h"
#include "dataset/bag/frame_tree.h"
#include "fernwood/image/align_depth.h"

namespace fernwood::dataset {

/// A camera that a recording describes.
struct BagCamera {
  image::Camera camera;
  image::Distortion distortion = {};
  std::string unread_distortion = {};  ///< The name of a model of lenses that is not read; else empty.
};

/// The camera of a sensor_msgs/CameraInfo; nothing where it is not calibrated. @param is_rectified  Whether pictures
/// are: they have other intrinsics then, and no distortion.
std::optional<BagCamera> camera_of_info(const ros::CameraInfo& info, const FrameSize& size, bool is_rectified);

/// The camera of a topic of images: by the camera_info beside it, as drivers name it, else by the only one of the same
/// coordinate frame.
std::optional<BagCamera> find_camera(const Bag& bag, const ImageTopic& topic);

/// Those like /tf and /tf_static.
std::vector<std::size_t> transform_topics(const Bag& bag);
/// Of a message of such a topic.
void add_transforms(const Bag& bag, std::size_t topic, const BagMessage& message, FrameTree& tree);

/// How depth comes to colour.
struct DepthAlignment {
  std::optional<image::CameraPair> cameras = {};  ///< Empty: it is aligned, or shows the same at another size.
  std::vector<std::string> notes = {};            ///< What was assumed, a sentence each.
};

/// Of the chosen topics, where the recording describes them.
struct TopicCameras {
  const std::optional<BagCamera>&color, &depth;
};

/// @throws Error(kData) where it is known that depth is not aligned, or the proportions say so, and nothing tells how
/// the cameras stand, with the remedy.
DepthAlignment align_topics(const Bag& bag, const ChosenTopics& chosen, const TopicCameras& cameras,
                            const FrameTree& tree);

}  // namespace fernwood::dataset
