// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/camera.h"

namespace fernwood::dataset {

/// Pose of a camera: p_world = rotation * p_camera + position; the camera's x axis points right, y down, z forward.
struct CameraPose {
  std::array<double, 3> position_m = {};
  std::array<double, 4> rotation = {0, 0, 0, 1};  ///< Unit quaternion x, y, z, w.
};

/// Pose of the camera that took a frame.
struct FramePose {
  std::string room;         ///< Poses of the same room share a coordinate frame.
  image::RigidMotion pose;  ///< From camera coordinates to room coordinates.
  bool operator==(const FramePose&) const = default;
};

inline constexpr std::size_t kMaxRoomBytes = 200;
/// Whether a name of a room is valid: UTF-8 of at most kMaxRoomBytes, without control characters.
bool is_room_name(const std::string& name);
/// Name for the room of a folder or file: the last two components of its absolute path, or a checksum of them if they
/// are not a valid name.
std::string room_of(const std::filesystem::path& place);

/// [frame] Poses from the files poses.txt beside the frames of a data set, where they exist. Each recording of the data
/// set is a room of its own, whose name begins with `room`. @throws Error(kData) as parse_frame_poses(), and for a file
/// with a pose of no frame in its folder.
std::vector<std::optional<FramePose>> find_poses(const Dataset& data, const std::string& room);
/// Warnings about names in these files that are of no frame in their folder: one sentence for each file. @throws Error
/// as find_poses().
std::vector<std::string> pose_warnings(const Dataset& data);

/// A frame as part of a video.
struct VideoFrame {
  std::optional<image::RigidMotion> pose = {};  ///< As in find_poses().
  bool begins_video = false;                    ///< The frame before is of another video.
};
/// [frame] The frames of a data set as those of videos: each recording and each group of the data set is a video, and
/// so is a frame that groups.txt does not list. @throws Error as find_poses(), and for an invalid groups.txt.
std::vector<VideoFrame> as_videos(const Dataset& data);

/// [name] Time in seconds of each frame that times.txt of a folder lists; empty without that file.
/// @param names  Of frames, which the file may spell otherwise.
/// @throws Error(kData) naming the first invalid line, and when the file cannot be read.
std::map<std::string, double> read_times(const std::filesystem::path& folder, const std::vector<std::string>& names);

/// Reads poses of frames from a file or folder: lines with the names of frames, as in poses.txt; lines with times, as
/// in TUM RGB-D, matched to within 20 ms with the time of a frame in `times` or in its name; or a folder with a file
/// NAME.pose.txt for each frame, as in 7-Scenes.
/// @param times  [name] Times of frames in seconds; may be empty where names are times.
/// @return  [name] Poses of the frames that have one. @throws Error(kData) for a file that is missing or damaged, or
///          without a pose of any frame.
std::map<std::string, image::RigidMotion> read_poses(const std::filesystem::path& place,
                                                     const std::vector<std::string>& names,
                                                     const std::map<std::string, double>& times);

}  // namespace fernwood::dataset
