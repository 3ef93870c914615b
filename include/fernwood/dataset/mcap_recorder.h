// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/dataset/frame_source.h"
#include "fernwood/image/labels.h"

namespace fernwood::dataset {

/// Topics of a recording. Depth has a name that says that it is registered to colour.
struct McapTopics {
  static constexpr const char* kColor = "/camera/color/image_raw";
  static constexpr const char* kColorInfo = "/camera/color/camera_info";
  static constexpr const char* kDepth = "/camera/aligned_depth_to_color/image_raw";
  static constexpr const char* kDepthInfo = "/camera/aligned_depth_to_color/camera_info";
  static constexpr const char* kMask = "/segmentation/mask";
  static constexpr const char* kConfidence = "/segmentation/confidence";
  static constexpr const char* kLabelInfo = "/segmentation/label_info";
  static constexpr const char* kTransforms = "/tf";
  static constexpr const char* kUp = "/camera/up";  ///< Vector3Stamped: where up is, of frames not held upright.
};

/// Writes frames and their labels as messages of ROS 2 into an MCAP file, on a thread of its own, without loss: colour
/// as rgb8, depth as 16UC1, the camera as CameraInfo, poses as transforms from the frame "map", labels as a mask with
/// their confidence. `mcap:FILE` replays the frames. Messages have the stamps of their frames; where those do not
/// ascend, as in a recording that begins again, frames are moved behind the ones before. Messages are on the disk
/// some frames or a second later; what is there when the process is killed can be read.
class McapRecorder {
 public:
  /// @param class_names  Of the labels that will be added, in the order of their indices; empty: there are none.
  /// @throws Error(kUsage) when there is something of that name, and for more classes than a mask tells apart;
  ///         Error(kRuntime) when the file cannot be made.
  explicit McapRecorder(const std::filesystem::path& file, std::vector<std::string> class_names = {});
  /// What has been added is written. Errors are lost: call finish() before.
  ~McapRecorder();
  McapRecorder(const McapRecorder&) = delete;
  McapRecorder& operator=(const McapRecorder&) = delete;

  /// Waits when writing is some frames behind, so that memory stays bounded and nothing is left out. Frames come from
  /// one thread, labels may come from another.
  /// @throws what went wrong with an earlier frame; Error(kUsage) for a frame with feature maps.
  void add(const CapturedFrame& frame);
  /// Labels of a frame that was added, in the order of frames; some may be missing.
  /// @param probabilities  [class][rows][cols]; empty: no confidence is recorded.
  void add_labels(const CapturedFrame& frame, const image::LabelImage& labels,
                  std::span<const Array2<float>> probabilities = {});
  /// Waits until all is written, and ends the file. @throws what went wrong.
  void finish();
  /// Frames on the disk.
  std::size_t num_written() const;
  /// What is worth knowing before the first frame: one sentence each.
  std::vector<std::string> warnings() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace fernwood::dataset
