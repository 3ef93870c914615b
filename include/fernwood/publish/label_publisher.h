// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Labels as ROS 2 topics, for the semantic segmentation layer of Nav2 and for viewers.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/image/labels.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/live.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_messages.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/ros/node.h"

namespace fernwood::publish {

/// Names of the topics. Messages of mask, confidence, overlay and points are made only while they have subscribers.
struct LabelTopics {
  /// Image, mono8: the class index of each pixel, or recordings::kNoClass.
  std::string mask = "/segmentation/mask";
  std::string confidence = "/segmentation/confidence";  ///< Image, mono8: 255 times the probability of that class.
  std::string label_info = "/segmentation/label_info";  ///< LabelInfo, latched: the classes of these indices.
  std::string overlay = "/segmentation/overlay";        ///< Image, rgb8: the frame blended with its class colours.
  std::string points = "/segmentation/points";  ///< PointCloud2: one point for each pixel of the mask, see PointLayout.
  std::string map = "/segmentation/map";        ///< PointCloud2, latched: the points of a semantic map.
  std::string grid = "/segmentation/grid";      ///< OccupancyGrid, latched: the floor of this map, if a class is floor.
  std::string objects = "/segmentation/objects";  ///< Detection3DArray: the objects of a frame, with their boxes.
  std::string object_markers = "/segmentation/object_markers";  ///< MarkerArray: these boxes and names, for viewers.
  std::string diagnostics = "/diagnostics";                     ///< DiagnosticArray, once a second.
  std::string parameters = "/segmentation/parameters";          ///< String, subscribed: see take_changes().

  /// Applies ROS remapping rules: "FROM:=TO", where TO is absolute or relative to the namespace, or "__ns:=/NAME", a
  /// namespace for all topics except /diagnostics and those renamed by other rules. @throws Error(kUsage) for any other
  /// rule.
  void remap(const std::vector<std::string>& rules);
  /// Pointers to all names above, in this order.
  std::array<std::string*, 11> all();
};

/// Byte offsets in a point: x, y, z (float32, metres, in camera coordinates: x right, y down, z forward; NaN where
/// depth is unknown), class and confidence (uint8, with the values of the mask and the confidence image).
struct PointLayout {
  static constexpr std::uint32_t kX = 0, kY = 4, kZ = 8, kClass = 12, kConfidence = 13, kBytes = 16;
};

/// State of a run, for diagnostics.
struct RunState {
  std::string device, model;
  const predict::LiveReport& report;
  double frames_per_second = 0;
  std::string trouble = {};                ///< Why no frames arrive; empty: they do.
  std::vector<std::string> warnings = {};  ///< Topics on which no message flows, see Node::incompatible().
};

/// Publishes labels. May be used from only one thread at a time, except for wants_probabilities() and publish_map().
class LabelPublisher {
 public:
  /// Publishes the label info immediately, before any mask.
  /// @param frame_id  The coordinate frame for sources that do not name one.
  /// @throws Error(kUsage) for names that ROS does not allow, and for more than 255 classes, which do not fit a byte;
  ///         as Node::advertise().
  LabelPublisher(std::shared_ptr<ros::Node> node, const image::ClassMap& classes, const LabelTopics& topics = {},
                 const std::string& frame_id = "camera");
  ~LabelPublisher();

  /// Whether topics that need probabilities (confidence, points) have subscribers.
  bool wants_probabilities() const;
  /// Publishes the labels of a frame, with its stamp and coordinate frame. @param probabilities  [class][rows][cols].
  /// Empty: confidence is not published, and is 0 in points. @param stamp_ns  In place of the frame's.
  void publish(const recordings::CapturedFrame& frame, const image::LabelImage& labels,
               std::span<const Array2<float>> probabilities, std::optional<std::int64_t> stamp_ns = std::nullopt);
  /// Publishes the objects of a frame, with its stamp and coordinate frame, also without subscribers, because later
  /// ones receive the last message. Objects without depth are left out.
  /// @param ids  [number - 1] Of objects::ObjectTracker; empty: the numbers.
  void publish_objects(const recordings::CapturedFrame& frame, const objects::FrameObjects& found,
                       std::span<const std::uint32_t> ids = {}, std::optional<std::int64_t> stamp_ns = std::nullopt);
  /// Publishes the points and the grid of a map, also without subscribers, because later ones receive the last message,
  /// with the stamp of the last frame. @param frame_id  The coordinate frame of the map: that of poses.
  void publish_map(const map::VoxelMap& map, const map::GridOptions& grid = {}, const std::string& frame_id = "map");
  /// Publishes diagnostics, at most once a second; other calls have no effect.
  void publish_state(const RunState& state);
  /// Number of messages lost because subscribers were too slow.
  std::size_t num_lost() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// A parameter value received during a run: "smooth=80".
struct ParameterChange {
  std::string name, value;
};

/// Changes received since the last call as messages std_msgs/String, "NAME=VALUE", in order. The parameter services of
/// ROS are not used, because they are specific to each middleware, and DDS alone does not provide them.
/// @param topic  Its name, for messages. @param problems  One sentence is appended for each invalid message.
std::vector<ParameterChange> take_changes(ros::Subscription& parameters, const std::string& topic,
                                          std::vector<std::string>& problems);

/// Encodes the points of a frame, see PointLayout. @param confidence  Empty: 0. @return  Points in row-major order.
std::vector<std::uint8_t> points_of(const image::Frame& frame, const Array2<std::uint8_t>& mask,
                                    const Array2<std::uint8_t>& confidence);
/// Encodes the points of a map.
std::vector<std::uint8_t> points_of(std::span<const map::MapPoint> points);

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

/// Publishes labelled frames and diagnostics, and applies parameters received from the parameter topic.
class PublishingOutput : public predict::LiveOutput {
 public:
  /// @param log  Receives warnings about topics, and notes about parameters that have changed. @param predictor  Both
  /// must outlive this. @throws Error as LabelPublisher and PublishingOptions::topics() do.
  PublishingOutput(predict::LiveOutput& log, std::shared_ptr<ros::Node> node, predict::AdjustablePredictor& predictor,
                   const image::ClassMap& classes, const PublishingOptions& options);

  bool wants_probabilities() const override { return publisher_.wants_probabilities(); }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override;
  bool idle() override;
  void trouble(const std::string& why) override { trouble_ = why; }

  LabelPublisher& publisher() { return publisher_; }

 private:
  void take_parameters();
  void publish_state();

  predict::LiveOutput& log_;
  predict::AdjustablePredictor& predictor_;
  std::shared_ptr<ros::Node> node_;
  std::size_t num_warned_;  // of Node::incompatible()
  LabelPublisher publisher_;
  std::unique_ptr<ros::Subscription> parameters_;
  std::string parameter_topic_, device_, model_, trouble_;
  predict::ShownRate rate_;
  predict::LiveReport none_;
  const predict::LiveReport* report_ = nullptr;  // of run_live(), valid during its calls
};

}  // namespace fernwood::publish
