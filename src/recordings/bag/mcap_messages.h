// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/mcap_output.h"
#include "fernwood/core/array.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/rigid_motion.h"
#include "fernwood/ros/messages.h"

namespace fernwood::dataset {

/// A frame, or the labels of a frame.
struct RecordedItem {
  std::int64_t stamp_ns = 0;
  std::string frame_id = {};                            ///< The camera's coordinate frame, or empty.
  std::shared_ptr<const image::Frame> frame = nullptr;  ///< Null: the item has labels.
  std::optional<image::RigidMotion> pose = {};
  Array2<std::uint8_t> mask = {}, confidence = {};
};

/// Publishes frames and labels in the topics of McapTopics.
class McapMessages {
 public:
  /// @throws Error as McapOutput.
  McapMessages(const std::filesystem::path& file, std::vector<std::string> class_names);
  /// @throws Error as McapOutput::write().
  void write(const RecordedItem& item);
  McapOutput& output() { return output_; }

 private:
  void write_frame(const image::Frame& frame, const ros::MessageHeader& header);
  void write_camera(std::size_t topic, const image::Frame& frame, const ros::MessageHeader& header);
  void write_pose(const image::RigidMotion& pose, const ros::MessageHeader& header);

  McapOutput output_;
  std::vector<std::string> class_names_;
  bool has_label_info_ = false;
  std::size_t color_, color_info_, depth_, depth_info_, transforms_, up_, label_info_, mask_,
      confidence_;  // topics
};

}  // namespace fernwood::dataset
