// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <rclcpp/rclcpp.hpp>

#include "fernwood/ros/node.h"

namespace fernwood_ros {

/// A node of rclcpp as fernwood asks for one: messages go through as their bytes, by whatever middleware ROS uses.
/// @param node  Spun by an executor of another thread.
std::unique_ptr<fernwood::ros::Node> wrap(rclcpp::Node& node);

}  // namespace fernwood_ros
