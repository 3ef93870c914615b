// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Names of ROS 2 topics and types in DDS (design.ros2.org, "Topic and Service name mapping to DDS"). The functions are
// inline, because plug-ins do not call functions of the program.

#include <string>
#include <string_view>

namespace fernwood::ros {

inline constexpr std::string_view kTopicPrefix = "rt", kTypeMiddle = "::msg::dds_::";

/// Whether ROS allows an absolute topic name: "/", letters, digits and "_", without a digit directly after a "/".
inline bool is_topic_name(std::string_view topic) {
  if (!topic.starts_with('/') || topic.ends_with('/')) return false;
  for (std::size_t i = 1; i < topic.size(); ++i) {
    const bool is_first = topic[i - 1] == '/';
    const char c = topic[i];
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_letter && !(is_digit && !is_first) && !(c == '/' && !is_first)) return false;
  }
  return true;
}

/// Converts "/camera/image" to "rt/camera/image".
inline std::string dds_topic(std::string_view topic) { return std::string(kTopicPrefix) + std::string(topic); }

/// Converts "sensor_msgs/Image" to "sensor_msgs::msg::dds_::Image_".
inline std::string dds_type(std::string_view type) {
  const std::size_t middle = type.find('/');
  return std::string(type.substr(0, middle)) + std::string(kTypeMiddle) + std::string(type.substr(middle + 1)) + "_";
}

/// The inverse of dds_topic(); empty for a topic that is not of ROS.
inline std::string topic_of_dds(std::string_view topic) {
  if (!topic.starts_with(kTopicPrefix)) return "";
  topic.remove_prefix(kTopicPrefix.size());
  return is_topic_name(topic) ? std::string(topic) : "";
}

/// The inverse of dds_type(); empty for a type that is not of ROS.
inline std::string type_of_dds(std::string_view type) {
  const std::size_t middle = type.find(kTypeMiddle);
  if (middle == std::string_view::npos || !type.ends_with('_')) return "";
  const std::string_view name = type.substr(middle + kTypeMiddle.size());
  return std::string(type.substr(0, middle)) + "/" + std::string(name.substr(0, name.size() - 1));
}

}  // namespace fernwood::ros
