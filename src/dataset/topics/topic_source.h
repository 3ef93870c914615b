// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>

#include "dataset/bag/bag_topics.h"
#include "dataset/topics/heard_topics.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/ros/node.h"

namespace fernwood::dataset {

/// Frames of the topics of a node: colour and depth as choose_topics() finds them, joined by their stamps; the newest
/// counts, and messages that cannot be read are left out.
/// @throws Error(kDevice) where none come in time, and as choose_topics() and align_topics().
std::unique_ptr<FrameSource> open_topic_source(std::shared_ptr<ros::Node> node, const TopicRequest& request,
                                               const ListenTimes& times = {});

/// "ros:" and what stands behind it: "?color=TOPIC&depth=TOPIC". @throws Error(kUsage) for anything else.
std::unique_ptr<FrameSource> open_ros_source(const std::string& place);

}  // namespace fernwood::dataset
