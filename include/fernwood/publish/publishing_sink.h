// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/predict/adjustable_predictor.h"
#include "fernwood/predict/live.h"
#include "fernwood/publish/label_publisher.h"

namespace fernwood::publish {

/// Options for publishing labels during a run.
struct PublishingOptions {
  std::string publish = {};             ///< Destination: "ros:" for ROS 2 topics; empty: labels are not published.
  std::vector<std::string> remap = {};  ///< Rules for LabelTopics::remap().
  std::string frame_id = "camera";      ///< The coordinate frame for sources that do not name one.
  std::string model = {};               ///< Name of the model in diagnostics.

  bool is_wanted() const { return !publish.empty(); }
  /// @throws Error(kUsage) as LabelTopics::remap().
  LabelTopics topics() const;

  static OptionTable<PublishingOptions> table();
  /// @throws Error(kUsage) for invalid rules, and for rules without `publish`. The value of `publish` is not checked.
  void check() const;
};

/// Publishes labelled frames and diagnostics, applies parameters received from the parameter topic, and forwards all
/// calls to another sink.
class PublishingSink : public predict::ForwardingSink {
 public:
  /// @param inner, predictor  Must outlive this. @throws Error as LabelPublisher and PublishingOptions::topics() do.
  PublishingSink(predict::LiveSink& inner, std::shared_ptr<ros::Node> node, predict::AdjustablePredictor& predictor,
                 const image::ClassMap& classes, const PublishingOptions& options);

  predict::PredictRequest request() override;
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  bool idle() override;
  void camera_lost(const std::string& why) override;
  void camera_back() override;

  LabelPublisher& publisher() { return publisher_; }

 private:
  void take_parameters();
  void show_class(const std::string& name);
  void publish_state();

  predict::AdjustablePredictor& predictor_;
  std::vector<std::string> names_;  // [class]
  std::shared_ptr<ros::Node> node_;
  std::size_t num_warned_;  // of Node::incompatible()
  LabelPublisher publisher_;
  ParameterTopic parameters_;
  std::string device_, model_, trouble_;
  predict::ShownRate rate_;
  predict::LiveReport none_;
  const predict::LiveReport* report_ = nullptr;  // of run_live(), valid during its calls
};

}  // namespace fernwood::publish
