// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/import/poses.h"

#include <algorithm>
#include <cmath>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text_stream.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Four times the square of w, x, y or z of a rotation's quaternion, by its diagonal.
struct QuaternionSquares {
  double w, x, y, z;
};

}  // namespace

std::optional<CameraPose> pose_of_numbers(std::span<const double> position, std::span<const double> quaternion) {
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (position.size() < 3 || quaternion.size() < 4) return std::nullopt;
  if (!std::ranges::all_of(position, is_finite) || !std::ranges::all_of(quaternion, is_finite)) return std::nullopt;
  double squares = 0;
  for (const double part : quaternion.first(4)) squares += part * part;
  const double length = std::sqrt(squares);
  if (!(length > 1e-6)) return std::nullopt;
  CameraPose pose;
  std::ranges::copy(position.first(3), pose.position_m.begin());
  for (std::size_t i = 0; i < 4; ++i) pose.rotation[i] = quaternion[i] / length;
  return pose;
}

std::optional<CameraPose> pose_of_matrix(std::span<const double> m) {
  if (m.size() < 12) return std::nullopt;
  const auto at = [&](std::size_t row, std::size_t col) { return m[4 * row + col]; };
  const double xx = at(0, 0), yy = at(1, 1), zz = at(2, 2);
  const QuaternionSquares squares = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
  // By the largest part, so that nothing small is divided by.
  const double most = std::max({squares.w, squares.x, squares.y, squares.z});
  const double a = at(2, 1) - at(1, 2), b = at(0, 2) - at(2, 0), c = at(1, 0) - at(0, 1);
  const double xy = at(0, 1) + at(1, 0), xz = at(0, 2) + at(2, 0), yz = at(1, 2) + at(2, 1);
  std::array<double, 4> quaternion{};
  if (most == squares.w)
    quaternion = {a, b, c, squares.w};
  else if (most == squares.x)
    quaternion = {squares.x, xy, xz, a};
  else if (most == squares.y)
    quaternion = {xy, squares.y, yz, b};
  else
    quaternion = {xz, yz, squares.z, c};
  return pose_of_numbers(std::array{at(0, 3), at(1, 3), at(2, 3)}, quaternion);
}

CameraPose from_y_up(const CameraPose& pose) {
  // Turned by half a circle about x: q (1, 0, 0, 0).
  const auto [x, y, z, w] = pose.rotation;
  return {pose.position_m, {w, z, -y, -x}};
}

std::optional<CameraPose> read_pose_file(const fs::path& path) {
  if (!fs::is_regular_file(path)) return std::nullopt;
  TextInput words(read_text(path));
  std::vector<double> numbers;
  std::string word;
  while (words >> word) {
    TextInput one(word);
    double number = 0;
    const bool is_number = static_cast<bool>(one >> number);  // -inf and nan stand where a frame was not located
    numbers.push_back(is_number ? number : NAN);
  }
  return pose_of_matrix(numbers);
}

std::map<double, CameraPose> parse_trajectory(const fs::path& path, const std::string& text) {
  std::map<double, CameraPose> trajectory;
  TextInput lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    TextInput words(line);
    std::array<double, 8> numbers{};
    for (double& value : numbers)
      FW_CHECK(words >> value, Data,
               path.string() << ": line " << number << " is \"" << line
                             << "\"; it must have seconds, position and quaternion, eight numbers");
    const std::span<const double> all(numbers);
    if (const auto pose = pose_of_numbers(all.subspan(1, 3), all.subspan(4))) trajectory[numbers[0]] = *pose;
  }
  return trajectory;
}

std::optional<CameraPose> pose_near(const std::map<double, CameraPose>& trajectory, double time_s) {
  constexpr double kMostSeconds = 0.02;
  const auto after = trajectory.lower_bound(time_s);
  const auto before = after == trajectory.begin() ? trajectory.end() : std::prev(after);
  std::optional<CameraPose> nearest;
  double least = kMostSeconds;
  for (const auto& found : {before, after}) {
    if (found == trajectory.end() || std::abs(found->first - time_s) > least) continue;
    least = std::abs(found->first - time_s);
    nearest = found->second;
  }
  return nearest;
}

}  // namespace fernwood::dataset
