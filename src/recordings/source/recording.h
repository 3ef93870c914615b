// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/frame_reader.h"
#include "fernwood/image/camera.h"
#include "fernwood/recordings/frame_source.h"

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

struct ClockOffset {
  double ahead_s = 0;         ///< How much the depth camera's clock is ahead of the colour camera's.
  std::size_t num_pairs = 0;  ///< Pairs when that is subtracted from the times of depth.
};

/// Estimates the offset that pairs most images. At a steady frame rate, an offset that differs by some frames pairs
/// nearly as many, so it is a guess: both recordings are assumed to have begun and ended together.
/// @param color_s, depth_s  Ascending.
/// @param num_pairs         Known pairs without an offset.
/// @return                  Empty unless the offset pairs at least nine tenths of the images and at least ten, and at
///                          most a quarter are paired without it: recordings may begin at different times.
std::optional<ClockOffset> find_clock_offset(std::span<const double> color_s, std::span<const double> depth_s,
                                             double max_difference_s, std::size_t num_pairs);

/// Maximum time between colour and depth of a frame.
inline constexpr double kMaxPairDifferenceS = 0.02;

/// Images of one kind, with their own clock.
struct TimedImages {
  std::string name;                 ///< Name of the list or topic, for messages.
  std::span<const double> times_s;  ///< Ascending.
};

/// Indices of two images that belong together.
struct ImagePair {
  std::size_t color = 0, depth = 0;
};

struct Association {
  std::vector<ImagePair> pairs = {};  ///< In order of colour.
  /// A sentence where the clocks of the two cameras seem to differ, or more than a tenth of the colour images have no
  /// depth; else empty.
  std::string warning = {};
};

/// Associates images by time: the nearest pairs first, each image in at most one pair, no pair further apart than
/// kMaxPairDifferenceS. @param place  Names the recording in messages.
/// @throws Error(kData) when images are closer in time than any camera takes them, and when no two belong together.
Association associate_by_time(const std::string& place, const TimedImages& colors, const TimedImages& depths);

/// A recording whose frames are read by their numbers: what FrameSource tells of it, known before the first frame.
struct FrameIndex {
  std::string name;
  std::size_t num_frames = 0;
  image::FrameContent content = {};
  bool has_camera = false, has_poses = false;
  std::function<std::vector<std::string>()> warnings;
  std::function<CapturedFrame(std::size_t index)> read;
};
/// Whether any of the frames has a member `pose`.
bool has_any_pose(const auto& frames) {
  return std::ranges::any_of(frames, [](const auto& frame) { return frame.pose.has_value(); });
}
/// A source of these frames, in order.
std::unique_ptr<FrameSource> play(FrameIndex index, const SourceOptions& options);

/// Wraps a source that returns depth of its own camera (FrameSource::depth_cameras()), and aligns depth to colour;
/// returns other sources unchanged.
std::unique_ptr<FrameSource> aligned(std::unique_ptr<FrameSource> source);

/// Opens a recording in files by its kind, "frames", "tum", "mcap" or "rosbag", and the topics of "ros"; null for
/// another kind. @param place  As in formats::open_source().
std::unique_ptr<FrameSource> open_recording(const std::string& kind, const std::string& place,
                                            const SourceOptions& options);

}  // namespace fernwood::recordings
