// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/ros/messages.h"
#include "fernwood/ros/node.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_topics.h"

namespace fernwood::recordings {

/// How long to listen before frames begin, in seconds.
struct ListenTimes {
  double first_s = 10;    ///< Limit for topics with images to appear and send one.
  double settle_s = 1.5;  ///< Limit after the first images, for cameras and coordinate frames.
  double quiet_s = 0.4;   ///< Time without a new topic after which no more are expected.
  double look_s = 0.05;   ///< Between checks for published topics.
};

/// Messages that are skipped, because they are damaged or not plausible: anybody on the network may send such.
class SkippedMessages {
 public:
  /// Uses a message by `work`. @return  False if that threw an Error: the message is skipped.
  template <typename Work>
  bool use(const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      ++count_;
      last_ = std::string(error.what()).substr(0, kMaxShown);
      return false;
    }
  }
  /// A sentence about them; empty if none was skipped.
  std::string sentence() const {
    return count_ == 0 ? "" : "messages are skipped, " + std::to_string(count_) + " so far, the last: " + last_;
  }

 private:
  static constexpr std::size_t kMaxShown = 500;  // names in messages may be of any length

  std::size_t count_ = 0;
  std::string last_;
};

/// A subscribed topic.
struct HeardTopic {
  BagTopic topic;
  std::unique_ptr<ros::Subscription> subscription;
};

/// The first messages of the topics of a domain in the form of a recording, so that topics and cameras are chosen as
/// for a file.
struct HeardTopics {
  std::unique_ptr<const Bag> bag;
  std::vector<HeardTopic> topics;  ///< In the order of `bag`.
  SkippedMessages skipped = {};
};

/// Listens until the requested topics, or those with images, and their cameras have sent a message.
/// @param stop  Ends listening early, with the messages received so far.
/// @throws Error(kDevice) if nothing arrives in time, naming the published topics.
HeardTopics listen(ros::Node& node, const std::string& name, const TopicRequest& request, const ListenTimes& times,
                   const std::atomic<bool>& stop);

/// An image message and the stamp of its header.
struct StampedImage {
  std::int64_t stamp_ns = 0;
  ros::EncodedMessage message;
};

struct StampedPair {
  StampedImage color, depth;
};

/// Pairs colour and depth of two topics, which arrive in any order, by their stamps. Keeps the newest of each.
class StampPairs {
 public:
  void add_color(StampedImage image) { add(colors_, std::move(image)); }
  void add_depth(StampedImage image) { add(depths_, std::move(image)); }
  /// The newest colour image with a depth image within kMaxPairDifferenceS, with the nearest; both, and all images
  /// before them, are removed.
  std::optional<StampedPair> take();
  /// The minimum difference in seconds, if images of both kinds have arrived and no two belong together; else empty.
  std::optional<double> least_difference_s() const;

 private:
  static constexpr std::size_t kNewest = 16;  // half a second
  static void add(std::deque<StampedImage>& images, StampedImage image);

  std::deque<StampedImage> colors_, depths_;
};

/// Frames from the topics of a node: colour and depth as chosen by choose_topics(), paired by their stamps. Only the
/// newest frame is returned, and messages that cannot be read are skipped.
/// @throws Error(kDevice) if no images arrive in time; as choose_topics() and align_topics().
std::unique_ptr<FrameSource> open_topic_source(std::shared_ptr<ros::Node> node, const TopicRequest& request,
                                               const ListenTimes& times = {});

/// Opens "ros:" with the rest of the URL: "?color=TOPIC&depth=TOPIC". @throws Error(kUsage) for anything else.
std::unique_ptr<FrameSource> open_ros_source(const std::string& place);

}  // namespace fernwood::recordings
