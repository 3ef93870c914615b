// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::dataset {

/// Where the camera was that took a frame.
struct FramePose {
  std::string room;         ///< Poses of one room are in the same coordinates.
  image::RigidMotion pose;  ///< Of places as the camera sees them to places in the room.
  bool operator==(const FramePose&) const = default;
};

inline constexpr std::size_t kMostRoomBytes = 200;
/// Whether a room may be called so: UTF-8 of at most kMostRoomBytes, without control characters.
bool is_room_name(const std::string& name);
/// A name for the room of a folder or file: the last two parts of its path, as it lies on disk; a checksum of them
/// where no room may be called so.
std::string room_of(const std::filesystem::path& place);

/// [frame] The poses of poses.txt beside the frames of a data set, where there are some. Each recording of it has a
/// room of its own, within that of the data set. @throws Error(kData) as parse_frame_poses().
std::vector<std::optional<FramePose>> find_poses(const Dataset& data, const std::string& room);

/// [name] Seconds of each frame that times.txt of a folder names; empty where there is none.
std::map<std::string, double> times_of(const std::filesystem::path& folder);

/// Poses of frames by a file or folder that somebody names: lines as poses.txt has them, of a frame's name; those of
/// TUM RGB-D, of the time that a frame has in its name or in `times`, to 20 ms; or a folder with a file NAME.pose.txt
/// for each frame, as 7-Scenes has it.
/// @param times  [name] Seconds, of frames that have none in their name; may be empty.
/// @return  [name] Of frames that have one. @throws Error(kData) for a file that is damaged or has none of the frames.
std::map<std::string, image::RigidMotion> read_poses(const std::filesystem::path& place,
                                                     const std::vector<std::string>& names,
                                                     const std::map<std::string, double>& times);

}  // namespace fernwood::dataset
