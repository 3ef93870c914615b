// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A stand-in for the part of rclcpp that fernwood_ros uses: declarations only, as in Humble and later, to test
// compilation.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rcl_interfaces::msg {
struct SetParametersResult {
  bool successful;
  std::string reason;
};
}  // namespace rcl_interfaces::msg

namespace rclcpp {

class QoS {
 public:
  QoS(std::size_t history_depth);  // NOLINT: implicit as in rclcpp
  QoS& reliable();
  QoS& transient_local();
};
class SensorDataQoS : public QoS {
 public:
  SensorDataQoS();
};

struct rcl_serialized_message_t {
  std::uint8_t* buffer;
  std::size_t buffer_length;
  std::size_t buffer_capacity;
};
class SerializedMessage {
 public:
  explicit SerializedMessage(std::size_t initial_capacity);
  rcl_serialized_message_t& get_rcl_serialized_message();
  const rcl_serialized_message_t& get_rcl_serialized_message() const;
};

class GenericPublisher {
 public:
  void publish(const SerializedMessage& message);
  std::size_t get_subscription_count() const;
};
class GenericSubscription {
 public:
  std::size_t get_publisher_count() const;
};

class Logger {};

class Parameter {
 public:
  const std::string& get_name() const;
  std::string as_string() const;
};

class Node {
 public:
  explicit Node(const std::string& name);
  std::shared_ptr<GenericPublisher> create_generic_publisher(const std::string& topic, const std::string& type,
                                                             const QoS& qos);
  std::shared_ptr<GenericSubscription> create_generic_subscription(
      const std::string& topic, const std::string& type, const QoS& qos,
      std::function<void(std::shared_ptr<SerializedMessage>)> callback);
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  std::size_t count_publishers(const std::string& topic) const;
  Logger get_logger() const;
  template <typename Value>
  Value declare_parameter(const std::string& name, const Value& default_value);
  std::shared_ptr<void> add_on_set_parameters_callback(
      std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter>&)> callback);
};

void init(int argc, char** argv);
bool ok();
bool shutdown();
void spin(std::shared_ptr<Node> node);

}  // namespace rclcpp

#define RCLCPP_INFO(logger, ...) static_cast<void>(logger), std::printf(__VA_ARGS__)
#define RCLCPP_WARN(logger, ...) static_cast<void>(logger), std::printf(__VA_ARGS__)
#define RCLCPP_ERROR(logger, ...) static_cast<void>(logger), std::printf(__VA_ARGS__)
#define RCLCPP_FATAL(logger, ...) static_cast<void>(logger), std::printf(__VA_ARGS__)
