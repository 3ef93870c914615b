// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "fernwood/dataset/import.h"

namespace fernwood::dataset {

/// The pose of a matrix, row by row: four columns, of which the last is the position. Empty where numbers are missing
/// or not finite, as those of frames that were not located, or where it does not rotate.
std::optional<CameraPose> pose_of_matrix(std::span<const double> matrix);

/// A position and a quaternion of any length. Empty as pose_of_matrix().
std::optional<CameraPose> pose_of_numbers(std::span<const double> position, std::span<const double> quaternion);

/// The same place of a camera whose y goes up and whose z goes back, as ARKit and OpenGL have it.
CameraPose from_y_up(const CameraPose& pose);

/// The pose in a file of a matrix; empty where there is no file, and as pose_of_matrix().
std::optional<CameraPose> read_pose_file(const std::filesystem::path& path);

/// [seconds] The poses of a list in the way of TUM RGB-D: seconds, position, quaternion. Lines that begin with # are
/// comments. @throws Error(kData) naming the line that is something else.
std::map<double, CameraPose> parse_trajectory(const std::filesystem::path& path, const std::string& text);

/// The pose that was taken nearest to a time, at most 20 ms before or after.
std::optional<CameraPose> pose_near(const std::map<double, CameraPose>& trajectory, double time_s);

}  // namespace fernwood::dataset
