// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_topics.h"
#include "fernwood/core/error.h"
#include "fernwood/ros/node.h"

namespace fernwood::dataset {

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
      last_ = std::string(error.what()).substr(0, kMostShown);
      return false;
    }
  }
  /// A sentence about them; empty if none was skipped.
  std::string sentence() const {
    return count_ == 0 ? "" : "messages are skipped, " + std::to_string(count_) + " so far, the last: " + last_;
  }

 private:
  static constexpr std::size_t kMostShown = 500;  // names in messages may be of any length

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

}  // namespace fernwood::dataset
