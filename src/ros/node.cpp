// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/ros/node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>

#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood::ros {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int domain_of(const std::string& text) {
  int domain = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), domain);
  FW_CHECK(error == std::errc{} && end == text.data() + text.size() && domain >= 0 && domain <= kMaxDomainId, Usage,
           "ROS_DOMAIN_ID is \"" << text << "\"; use a number from 0 to " << kMaxDomainId);
  return domain;
}

bool is_localhost_only(const std::string& range, const std::string& old_variable) {
  static constexpr std::array kRanges = {"", "SUBNET", "SYSTEM_DEFAULT", "LOCALHOST", "OFF"};
  FW_CHECK(std::ranges::find(kRanges, range) != kRanges.end(), Usage,
           "ROS_AUTOMATIC_DISCOVERY_RANGE is \"" << range << "\"; ROS knows SUBNET, LOCALHOST, OFF and SYSTEM_DEFAULT");
  FW_CHECK(range != "OFF", Usage,
           "ROS_AUTOMATIC_DISCOVERY_RANGE is OFF, so that no topic would be found; unset it, or use LOCALHOST");
  return range == "LOCALHOST" || (range.empty() && old_variable == "1");
}

}  // namespace

NodeOptions NodeOptions::from_environment() {
  NodeOptions options;
  if (const std::string domain = variable("ROS_DOMAIN_ID"); !domain.empty()) options.domain_id = domain_of(domain);
  options.localhost_only = is_localhost_only(variable("ROS_AUTOMATIC_DISCOVERY_RANGE"), variable("ROS_LOCALHOST_ONLY"));
  return options;
}

std::shared_ptr<Node> open_node(const NodeOptions& options) {
  static std::mutex mutex;
  struct OpenDomain {
    std::weak_ptr<Node> node;
    bool localhost_only = false;
  };
  static std::map<int, OpenDomain> open;  // [domain]
  const std::scoped_lock lock(mutex);
  OpenDomain& domain = open[options.domain_id];
  if (auto node = domain.node.lock()) {
    FW_CHECK(domain.localhost_only == options.localhost_only, Usage,
             "domain " << options.domain_id << " is open with topics of "
                       << (domain.localhost_only ? "this machine only" : "all machines")
                       << ", which ROS_AUTOMATIC_DISCOVERY_RANGE and ROS_LOCALHOST_ONLY cannot change before it is "
                          "closed; close the sources and publishers of the domain first");
    return node;
  }
  OpenNode* const open_by_dds = find_plugin<OpenNode>("dds", "fernwood_open_node");
  FW_CHECK(open_by_dds != nullptr, Usage,
           "topics of ROS 2 need the plug-in dds, which is not there; build with Cyclone DDS (Debian and Ubuntu: "
           "cyclonedds-dev)");
  std::shared_ptr<Node> node(open_by_dds(options));
  domain = {node, options.localhost_only};
  return node;
}

}  // namespace fernwood::ros
