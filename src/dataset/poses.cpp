// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/poses.h"

#include <algorithm>
#include <cmath>

#include "dataset/files/user_text.h"
#include "dataset/name_lookup.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Whether the first three columns are a rotation: orthonormal rows, and not a reflection.
bool rotates(std::span<const double> m, double tolerance) {
  const auto row_dot = [&](std::size_t a, std::size_t b) {
    return m[4 * a] * m[4 * b] + m[4 * a + 1] * m[4 * b + 1] + m[4 * a + 2] * m[4 * b + 2];
  };
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      if (!(std::abs(row_dot(a, b) - (a == b ? 1 : 0)) <= tolerance)) return false;
  const double determinant =
      m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
  return determinant > 0;
}

bool are_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

image::RigidMotion motion_of_rows(std::span<const double> m) {
  image::RigidMotion motion;
  for (std::size_t row = 0; row < 3; ++row)
    motion.rotation[row] = {static_cast<float>(m[4 * row]), static_cast<float>(m[4 * row + 1]),
                            static_cast<float>(m[4 * row + 2])};
  motion.translation = {static_cast<float>(m[3]), static_cast<float>(m[7]), static_cast<float>(m[11])};
  return motion;
}

}  // namespace

std::array<double, 9> rotation_of(const std::array<double, 4>& quaternion) {
  const auto [x, y, z, w] = quaternion;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
          2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
          2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
}

image::RigidMotion motion_of(const CameraPose& pose) {
  const std::array<double, 9> r = rotation_of(pose.rotation);
  const auto& p = pose.position_m;
  return motion_of_rows(std::array{r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2]});
}

std::optional<CameraPose> pose_of_motion(const image::RigidMotion& motion) {
  std::vector<double> rows;
  const std::array<float, 3> translation = {motion.translation.x, motion.translation.y, motion.translation.z};
  for (std::size_t row = 0; row < 3; ++row) {
    const image::Vector3& r = motion.rotation[row];
    rows.insert(rows.end(), {r.x, r.y, r.z, translation[row]});
  }
  return pose_of_matrix(rows);
}

std::optional<CameraPose> pose_of_numbers(std::span<const double> position, std::span<const double> quaternion) {
  if (position.size() < 3 || quaternion.size() < 4) return std::nullopt;
  if (!are_finite(position) || !are_finite(quaternion)) return std::nullopt;
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
  constexpr double kTolerance = 0.01;
  if (m.size() < 12 || !rotates(m, kTolerance)) return std::nullopt;
  const auto at = [&](std::size_t row, std::size_t col) { return m[4 * row + col]; };
  const double xx = at(0, 0), yy = at(1, 1), zz = at(2, 2);
  // Four times the squares of the components of the quaternion.
  const double ww4 = 1 + xx + yy + zz, xx4 = 1 + xx - yy - zz, yy4 = 1 - xx + yy - zz, zz4 = 1 - xx - yy + zz;
  // By the largest component, to avoid dividing by a small number.
  const double most = std::max({ww4, xx4, yy4, zz4});
  const double a = at(2, 1) - at(1, 2), b = at(0, 2) - at(2, 0), c = at(1, 0) - at(0, 1);
  const double xy = at(0, 1) + at(1, 0), xz = at(0, 2) + at(2, 0), yz = at(1, 2) + at(2, 1);
  std::array<double, 4> quaternion{};
  if (most == ww4)
    quaternion = {a, b, c, ww4};
  else if (most == xx4)
    quaternion = {xx4, xy, xz, a};
  else if (most == yy4)
    quaternion = {xy, yy4, yz, b};
  else
    quaternion = {xz, yz, zz4, c};
  return pose_of_numbers(std::array{at(0, 3), at(1, 3), at(2, 3)}, quaternion);
}

CameraPose from_y_up(const CameraPose& pose) {
  // Rotated by 180 degrees about x: q (1, 0, 0, 0).
  const auto [x, y, z, w] = pose.rotation;
  return {pose.position_m, {w, z, -y, -x}};
}

std::optional<CameraPose> read_pose_file(const fs::path& path) {
  if (!fs::is_regular_file(path)) return std::nullopt;
  const std::string text = read_user_text(path);
  TextInput all(text), words(text);
  for (std::string word; all >> word;) {
    // Tells "1,5" and "-1.#INF" from words such as "lost" and "nan".
    const std::size_t begin = word.find_first_not_of("+-.");
    if (begin == std::string::npos || word[begin] < '0' || word[begin] > '9') return std::nullopt;
  }
  return pose_of_matrix(numbers_left(words, path.string()));
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
      FW_CHECK(take_number(words, value), Data,
               path.string() << ": line " << number << " is \"" << line
                             << "\"; it must have seconds, position and quaternion, eight numbers");
    const std::span<const double> all(numbers);
    if (!are_finite(all)) continue;  // a frame that was not located
    const auto pose = pose_of_numbers(all.subspan(1, 3), all.subspan(4));
    FW_CHECK(pose, Data,
             path.string() << ": line " << number << " is \"" << line
                           << "\", whose quaternion has the length 0 and does not rotate; write 0 0 0 1 for none");
    trajectory[numbers[0]] = *pose;
  }
  return trajectory;
}

std::optional<CameraPose> pose_near(const std::map<double, CameraPose>& trajectory, double time_s) {
  constexpr double kMaxSeconds = 0.02;
  const auto after = trajectory.lower_bound(time_s);
  const auto before = after == trajectory.begin() ? trajectory.end() : std::prev(after);
  std::optional<CameraPose> nearest;
  double least = kMaxSeconds;
  for (const auto& found : {before, after}) {
    if (found == trajectory.end() || std::abs(found->first - time_s) > least) continue;
    least = std::abs(found->first - time_s);
    nearest = found->second;
  }
  return nearest;
}

std::string pose_line(const std::string& frame, const CameraPose& pose) {
  std::string line = frame;
  for (const double number : pose.position_m) line += format_text(" %.9g", number);
  for (const double number : pose.rotation) line += format_text(" %.9g", number);
  return line + "\n";
}

std::string pose_line(const std::string& frame, const image::RigidMotion& pose) {
  std::string line = frame;
  const std::array<float, 3> translation = {pose.translation.x, pose.translation.y, pose.translation.z};
  for (std::size_t row = 0; row < 3; ++row)
    for (const float number : {pose.rotation[row].x, pose.rotation[row].y, pose.rotation[row].z, translation[row]})
      line += format_text(" %.9g", static_cast<double>(number));
  return line + "\n";
}

namespace {

/// Checks that a motion read from a text is finite, since numbers of a text may exceed 32-bit floats. @param place
/// File and line.
image::RigidMotion finite(const std::string& place, const image::RigidMotion& motion) {
  const image::Vector3& position = motion.translation;
  FW_CHECK(std::isfinite(position.x) && std::isfinite(position.y) && std::isfinite(position.z), Data,
           place << " has a position that 32 bits do not hold; use metres");
  return motion;
}

image::RigidMotion motion_of_line(const std::string& place, std::span<const double> numbers) {
  constexpr double kPrecisionOfFloats = 2e-6;
  FW_CHECK(numbers.size() == 7 || numbers.size() == 12 || numbers.size() == 16, Data,
           place << " has " << numbers.size()
                 << " numbers behind the name; a pose is x y z qx qy qz qw, or 12 or 16 numbers of the matrix from "
                    "camera to room, row by row");
  FW_CHECK(are_finite(numbers), Data,
           place << " has a number that is not finite; leave the line of a frame that was not located out");
  if (numbers.size() == 7) {
    const auto pose = pose_of_numbers(numbers.first(3), numbers.subspan(3));
    FW_CHECK(pose, Data, place << " has a quaternion of length 0, which does not rotate; write 0 0 0 1 for none");
    return finite(place, motion_of(*pose));
  }
  const auto pose = pose_of_matrix(numbers);
  const bool has_last_row = numbers.size() == 16;
  FW_CHECK(pose && (!has_last_row || (numbers[12] == 0 && numbers[13] == 0 && numbers[14] == 0 && numbers[15] == 1)),
           Data,
           place << " has a matrix that is not a rotation and translation; pass that from camera to room, row by row, "
                    "with the last row 0 0 0 1");
  return finite(place, rotates(numbers, kPrecisionOfFloats) ? motion_of_rows(numbers) : motion_of(*pose));
}

}  // namespace

std::map<std::string, image::RigidMotion> parse_frame_poses(const fs::path& path, const std::string& text) {
  std::map<std::string, image::RigidMotion> poses;
  TextInput lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    TextInput words(line);
    std::string name;
    if (line.starts_with('#') || !(words >> name)) continue;
    const std::string place = path.string() + ": line " + std::to_string(number) + " (" + name + ")";
    const std::vector<double> numbers = numbers_left(words, place);
    FW_CHECK(poses.emplace(name, motion_of_line(place, numbers)).second, Data,
             place << " names a frame that an earlier line names already; keep one of the two");
  }
  return poses;
}

std::string note_on_unknown_frames(const fs::path& file, const std::vector<std::string>& unknown, std::size_t num_named,
                                   const std::string& example) {
  if (unknown.empty()) return "";
  const std::string names = some_of(unknown);
  FW_CHECK(unknown.size() < num_named, Data,
           file.string() << " names no frame of its folder (" << names << "); a frame is named without its ending, as "
                         << example);
  return file.string() + " names that are of no frame are left out: " + names;
}

}  // namespace fernwood::dataset
