// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/frame_reader.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::dataset {

/// A frame of a recording on disk; a path is empty where the recording has no such image.
struct RecordedFrame {
  std::string name;
  double time_s = 0;
  std::filesystem::path color, depth;
  std::filesystem::path up = {};    ///< As in FrameFiles.
  std::filesystem::path maps = {};  ///< As in FrameFiles.
  std::optional<image::RigidMotion> pose = {};
};

/// A recording on disk: its frames in order, and how they are read.
struct Recording {
  std::filesystem::path folder;
  std::vector<RecordedFrame> frames;  ///< All with the same kinds of images.
  FrameReading reading = {};
  std::vector<std::string> warnings = {};  ///< As Dataset::file_warnings().
};

/// `frames:`, the native layout or pairs. Times: times.txt, as FrameRecorder writes it. Poses: poses.txt, else
/// NAME.pose.txt beside pairs. The camera: dataset.toml, else camera-intrinsics.txt, which is told.
/// @throws Error(kData) for a folder without frames, and for what is wrong with these files.
Recording list_frames_recording(const std::filesystem::path& folder);

/// `tum:`. Poses: groundtruth.txt, the nearest in time. @throws as associate_tum() and parse_trajectory().
Recording list_tum_recording(const std::filesystem::path& folder);

/// A recording of the TUM RGB-D benchmark (Sturm et al., IROS 2012), of which each kind of image has a clock of its
/// own, so that images must be associated.
/// @param folder  That the paths are in. @param rgb, depth  The texts of rgb.txt and depth.txt: lines of seconds and
///                path; those that begin with # are comments.
/// @throws Error(kData) naming the line for one that says something else or a path outside the folder; for images that
///         are taken faster than any camera can, and when no two belong together.
Recording associate_tum(const std::filesystem::path& folder, const std::string& rgb, const std::string& depth);

/// The camera and where up is as dataset.toml of the recording's folder says, if there is one.
void read_config_of(Recording& recording);

}  // namespace fernwood::dataset
