// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The node: fernwood's library labels what the camera's topics deliver. Parameters are those of `fernwood live`; names
// of topics are remapped as those of any node.

#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>

#include "fernwood/core/error.h"
#include "fernwood/forest/forest.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/recordings/frame_source.h"
#include "rclcpp_node.h"

namespace fernwood_ros {

namespace {

/// Options as `ros2 run fernwood_ros segmentation_node --ros-args -p device:=cpu` gives them.
std::string in_ros(const fernwood::OptionSentence& sentence) {
  return sentence.worded([](const fernwood::NamedOption& option) {
    return option.name + (option.value.empty() ? "" : ":=" + option.value);
  });
}

std::string in_ros(const std::exception& error) {
  const auto* const ours = dynamic_cast<const fernwood::Error*>(&error);
  return ours ? in_ros(ours->sentence()) : error.what();
}

/// What is told goes to ROS's log.
class LoggingOutput final : public fernwood::predict::LiveOutput {
 public:
  explicit LoggingOutput(rclcpp::Node& node) : logger_(node.get_logger()) {}
  bool show(const fernwood::predict::LiveFrame&, const fernwood::predict::LiveReport&) override { return rclcpp::ok(); }
  bool idle() override { return rclcpp::ok(); }
  void warn(const fernwood::OptionSentence& sentence) override { RCLCPP_WARN(logger_, "%s", in_ros(sentence).c_str()); }
  void note(const std::string& sentence) override { RCLCPP_INFO(logger_, "%s", sentence.c_str()); }
  void trouble(const std::string& why) override {
    if (why.empty())
      RCLCPP_INFO(logger_, "the camera is back");
    else
      RCLCPP_ERROR(logger_, "%s", why.c_str());
  }

 private:
  rclcpp::Logger logger_;
};

/// Those that are given; the others keep fernwood's defaults.
fernwood::predict::PredictOptions labelling(rclcpp::Node& node) {
  fernwood::predict::PredictOptions options;
  options.device = node.declare_parameter<std::string>("device", "auto");
  for (const std::string& name : fernwood::predict::label_options()) {
    const auto text = node.declare_parameter<std::string>(name, "");
    if (!text.empty()) fernwood::predict::set_options({{name, text}}, options);
  }
  options.check();
  return options;
}

void run(const std::shared_ptr<rclcpp::Node>& node) {
  const auto model = node->declare_parameter<std::string>("model", "");
  const auto color = node->declare_parameter<std::string>("color", "");
  const auto depth = node->declare_parameter<std::string>("depth", "");
  const fernwood::forest::Forest forest = fernwood::forest::load_forest(model);
  fernwood::predict::AdjustablePredictor predictor(forest, labelling(*node));
  // ROS's own parameters, as `ros2 param set` changes them, beside the topic of parameters.
  const auto handle = node->add_on_set_parameters_callback([&](const std::vector<rclcpp::Parameter>& parameters) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    try {
      for (const rclcpp::Parameter& parameter : parameters) predictor.set(parameter.get_name(), parameter.as_string());
    } catch (const std::exception& error) {
      result.successful = false;
      result.reason = in_ros(error);
    }
    return result;
  });

  const std::shared_ptr<fernwood::ros::Node> wrapped = wrap(*node);
  const auto open = [&] {
    return std::shared_ptr<fernwood::recordings::FrameSource>(fernwood::recordings::open_topics(wrapped, color, depth));
  };
  std::shared_ptr<fernwood::recordings::FrameSource> source = open();
  fernwood::predict::check_images(forest, source->content(), source->name());
  LoggingOutput log(*node);
  for (const std::string& sentence : source->warnings()) log.warn(sentence);
  fernwood::publish::PublishingOutput topics(log, wrapped, predictor, forest.classes, {.model = model});
  fernwood::predict::LiveOptions options;
  constexpr double kAnHourS = 3600;  // a robot's camera may be away for long
  options.capture.reconnect_s = kAnHourS;
  options.capture.reopen = open;
  fernwood::predict::run_live(std::move(source), predictor, {topics, log}, options);
}

}  // namespace

}  // namespace fernwood_ros

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<rclcpp::Node>("fernwood");
  std::thread spinning([&] { rclcpp::spin(node); });
  int exit_code = 0;
  try {
    fernwood_ros::run(node);
  } catch (const fernwood::Error& error) {
    RCLCPP_FATAL(node->get_logger(), "%s", fernwood_ros::in_ros(error).c_str());
    exit_code = static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    RCLCPP_FATAL(node->get_logger(), "%s", error.what());
    exit_code = 1;
  }
  rclcpp::shutdown();
  spinning.join();
  return exit_code;
}
