// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Iterated closest points between the surfaces of two depth images, shared by all devices. The equation of a cell is
// rounded to whole numbers, so that sums of equations do not depend on the order of addition.

#include <cstdint>

#include "fernwood/core/arithmetic.h"
#include "fernwood/image/camera.h"
#include "image/geometry.h"

namespace fernwood::image {

/// The surfaces of a frame, in the memory of one device. Cells are kCellSize pixels wide and high.
struct SurfaceView {
  Camera camera;                        ///< For the frame's size.
  const float* inverse = nullptr;       ///< Inverse depth of the first cell; 0: unknown.
  std::int32_t inverse_pitch = 0;       ///< Elements between rows.
  const CellNormal* normals = nullptr;  ///< [rows][cols]
  std::int32_t rows = 0, cols = 0;      ///< In cells.

  FW_HD float inverse_of(std::int32_t row, std::int32_t col) const { return inverse[row * inverse_pitch + col]; }
  /// Position of the surface of a cell, in metres.
  FW_HD Vector3 place(std::int32_t row, std::int32_t col) const {
    const float z = 0.001f * cell_depth_mm(inverse_of(row, col));
    return {ray(cell_middle(col), camera.cx, camera.fx) * z, ray(cell_middle(row), camera.cy, camera.fy) * z, z};
  }
};

/// Subpixel position at which a point, in metres in camera coordinates, is seen.
struct SeenAt {
  float x = 0, y = 0;
  bool is_inside = false;
};
FW_HD SeenAt seen_at(const SurfaceView& frame, const Vector3& place) {
  constexpr float kNearest_m = 0.1f;
  if (!(place.z > kNearest_m)) return {};
  const SeenAt seen = {place.x / place.z * frame.camera.fx + frame.camera.cx,
                       place.y / place.z * frame.camera.fy + frame.camera.cy, true};
  const auto right = static_cast<float>(frame.cols * kCellSize), below = static_cast<float>(frame.rows * kCellSize);
  return seen.x >= 0.0f && seen.y >= 0.0f && seen.x < right && seen.y < below ? seen : SeenAt{};
}

/// A stage of the search: coarse stages capture large motions, fine stages are accurate.
struct RegistrationStage {
  std::int32_t step;  ///< Cells between sampled cells.
  float farthest_m;   ///< Limit between partners at up to one metre; proportional to depth beyond.
  int iterations;
};
inline constexpr RegistrationStage kRegistrationStages[] = {{4, 0.3f, 5}, {2, 0.1f, 3}, {2, 0.05f, 3}};

/// Directions, and positions as shares of their depth, are in units of 2^-14; distances in units of 2^-20.
inline constexpr float kDerivativeUnit = 16384.0f, kDistanceUnit = 1048576.0f;

/// Least squares over the six parameters of a small motion: rotation about x, y, z, and translation along them.
inline constexpr int kMotionNumbers = 6, kMatrixNumbers = 21;
struct MotionSums {
  std::int64_t matrix[kMatrixNumbers] = {};  ///< The upper triangle, row by row.
  std::int64_t right[kMotionNumbers] = {};
  std::int64_t asked = 0, found = 0;

  void add(const MotionSums& other) {
    for (int i = 0; i < kMatrixNumbers; ++i) matrix[i] += other.matrix[i];
    for (int i = 0; i < kMotionNumbers; ++i) right[i] += other.right[i];
    asked += other.asked;
    found += other.found;
  }
};

/// The equation of one cell: derivatives of the distance to the partner's plane with respect to the motion parameters,
/// and the distance.
struct CellEquation {
  std::int32_t derivative[kMotionNumbers] = {};
  std::int32_t distance = 0;
  bool is_known = false;  ///< The cell has a depth.
  bool has_partner = false;
};

/// @param row, col  A cell of `from`. Its partner is the cell of `to` in which it is seen, if that is near. Everything
/// is divided by depth, because the noise of depth grows with its square (Khoshelham and Elberink, Sensors 2012).
FW_HD CellEquation cell_equation(const SurfaceView& from, const SurfaceView& to, const RigidMotion& motion,
                                 float farthest_m, std::int32_t row, std::int32_t col) {
  CellEquation equation;
  if (!(from.inverse_of(row, col) > 0.0f)) return equation;
  equation.is_known = true;
  const Vector3 p = motion(from.place(row, col));
  const SeenAt seen = seen_at(to, p);
  if (!seen.is_inside) return equation;
  const std::int32_t partner_row = static_cast<std::int32_t>(seen.y) / kCellSize;
  const std::int32_t partner_col = static_cast<std::int32_t>(seen.x) / kCellSize;
  if (!(to.inverse_of(partner_row, partner_col) > 0.0f)) return equation;
  const float scale = 1.0f / p.z;
  const Vector3 q = to.place(partner_row, partner_col);
  const Vector3 way = {q.x - p.x, q.y - p.y, q.z - p.z};
  const float most = farthest_m * (p.z > 1.0f ? p.z : 1.0f);
  if (!(dot(way, way) <= most * most)) return equation;
  const CellNormal& direction = to.normals[partner_row * to.cols + partner_col];
  const Vector3 n = {static_cast<float>(direction.x) / kDirectionUnit, static_cast<float>(direction.y) / kDirectionUnit,
                     static_cast<float>(direction.z) / kDirectionUnit};
  equation.has_partner = true;
  const float derivative[kMotionNumbers] = {
      p.y * n.z - p.z * n.y, p.z * n.x - p.x * n.z, p.x * n.y - p.y * n.x, n.x, n.y, n.z};
  for (int i = 0; i < kMotionNumbers; ++i)
    equation.derivative[i] = round_to_int(derivative[i] * scale * kDerivativeUnit);
  equation.distance = round_to_int(dot(n, way) * scale * kDistanceUnit);
  return equation;
}

/// Adds an equation to the sums of one thread.
FW_HD void add_equation(const CellEquation& equation, MotionSums& sums) {
  sums.asked += equation.is_known;
  if (!equation.has_partner) return;
  ++sums.found;
  int at = 0;
  for (int i = 0; i < kMotionNumbers; ++i) {
    const std::int64_t derivative = equation.derivative[i];
    for (int j = i; j < kMotionNumbers; ++j) sums.matrix[at++] += derivative * equation.derivative[j];
    sums.right[i] += derivative * equation.distance;
  }
}

/// Minimum share of the cells that must have a partner.
inline constexpr double kMinPartners = 0.35;
/// Minimum eigenvalue, as a share of the trace of the matrix: a single wall leaves three directions undetermined.
inline constexpr double kMinHold = 2e-4;

/// The Cholesky factor of a positive definite matrix, if it is positive definite.
struct MotionFactor {
  double lower[kMotionNumbers][kMotionNumbers] = {};
  bool is_definite = true;
};
/// @param shift  Subtracted from the diagonal.
FW_HD MotionFactor factor_of(const MotionSums& sums, double shift) {
  MotionFactor factor;
  for (int i = 0, at = 0; i < kMotionNumbers; ++i)
    for (int j = i; j < kMotionNumbers; ++j)
      factor.lower[j][i] = static_cast<double>(sums.matrix[at++]) - (i == j ? shift : 0.0);
  for (int i = 0; i < kMotionNumbers; ++i) {
    for (int j = 0; j < i; ++j) {
      double sum = factor.lower[i][j];
      for (int k = 0; k < j; ++k) sum -= factor.lower[i][k] * factor.lower[j][k];
      factor.lower[i][j] = sum / factor.lower[j][j];
    }
    double square = factor.lower[i][i];
    for (int k = 0; k < i; ++k) square -= factor.lower[i][k] * factor.lower[i][k];
    if (!(square > 0.0)) {
      factor.is_definite = false;
      return factor;
    }
    factor.lower[i][i] = std::sqrt(square);
  }
  return factor;
}

/// The motion composed with the small motion that solves the equations; is_known is false if they leave a direction
/// undetermined or cover too few cells.
struct BetterMotion {
  RigidMotion motion;
  bool is_known = false;
};

/// The rotation by a small vector c by the Cayley transform, with tan(angle / 2) half as long as c: orthonormal without
/// sines.
FW_HD RigidMotion small_motion(const double (&change)[kMotionNumbers]) {
  const double x = 0.5 * change[0], y = 0.5 * change[1], z = 0.5 * change[2];
  const double s = 2.0 / (1.0 + x * x + y * y + z * z);
  RigidMotion motion;
  motion.rotation[0] = {static_cast<float>(1.0 - s * (y * y + z * z)), static_cast<float>(s * (x * y - z)),
                        static_cast<float>(s * (x * z + y))};
  motion.rotation[1] = {static_cast<float>(s * (x * y + z)), static_cast<float>(1.0 - s * (x * x + z * z)),
                        static_cast<float>(s * (y * z - x))};
  motion.rotation[2] = {static_cast<float>(s * (x * z - y)), static_cast<float>(s * (y * z + x)),
                        static_cast<float>(1.0 - s * (x * x + y * y))};
  motion.translation = {static_cast<float>(change[3]), static_cast<float>(change[4]), static_cast<float>(change[5])};
  return motion;
}

/// One Gauss-Newton step.
FW_HD BetterMotion better_motion(const MotionSums& sums, const RigidMotion& motion) {
  if (static_cast<double>(sums.found) < kMinPartners * static_cast<double>(sums.asked) || sums.found < kMotionNumbers)
    return {motion, false};
  double trace = 0.0;
  for (int i = 0, at = 0; i < kMotionNumbers; at += kMotionNumbers - i, ++i)
    trace += static_cast<double>(sums.matrix[at]);
  // The smallest eigenvalue exceeds the shift if the shifted matrix is positive definite.
  if (!factor_of(sums, kMinHold * trace).is_definite) return {motion, false};
  const MotionFactor factor = factor_of(sums, 0.0);
  double change[kMotionNumbers];
  for (int i = 0; i < kMotionNumbers; ++i) {
    change[i] = static_cast<double>(sums.right[i]);
    for (int k = 0; k < i; ++k) change[i] -= factor.lower[i][k] * change[k];
    change[i] /= factor.lower[i][i];
  }
  for (int i = kMotionNumbers - 1; i >= 0; --i) {
    for (int k = i + 1; k < kMotionNumbers; ++k) change[i] -= factor.lower[k][i] * change[k];
    change[i] /= factor.lower[i][i];
  }
  for (double& number : change) number *= static_cast<double>(kDerivativeUnit) / static_cast<double>(kDistanceUnit);
  return {then(motion, small_motion(change)), true};
}

}  // namespace fernwood::image
