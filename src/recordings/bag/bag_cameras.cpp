// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/bag/bag_cameras.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/poses.h"
#include "fernwood/core/error.h"

namespace fernwood::recordings {

namespace {

constexpr const char* kAlignRemedy =
    "; record depth that is aligned to colour (the topic aligned_depth_to_color or depth_registered), record "
    "/tf_static "
    "and both camera_info, or use camera, depth_camera and depth_to_color in a dataset.toml next to the recording";

/// The raw topic of an image topic: "/camera/color/image_raw" for "/camera/color/image_raw/compressed".
std::string raw_topic(const ImageTopic& topic) {
  return topic.type == ros::kCompressedImageType ? topic.name.substr(0, topic.name.rfind('/')) : topic.name;
}

std::string parent_topic(const std::string& name) { return name.substr(0, std::min(name.rfind('/'), name.size())); }

/// A message and the owner of the bytes that its strings refer to.
struct ReadInfo {
  std::size_t topic;
  ReadMessage message;
  ros::CameraInfo info;
};

std::optional<ReadInfo> first_info(const Bag& bag, std::size_t topic) {
  if (bag.topics()[topic].type != ros::kCameraInfoType || bag.messages(topic).empty()) return std::nullopt;
  ReadMessage message = bag.read(topic, bag.messages(topic).front());
  ros::CameraInfo info = ros::read_camera_info(message.coded);
  return ReadInfo{topic, std::move(message), std::move(info)};
}

std::optional<ReadInfo> info_beside(const Bag& bag, const ImageTopic& topic) {
  const std::string raw = raw_topic(topic), parent = parent_topic(raw);
  // The third is the convention of recordings by Intel's SDK: .../image/data and .../info/camera_info.
  for (const std::string& name :
       {parent + "/camera_info", raw + "/camera_info", parent_topic(parent) + "/info/camera_info"})
    for (std::size_t i = 0; i < bag.topics().size(); ++i)
      if (bag.topics()[i].name == name)
        if (auto info = first_info(bag, i)) return info;
  return std::nullopt;
}

std::optional<ReadInfo> info_of_frame(const Bag& bag, const std::string& frame_id) {
  std::optional<ReadInfo> found;
  for (std::size_t i = 0; i < bag.topics().size() && !frame_id.empty(); ++i) {
    auto info = first_info(bag, i);
    if (!info || info->info.header.frame_id != frame_id) continue;
    if (found) return std::nullopt;
    found = std::move(info);
  }
  return found;
}

/// Converts the coefficients D to image::Distortion.
void take_distortion(const ros::CameraInfo& info, BagCamera& camera) {
  static constexpr std::array kModels = {"plumb_bob", "rational_polynomial", "radtan"};
  if (std::ranges::all_of(info.d, [](double number) { return number == 0; })) return;
  const bool is_read = std::ranges::find(kModels, info.distortion_model) != kModels.end();
  const std::size_t count = std::min(info.d.size(), camera.distortion.size());
  if (!is_read || !std::all_of(info.d.begin() + static_cast<std::ptrdiff_t>(count), info.d.end(),
                               [](double number) { return number == 0; })) {
    camera.unread_distortion = info.distortion_model.empty() ? "without a name" : std::string(info.distortion_model);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) camera.distortion[i] = static_cast<float>(info.d[i]);
}

bool are_one_camera(const image::Camera& color, const image::Camera& depth, const dataset::FrameSize& size) {
  constexpr float kTolerancePx = 0.05f;
  const image::Camera a = image::scaled(color, size.cols, size.rows), b = image::scaled(depth, size.cols, size.rows);
  const auto near = [](float x, float y) { return std::abs(x - y) <= kTolerancePx; };
  return near(a.fx, b.fx) && near(a.fy, b.fy) && near(a.cx, b.cx) && near(a.cy, b.cy);
}

bool is_identity(const RigidTransform& transform) {
  constexpr double kTolerance = 1e-6;
  const RigidTransform identity;
  const auto near = [](double x, double y) { return std::abs(x - y) <= kTolerance; };
  return std::ranges::equal(transform.rotation, identity.rotation, near) &&
         std::ranges::equal(transform.translation_m, identity.translation_m, near);
}

image::CameraPair pair_of(const Bag& bag, const BagCamera& color, const BagCamera& depth,
                          const RigidTransform& depth_to_color) {
  for (const BagCamera* camera : {&color, &depth})
    FW_CHECK(camera->unread_distortion.empty(), Data,
             bag.name() << ": a camera_info has the distortion model " << camera->unread_distortion
                        << "; depth is aligned by plumb_bob and rational_polynomial only" << kAlignRemedy);
  image::CameraPair pair{depth.camera, color.camera, depth.distortion, color.distortion};
  std::ranges::transform(depth_to_color.rotation, pair.rotation.begin(),
                         [](double number) { return static_cast<float>(number); });
  std::ranges::transform(depth_to_color.translation_m, pair.translation_m.begin(),
                         [](double number) { return static_cast<float>(number); });
  const std::string problem = image::problem_of(pair);
  FW_CHECK(problem.empty(), Data, bag.name() << ": the two cameras cannot be used: " << problem << kAlignRemedy);
  return pair;
}

/// Inverts the transform from a reference to a stream, whose coordinate frame is named as in image_topics_of().
ros::Transform to_reference(const std::string& topic, ros::Transform transform) {
  const std::size_t end = topic.find("/tf/");
  const std::array<double, 3> shift = transform.translation_m;
  for (std::size_t i = 0; i < 3; ++i) transform.rotation[i] = -transform.rotation[i];
  const std::array<double, 9> rotation = dataset::rotation_of(transform.rotation);
  for (std::size_t i = 0; i < 3; ++i)
    transform.translation_m[i] =
        -(rotation[3 * i] * shift[0] + rotation[3 * i + 1] * shift[1] + rotation[3 * i + 2] * shift[2]);
  transform.child = std::string_view(topic).substr(0, end);
  transform.header.frame_id = std::string_view(topic).substr(end);
  return transform;
}

/// Alignment without cameras: depth is assumed to show the same view as colour.
DepthAlignment same_view(const Bag& bag, const ImageTopic& color, const ImageTopic& depth, bool is_told) {
  DepthAlignment alignment;
  const dataset::FrameSize &c = color.kind.size, &d = depth.kind.size;
  const bool same_size = c.rows == d.rows && c.cols == d.cols;
  FW_CHECK(same_size || image::have_same_proportions(d.cols, d.rows, c.cols, c.rows), Data,
           bag.place(depth.topic) << " is " << dataset::size_text(d.cols, d.rows) << " pixels, " << color.name << " is "
                                  << dataset::size_text(c.cols, c.rows)
                                  << ", so they cannot show the same, and the recording does not tell how the cameras "
                                     "stand"
                                  << kAlignRemedy);
  if (!is_told)
    alignment.notes.push_back(bag.place(depth.topic) + " is taken for aligned to " + color.name +
                              ", for the recording does not tell where both cameras are; if it is not" +
                              std::string(kAlignRemedy).replace(0, 1, ","));
  if (!same_size)
    alignment.notes.push_back(bag.place(depth.topic) + " is " + dataset::size_text(d.cols, d.rows) + " pixels and " +
                              color.name + " is " + dataset::size_text(c.cols, c.rows) +
                              "; each pixel of colour is given the depth of the nearest");
  return alignment;
}

}  // namespace

BagCamera camera_of_info(const ros::CameraInfo& info, const dataset::FrameSize& size, bool is_rectified) {
  BagCamera camera;
  if (info.k[0] == 0 && info.p[0] == 0) {
    camera.problem = "K and P are zero, so the camera is not calibrated";
    return camera;
  }
  const bool has_p = info.p[0] > 0 && (is_rectified || info.k[0] == 0);
  const std::array<double, 4> numbers = has_p ? std::array{info.p[0], info.p[5], info.p[2], info.p[6]}
                                              : std::array{info.k[0], info.k[4], info.k[2], info.k[5]};
  // A region of interest is given in pixels of the full image; binning then scales it down.
  const bool is_part = info.roi_width > 0 && info.roi_height > 0;
  const std::size_t cols = is_part ? info.roi_width : info.width > 0 ? info.width : size.cols;
  const std::size_t rows = is_part ? info.roi_height : info.height > 0 ? info.height : size.rows;
  camera.camera = {static_cast<int>(std::min(cols, image::kMaxFrameSide + 1)),
                   static_cast<int>(std::min(rows, image::kMaxFrameSide + 1)),
                   static_cast<float>(numbers[0]),
                   static_cast<float>(numbers[1]),
                   static_cast<float>(numbers[2] - (is_part ? info.x_offset : 0)),
                   static_cast<float>(numbers[3] - (is_part ? info.y_offset : 0))};
  camera.problem = image::problem_of(camera.camera);
  if (camera.problem.empty() && !has_p) take_distortion(info, camera);
  return camera;
}

std::optional<BagCamera> find_camera(const Bag& bag, const ImageTopic& topic, std::vector<std::string>& notes) {
  auto info = info_beside(bag, topic);
  if (!info) info = info_of_frame(bag, topic.kind.frame_id);
  if (!info) return std::nullopt;
  const std::string raw = raw_topic(topic);
  const bool is_rectified = raw.find("rect", std::min(raw.rfind('/'), raw.size())) != std::string::npos;
  BagCamera camera = camera_of_info(info->info, topic.kind.size, is_rectified);
  camera.origin = bag.place(info->topic);
  const ReadMessage last = bag.read(info->topic, bag.messages(info->topic).back());
  const ros::CameraInfo last_info = ros::read_camera_info(last.coded);
  if (!camera.problem.empty())
    notes.push_back(camera.origin + " is not used as the camera: " + camera.problem);
  else if (last_info.k != info->info.k || last_info.p != info->info.p)
    notes.push_back(camera.origin + ": the camera changes during the recording; the first one is used for all frames");
  return camera.problem.empty() ? std::optional(camera) : std::nullopt;
}

std::vector<std::size_t> transform_topics(const Bag& bag) {
  std::vector<std::size_t> topics;
  for (std::size_t i = 0; i < bag.topics().size(); ++i) {
    const BagTopic& topic = bag.topics()[i];
    if (topic.type == ros::kTransformsType || topic.type == ros::kOldTransformsType || is_sdk_transform(topic))
      topics.push_back(i);
  }
  return topics;
}

void add_transforms(const Bag& bag, std::size_t topic, const BagMessage& message, FrameTree& tree) {
  const std::string& name = bag.topics()[topic].name;
  const bool is_static = name.ends_with("tf_static");
  const ReadMessage read = bag.read(topic, message);
  if (is_sdk_transform(bag.topics()[topic])) return tree.add(to_reference(name, ros::read_transform(read.coded)), true);
  for (const ros::Transform& transform : ros::read_transforms(read.coded)) tree.add(transform, is_static);
}

DepthAlignment align_topics(const Bag& bag, const ChosenTopics& chosen, const TopicCameras& cameras,
                            const FrameTree& tree) {
  const auto& [color, depth] = cameras;
  const ImageTopic &c = *chosen.color, &d = *chosen.depth;
  if (is_aligned_depth(d.name) || is_aligned_color(c.name)) return same_view(bag, c, d, true);
  const bool same_frame = !c.kind.frame_id.empty() && c.kind.frame_id == d.kind.frame_id;
  if (!color || !depth) return same_view(bag, c, d, same_frame);
  const auto depth_to_color = tree.transform(d.kind.frame_id, c.kind.frame_id);
  const bool same_camera = are_one_camera(color->camera, depth->camera, c.kind.size);
  if (!depth_to_color || (d.kind.frame_id.empty() && !same_frame)) {
    FW_CHECK(same_camera, Data,
             bag.place(d.topic) << " and " << c.name << " are of two cameras (" << to_string(depth->camera) << " and "
                                << to_string(color->camera) << "), and /tf_static does not join their frames \""
                                << d.kind.frame_id << "\" and \"" << c.kind.frame_id << "\"" << kAlignRemedy);
    return same_view(bag, c, d, true);
  }
  if (same_camera && is_identity(*depth_to_color)) return same_view(bag, c, d, true);
  DepthAlignment alignment{pair_of(bag, *color, *depth, *depth_to_color)};
  alignment.notes.push_back(bag.place(d.topic) + " is moved into the camera of " + c.name +
                            ", by the camera_info and the transforms of the recording");
  return alignment;
}

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
