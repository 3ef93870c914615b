// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/mcap_messages.h"

#include <utility>

#include "fernwood/dataset/frame_messages.h"
#include "fernwood/dataset/mcap_recorder.h"

namespace fernwood::dataset {

namespace {

constexpr const char* kRoomFrame = "map";
/// For cameras that do not name their coordinate frame.
constexpr const char* kUsualCameraFrame = "camera";

template <typename Message>
void write_at(McapOutput& output, std::size_t topic, const Message& message, std::int64_t stamp_ns) {
  output.write(topic, stamp_ns, ros::write_message(message));
}

}  // namespace

McapMessages::McapMessages(const std::filesystem::path& file, std::vector<std::string> class_names)
    : output_(file), class_names_(std::move(class_names)) {
  const auto add = [&](const char* name, std::string_view type, bool is_latched = false) {
    return output_.add_topic({name, std::string(type), is_latched});
  };
  color_ = add(McapTopics::kColor, ros::kImageType);
  color_info_ = add(McapTopics::kColorInfo, ros::kCameraInfoType);
  depth_ = add(McapTopics::kDepth, ros::kImageType);
  depth_info_ = add(McapTopics::kDepthInfo, ros::kCameraInfoType);
  transforms_ = add(McapTopics::kTransforms, ros::kTransformsType);
  up_ = add(McapTopics::kUp, ros::kVectorType);
  label_info_ = add(McapTopics::kLabelInfo, ros::kLabelInfoType, true);
  mask_ = add(McapTopics::kMask, ros::kImageType);
  confidence_ = add(McapTopics::kConfidence, ros::kImageType);
}

void McapMessages::write(const RecordedItem& item) {
  const std::string_view frame_id = item.frame_id.empty() ? std::string_view(kUsualCameraFrame) : item.frame_id;
  const ros::MessageHeader header{item.stamp_ns, frame_id};
  if (!std::exchange(has_label_info_, true) && !class_names_.empty())
    write_at(output_, label_info_, label_info_message(class_names_, header), item.stamp_ns);
  if (item.pose) write_pose(*item.pose, header);
  if (item.frame) write_frame(*item.frame, header);
  if (!item.mask.empty()) write_at(output_, mask_, grey_message(item.mask, header), item.stamp_ns);
  if (!item.confidence.empty()) write_at(output_, confidence_, grey_message(item.confidence, header), item.stamp_ns);
}

void McapMessages::write_frame(const image::Frame& frame, const ros::MessageHeader& header) {
  if (frame.up != image::kImageUp)
    write_at(output_, up_, ros::StampedVector{header, {frame.up.x, frame.up.y, frame.up.z}}, header.stamp_ns);
  if (!frame.color.empty()) {
    write_camera(color_info_, frame, header);
    write_at(output_, color_, color_message(frame.color, header), header.stamp_ns);
  }
  if (!frame.depth_mm.empty()) {
    write_camera(depth_info_, frame, header);
    write_at(output_, depth_, depth_message(frame.depth_mm, header), header.stamp_ns);
  }
}

void McapMessages::write_camera(std::size_t topic, const image::Frame& frame, const ros::MessageHeader& header) {
  if (frame.camera)
    write_at(output_, topic, camera_message(*frame.camera, frame.rows(), frame.cols(), header), header.stamp_ns);
}

void McapMessages::write_pose(const image::RigidMotion& pose, const ros::MessageHeader& header) {
  const auto transform = pose_message(pose, {header.stamp_ns, kRoomFrame}, header.frame_id);
  if (transform) write_at(output_, transforms_, std::vector{*transform}, header.stamp_ns);
}

}  // namespace fernwood::dataset
