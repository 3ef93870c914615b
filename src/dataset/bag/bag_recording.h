// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/bag/bag.h"
#include "dataset/bag/topic_frames.h"
#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

/// A frame of a recording of ROS; a message is empty where the frame has no such image.
struct BagFrame {
  std::string name;  ///< The stamp: "1305031102.175304000"
  std::int64_t time_ns = 0;
  double time_s = 0;
  std::optional<BagMessage> color = {}, depth = {};
  std::optional<CameraPose> pose = {};    ///< In the root of the tree of coordinate frames, by /tf.
  std::optional<image::Vector3> up = {};  ///< Where a message of its stamp tells it.
};

/// What is read on the way to the stamps of images, for of compressed recordings each pass takes its time.
struct MessagesBeside {
  FrameTree tree;
  std::map<std::int64_t, image::Vector3> ups;  ///< [stamp] Where up is, of frames that are not held upright.
};

/// The frames of a recording of ROS. Const members may be called from many threads.
class BagRecording {
 public:
  /// Chooses topics, associates colour and depth by the stamps of their headers, and finds out how depth comes to
  /// colour. A dataset.toml in the recording's folder counts before what the recording says of cameras.
  /// @throws as Bag, choose_topics(), associate_by_time() and align_topics().
  BagRecording(const std::filesystem::path& path, const TopicRequest& request);

  const std::string& name() const { return bag_.name(); }
  const std::vector<BagFrame>& frames() const { return frames_; }
  bool has_color() const { return topics_.has_color(); }
  bool has_depth() const { return topics_.has_depth(); }
  /// Of colour, by its first image; nothing where there is none.
  std::optional<FrameSize> color_size() const;
  const FrameReading& reading() const { return topics_.reading(); }
  /// The coordinate frame of the camera, as its first image names it.
  const std::string& frame_id() const { return topics_.main().kind.frame_id; }
  /// What was chosen and assumed, and what is wrong with the recording: a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// @throws Error(kData) for an image that is damaged.
  Array2<image::Rgb> read_color(std::size_t frame) const;
  /// Millimetres, as colour of the size has it; without one as the depth camera has it.
  Array2<std::uint16_t> read_depth(std::size_t frame, const std::optional<FrameSize>& color) const;
  image::Frame read_frame(std::size_t frame) const;

 private:
  void read_poses(const FrameTree& tree);
  ReadMessage read_depth_message(std::size_t frame) const;
  /// Both read what is beside the images, too.
  void list_frames(MessagesBeside& beside);
  void pair_frames(MessagesBeside& beside);

  Bag bag_;
  TopicFrames topics_;
  std::vector<BagFrame> frames_;
  std::vector<std::string> notes_;
};

/// What stands behind "mcap:" and "rosbag:": a path, and the topics asked for behind a question mark.
struct BagPlace {
  std::filesystem::path path;
  TopicRequest topics = {};
};
/// "FILE?color=/topic&depth=/topic". A file whose name has the question mark counts as that.
/// @throws Error(kUsage) for another word than color and depth.
BagPlace parse_bag_place(const std::string& place);

}  // namespace fernwood::dataset
