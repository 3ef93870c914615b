// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/image/labels.h"
#include "fernwood/recordings/frame_source.h"
#include "fernwood/ros/node.h"

namespace fernwood::recordings {

/// Topics of a recording. The names for depth state that it is registered to colour.
struct McapTopics {
  static constexpr const char* kColor = "/camera/color/image_raw";
  static constexpr const char* kColorInfo = "/camera/color/camera_info";
  static constexpr const char* kDepth = "/camera/aligned_depth_to_color/image_raw";
  static constexpr const char* kDepthInfo = "/camera/aligned_depth_to_color/camera_info";
  static constexpr const char* kMask = "/segmentation/mask";
  static constexpr const char* kConfidence = "/segmentation/confidence";
  static constexpr const char* kLabelInfo = "/segmentation/label_info";
  static constexpr const char* kOverlay = "/segmentation/overlay";
  static constexpr const char* kPoints = "/segmentation/points";
  static constexpr const char* kMap = "/segmentation/map";
  static constexpr const char* kGrid = "/segmentation/grid";
  static constexpr const char* kObjects = "/segmentation/objects";
  static constexpr const char* kObjectMarkers = "/segmentation/object_markers";
  static constexpr const char* kTransforms = "/tf";
  static constexpr const char* kUp = "/camera/up";  ///< Vector3Stamped: up direction of frames not held upright.
};

/// Writes frames and their labels losslessly as ROS 2 messages to an MCAP file, on its own thread: colour as rgb8,
/// depth as 16UC1, the camera as CameraInfo, poses as transforms from the frame "map", labels as a mask with their
/// confidence. `mcap:FILE` replays the frames. Messages have the stamps of their frames; where these do not ascend, as
/// in a looped recording, frames are moved behind the previous ones. Messages reach the disk some frames or a second
/// later; if the process is killed, the part of the file written so far can be read.
class McapRecorder {
 public:
  /// @param class_names  Classes of the labels to be added, in the order of their indices; empty: no labels.
  /// @throws Error(kUsage) when the file exists already, and for more classes than a mask can distinguish;
  ///         Error(kRuntime) when the file cannot be created.
  explicit McapRecorder(const std::filesystem::path& file, std::vector<std::string> class_names = {});
  /// Writes what has been added. Errors are lost: call finish() first.
  ~McapRecorder();
  McapRecorder(const McapRecorder&) = delete;
  McapRecorder& operator=(const McapRecorder&) = delete;

  /// Adds a frame. Blocks while writing is some frames behind, so that memory is bounded and no frame is dropped.
  /// Frames must be added from one thread, labels may be added from another.
  /// @throws any error of an earlier frame; Error(kUsage) for a frame with feature maps.
  void add(const CapturedFrame& frame);
  /// Adds the labels of a frame that was added, in the order of frames; frames may be left without labels.
  /// @param probabilities  [class][rows][cols]; empty: no confidence is recorded. @return  The stamp of the frame.
  std::int64_t add_labels(const CapturedFrame& frame, const image::LabelImage& labels,
                          std::span<const Array2<float>> probabilities = {});
  /// A node whose messages on kOverlay, kPoints, kMap and kGrid are recorded, at the stamps of their headers; other
  /// topics have no subscribers. Its publishers may be used from any thread, until the recorder is destroyed.
  std::shared_ptr<ros::Node> views();
  /// Waits until everything is written, and completes the file. @throws any error of writing.
  void finish();
  /// Number of frames on the disk.
  std::size_t num_written() const;
  /// Warnings that are known before the first frame: one sentence each.
  std::vector<std::string> warnings() const;

 private:
  struct Work;
  class Views;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::recordings
