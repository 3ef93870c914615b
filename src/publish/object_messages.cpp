// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "publish/object_messages.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"
#include "fernwood/recordings/frame_messages.h"

namespace fernwood::publish {

namespace {

/// An object in messages; must live until they are written.
struct ObjectTexts {
  std::uint32_t id = 0;
  std::string id_text, name;
};

std::vector<ObjectTexts> object_texts(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                                      const image::ClassMap& classes) {
  std::vector<ObjectTexts> texts;
  for (const objects::Object& object : found.objects) {
    ObjectTexts& of_object = texts.emplace_back();
    of_object.id = ids.empty() ? object.number : ids[object.number - 1u];
    of_object.id_text = std::to_string(of_object.id);
    of_object.name = classes.classes[object.label].name + " " + of_object.id_text + ", " +
                     fixed(static_cast<double>(object.distance_m), 1) + " m";
  }
  return texts;
}

/// Centre and axes of a box.
ros::Pose pose_of(const objects::Box& box) {
  const auto& [x, y, z] = box.axes;
  const image::Vector3 up = {x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
  const float side = dot(up, z) < 0 ? -1.0f : 1.0f;  // a rotation has right-handed axes, and boxes are symmetric
  const image::RigidMotion motion = {{{x.x, side * y.x, z.x}, {x.y, side * y.y, z.y}, {x.z, side * y.z, z.z}},
                                     box.center};
  const ros::Transform pose = recordings::pose_message(motion, {}, {}).value();  // the motion is a rigid one
  return {pose.translation_m, pose.rotation};
}

std::array<double, 3> numbers_of(const image::Vector3& vector) { return {vector.x, vector.y, vector.z}; }

/// @param texts  [number - 1]
ros::Detections detections_of(const objects::FrameObjects& found, const std::vector<ObjectTexts>& texts,
                              const image::ClassMap& classes, const ros::MessageHeader& header) {
  ros::Detections detections{header};
  for (const objects::Object& object : found.objects) {
    if (object.distance_m == 0) continue;
    const ros::Pose center = pose_of(object.box);
    detections.detections.push_back(
        {header,
         {{classes.classes[object.label].name, static_cast<double>(object.confidence), center}},
         center,
         numbers_of(object.box.size),
         texts[object.number - 1u].id_text});
  }
  return detections;
}

/// A box for each object and its class above it; those of the frame before are deleted first.
std::vector<ros::Marker> markers_of(const objects::FrameObjects& found, const std::vector<ObjectTexts>& texts,
                                    const image::ClassMap& classes, const ros::MessageHeader& header) {
  constexpr float kOpacity = 0.35f;
  constexpr double kTextHeightM = 0.1;
  std::vector<ros::Marker> markers = {{.header = header, .action = ros::Marker::kDeleteAll}};
  for (const objects::Object& object : found.objects) {
    if (object.distance_m == 0) continue;
    const ObjectTexts& of_object = texts[object.number - 1u];
    const image::Rgb color = classes.classes[object.label].color;
    const auto share = [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; };
    ros::Marker box{.header = header,
                    .space = "boxes",
                    .id = static_cast<std::int32_t>(of_object.id),
                    .pose = pose_of(object.box),
                    .scale_m = numbers_of(object.box.size),
                    .color = {share(color.r), share(color.g), share(color.b), kOpacity}};
    markers.push_back(box);
    box.space = "names";
    box.type = ros::Marker::kText;
    box.scale_m = {0, 0, kTextHeightM};
    box.color = {1, 1, 1, 1};
    box.text = of_object.name;
    markers.push_back(std::move(box));
  }
  return markers;
}

}  // namespace

ObjectMessages object_messages(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                               const image::ClassMap& classes, const ros::MessageHeader& header) {
  const std::vector<ObjectTexts> texts = object_texts(found, ids, classes);
  return {ros::write_message(detections_of(found, texts, classes, header)),
          ros::write_message(markers_of(found, texts, classes, header))};
}

}  // namespace fernwood::publish
