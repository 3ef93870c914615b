// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// ROS 2 topics without ROS: publishing and subscribing through DDS under the names that ROS 2 uses. The middleware is
// contained in the plug-in dds (fernwood/core/plugin.h); this is its complete interface.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/ros/messages.h"

namespace fernwood::ros {

/// Quality of service, as in the profiles of ROS 2. A publisher must offer at least the quality that a subscriber
/// requests: reliable publishers also reach subscribers that request best effort.
enum class Qos {
  kSensorData,  ///< Best effort, the newest 5 messages.
  kReliable,    ///< Retransmitted until received, the newest 5 messages.
  kLatched,     ///< Reliable, and late subscribers receive the last message (transient local).
};

/// A topic published by another participant.
struct RemoteTopic {
  std::string name;  ///< "/camera/color/image_raw"
  std::string type;  ///< "sensor_msgs/Image"
  bool is_reliable = false;

  auto operator<=>(const RemoteTopic&) const = default;
};

class Publisher {
 public:
  virtual ~Publisher() = default;
  /// Publishes an encoded message. @return  False if it is lost because subscribers did not accept the previous
  /// messages in time.
  /// @throws Error(kRuntime) when the middleware rejects it.
  virtual bool publish(std::span<const std::uint8_t> message) = 0;
  virtual std::size_t num_subscribers() const = 0;
};

class Subscription {
 public:
  virtual ~Subscription() = default;
  /// Removes and returns the oldest received message; empty if there is none. @throws Error(kRuntime) when the
  /// middleware fails.
  virtual std::optional<EncodedMessage> take() = 0;
  virtual std::size_t num_publishers() const = 0;
};

/// A participant of a DDS domain. Publishers and subscriptions must be destroyed before it. May be used from any
/// thread.
class Node {
 public:
  virtual ~Node() = default;
  /// @param topic  "/camera/color/image_raw" @param type  "sensor_msgs/Image"
  /// @throws Error(kUsage) for a name that ROS does not allow, Error(kRuntime) when the middleware rejects the topic.
  virtual std::unique_ptr<Publisher> advertise(const std::string& topic, std::string_view type, Qos qos) = 0;
  virtual std::unique_ptr<Subscription> subscribe(const std::string& topic, std::string_view type, Qos qos) = 0;
  /// Topics currently published by others, sorted; discovery takes some tenths of a second.
  virtual std::vector<RemoteTopic> topics() const = 0;
  /// Waits until any subscription has received a message since the last call, wake() is called, or `seconds` have
  /// passed. @return  Whether a message was received.
  virtual bool wait(double seconds) = 0;
  /// A sentence for each topic whose publisher and subscriber, one of them of this node, found that their qualities of
  /// service do not fit, so that no message flows; in the order in which that happened.
  virtual std::vector<std::string> incompatible() const { return {}; }
  /// Makes wait() return.
  virtual void wake() = 0;
};

/// Options of a node. from_environment() reads the variables of ROS 2: ROS_DOMAIN_ID (default 0), ROS_LOCALHOST_ONLY
/// and ROS_AUTOMATIC_DISCOVERY_RANGE; the plug-in also reads CYCLONEDDS_URI.
struct NodeOptions {
  int domain_id = 0;
  bool localhost_only = false;
  static NodeOptions from_environment();  ///< @throws Error(kUsage) for values that ROS does not define.
};
/// Maximum ROS_DOMAIN_ID: the UDP ports of higher domains (7400 + 250 * ID and above) would exceed 65535.
inline constexpr int kMaxDomainId = 232;

/// The participant of this process in the domain, shared by all callers while any of them holds it.
/// @throws Error(kUsage) when the plug-in dds is missing, Error(kDevice) when no network can be used.
std::shared_ptr<Node> open_node(const NodeOptions& options = NodeOptions::from_environment());

/// Type of the plug-in's function fernwood_open_node.
using OpenNode = Node*(const NodeOptions& options);

// Names of ROS 2 topics and types in DDS (design.ros2.org, "Topic and Service name mapping to DDS"). The functions are
// inline, because plug-ins do not call functions of the program.

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
