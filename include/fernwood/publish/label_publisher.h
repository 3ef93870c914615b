// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Labels as topics of ROS 2, as the semantic segmentation layer of Nav2 and viewers take them.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fernwood/dataset/frame_messages.h"
#include "fernwood/dataset/frame_source.h"
#include "fernwood/image/labels.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/predict/live.h"
#include "fernwood/ros/node.h"

namespace fernwood::publish {

/// Names of the topics. Of all but the label info and the diagnostics a message is made only while somebody subscribes.
struct LabelTopics {
  std::string mask =
      "/segmentation/mask";  ///< Image, mono8: the index of each pixel's class; dataset::kNoClass for none.
  std::string confidence = "/segmentation/confidence";  ///< Image, mono8: 255 times the probability of that class.
  std::string label_info = "/segmentation/label_info";  ///< LabelInfo, latched: the classes of those indices.
  std::string overlay = "/segmentation/overlay";        ///< Image, rgb8: the frame with its classes' colours over it.
  std::string points = "/segmentation/points";  ///< PointCloud2, a point for each pixel of the mask: see PointLayout.
  std::string map = "/segmentation/map";        ///< PointCloud2, latched: the points of a semantic map.
  std::string diagnostics = "/diagnostics";     ///< DiagnosticArray, once a second.
  std::string parameters = "/segmentation/parameters";  ///< String, subscribed: see ParameterTopic.

  /// Applies a rule of ROS: "FROM:=TO" with names of topics from the root or below the namespace, or "__ns:=/NAME",
  /// which goes before all of them but those that other rules have named. @throws Error(kUsage) for anything else.
  void remap(const std::vector<std::string>& rules);
  /// Each with the name it has by default.
  std::array<std::string*, 8> all();
};

/// Bytes of a point: x, y, z (float32, metres, as the camera sees them: x right, y down, z ahead; NaN where depth is
/// unknown), class and confidence (uint8, as mask and confidence have them).
struct PointLayout {
  static constexpr std::uint32_t kX = 0, kY = 4, kZ = 8, kClass = 12, kConfidence = 13, kBytes = 16;
};

/// How a run goes on, for diagnostics.
struct RunState {
  std::string device, model;
  const predict::LiveReport& report;
  double frames_per_second = 0;
  std::string trouble = {};  ///< Why no frames come; empty: they do.
};

/// Publishes what is labelled. From one thread at a time; wants_probabilities() and publish_map() from others, too.
class LabelPublisher {
 public:
  /// The label info goes out at once, before any mask.
  /// @param frame_id  The coordinate frame of sources that name none.
  /// @throws Error(kUsage) for names that ROS does not allow and for more than 255 classes, which a byte has no room
  /// for; as Node::advertise().
  LabelPublisher(std::shared_ptr<ros::Node> node, const image::ClassMap& classes, const LabelTopics& topics = {},
                 const std::string& frame_id = "camera");
  ~LabelPublisher();

  /// Whether somebody subscribes to what is made of probabilities.
  bool wants_probabilities() const;
  /// Of which classes the overlay has the colours: one, or (nothing) all.
  void show_class(std::optional<std::uint16_t> label);
  /// With the header of the frame that is answered. @param probabilities  [class][rows][cols], or empty: no confidence
  /// is published, and that of points is 0.
  void publish(const dataset::CapturedFrame& frame, const image::LabelImage& labels,
               std::span<const Array2<float>> probabilities);
  /// The points of a map, while somebody subscribes or may come later. @param frame_id  The frame of the map's
  /// coordinates: that of poses.
  void publish_map(const map::VoxelMap& map, const std::string& frame_id = "map");
  /// At most once a second.
  void publish_state(const RunState& state);
  /// Messages that slow subscribers let go.
  std::size_t num_lost() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// A value that somebody sends while frames come: "smooth=80".
struct ParameterChange {
  std::string name, value;
};

/// Changes of parameters by messages std_msgs/String, "NAME=VALUE". ROS's services of parameters are each middleware's
/// own, and DDS alone does not have them.
class ParameterTopic {
 public:
  ParameterTopic(ros::Node& node, const std::string& topic);
  /// What has come since the last call, in order.
  /// @param problems  Gets a sentence for each message that is none.
  std::vector<ParameterChange> take(std::vector<std::string>& problems);

 private:
  std::string topic_;
  std::unique_ptr<ros::Subscription> subscription_;
};

/// Points of a frame, see PointLayout. @param confidence  Empty: 0. @return  Rows follow each other.
std::vector<std::uint8_t> points_of(const image::Frame& frame, const Array2<std::uint8_t>& mask,
                                    const Array2<std::uint8_t>& confidence);
/// The same of a map's points.
std::vector<std::uint8_t> points_of(std::span<const map::MapPoint> points);

}  // namespace fernwood::publish
