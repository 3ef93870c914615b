// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/bag/topic_frames.h"

#include "dataset/bag/bag_cameras.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

TopicFrames::TopicFrames(const Bag& bag, const TopicRequest& request)
    : chosen_(choose_topics(bag, image_topics_of(bag), request)), notes_(chosen_.notes) {}

void TopicFrames::read_cameras(const Bag& bag, const FrameTree& tree,
                               const std::optional<std::filesystem::path>& config) {
  if (config) reading_ = reading_of(read_dataset_config(*config));
  const auto color = chosen_.color ? find_camera(bag, *chosen_.color) : std::nullopt;
  const auto depth = chosen_.depth ? find_camera(bag, *chosen_.depth) : std::nullopt;
  if (chosen_.color && chosen_.depth && !reading_.cameras) {
    const DepthAlignment alignment = align_topics(bag, chosen_, {color, depth}, tree);
    reading_.cameras = alignment.cameras;
    notes_.insert(notes_.end(), alignment.notes.begin(), alignment.notes.end());
  }
  const auto& own = chosen_.color ? color : depth;
  if (!reading_.camera && own) reading_.camera = own->camera;
  const std::vector<std::string> warnings = camera_warnings(reading_, bag.name());
  notes_.insert(notes_.end(), warnings.begin(), warnings.end());
}

Array2<image::Rgb> TopicFrames::decode_color(const ros::CodedMessage& message) const {
  return decode_color_image(chosen_.color->type, message);
}

Array2<std::uint16_t> TopicFrames::decode_depth(const ros::CodedMessage& message,
                                                const std::optional<FrameSize>& color) const {
  Array2<std::uint16_t> depth = decode_depth_image(chosen_.depth->type, message,
                                                   {reading_.depth_scale_to_mm.value_or(1), reading_.depth_missing});
  if (!color) return depth;
  const bool fits = reading_.cameras || (depth.rows() == color->rows && depth.cols() == color->cols) ||
                    image::have_same_proportions(depth.cols(), depth.rows(), color->cols, color->rows);
  FW_CHECK(fits, Data,
           message.place << ": depth is " << size_text(depth.cols(), depth.rows()) << " pixels and its colour is "
                         << size_text(color->cols, color->rows) << "; both must have the proportions they began with");
  return depth_for_color(std::move(depth), *color, reading_, message.place, chosen_.color->name);
}

image::Frame TopicFrames::decode(const ros::CodedMessage* color, const ros::CodedMessage* depth) const {
  image::Frame frame;
  std::optional<FrameSize> size;
  if (color != nullptr) {
    frame.color = decode_color(*color);
    size = {frame.color.rows(), frame.color.cols()};
  }
  if (depth != nullptr) frame.depth_mm = decode_depth(*depth, size);
  frame.camera = reading_.camera;
  frame.up = reading_.up;
  return frame;
}

}  // namespace fernwood::dataset
