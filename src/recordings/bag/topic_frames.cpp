// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_cameras.h"

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::recordings {

namespace {

/// The unit of depth in a recording by Intel's SDK, if it has one: of the topic /device_0/sensor_0/Depth_0/image/data,
/// in /device_0/sensor_0/option/Depth_Units/value.
std::optional<double> sdk_depth_step_mm(const Bag& bag, const std::string& depth) {
  for (std::size_t i = 0; i < bag.topics().size(); ++i) {
    const std::string& name = bag.topics()[i].name;
    if (!is_sdk_depth_unit(bag.topics()[i]) || !depth.starts_with(name.substr(0, name.find("/option/") + 1))) continue;
    for (const BagMessage& message : bag.messages(i))
      if (const float unit_m = ros::read_number(bag.read(i, message).coded); unit_m > 0 && unit_m < 1)
        return 1000 * static_cast<double>(unit_m);
  }
  return std::nullopt;
}

}  // namespace

TopicFrames::TopicFrames(const Bag& bag, const TopicRequest& request)
    : chosen_(choose_topics(bag, image_topics_of(bag), request)), notes_(chosen_.notes) {}

void TopicFrames::read_cameras(const Bag& bag, const FrameTree& tree, dataset::DatasetConfig config) {
  config_ = std::move(config);
  const auto color = chosen_.color ? find_camera(bag, *chosen_.color, notes_) : std::nullopt;
  const auto depth = chosen_.depth ? find_camera(bag, *chosen_.depth, notes_) : std::nullopt;
  if (chosen_.depth && !config_.depth_scale_to_mm)
    config_.depth_scale_to_mm = sdk_depth_step_mm(bag, chosen_.depth->name);
  if (chosen_.color && chosen_.depth && !config_.cameras) {
    const DepthAlignment alignment = align_topics(bag, chosen_, {color, depth}, tree);
    config_.cameras = alignment.cameras;
    notes_.insert(notes_.end(), alignment.notes.begin(), alignment.notes.end());
  }
  const auto& own = chosen_.color ? color : depth;
  if (!config_.camera && own) {
    config_.camera = own->camera;
    config_.camera_origin = own->origin;
  }
  const std::vector<std::string> warnings = dataset::camera_warnings(config_, bag.name(), main().kind.size);
  notes_.insert(notes_.end(), warnings.begin(), warnings.end());
}

Array2<image::Rgb> TopicFrames::decode_color(const ros::CodedMessage& message) const {
  return decode_color_image(chosen_.color->type, message);
}

Array2<std::uint16_t> TopicFrames::decode_depth(const ros::CodedMessage& message,
                                                const std::optional<dataset::FrameSize>& color) const {
  Array2<std::uint16_t> depth =
      decode_depth_image(chosen_.depth->type, message, {config_.depth_scale_to_mm.value_or(1), config_.depth_missing});
  if (!color) return depth;
  const bool fits = config_.cameras || (depth.rows() == color->rows && depth.cols() == color->cols) ||
                    image::have_same_proportions(depth.cols(), depth.rows(), color->cols, color->rows);
  FW_CHECK(fits, Data,
           message.place << ": depth is " << dataset::size_text(depth.cols(), depth.rows())
                         << " pixels and its colour is " << dataset::size_text(color->cols, color->rows)
                         << "; both must have the proportions they began with");
  return dataset::depth_for_color(std::move(depth), *color, config_, message.place, chosen_.color->name);
}

image::Frame TopicFrames::decode(const ros::CodedMessage* color, const ros::CodedMessage* depth) const {
  image::Frame frame;
  std::optional<dataset::FrameSize> size;
  if (color != nullptr) {
    frame.color = decode_color(*color);
    size = {frame.color.rows(), frame.color.cols()};
  }
  if (depth != nullptr) frame.depth_mm = decode_depth(*depth, size);
  frame.camera = config_.camera;
  frame.up = config_.up;
  return frame;
}

}  // namespace fernwood::recordings
