// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "c_api/handles.h"

namespace fernwood::c_api {

namespace {

/// More pixels than image files may have; sizes of arrays then fit into what they are counted in.
constexpr std::size_t kMostPixels = std::size_t{1} << 28;

/// Calls `take(row index, its first byte)` for each row of an image in the caller's memory.
template <typename Take>
void for_each_row(const std::string& place, const void* image, std::size_t stride, std::size_t row_bytes,
                  std::size_t num_rows, const Take& take) {
  FW_CHECK(stride == 0 || stride >= row_bytes, Usage,
           place << ": a row of " << row_bytes << " bytes begins " << stride
                 << " bytes after the one before; give a stride that is no less, or 0");
  const auto* row = static_cast<const std::uint8_t*>(image);
  for (std::size_t index = 0; index<num_rows; ++index, row += stride> 0 ? stride : row_bytes) take(index, row);
}

Array2<std::uint16_t> depth_of(const fernwood_frame& frame, const std::string& place) {
  Array2<std::uint16_t> depth_mm(frame.rows, frame.cols);
  const auto take_rows = [&](std::size_t value_bytes, const auto& take) {
    for_each_row(place + ": the depth", frame.depth, frame.depth_stride, value_bytes * frame.cols, frame.rows, take);
  };
  switch (frame.depth_type) {
    case FERNWOOD_DEPTH_MM:
      take_rows(sizeof(std::uint16_t), [&](std::size_t row, const std::uint8_t* bytes) {
        std::memcpy(depth_mm.row(row), bytes, sizeof(std::uint16_t) * frame.cols);
      });
      return depth_mm;
    case FERNWOOD_DEPTH_M:
      take_rows(sizeof(float), [&](std::size_t row, const std::uint8_t* bytes) {
        for (std::size_t col = 0; col < frame.cols; ++col) {
          float depth_m = 0;
          std::memcpy(&depth_m, bytes + col * sizeof(float), sizeof(float));
          depth_mm(row, col) = image::to_depth_mm(depth_m);
        }
      });
      return depth_mm;
  }
  throw Error(ErrorKind::kUsage, place + ": depth_type is " + std::to_string(static_cast<int>(frame.depth_type)) +
                                     "; give FERNWOOD_DEPTH_MM or FERNWOOD_DEPTH_M");
}

/// What took the frame, where that is said.
std::optional<image::Camera> camera_of(const fernwood_frame& frame, const std::string& place) {
  if (frame.fx == 0) return std::nullopt;
  const image::Camera camera = {
      static_cast<int>(frame.cols), static_cast<int>(frame.rows), frame.fx, frame.fy, frame.cx, frame.cy};
  const std::string problem = image::problem_of(camera);
  FW_CHECK(problem.empty(), Usage, place << ": the camera's " << problem);
  return camera;
}

image::Vector3 up_of(const fernwood_frame& frame, const std::string& place) {
  const image::Vector3 up = {frame.up[0], frame.up[1], frame.up[2]};
  if (up == image::Vector3{}) return image::kImageUp;
  FW_CHECK(image::is_direction(up), Usage,
           place << ": up is (" << up.x << ", " << up.y << ", " << up.z << "), which is no direction; give one, or 0");
  return up;
}

}  // namespace

void check_size(const fernwood_frame& frame, const std::string& place) {
  FW_CHECK(frame.struct_size == sizeof(fernwood_frame), Usage,
           place << ": struct_size is " << frame.struct_size << ", not " << sizeof(fernwood_frame)
                 << "; begin with FERNWOOD_FRAME, and build against the header of this library");
  FW_CHECK(frame.rows > 0 && frame.cols > 0 && frame.cols <= kMostPixels / frame.rows, Usage,
           place << ": is " << frame.cols << " x " << frame.rows << " pixels; give 1 to " << kMostPixels << " of them");
}

void check_frame(const fernwood_frame& frame, const std::string& place) {
  check_size(frame, place);
  FW_CHECK(frame.color != nullptr || frame.depth != nullptr, Usage,
           place << ": has neither colour nor depth; give one of them");
}

image::Frame to_frame(const fernwood_frame& frame, const std::string& place) {
  check_frame(frame, place);
  image::Frame out;
  if (frame.color != nullptr) {
    static_assert(sizeof(image::Rgb) == 3);
    out.color = Array2<image::Rgb>(frame.rows, frame.cols);
    for_each_row(place + ": the colour", frame.color, frame.color_stride, 3 * frame.cols, frame.rows,
                 [&](std::size_t row, const std::uint8_t* bytes) {
                   std::memcpy(static_cast<void*>(out.color.row(row)), bytes, 3 * frame.cols);
                 });
  }
  if (frame.depth != nullptr) out.depth_mm = depth_of(frame, place);
  out.camera = camera_of(frame, place);
  out.up = up_of(frame, place);
  return out;
}

}  // namespace fernwood::c_api
