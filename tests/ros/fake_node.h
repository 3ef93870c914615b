// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/ros/node.h"

namespace fernwood::ros {

/// Topics within a process, in place of a middleware: messages sent before a subscription are lost, except on latched
/// topics.
class FakeNode final : public Node {
 public:
  struct Topic {
    std::string type;
    std::vector<EncodedMessage> sent;  ///< All messages, for inspection by tests.
    EncodedMessage latched;
    std::vector<std::weak_ptr<std::deque<EncodedMessage>>> queues;
  };

  std::unique_ptr<Publisher> advertise(const std::string& topic, std::string_view type, Qos qos) override {
    const std::scoped_lock lock(mutex_);
    topics_[topic].type = type;
    return std::make_unique<FakePublisher>(*this, topic, std::string(type), qos);
  }
  std::unique_ptr<Subscription> subscribe(const std::string& topic, std::string_view, Qos) override {
    const std::scoped_lock lock(mutex_);
    auto queue = std::make_shared<std::deque<EncodedMessage>>();
    Topic& entry = topics_[topic];
    if (!entry.latched.empty()) queue->push_back(entry.latched);
    entry.queues.push_back(queue);
    return std::make_unique<FakeSubscription>(*this, queue);
  }
  std::vector<RemoteTopic> topics() const override {
    const std::scoped_lock lock(mutex_);
    std::vector<RemoteTopic> found;
    for (const auto& [name, topic] : topics_)
      if (!topic.type.empty()) found.push_back({name, topic.type});
    return found;
  }
  bool wait(double seconds) override {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return has_news_; });
    return std::exchange(has_news_, false);
  }
  void wake() override { notify(); }

  /// Publishes a message as another node would.
  void send(const std::string& topic, std::string_view type, const EncodedMessage& message, bool latched = false) {
    {
      const std::scoped_lock lock(mutex_);
      Topic& entry = topics_[topic];
      entry.type = type;
      entry.sent.push_back(message);
      if (latched) entry.latched = message;
      for (const auto& queue : entry.queues)
        if (const auto open = queue.lock()) open->push_back(message);
    }
    notify();
  }
  std::vector<EncodedMessage> sent(const std::string& topic) const {
    const std::scoped_lock lock(mutex_);
    const auto found = topics_.find(topic);
    return found == topics_.end() ? std::vector<EncodedMessage>{} : found->second.sent;
  }
  std::size_t num_subscribers(const std::string& topic) const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    if (const auto found = topics_.find(topic); found != topics_.end())
      for (const auto& queue : found->second.queues) count += queue.expired() ? 0 : 1;
    return count;
  }

 private:
  class FakePublisher final : public Publisher {
   public:
    FakePublisher(FakeNode& node, std::string topic, std::string type, Qos qos)
        : node_(node), topic_(std::move(topic)), type_(std::move(type)), qos_(qos) {}
    bool publish(std::span<const std::uint8_t> message) override {
      node_.send(topic_, type_, {message.begin(), message.end()}, qos_ == Qos::kLatched);
      return true;
    }
    std::size_t num_subscribers() const override { return node_.num_subscribers(topic_); }

   private:
    FakeNode& node_;
    std::string topic_, type_;
    Qos qos_;
  };
  class FakeSubscription final : public Subscription {
   public:
    FakeSubscription(FakeNode& node, std::shared_ptr<std::deque<EncodedMessage>> queue)
        : node_(node), queue_(std::move(queue)) {}
    std::optional<EncodedMessage> take() override {
      const std::scoped_lock lock(node_.mutex_);
      if (queue_->empty()) return std::nullopt;
      EncodedMessage message = std::move(queue_->front());
      queue_->pop_front();
      return message;
    }
    std::size_t num_publishers() const override { return 1; }

   private:
    FakeNode& node_;
    std::shared_ptr<std::deque<EncodedMessage>> queue_;
  };

  void notify() {
    {
      const std::scoped_lock lock(mutex_);
      has_news_ = true;
    }
    arrived_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::string, Topic> topics_;
  bool has_news_ = false;
};

}  // namespace fernwood::ros
