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

#include "fernwood/dataset/frame_poses.h"
#include "fernwood/image/camera.h"

namespace fernwood::dataset {

/// The rotation matrix of a quaternion (x, y, z, w) of length 1, row by row.
std::array<double, 9> rotation_of(const std::array<double, 4>& quaternion);

/// The pose of a matrix, row by row: four columns, of which the last is the position. Empty if numbers are missing or
/// not finite, as for frames that were not located, or if it is not a rotation (to within 0.01).
std::optional<CameraPose> pose_of_matrix(std::span<const double> matrix);

/// The pose of a position and a quaternion of any length. Empty as in pose_of_matrix().
std::optional<CameraPose> pose_of_numbers(std::span<const double> position, std::span<const double> quaternion);

/// Transforms camera coordinates to room coordinates.
image::RigidMotion motion_of(const CameraPose& pose);

/// The reverse of motion_of(); empty as in pose_of_matrix().
std::optional<CameraPose> pose_of_motion(const image::RigidMotion& motion);

/// Converts the pose of a camera whose y axis points up and whose z axis points back, as in ARKit and OpenGL.
CameraPose from_y_up(const CameraPose& pose);

/// The pose in a file with a matrix; empty if the file is missing, if a word such as "lost" stands there for a number,
/// and as in pose_of_matrix(). @throws Error(kData) for a damaged number such as "1,5".
std::optional<CameraPose> read_pose_file(const std::filesystem::path& path);

/// [seconds] The poses of a list in the format of TUM RGB-D: seconds, position, quaternion. Lines that begin with # are
/// comments. @throws Error(kData) naming the first invalid line.
std::map<double, CameraPose> parse_trajectory(const std::filesystem::path& path, const std::string& text);

/// The pose nearest to a time, at most 20 ms before or after.
std::optional<CameraPose> pose_near(const std::map<double, CameraPose>& trajectory, double time_s);

// poses.txt beside the frames of a folder.

/// The comment above lines of the first or the second kind.
inline constexpr const char* kQuaternionPoses =
    "# name x y z qx qy qz qw: of the camera (x right, y down, z ahead) in the world, in metres\n";
inline constexpr const char* kMatrixPoses =
    "# name and the three rows of the matrix from the camera (x right, y down, z ahead) to the world, in metres\n";

/// A line of the first kind.
std::string pose_line(const std::string& frame, const CameraPose& pose);
/// A line of the second kind, which is read back bit-exactly.
std::string pose_line(const std::string& frame, const image::RigidMotion& pose);

/// [frame] Poses from lines of the frame's name and either position and quaternion, seven numbers, or the matrix, with
/// or without its fourth row: 12 or 16 numbers. Lines that begin with # are comments. A matrix that is a rotation to
/// the precision of floats is used unchanged.
/// @throws Error(kData) naming the line: for another count, numbers that are not finite, a matrix that is not a
///         rotation, and a frame listed twice.
std::map<std::string, image::RigidMotion> parse_frame_poses(const std::filesystem::path& path, const std::string& text);
/// A warning about names in a file of poses that are of no frame; empty without any.
/// @param unknown  These names, of the `num_named` in the file. @param example  The name of a frame.
/// @throws Error(kData) if all names are unknown.
std::string note_on_unknown_frames(const std::filesystem::path& file, const std::vector<std::string>& unknown,
                                   std::size_t num_named, const std::string& example);

}  // namespace fernwood::dataset
