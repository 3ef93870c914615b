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

void put_point(const image::Vector3& place, std::uint8_t label, std::uint8_t confidence, std::uint8_t* point) {
  const float coordinates[3] = {place.x, place.y, place.z};
  std::memcpy(point + PointLayout::kX, coordinates, sizeof(coordinates));
  point[PointLayout::kClass] = label;
  point[PointLayout::kConfidence] = confidence;
}

}  // namespace

std::vector<std::uint8_t> points_of(std::span<const map::MapPoint> points) {
  std::vector<std::uint8_t> bytes(points.size() * PointLayout::kBytes);
  std::uint8_t* at = bytes.data();
  for (const map::MapPoint& point : points) {
    const bool has_class = point.label != image::kVoid;
    put_point(point.place, has_class ? static_cast<std::uint8_t>(point.label) : recordings::kNoClass,
              recordings::confidence_level(point.probability), at);
    at += PointLayout::kBytes;
  }
  return bytes;
}

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
      put_point({(static_cast<float>(col) - camera.cx) / camera.fx * z, ray_y * z, z}, mask(row, col),
                confidence.empty() ? std::uint8_t{0} : confidence(row, col), point);
    }
  }
  return points;
}

}  // namespace fernwood::publish
