// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/frame_poses.h"
#include "recordings/bag/bag.h"
#include "recordings/bag/bag_cameras.h"

namespace fernwood::recordings {

/// A frame of a recording of ROS; the message of a missing image is empty.
struct BagFrame {
  std::string name;  ///< The stamp: "1305031102.175304000"
  std::int64_t time_ns = 0;
  double time_s = 0;
  std::optional<BagMessage> color = {}, depth = {};
  std::optional<dataset::CameraPose> pose = {};  ///< In the root of the tree of coordinate frames, by /tf.
  std::optional<image::Vector3> up = {};         ///< If a message with its stamp contains it.
};

/// Data collected while the stamps of images are read, because each pass over a compressed recording is slow.
struct MessagesBeside {
  FrameTree tree;
  std::map<std::int64_t, image::Vector3> ups;  ///< [stamp] Up direction, of frames that are not held upright.
};

/// The frames of a recording of ROS. Const members are thread-safe.
class BagRecording {
 public:
  /// Chooses topics, associates colour and depth by the stamps of their headers, and determines how depth is aligned to
  /// colour. A dataset.toml in the recording's folder overrides the cameras described by the recording.
  /// @throws as Bag, choose_topics(), associate_by_time() and align_topics().
  BagRecording(const std::filesystem::path& path, const TopicRequest& request);

  const std::string& name() const { return bag_.name(); }
  const std::vector<BagFrame>& frames() const { return frames_; }
  bool has_color() const { return topics_.has_color(); }
  bool has_depth() const { return topics_.has_depth(); }
  /// Size of colour, by its first image; empty without colour.
  std::optional<dataset::FrameSize> color_size() const;
  const dataset::DatasetConfig& config() const { return topics_.config(); }
  /// The coordinate frame of the camera, as named by its first image.
  const std::string& frame_id() const { return topics_.main().kind.frame_id; }
  /// Choices, assumptions and defects of the recording: a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// @throws Error(kData) for a damaged image.
  Array2<image::Rgb> read_color(std::size_t frame) const;
  /// Depth in millimetres, aligned to colour of the given size; without a size, as the depth camera has it.
  Array2<std::uint16_t> read_depth(std::size_t frame, const std::optional<dataset::FrameSize>& color) const;
  image::Frame read_frame(std::size_t frame) const;

 private:
  void read_poses(const FrameTree& tree);
  ReadMessage read_depth_message(std::size_t frame) const;
  /// Both also read the messages beside the images.
  void list_frames(MessagesBeside& beside);
  void pair_frames(MessagesBeside& beside);

  Bag bag_;
  TopicFrames topics_;
  std::vector<BagFrame> frames_;
  std::vector<std::string> notes_;
};

/// The part of a URL after "mcap:" and "rosbag:": a path, and the requested topics after a question mark.
struct BagPlace {
  std::filesystem::path path;
  TopicRequest topics = {};
};
/// Parses "FILE?color=/topic&depth=/topic". If a file with the complete text as its name exists, it is that file.
/// @throws Error(kUsage) for other keys than color and depth.
BagPlace parse_bag_place(const std::string& place);

}  // namespace fernwood::recordings
