// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "publish/object_messages.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/text.h"
#include "fernwood/objects/object_tracker.h"
#include "fernwood/recordings/frame_messages.h"

namespace fernwood::publish {

namespace {

/// An object in messages; must live until they are written.
struct ShownObject {
  const objects::Object& object;
  ros::Pose center;
  std::string id, name;
};

/// Centre and axes of a box.
ros::Pose pose_of(const objects::Box& box) {
  const auto& [x, y, z] = box.axes;
  const image::Vector3 up = {x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
  const float side = dot(up, z) < 0 ? -1.0f : 1.0f;  // a rotation has right-handed axes, and boxes are symmetric
  const image::RigidMotion motion = {{{x.x, side * y.x, z.x}, {x.y, side * y.y, z.y}, {x.z, side * y.z, z.z}},
                                     box.center};
  const ros::Transform pose = recordings::pose_message(motion, {}, {}).value();  // a rigid motion
  return {pose.translation_m, pose.rotation};
}

std::vector<ShownObject> shown_objects(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                                       const image::ClassMap& classes) {
  std::vector<ShownObject> shown;
  for (const objects::Object& object : found.objects) {
    if (object.box == objects::Box()) continue;  // no known depth, or too few points
    const std::uint32_t number = ids.empty() ? object.number : ids[object.number - 1u];
    const std::string id = number == objects::ObjectTracker::kNoId ? "" : std::to_string(number);
    shown.push_back({object, pose_of(object.box), id,
                     classes.classes[object.label].name + (id.empty() ? "" : " ") + id + ", " +
                         fixed(static_cast<double>(object.distance_m), 1) + " m"});
  }
  return shown;
}

std::array<double, 3> numbers_of(const image::Vector3& vector) { return {vector.x, vector.y, vector.z}; }

ros::Detections detections_of(const std::vector<ShownObject>& shown, const image::ClassMap& classes,
                              const ros::MessageHeader& header) {
  ros::Detections detections{header};
  for (const auto& [object, center, id, name] : shown)
    detections.detections.push_back(
        {header,
         {{classes.classes[object.label].name, static_cast<double>(object.confidence), center}},
         center,
         numbers_of(object.box.size),
         id});
  return detections;
}

/// A box for each object, with its name in it; those of the frame before are deleted first.
std::vector<ros::Marker> markers_of(const std::vector<ShownObject>& shown, const image::ClassMap& classes,
                                    const ros::MessageHeader& header) {
  constexpr float kOpacity = 0.35f;
  constexpr double kTextHeightM = 0.1;
  std::vector<ros::Marker> markers = {{.header = header, .action = ros::Marker::kDeleteAll}};
  for (const auto& [object, center, id, name] : shown) {
    const image::Rgb color = classes.classes[object.label].color;
    const auto share = [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; };
    ros::Marker marker{.header = header,
                       .space = "boxes",
                       .id = object.number,  // parts of an object share its id
                       .pose = center,
                       .scale_m = numbers_of(object.box.size),
                       .color = {share(color.r), share(color.g), share(color.b), kOpacity}};
    markers.push_back(marker);
    marker.space = "names";
    marker.type = ros::Marker::kText;
    marker.scale_m = {0, 0, kTextHeightM};
    marker.color = {1, 1, 1, 1};
    marker.text = name;
    markers.push_back(std::move(marker));
  }
  return markers;
}

}  // namespace

ObjectMessages object_messages(const objects::FrameObjects& found, std::span<const std::uint32_t> ids,
                               const image::ClassMap& classes, const ros::MessageHeader& header) {
  const std::vector<ShownObject> shown = shown_objects(found, ids, classes);
  return {ros::write_message(detections_of(shown, classes, header)),
          ros::write_message(markers_of(shown, classes, header))};
}

}  // namespace fernwood::publish
