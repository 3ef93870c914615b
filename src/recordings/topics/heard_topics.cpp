// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/topics/topic_source.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::recordings {

namespace {

/// Messages in memory with the interface of a file.
class HeardMessages final : public BagFile {
 public:
  void add(const BagTopic& topic, const ros::EncodedMessage& message) {
    index_.add({index_.index_of(topic), MessagePlace::kNoChunk, messages_.size(), 0}, topic.name);
    messages_.push_back(message);
  }
  MessageBytes read(const MessagePlace& place, std::size_t most_bytes) const override {
    const ros::EncodedMessage& message = messages_[static_cast<std::size_t>(place.offset)];
    return {nullptr, {message.data(), std::min(message.size(), most_bytes)}};
  }

 private:
  std::vector<ros::EncodedMessage> messages_;
};

bool is_image(std::string_view type) { return type == ros::kImageType || type == ros::kCompressedImageType; }

/// @throws Error for a message that is damaged or not plausible.
void check_message(const BagTopic& topic, const ros::EncodedMessage& bytes) {
  const ros::CodedMessage message{bytes, ros::MessageCoding::kCdr, topic.name};
  if (topic.type == ros::kCameraInfoType) ros::read_camera_info(message);
  if (topic.type == ros::kTransformsType)
    for (const ros::Transform& transform : ros::read_transforms(message))
      for (const std::span<const double> numbers :
           {std::span<const double>(transform.translation_m), std::span<const double>(transform.rotation)})
        FW_CHECK(std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }), Data,
                 topic.name << ": a transform is not finite; look at its publisher");
  if (topic.type == ros::kImageType) ros::read_image(message);
  if (topic.type == ros::kCompressedImageType) ros::read_compressed_image(message);
}

class Listening {
 public:
  Listening(ros::Node& node, const std::string& name, const TopicRequest& request, const ListenTimes& times)
      : node_(node), name_(name), request_(request), times_(times), began_(seconds_now()) {}

  /// Whether to continue listening.
  bool go_on() {
    subscribe();
    node_.wait(times_.look_s);
    for (std::size_t i = 0; i < topics_.size(); ++i) hear(i);
    if (has_images() && !images_at_) images_at_ = seconds_now();
    if (images_at_) return !has_settled() && seconds_now() - *images_at_ < times_.settle_s;
    FW_CHECK(seconds_now() - began_ < times_.first_s, Device, name_ << ": " << why_nothing());
    return true;
  }

  HeardTopics finish() {
    auto messages = std::make_unique<HeardMessages>();
    for (std::size_t i = 0; i < topics_.size(); ++i)
      for (const ros::EncodedMessage& message : heard_[i]) messages->add(topics_[i].topic, message);
    HeardTopics result{std::make_unique<const Bag>(name_, std::move(messages)), {}, std::move(skipped_)};
    for (const BagTopic& topic : result.bag->topics())
      result.topics.push_back(std::move(*std::ranges::find(topics_, topic, &HeardTopic::topic)));
    return result;
  }

 private:
  bool is_asked_for(const BagTopic& topic) const {
    if (!is_wanted(topic) || topic.type == ros::kOldTransformsType) return false;
    return !is_image(topic.type) || request_.is_guess() || topic.name == request_.color || topic.name == request_.depth;
  }
  void subscribe() {
    for (const ros::RemoteTopic& remote : node_.topics()) {
      const BagTopic topic{remote.name, remote.type, ros::MessageCoding::kCdr};
      if (!is_asked_for(topic) || std::ranges::find(topics_, topic, &HeardTopic::topic) != topics_.end()) continue;
      const ros::Qos qos = topic.name.ends_with("tf_static") ? ros::Qos::kLatched : ros::Qos::kSensorData;
      topics_.push_back({topic, node_.subscribe(topic.name, topic.type, qos)});
      heard_.emplace_back();
      news_at_ = seconds_now();
    }
  }
  /// Keeps the newest message of an image or camera topic, so that a strange one does not count; transforms come in
  /// many messages.
  void hear(std::size_t i) {
    constexpr std::size_t kMaxTransforms = 4096;
    const BagTopic& topic = topics_[i].topic;
    const std::size_t most = topic.type == ros::kTransformsType ? kMaxTransforms : 1;
    while (auto message = topics_[i].subscription->take()) {
      if (!skipped_.use([&] { check_message(topic, *message); })) continue;
      if (is_image(topic.type) && !heard_[i].empty() &&
          kind_of_image(topic.type, {*message, ros::MessageCoding::kCdr, topic.name}).content == ImageContent::kOther)
        continue;  // it cannot become a frame
      if (most == 1) heard_[i].clear();
      if (heard_[i].size() < most) heard_[i].push_back(std::move(*message));
    }
  }
  bool has_heard(const std::string& topic) const {
    for (std::size_t i = 0; i < topics_.size(); ++i)
      if (topics_[i].topic.name == topic && is_image(topics_[i].topic.type) && !heard_[i].empty()) return true;
    return false;
  }
  bool has_images() const {
    if (!request_.is_guess())
      return (request_.color.empty() || has_heard(request_.color)) &&
             (request_.depth.empty() || has_heard(request_.depth));
    return std::ranges::any_of(topics_, [&](const HeardTopic& heard) { return has_heard(heard.topic.name); });
  }
  /// No topic was added recently, and each topic has sent a message.
  bool has_settled() const {
    const auto is_empty = [](const auto& messages) { return messages.empty(); };
    return seconds_now() - news_at_ >= times_.quiet_s && std::ranges::none_of(heard_, is_empty);
  }

  std::string why_nothing() const {
    const std::vector<ros::RemoteTopic> published = node_.topics();
    std::string asked =
        request_.color + (request_.color.empty() || request_.depth.empty() ? "" : " and ") + request_.depth;
    const std::string what = request_.is_guess() ? "no topic has sent an image" : "no image has come on " + asked;
    if (published.empty())
      return what + " within " + format_text("%g", times_.first_s) +
             " s, and nothing is published in this domain; start the camera's node, and give both the same "
             "ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY and network";
    constexpr std::size_t kMaxListed = 12;
    const std::span some(published.data(), std::min(published.size(), kMaxListed));
    return what + " within " + format_text("%g", times_.first_s) + " s; published are " +
           join(some, ", ", [](const ros::RemoteTopic& topic) { return topic.name + " (" + topic.type + ")"; }) +
           (some.size() < published.size() ? " ..." : "") +
           "; name topics of sensor_msgs/Image or CompressedImage by ros:?color=TOPIC&depth=TOPIC";
  }

  ros::Node& node_;
  const std::string& name_;
  const TopicRequest& request_;
  const ListenTimes& times_;
  double began_, news_at_ = 0;
  std::optional<double> images_at_;
  std::vector<HeardTopic> topics_;
  std::vector<std::vector<ros::EncodedMessage>> heard_;  // [topic]
  SkippedMessages skipped_;
};

}  // namespace

HeardTopics listen(ros::Node& node, const std::string& name, const TopicRequest& request, const ListenTimes& times,
                   const std::atomic<bool>& stop) {
  Listening listening(node, name, request, times);
  while (!stop && listening.go_on()) {
  }
  return listening.finish();
}

}  // namespace fernwood::recordings
