// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cstring>
#include <limits>

#include "fernwood/image/camera.h"
#include "fernwood/publish/label_publisher.h"

namespace fernwood::publish {

namespace {

image::Camera camera_of(const image::Frame& frame) {
  const std::size_t cols = frame.depth_mm.cols(), rows = frame.depth_mm.rows();
  return frame.camera ? image::scaled(*frame.camera, cols, rows) : image::assumed_camera(cols, rows);
}

}  // namespace

std::vector<std::uint8_t> points_of(const image::Frame& frame, const Array2<std::uint8_t>& mask,
                                    const Array2<std::uint8_t>& confidence) {
  const image::Camera camera = camera_of(frame);
  const std::size_t rows = frame.depth_mm.rows(), cols = frame.depth_mm.cols();
  std::vector<std::uint8_t> points(rows * cols * PointLayout::kBytes);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kMetresPerMm = 0.001f;
  std::uint8_t* point = points.data();
  for (std::size_t row = 0; row < rows; ++row) {
    const float ray_y = (static_cast<float>(row) - camera.cy) / camera.fy;
    for (std::size_t col = 0; col < cols; ++col, point += PointLayout::kBytes) {
      const std::uint16_t depth_mm = frame.depth_mm(row, col);
      const float z = depth_mm == 0 ? kNan : static_cast<float>(depth_mm) * kMetresPerMm;
      const float place[3] = {(static_cast<float>(col) - camera.cx) / camera.fx * z, ray_y * z, z};
      std::memcpy(point + PointLayout::kX, place, sizeof(place));
      point[PointLayout::kClass] = mask(row, col);
      point[PointLayout::kConfidence] = confidence.empty() ? std::uint8_t{0} : confidence(row, col);
    }
  }
  return points;
}

}  // namespace fernwood::publish
