// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/registration.h"

#include <cmath>
#include <vector>

namespace fernwood::image {

std::optional<std::array<std::size_t, 2>> DepthView::pixel(const Vector3& place) const {
  if (!(place.z > 0)) return std::nullopt;
  const float col = std::round(place.x / place.z * camera.fx + camera.cx);
  const float row = std::round(place.y / place.z * camera.fy + camera.cy);
  if (!(row >= 0 && col >= 0 && row < static_cast<float>(depth_mm.rows()) && col < static_cast<float>(depth_mm.cols())))
    return std::nullopt;
  return {{static_cast<std::size_t>(row), static_cast<std::size_t>(col)}};
}

std::optional<std::array<std::size_t, 2>> DepthView::visible_pixel(const Vector3& place) const {
  const auto seen = pixel(place);
  if (!seen) return std::nullopt;
  const float found_m = 0.001f * static_cast<float>(depth_mm((*seen)[0], (*seen)[1]));
  if (!(std::abs(found_m - place.z) <= kVisibleShare * place.z)) return std::nullopt;
  return seen;
}

Camera camera_of(const FrameImages& frame) {
  return frame.camera ? scaled(*frame.camera, frame.cols, frame.rows) : assumed_camera(frame.cols, frame.rows);
}

DepthView depth_view(const Frame& frame) { return {frame.depth_mm, camera_of(frame)}; }

namespace {

MotionSums sum_equations(const SurfaceView& from, const SurfaceView& to, const RigidMotion& motion,
                         const RegistrationStage& stage, ThreadPool* pool) {
  const std::int32_t rows = (from.rows - stage.step / 2 + stage.step - 1) / stage.step;
  std::vector<MotionSums> sums(pool ? static_cast<std::size_t>(pool->num_threads()) : 1);
  const auto add_row = [&](std::size_t row, std::size_t worker) {
    MotionSums of_row;
    for (std::int32_t col = stage.step / 2; col < from.cols; col += stage.step)
      add_equation(cell_equation(from, to, motion, stage.farthest_m,
                                 stage.step / 2 + static_cast<std::int32_t>(row) * stage.step, col),
                   of_row);
    sums[worker].add(of_row);
  };
  if (pool)
    pool->for_each(static_cast<std::size_t>(rows),
                   [&](std::size_t row, int worker) { add_row(row, static_cast<std::size_t>(worker)); });
  else
    for (std::int32_t row = 0; row < rows; ++row) add_row(static_cast<std::size_t>(row), 0);
  for (std::size_t i = 1; i < sums.size(); ++i) sums[0].add(sums[i]);
  return sums[0];
}

}  // namespace

SurfaceView FrameSurfaces::view() const {
  return {camera,
          surfaces.inverse.row(kPlaneRadius) + kPlaneRadius,
          static_cast<std::int32_t>(surfaces.inverse.cols()),
          surfaces.normals.data(),
          static_cast<std::int32_t>(surfaces.normals.rows()),
          static_cast<std::int32_t>(surfaces.normals.cols())};
}

FrameSurfaces surfaces_of(const DepthView& frame, ThreadPool* pool) {
  return {find_surfaces(frame.depth_mm, frame.camera, pool), frame.camera};
}

std::optional<RigidMotion> register_surfaces(const FrameSurfaces& from, const FrameSurfaces& to,
                                             const RigidMotion& start, ThreadPool* pool) {
  const SurfaceView from_view = from.view(), to_view = to.view();
  BetterMotion found = {start, true};
  for (const RegistrationStage& stage : kRegistrationStages)
    for (int i = 0; i < stage.iterations; ++i) {
      found = better_motion(sum_equations(from_view, to_view, found.motion, stage, pool), found.motion);
      if (!found.is_known) return std::nullopt;
    }
  return found.motion;
}

std::optional<RigidMotion> register_frames(const DepthView& from, const DepthView& to) {
  return register_surfaces(surfaces_of(from), surfaces_of(to));
}

}  // namespace fernwood::image
