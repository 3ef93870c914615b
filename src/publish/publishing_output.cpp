// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/publish/label_publisher.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::publish {

namespace {

/// The parameter that applies to the overlay and not to the labels.
constexpr std::string_view kShownClass = "class";

}  // namespace

OptionTable<PublishingOptions> PublishingOptions::table() {
  static constexpr std::array kRows = {
      option<&PublishingOptions::publish>(
          "publish", "Publish labels, confidence, points and more as topics of ROS 2, see docs/reference/ros_topics.md")
          .one_of([] { return std::vector<std::string>{"ros:"}; }),
      option<&PublishingOptions::remap>("remap",
                                        "Give a topic of {publish} another name, by ROS's rules: "
                                        "/segmentation/mask:=/robot/mask, __ns:=/robot")
          .takes("FROM:=TO ..."),
      option<&PublishingOptions::frame_id>("frame-id",
                                           "Coordinate frame of published images where the source names none")
          .takes("NAME"),
  };
  return kRows;
}

LabelTopics PublishingOptions::topics() const {
  LabelTopics topics;
  topics.remap(remap);
  return topics;
}

void PublishingOptions::check() const {
  require_together(remap.empty() || is_wanted(), "{} is about the topics of {}; give that, too",
                   {{"remap"}, {"publish", "ros:"}});
  topics();
}

PublishingOutput::PublishingOutput(predict::LiveOutput& log, std::shared_ptr<ros::Node> node,
                                   predict::AdjustablePredictor& predictor, const image::ClassMap& classes,
                                   const PublishingOptions& options)
    : log_(log),
      predictor_(predictor),
      names_(classes.names()),
      node_(std::move(node)),
      num_warned_(node_->incompatible().size()),
      publisher_(node_, classes, options.topics(), options.frame_id),
      parameters_(*node_, options.topics().parameters),
      device_(to_string(predictor.device())),
      model_(options.model) {}

bool PublishingOutput::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  publisher_.publish(frame.captured, frame.prediction.labels, frame.prediction.probabilities);
  rate_.note(seconds_now());
  report_ = &so_far;
  publish_state();
  return true;
}

bool PublishingOutput::idle() {
  take_parameters();
  publish_state();
  return true;
}

void PublishingOutput::take_parameters() {
  std::vector<std::string> problems;
  for (const auto& [name, value] : parameters_.take(problems)) {
    try {
      if (name == kShownClass)
        show_class(value);
      else
        predictor_.set(name, value);
      log_.note("the parameter " + name + " is \"" + value + "\" now");
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  for (const std::string& problem : problems) log_.warn(problem);
}

void PublishingOutput::show_class(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const std::vector<std::string_view> views(names_.begin(), names_.end());
  FW_CHECK(name.empty() || found != names_.end(), Usage,
           "the model has no class \"" << name << "\"" << did_you_mean(name, views) << "; it has " << join(names_)
                                       << ", and class= shows all");
  publisher_.show_class(name.empty() ? std::nullopt
                                     : std::optional(static_cast<std::uint16_t>(found - names_.begin())));
}

void PublishingOutput::publish_state() {
  const std::vector<std::string> warnings = node_->incompatible();
  for (; num_warned_ < warnings.size(); ++num_warned_) log_.warn(warnings[num_warned_]);
  publisher_.publish_state({device_, model_, report_ != nullptr ? *report_ : none_,
                            trouble_.empty() ? rate_.per_second() : 0, trouble_, warnings});
}

}  // namespace fernwood::publish
