// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "rclcpp_node.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

namespace fernwood_ros {

namespace {

namespace ros = fernwood::ros;

constexpr std::size_t kNewest = 5;

rclcpp::QoS qos_of(ros::Qos qos) {
  if (qos == ros::Qos::kSensorData) return rclcpp::SensorDataQoS();
  if (qos == ros::Qos::kLatched) return rclcpp::QoS(1).reliable().transient_local();
  return rclcpp::QoS(kNewest).reliable();
}

class RclcppPublisher final : public ros::Publisher {
 public:
  explicit RclcppPublisher(std::shared_ptr<rclcpp::GenericPublisher> publisher) : publisher_(std::move(publisher)) {}
  bool publish(std::span<const std::uint8_t> message) override {
    rclcpp::SerializedMessage serialized(message.size());
    auto& raw = serialized.get_rcl_serialized_message();
    std::memcpy(raw.buffer, message.data(), message.size());
    raw.buffer_length = message.size();
    publisher_->publish(serialized);
    return true;
  }
  std::size_t num_subscribers() const override { return publisher_->get_subscription_count(); }

 private:
  std::shared_ptr<rclcpp::GenericPublisher> publisher_;
};

/// What an executor's thread puts in and the source takes out.
struct Queue {
  std::mutex mutex;
  std::deque<ros::EncodedMessage> messages;
};

class RclcppSubscription final : public ros::Subscription {
 public:
  RclcppSubscription(std::shared_ptr<rclcpp::GenericSubscription> subscription, std::shared_ptr<Queue> queue)
      : subscription_(std::move(subscription)), queue_(std::move(queue)) {}
  std::optional<ros::EncodedMessage> take() override {
    const std::scoped_lock lock(queue_->mutex);
    if (queue_->messages.empty()) return std::nullopt;
    ros::EncodedMessage message = std::move(queue_->messages.front());
    queue_->messages.pop_front();
    return message;
  }
  std::size_t num_publishers() const override { return subscription_->get_publisher_count(); }

 private:
  std::shared_ptr<rclcpp::GenericSubscription> subscription_;
  std::shared_ptr<Queue> queue_;
};

/// Wakes who waits for messages.
struct Bell {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_message = false, is_woken = false;

  void ring(bool by_message) {
    {
      const std::scoped_lock lock(mutex);
      (by_message ? has_message : is_woken) = true;
    }
    changed.notify_all();
  }
};

class RclcppNode final : public ros::Node {
 public:
  explicit RclcppNode(rclcpp::Node& node) : node_(node) {}

  std::unique_ptr<ros::Publisher> advertise(const std::string& topic, std::string_view type, ros::Qos qos) override {
    return std::make_unique<RclcppPublisher>(node_.create_generic_publisher(topic, ros::full_type(type), qos_of(qos)));
  }
  std::unique_ptr<ros::Subscription> subscribe(const std::string& topic, std::string_view type, ros::Qos qos) override {
    auto queue = std::make_shared<Queue>();
    const auto put = [queue, bell = bell_](std::shared_ptr<rclcpp::SerializedMessage> message) {
      const auto& raw = message->get_rcl_serialized_message();
      {
        const std::scoped_lock lock(queue->mutex);
        queue->messages.emplace_back(raw.buffer, raw.buffer + raw.buffer_length);
        if (queue->messages.size() > kNewest) queue->messages.pop_front();
      }
      bell->ring(true);
    };
    return std::make_unique<RclcppSubscription>(
        node_.create_generic_subscription(topic, ros::full_type(type), qos_of(qos), put), queue);
  }
  std::vector<ros::RemoteTopic> topics() const override {
    std::vector<ros::RemoteTopic> topics;
    for (const auto& [name, types] : node_.get_topic_names_and_types())
      for (const std::string& type : types)
        if (node_.count_publishers(name) > 0) topics.push_back({name, ros::plain_type(type)});
    return topics;
  }
  bool wait(double seconds) override {
    std::unique_lock lock(bell_->mutex);
    bell_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                            [&] { return bell_->has_message || bell_->is_woken; });
    bell_->is_woken = false;
    return std::exchange(bell_->has_message, false);
  }
  void wake() override { bell_->ring(false); }

 private:
  rclcpp::Node& node_;
  std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
};

}  // namespace

std::unique_ptr<fernwood::ros::Node> wrap(rclcpp::Node& node) { return std::make_unique<RclcppNode>(node); }

}  // namespace fernwood_ros
