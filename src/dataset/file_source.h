// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "fernwood/dataset/frame_source.h"

namespace fernwood::dataset {

/// A frame of a recording on disk; a path is empty where the recording has no such image.
struct RecordedFrame {
  std::string name;
  double time_s = 0;
  std::filesystem::path color, depth;
  std::filesystem::path up = {};  ///< As in FrameFiles.
};

/// A recording on disk: its frames in order, and how its depth is stored.
struct Recording {
  std::filesystem::path folder;
  std::vector<RecordedFrame> frames;  ///< All with the same kinds of images.
  double depth_scale_to_mm = 1;       ///< As in DatasetConfig.
  int depth_missing = 0;
  std::optional<image::Camera> camera = {};
  image::Vector3 up = image::kImageUp;
};

/// `frames:`, the native layout or pairs. Times: times.txt, as FrameRecorder writes it.
Recording list_frames_recording(const std::filesystem::path& folder);
/// `tum:`.
Recording list_tum_recording(const std::filesystem::path& folder);

/// Delivers the frames of a recording, decoded when they are asked for or beforehand.
class FileSource : public FrameSource {
 public:
  FileSource(Recording recording, const SourceOptions& options);
  std::optional<CapturedFrame> next() override;
  void stop() override { stopped_ = true; }
  bool has_color() const override { return !recording_.frames.front().color.empty(); }
  bool has_depth() const override { return !recording_.frames.front().depth.empty(); }
  bool has_camera() const override { return recording_.camera.has_value(); }
  bool is_live() const override { return false; }
  std::string name() const override { return recording_.folder.string(); }

 private:
  CapturedFrame decode(const RecordedFrame& files) const;

  Recording recording_;
  bool loop_;
  std::vector<CapturedFrame> decoded_;  // empty, or all
  std::size_t next_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace fernwood::dataset
