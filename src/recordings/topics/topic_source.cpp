// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "recordings/topics/topic_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "dataset/files/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "recordings/bag/bag_cameras.h"
#include "recordings/bag/bag_recording.h"
#include "recordings/bag/bag_topics.h"
#include "recordings/source/recording.h"

namespace fernwood::recordings {

namespace {

double seconds_between(const StampedImage& a, const StampedImage& b) {
  constexpr double kNsPerSecond = 1e9;
  return std::abs(static_cast<double>(a.stamp_ns - b.stamp_ns)) / kNsPerSecond;
}

}  // namespace

// In order of arrival, not by stamp: if stamps jump back, as when a recording restarts, older images are dropped in
// time.
void StampPairs::add(std::deque<StampedImage>& images, StampedImage image) {
  images.push_back(std::move(image));
  if (images.size() > kNewest) images.pop_front();
}

std::optional<StampedPair> StampPairs::take() {
  for (auto color = colors_.rbegin(); color != colors_.rend() && !depths_.empty(); ++color) {
    const auto depth = std::ranges::min_element(
        depths_, {}, [&](const StampedImage& image) { return seconds_between(*color, image); });
    if (seconds_between(*color, *depth) > kMaxPairDifferenceS) continue;
    StampedPair pair{std::move(*color), std::move(*depth)};
    colors_.erase(colors_.begin(), color.base());
    depths_.erase(depths_.begin(), depth + 1);
    return pair;
  }
  return std::nullopt;
}

std::optional<double> StampPairs::least_difference_s() const {
  std::optional<double> least;
  for (const StampedImage& color : colors_)
    for (const StampedImage& depth : depths_)
      least = std::min(least.value_or(seconds_between(color, depth)), seconds_between(color, depth));
  return least;
}

namespace {

constexpr const char* kName = "ROS 2 topics";

class TopicSource final : public FrameSource {
 public:
  TopicSource(std::shared_ptr<ros::Node> node, const TopicRequest& request, const ListenTimes& times)
      : node_(std::move(node)), heard_(listen(*node_, kName, request, times, stopped_)), frames_(*heard_.bag, request) {
    FrameTree tree;
    for (const std::size_t topic : transform_topics(*heard_.bag))
      for (const BagMessage& message : heard_.bag->messages(topic)) add_transforms(*heard_.bag, topic, message, tree);
    tree.sort_by_time();
    frames_.read_cameras(*heard_.bag, tree);
    if (frames_.chosen().color) color_ = std::move(heard_.topics[frames_.chosen().color->topic].subscription);
    if (frames_.chosen().depth) depth_ = std::move(heard_.topics[frames_.chosen().depth->topic].subscription);
    warnings_ = frames_.notes();
    skipped_ = std::move(heard_.skipped);
    tell_skipped();
    for (const std::string& sentence : node_->incompatible()) warnings_.push_back(sentence);
    heard_ = {};  // unsubscribes the other topics
  }

  std::optional<CapturedFrame> next() override {
    constexpr double kLookS = 0.1;
    const double since = seconds_now();
    for (; !stopped_; node_->wait(kLookS)) {
      if (color_) collect(*color_, [&](StampedImage image) { pairs_.add_color(std::move(image)); });
      if (depth_) collect(*depth_, [&](StampedImage image) { pairs_.add_depth(std::move(image)); });
      if (auto frame = newest()) return frame;
      FW_CHECK(seconds_now() - since < kTimeoutS, Device, name() << ": " << why_nothing());
    }
    return std::nullopt;
  }
  void stop() override {
    stopped_ = true;
    node_->wake();
  }
  bool has_color() const override { return frames_.has_color(); }
  bool has_depth() const override { return frames_.has_depth(); }
  bool has_camera() const override { return frames_.config().has_camera(); }
  bool is_live() const override { return true; }
  std::string name() const override { return kName; }
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  static constexpr double kTimeoutS = 4;  // less than CaptureOptions::stall_timeout_s, whose message is less specific

  bool has_both() const { return color_ && depth_; }

  /// All messages that have arrived; for a single topic only the newest, which needs no partner.
  template <typename Add>
  void collect(ros::Subscription& subscription, Add add) {
    while (auto message = subscription.take())
      skipped_.use([&] {
        StampedImage image{ros::read_stamp({*message, ros::MessageCoding::kCdr, name()}), std::move(*message)};
        if (has_both())
          add(std::move(image));
        else
          single_ = std::move(image);
      });
  }

  std::optional<CapturedFrame> newest() {
    if (has_both()) {
      const auto pair = pairs_.take();
      return pair ? decode(&pair->color, &pair->depth) : std::nullopt;
    }
    const auto single = std::exchange(single_, std::nullopt);
    if (!single) return std::nullopt;
    return color_ ? decode(&*single, nullptr) : decode(nullptr, &*single);
  }

  /// Empty if an image cannot be read, or is of another size than at the beginning: the next one may be intact.
  std::optional<CapturedFrame> decode(const StampedImage* color, const StampedImage* depth) {
    const auto coded = [](const StampedImage* image,
                          const std::optional<ImageTopic>& topic) -> std::optional<ros::CodedMessage> {
      if (image == nullptr) return std::nullopt;
      ros::CodedMessage message{image->message, ros::MessageCoding::kCdr, topic->name};
      const dataset::FrameSize size = kind_of_image(topic->type, message).size, &first = topic->kind.size;
      FW_CHECK(size.rows == 0 || (size.rows == first.rows && size.cols == first.cols), Data,
               topic->name << ": an image is " << dataset::size_text(size.cols, size.rows)
                           << " pixels, they began with " << dataset::size_text(first.cols, first.rows)
                           << "; start again if the camera changed");
      return message;
    };
    std::optional<CapturedFrame> captured;
    skipped_.use([&] {
      const auto coded_color = coded(color, frames_.chosen().color), coded_depth = coded(depth, frames_.chosen().depth);
      auto frame = std::make_shared<image::Frame>(
          frames_.decode(coded_color ? &*coded_color : nullptr, coded_depth ? &*coded_depth : nullptr));
      const std::int64_t stamp_ns = (color != nullptr ? color : depth)->stamp_ns;
      constexpr double kNsPerSecond = 1e9;
      const double time_s = stamp_ns != 0 ? static_cast<double>(stamp_ns) / kNsPerSecond : seconds_now();
      captured = CapturedFrame{std::move(frame), time_s,   "frame " + std::to_string(count_++),
                               std::nullopt,     stamp_ns, frames_.main().kind.frame_id};
    });
    tell_skipped();
    return captured;
  }

  void tell_skipped() {
    if (has_told_skipped_ || skipped_.sentence().empty()) return;
    has_told_skipped_ = true;
    warnings_.push_back(std::string(kName) + ": " + skipped_.sentence());
  }

  std::string why_nothing() const {
    std::string text =
        frames_.main().name + (has_both() ? " and " + frames_.chosen().depth->name : "") + " give no frame any more";
    if (const std::string skipped = skipped_.sentence(); !skipped.empty()) return text + " (" + skipped + ")";
    if (has_both() && color_->num_publishers() > 0 && depth_->num_publishers() > 0)
      if (const auto difference_s = pairs_.least_difference_s())
        return text + ": their stamps are " + format_text("%.3g", *difference_s) +
               " s apart at least; let both cameras' drivers use one clock";
    return text + "; look at the camera's node, and whether it still publishes them";
  }

  std::shared_ptr<ros::Node> node_;
  std::atomic<bool> stopped_ = false;
  HeardTopics heard_;
  TopicFrames frames_;
  std::unique_ptr<ros::Subscription> color_, depth_;
  StampPairs pairs_;
  std::optional<StampedImage> single_;
  SkippedMessages skipped_;
  std::vector<std::string> warnings_;
  bool has_told_skipped_ = false;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> open_topic_source(std::shared_ptr<ros::Node> node, const TopicRequest& request,
                                               const ListenTimes& times) {
  return std::make_unique<TopicSource>(std::move(node), request, times);
}

std::unique_ptr<FrameSource> open_topics(std::shared_ptr<ros::Node> node, const std::string& color,
                                         const std::string& depth) {
  return open_topic_source(std::move(node), {color, depth});
}

std::unique_ptr<FrameSource> open_ros_source(const std::string& place) {
  const BagPlace parsed = parse_bag_place(place);
  FW_CHECK(parsed.path.empty(), Usage,
           "the source ros:" << place << " has \"" << parsed.path.string()
                             << "\" after the colon; use ros:, or ros:?color=TOPIC&depth=TOPIC");
  return open_topic_source(ros::open_node(), parsed.topics);
}

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
