// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fernwood/dataset/import.h"
#include "fernwood/image/rigid_motion.h"

namespace fernwood::dataset {

/// The rotation of a quaternion (x, y, z, w) of length 1, row by row.
std::array<double, 9> rotation_of(const std::array<double, 4>& quaternion);

/// The pose of a matrix, row by row: four columns, of which the last is the position. Empty where numbers are missing
/// or not finite, as those of frames that were not located, or where it does not rotate (to 0.01).
std::optional<CameraPose> pose_of_matrix(std::span<const double> matrix);

/// A position and a quaternion of any length. Empty as pose_of_matrix().
std::optional<CameraPose> pose_of_numbers(std::span<const double> position, std::span<const double> quaternion);

/// From places as the camera sees them to places in the room.
image::RigidMotion motion_of(const CameraPose& pose);

/// Back; empty as pose_of_matrix().
std::optional<CameraPose> pose_of_motion(const image::RigidMotion& motion);

/// The same place of a camera whose y goes up and whose z goes back, as ARKit and OpenGL have it.
CameraPose from_y_up(const CameraPose& pose);

/// The pose in a file of a matrix; empty where there is no file, and as pose_of_matrix().
std::optional<CameraPose> read_pose_file(const std::filesystem::path& path);

/// [seconds] The poses of a list in the way of TUM RGB-D: seconds, position, quaternion. Lines that begin with # are
/// comments. @throws Error(kData) naming the line that is something else.
std::map<double, CameraPose> parse_trajectory(const std::filesystem::path& path, const std::string& text);

/// The pose that was taken nearest to a time, at most 20 ms before or after.
std::optional<CameraPose> pose_near(const std::map<double, CameraPose>& trajectory, double time_s);

// poses.txt beside the frames of a folder.

/// The comment above lines of the one kind or the other.
inline constexpr const char* kQuaternionPoses =
    "# name x y z qx qy qz qw: of the camera (x right, y down, z ahead) in the world, in metres\n";
inline constexpr const char* kMatrixPoses =
    "# name and the three rows of the matrix from the camera (x right, y down, z ahead) to the world, in metres\n";

/// A line of the first kind.
std::string pose_line(const std::string& frame, const CameraPose& pose);
/// A line of the second kind, which is read to the same bits.
std::string pose_line(const std::string& frame, const image::RigidMotion& pose);

/// [frame] Lines of the frame's name and either position and quaternion, seven numbers, or the matrix, of which the
/// fourth row may be there: 12 or 16 numbers. Those that begin with # are comments. A matrix that rotates to the
/// precision of floats is taken as it is.
/// @throws Error(kData) naming the line: for another count, numbers that are not finite, what does not rotate, and a
///         frame that is named twice.
std::map<std::string, image::RigidMotion> parse_frame_poses(const std::filesystem::path& path, const std::string& text);

}  // namespace fernwood::dataset
