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

}  // namespace fernwood::ros
