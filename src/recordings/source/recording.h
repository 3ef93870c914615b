// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/frame_reader.h"
#include "fernwood/image/camera.h"

namespace fernwood::recordings {

/// A frame of a recording on disk.
struct RecordedFrame : dataset::FrameFiles {
  double time_s = 0;
  std::optional<image::RigidMotion> pose = {};
};

/// A recording on disk: its frames in order, and the settings for reading them.
struct Recording {
  std::filesystem::path folder;
  std::vector<RecordedFrame> frames;  ///< All with the same kinds of images.
  dataset::DatasetConfig config = {};
  std::vector<std::string> warnings = {};  ///< As Dataset::file_warnings().
};

/// `frames:`, in the native layout or as pairs. Times: times.txt, as written by FrameRecorder. Poses: poses.txt, else
/// NAME.pose.txt beside pairs.
/// @throws Error(kData) for a folder without frames, and for errors in these files.
Recording list_frames_recording(const std::filesystem::path& folder);

/// `tum:`. Poses: groundtruth.txt, the nearest in time. @throws as associate_tum() and parse_trajectory().
Recording list_tum_recording(const std::filesystem::path& folder);

/// A recording of the TUM RGB-D benchmark (Sturm et al., IROS 2012), in which each kind of image has its own clock, so
/// that images must be associated.
/// @param folder  Base of the paths. @param rgb, depth  The texts of rgb.txt and depth.txt: lines of seconds and path;
///                those that begin with # are comments.
/// @throws Error(kData) naming the line, for an invalid line or a path outside the folder; for images closer in time
///         than any camera takes them, and when no two belong together.
Recording associate_tum(const std::filesystem::path& folder, const std::string& rgb, const std::string& depth);

/// Sets cameras and the up direction, as read_folder_config() does.
void read_config_of(Recording& recording);

}  // namespace fernwood::recordings
