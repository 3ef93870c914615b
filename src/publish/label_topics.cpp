// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/image/camera.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/ros/node.h"

namespace fernwood::publish {

namespace {

constexpr std::string_view kNamespace = "__ns";

/// The absolute name of a topic, as ROS resolves names.
std::string from_root(const std::string& name, const std::string& space) {
  return name.starts_with('/') ? name : space + "/" + name;
}

struct RemapRule {
  std::string from, to;
};

RemapRule parse_rule(const std::string& rule) {
  const std::size_t middle = rule.find(":=");
  FW_CHECK(middle != std::string::npos && middle > 0 && middle + 2 < rule.size(), Usage,
           "the rule \"" << rule << "\" is not FROM:=TO, as /segmentation/mask:=/robot/mask or __ns:=/robot");
  return {rule.substr(0, middle), rule.substr(middle + 2)};
}

void check_name(const std::string& name, const std::string& rule) {
  FW_CHECK(ros::is_topic_name(name), Usage,
           "the rule \"" << rule << "\" names " << name
                         << ", which ROS does not allow: behind each / come letters, digits and _, a letter first");
}

image::Camera camera_of(const image::Frame& frame) {
  const std::size_t cols = frame.depth_mm.cols(), rows = frame.depth_mm.rows();
  return frame.camera ? image::scaled(*frame.camera, cols, rows) : image::assumed_camera(cols, rows);
}

void put_point(const image::Vector3& place, std::uint8_t label, std::uint8_t confidence, std::uint8_t* point) {
  const float coordinates[3] = {place.x, place.y, place.z};
  std::memcpy(point + PointLayout::kX, coordinates, sizeof(coordinates));
  point[PointLayout::kClass] = label;
  point[PointLayout::kConfidence] = confidence;
}

}  // namespace

std::array<std::string*, 8> LabelTopics::all() {
  return {&mask, &confidence, &label_info, &overlay, &points, &map, &diagnostics, &parameters};
}

void LabelTopics::remap(const std::vector<std::string>& rules) {
  std::string space;
  for (const std::string& rule : rules)
    if (const auto [from, to] = parse_rule(rule); from == kNamespace) {
      check_name(to, rule);
      space = to;
    }
  std::set<const std::string*> renamed;
  LabelTopics defaults;
  for (const std::string& rule : rules) {
    const auto [from, to] = parse_rule(rule);
    if (from == kNamespace) continue;
    const std::string old_name = from_root(from, ""), new_name = from_root(to, space);
    check_name(new_name, rule);
    std::vector<std::string_view> names;
    for (const std::string* name : defaults.all()) names.push_back(*name);
    const auto found = std::ranges::find(names, old_name);
    FW_CHECK(found != names.end(), Usage,
             "the rule \"" << rule << "\" is of a topic that is not published" << did_you_mean(old_name, names)
                           << "; those are "
                           << join(names, ", ", [](std::string_view name) { return std::string(name); }));
    std::string* const topic = all()[static_cast<std::size_t>(found - names.begin())];
    *topic = new_name;
    renamed.insert(topic);
  }
  // /diagnostics is one topic for the nodes of all robots, whatever their namespaces.
  for (std::string* topic : all())
    if (!renamed.contains(topic) && topic != &diagnostics) *topic = space + *topic;
}

ParameterTopic::ParameterTopic(ros::Node& node, const std::string& topic)
    : topic_(topic), subscription_(node.subscribe(topic, ros::kStringType, ros::Qos::kReliable)) {}

std::vector<ParameterChange> ParameterTopic::take(std::vector<std::string>& problems) {
  constexpr std::size_t kMaxShown = 80;
  std::vector<ParameterChange> changes;
  while (const auto message = subscription_->take()) {
    try {
      const std::string text(ros::read_text({*message, ros::MessageCoding::kCdr, topic_}).data);
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        problems.push_back(topic_ + ": \"" + text.substr(0, kMaxShown) + "\" is not a NAME=VALUE, as smooth=80");
      else
        changes.push_back({text.substr(0, equals), text.substr(equals + 1)});
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  return changes;
}

std::vector<std::uint8_t> points_of(std::span<const map::MapPoint> points) {
  std::vector<std::uint8_t> bytes(points.size() * PointLayout::kBytes);
  std::uint8_t* at = bytes.data();
  for (const map::MapPoint& point : points) {
    const bool has_class = point.label != image::kVoid;
    put_point(point.place, has_class ? static_cast<std::uint8_t>(point.label) : recordings::kNoClass,
              recordings::confidence_level(point.probability), at);
    at += PointLayout::kBytes;
  }
  return bytes;
}

std::vector<std::uint8_t> points_of(const image::Frame& frame, const Array2<std::uint8_t>& mask,
                                    const Array2<std::uint8_t>& confidence) {
  const image::Camera camera = camera_of(frame);
  const std::size_t rows = frame.depth_mm.rows(), cols = frame.depth_mm.cols();
  std::vector<std::uint8_t> points(rows * cols * PointLayout::kBytes);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kMetresPerMm = 0.001f;
  std::uint8_t* point = points.data();
  for (std::size_t row = 0; row < rows; ++row) {
    const float ray_y = (static_cast<float>(row) - camera.cy) / camera.fy;
    for (std::size_t col = 0; col < cols; ++col, point += PointLayout::kBytes) {
      const std::uint16_t depth_mm = frame.depth_mm(row, col);
      const float z = depth_mm == 0 ? kNan : static_cast<float>(depth_mm) * kMetresPerMm;
      put_point({(static_cast<float>(col) - camera.cx) / camera.fx * z, ray_y * z, z}, mask(row, col),
                confidence.empty() ? std::uint8_t{0} : confidence(row, col), point);
    }
  }
  return points;
}

}  // namespace fernwood::publish
