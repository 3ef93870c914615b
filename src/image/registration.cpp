// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/registration.h"

#if FERNWOOD_HAS_EIGEN
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#endif

#include <cmath>

#include "fernwood/core/error.h"

namespace fernwood::image {

RigidMotion then(const RigidMotion& first, const RigidMotion& second) {
  RigidMotion both;
  for (std::size_t row = 0; row < 3; ++row) {
    const Vector3& r = second.rotation[row];
    const auto& f = first.rotation;
    both.rotation[row] = {r.x * f[0].x + r.y * f[1].x + r.z * f[2].x, r.x * f[0].y + r.y * f[1].y + r.z * f[2].y,
                          r.x * f[0].z + r.y * f[1].z + r.z * f[2].z};
  }
  both.translation = second(first.translation);
  return both;
}

std::optional<std::array<std::size_t, 2>> DepthView::pixel(const Vector3& place) const {
  if (!(place.z > 0)) return std::nullopt;
  const float col = std::round(place.x / place.z * camera.fx + camera.cx);
  const float row = std::round(place.y / place.z * camera.fy + camera.cy);
  if (!(row >= 0 && col >= 0 && row < static_cast<float>(depth_mm.rows()) && col < static_cast<float>(depth_mm.cols())))
    return std::nullopt;
  return {{static_cast<std::size_t>(row), static_cast<std::size_t>(col)}};
}

DepthView depth_view(const Frame& frame) {
  const std::size_t rows = frame.rows(), cols = frame.cols();
  return {frame.depth_mm, frame.camera ? scaled(*frame.camera, cols, rows) : assumed_camera(cols, rows)};
}

#if FERNWOOD_HAS_EIGEN

namespace {

constexpr std::array<std::size_t, 3> kSteps = {8, 8, 4};         // pixels between those that are asked, one stage each
constexpr std::array<float, 3> kFarthest = {0.3f, 0.1f, 0.05f};  // metres between partners; further away in proportion
constexpr int kIterations = 12;                                  // of a stage
constexpr std::size_t kNormalStep = 3;                           // pixels to the neighbours that a normal is of
constexpr float kLargestStep = 0.05f;                            // of a surface, of its depth, over kNormalStep
constexpr double kLeastShare = 0.35;                             // of the places that have a partner
constexpr double kLeastHold = 2e-4;  // of the least certain direction, of all places' weight, lengths in metres

using Normal6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Eigen::Vector3f eigen(const Vector3& v) { return {v.x, v.y, v.z}; }

bool is_known(const DepthView& view, std::size_t row, std::size_t col) { return view.depth_mm(row, col) != 0; }

/// Towards the camera; nothing at edges and beside holes.
std::optional<Eigen::Vector3f> normal_at(const DepthView& view, std::size_t row, std::size_t col) {
  if (row < kNormalStep || col < kNormalStep || row + kNormalStep >= view.depth_mm.rows() ||
      col + kNormalStep >= view.depth_mm.cols())
    return std::nullopt;
  const float z = static_cast<float>(view.depth_mm(row, col));
  const auto neighbour = [&](std::size_t r, std::size_t c) -> std::optional<Eigen::Vector3f> {
    const float there = static_cast<float>(view.depth_mm(r, c));
    if (there == 0 || std::abs(there - z) > kLargestStep * z) return std::nullopt;
    return eigen(view.place(r, c));
  };
  const auto left = neighbour(row, col - kNormalStep), right = neighbour(row, col + kNormalStep);
  const auto above = neighbour(row - kNormalStep, col), below = neighbour(row + kNormalStep, col);
  if (!left || !right || !above || !below) return std::nullopt;
  const Eigen::Vector3f normal = (*below - *above).cross(*right - *left);
  const float length = normal.norm();
  if (!(length > 0)) return std::nullopt;
  return normal / length;
}

/// What a stage's places say of the motion, and how many of them have a partner.
struct Equations {
  Normal6 matrix = Normal6::Zero();
  Vector6 right = Vector6::Zero();
  std::size_t asked = 0, found = 0;
};

Equations equations_of(const DepthView& from, const DepthView& to, const RigidMotion& motion, std::size_t step,
                       float farthest) {
  Equations equations;
  for (std::size_t row = step / 2; row < from.depth_mm.rows(); row += step)
    for (std::size_t col = step / 2; col < from.depth_mm.cols(); col += step) {
      if (!is_known(from, row, col)) continue;
      ++equations.asked;
      const Vector3 moved = motion(from.place(row, col));
      const auto seen = to.pixel(moved);
      if (!seen || !is_known(to, (*seen)[0], (*seen)[1])) continue;
      const auto normal = normal_at(to, (*seen)[0], (*seen)[1]);
      if (!normal) continue;
      const Eigen::Vector3f place = eigen(moved), partner = eigen(to.place((*seen)[0], (*seen)[1]));
      if ((partner - place).norm() > farthest * std::max(1.0f, moved.z)) continue;
      ++equations.found;
      Vector6 derivative;
      derivative << place.cross(*normal).cast<double>(), normal->cast<double>();
      // Depth's noise grows with its square (Khoshelham and Elberink, Sensors 2012).
      const double weight = 1.0 / (static_cast<double>(moved.z) * static_cast<double>(moved.z));
      equations.matrix += weight * derivative * derivative.transpose();
      equations.right += weight * derivative * static_cast<double>(normal->dot(partner - place));
    }
  return equations;
}

RigidMotion turned_and_moved(const Vector6& change) {
  const Eigen::Vector3d turn = change.head<3>();
  const double angle = turn.norm();
  Eigen::Matrix3f rotation = Eigen::Matrix3f::Identity();
  if (angle > 0) rotation = Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix().cast<float>();
  RigidMotion motion;
  for (int row = 0; row < 3; ++row)
    motion.rotation[static_cast<std::size_t>(row)] = {rotation(row, 0), rotation(row, 1), rotation(row, 2)};
  motion.translation = {static_cast<float>(change(3)), static_cast<float>(change(4)), static_cast<float>(change(5))};
  return motion;
}

bool holds_all_ways(const Equations& equations) {
  const Eigen::SelfAdjointEigenSolver<Normal6> directions(equations.matrix, Eigen::EigenvaluesOnly);
  return directions.eigenvalues()(0) > kLeastHold * equations.matrix.trace();
}

}  // namespace

std::optional<RigidMotion> register_frames(const DepthView& from, const DepthView& to) {
  RigidMotion motion;
  for (std::size_t stage = 0; stage < kSteps.size(); ++stage)
    for (int i = 0; i < kIterations; ++i) {
      const Equations equations = equations_of(from, to, motion, kSteps[stage], kFarthest[stage]);
      if (static_cast<double>(equations.found) < kLeastShare * static_cast<double>(equations.asked) ||
          equations.found < 6 || !holds_all_ways(equations))
        return std::nullopt;
      const Vector6 change = equations.matrix.ldlt().solve(equations.right);
      motion = then(motion, turned_and_moved(change));
      if (change.norm() < 1e-5) break;
    }
  return motion;
}

#else

std::optional<RigidMotion> register_frames(const DepthView&, const DepthView&) {
  throw Error(ErrorKind::kUsage,
              "this build has no Eigen, which finding a camera's motion needs; install libeigen3-dev and build again");
}

#endif

}  // namespace fernwood::image
