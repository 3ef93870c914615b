// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Topics of ROS 2 without ROS: what publishes and subscribes by DDS under the names that ROS 2 uses. The middleware
// itself is the plug-in dds (fernwood/core/plugin.h); this is all that fernwood knows of it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/ros/messages.h"

namespace fernwood::ros {

/// Quality of service, as the profiles of ROS 2 have it. Who publishes must offer at least what the subscriber asks:
/// reliable ones also reach those that ask for best effort.
enum class Qos {
  kSensorData,  ///< Best effort, the newest 5 messages.
  kReliable,    ///< Sent again until it has arrived, the newest 5.
  kLatched,     ///< Reliable, and the last one is given to subscribers that come later (transient local).
};

/// A topic that a participant elsewhere publishes.
struct RemoteTopic {
  std::string name;  ///< "/camera/color/image_raw"
  std::string type;  ///< "sensor_msgs/Image"
  bool is_reliable = false;

  auto operator<=>(const RemoteTopic&) const = default;
};

class Publisher {
 public:
  virtual ~Publisher() = default;
  /// @return  False where subscribers did not take the messages before this one in time, and this one is lost.
  /// @throws Error(kRuntime) where the middleware refuses it.
  virtual bool publish(std::span<const std::uint8_t> message) = 0;
  virtual std::size_t num_subscribers() const = 0;
};

class Subscription {
 public:
  virtual ~Subscription() = default;
  /// The oldest message that was not taken yet; nothing where there is none. @throws Error(kRuntime) likewise.
  virtual std::optional<EncodedMessage> take() = 0;
  virtual std::size_t num_publishers() const = 0;
};

/// A participant of a DDS domain. Publishers and subscriptions end before it. From any thread.
class Node {
 public:
  virtual ~Node() = default;
  /// @param topic  "/name/of/it" @param type  "sensor_msgs/Image" @throws Error(kUsage) for a name that ROS does not
  /// allow, Error(kRuntime) where the middleware refuses it.
  virtual std::unique_ptr<Publisher> advertise(const std::string& topic, std::string_view type, Qos qos) = 0;
  virtual std::unique_ptr<Subscription> subscribe(const std::string& topic, std::string_view type, Qos qos) = 0;
  /// What others publish now, sorted; they are discovered within some tenths of a second.
  virtual std::vector<RemoteTopic> topics() const = 0;
  /// Waits until a message has come for any subscription since the last call, wake() is called, or so many seconds are
  /// over. @return  Whether a message has come.
  virtual bool wait(double seconds) = 0;
  virtual void wake() = 0;
};

/// By the environment, as ROS 2 has it: ROS_DOMAIN_ID (0), ROS_LOCALHOST_ONLY, ROS_AUTOMATIC_DISCOVERY_RANGE,
/// CYCLONEDDS_URI.
struct NodeOptions {
  int domain_id = 0;
  bool localhost_only = false;
  static NodeOptions from_environment();  ///< @throws Error(kUsage) for values that ROS does not know.
};
/// Most of ROS_DOMAIN_ID: beyond it the ports of a domain would be those of programs that connect.
inline constexpr int kMaxDomainId = 232;

/// The participant of this process in the domain: the same for all who ask while one of them keeps it.
/// @throws Error(kUsage) where the plug-in dds is not there, Error(kDevice) where no network can be used.
std::shared_ptr<Node> open_node(const NodeOptions& options = NodeOptions::from_environment());

/// The plug-in's fernwood_open_node.
using OpenNode = Node*(const NodeOptions& options);

}  // namespace fernwood::ros
