// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/frame_reader.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/image/align_depth.h"
#include "fernwood/image/frame.h"
#include "fernwood/ros/messages.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_topics.h"

namespace fernwood::recordings {

/// A rigid transform: p' = rotation p + translation.
struct RigidTransform {
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< [row][col]
  std::array<double, 3> translation_m = {};
};
/// Empty where numbers are not finite.
std::optional<dataset::CameraPose> pose_of(const RigidTransform& transform);

/// The path upwards from a coordinate frame.
struct FramePath {
  std::string root;    ///< The frame at its end, which has no parent; empty for a cycle.
  bool moves = false;  ///< Some transform on it is not static.
};

/// Whether a coordinate frame is stationary according to its name (REP 105): map, odom, world.
bool is_fixed_frame(const std::string& name);

/// Coordinate frames, each with a parent, static or moving (tf2).
class FrameTree {
 public:
  /// Adds a transform. Of several static transforms of a child only the last counts; a change of parent discards those
  /// to the old one.
  void add(const ros::Transform& transform, bool is_static);
  /// To be called after all transforms were added.
  void sort_by_time();

  /// Transforms coordinates in one frame to the other, with moving frames at their last position; empty if they are not
  /// connected, or for a cycle.
  std::optional<RigidTransform> transform(const std::string& from, const std::string& to) const;

  FramePath path_to_root(const std::string& frame) const;
  /// Whether any transform is not static.
  bool moves() const;
  /// Transforms coordinates in a frame to those in its root at a time. Moving frames are interpolated between
  /// transforms at most a second apart, else the nearest transform within 20 ms is used; empty if there is none.
  std::optional<RigidTransform> to_root_at(const std::string& frame, std::int64_t time_ns) const;

 private:
  struct Sample {
    std::int64_t time_ns = 0;
    std::array<double, 3> translation_m = {};
    std::array<double, 4> rotation = {};  ///< Of length 1.
  };
  struct Joint {
    std::string parent;
    bool is_static = true;
    std::vector<Sample> samples;  ///< Only one if it is static.
  };
  static RigidTransform transform_of(const Sample& sample);
  static std::optional<Sample> sample_at(const Joint& joint, std::int64_t time_ns);
  std::optional<RigidTransform> to_root(const std::string& frame, std::string* root) const;

  std::map<std::string, Joint> joints_;  // [child]
};

/// A camera described by a recording.
struct BagCamera {
  image::Camera camera = {};
  image::Distortion distortion = {};
  std::string unread_distortion = {};  ///< Name of an unsupported distortion model; else empty.
  std::string problem = {};            ///< Why the description cannot be used; else empty.
  std::string origin = {};             ///< The topic.
};

/// The camera of a sensor_msgs/CameraInfo. @param is_rectified  Whether images are rectified: they then have other
/// intrinsics, those of P, and no distortion. Of K and P, the other one is used where one is not set.
BagCamera camera_of_info(const ros::CameraInfo& info, const dataset::FrameSize& size, bool is_rectified);

/// The camera of an image topic: by the camera_info topic beside it, as drivers name it, else by the only one with the
/// same coordinate frame. @param notes  A sentence is added for one that is not used, and for one that changes.
std::optional<BagCamera> find_camera(const Bag& bag, const ImageTopic& topic, std::vector<std::string>& notes);

/// Topics such as /tf and /tf_static.
std::vector<std::size_t> transform_topics(const Bag& bag);
/// Adds the transforms of a message of a topic in transform_topics().
void add_transforms(const Bag& bag, std::size_t topic, const BagMessage& message, FrameTree& tree);

/// Relation between the depth and the colour camera.
struct DepthAlignment {
  std::optional<image::CameraPair> cameras = {};  ///< Empty: depth is aligned, or shows the same view at another size.
  std::vector<std::string> notes = {};            ///< Assumptions, a sentence each.
};

/// Cameras of the chosen topics, where the recording describes them.
struct TopicCameras {
  const std::optional<BagCamera>&color, &depth;
};

/// @throws Error(kData), with the remedy, where depth is known not to be aligned, or has other proportions than colour,
/// and the recording lacks the relative pose of the cameras.
DepthAlignment align_topics(const Bag& bag, const ChosenTopics& chosen, const TopicCameras& cameras,
                            const FrameTree& tree);

/// Converts images of topics to frames: chooses the topics, finds their cameras, and aligns depth to colour.
class TopicFrames {
 public:
  /// @throws as choose_topics().
  TopicFrames(const Bag& bag, const TopicRequest& request);

  /// Determines the cameras from the topics and their coordinate frames; a dataset.toml takes precedence.
  /// @throws as align_topics().
  void read_cameras(const Bag& bag, const FrameTree& tree, dataset::DatasetConfig config = {});

  const ChosenTopics& chosen() const { return chosen_; }
  bool has_color() const { return chosen_.color.has_value(); }
  bool has_depth() const { return chosen_.depth.has_value(); }
  /// The main image topic: colour, else depth.
  const ImageTopic& main() const { return chosen_.color ? *chosen_.color : *chosen_.depth; }
  const dataset::DatasetConfig& config() const { return config_; }
  /// Choices and assumptions: a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// @throws Error(kData) for a damaged image.
  Array2<image::Rgb> decode_color(const ros::CodedMessage& message) const;
  /// Depth in millimetres, aligned to colour of the given size; without a size, as the depth camera has it.
  Array2<std::uint16_t> decode_depth(const ros::CodedMessage& message,
                                     const std::optional<dataset::FrameSize>& color) const;
  /// @param color, depth  Null where the frame has no such image.
  image::Frame decode(const ros::CodedMessage* color, const ros::CodedMessage* depth) const;

 private:
  ChosenTopics chosen_;
  dataset::DatasetConfig config_;
  std::vector<std::string> notes_;
};

}  // namespace fernwood::recordings
