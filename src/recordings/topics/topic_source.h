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

/// Frames from the topics of a node: colour and depth as chosen by choose_topics(), paired by their stamps. Only the
/// newest frame is returned, and messages that cannot be read are skipped.
/// @throws Error(kDevice) if no images arrive in time; as choose_topics() and align_topics().
std::unique_ptr<FrameSource> open_topic_source(std::shared_ptr<ros::Node> node, const TopicRequest& request,
                                               const ListenTimes& times = {});

/// Opens "ros:" with the rest of the URL: "?color=TOPIC&depth=TOPIC". @throws Error(kUsage) for anything else.
std::unique_ptr<FrameSource> open_ros_source(const std::string& place);

}  // namespace fernwood::dataset
