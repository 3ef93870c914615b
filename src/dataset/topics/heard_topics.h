// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/bag_topics.h"
#include "fernwood/ros/node.h"

namespace fernwood::dataset {

/// How long is listened before frames begin.
struct ListenTimes {
  double first_s = 10;    ///< For topics with images to appear and send one.
  double settle_s = 1.5;  ///< After the first images, for cameras and coordinate frames, at most.
  double quiet_s = 0.4;   ///< Without a new topic, after which no more are expected.
  double look_s = 0.05;   ///< Between looks at what is published.
};

/// A topic that is subscribed.
struct HeardTopic {
  BagTopic topic;
  std::unique_ptr<ros::Subscription> subscription;
};

/// The topics of a domain as the recording that their first messages are, by which frames' topics and cameras are
/// chosen as those of a file.
struct HeardTopics {
  std::unique_ptr<const Bag> bag;
  std::vector<HeardTopic> topics;  ///< As `bag` has them.
};

/// Listens until the topics asked for, or those with images, have sent a message, and so have the cameras beside them.
/// @param stop  Ends it early, with what was heard.
/// @throws Error(kDevice) where nothing comes in time, with what is published.
HeardTopics listen(ros::Node& node, const std::string& name, const TopicRequest& request, const ListenTimes& times,
                   const std::atomic<bool>& stop);

}  // namespace fernwood::dataset
