// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cstring>

#include "c_api/handles.h"

namespace fernwood::c_api {

namespace {

/// Above the limit for image files, and small enough that sizes of arrays do not overflow.
constexpr std::size_t kMaxPixels = std::size_t{1} << 28;

std::size_t checked_stride(const std::string& place, std::size_t rows, std::size_t stride, std::size_t row_bytes) {
  check_extent((place + ", rows").c_str(), rows, stride);
  FW_CHECK(stride == 0 || stride >= row_bytes, Usage,
           place << ": a row of " << row_bytes << " bytes begins " << stride
                 << " bytes after the one before; use a stride of at least that, or 0");
  return stride;
}

void borrow_depth(const fernwood_frame& frame, const std::string& place, image::FrameImages& out) {
  const int depth_type = depth_type_of(frame);
  const bool in_mm = depth_type == FERNWOOD_DEPTH_MM;
  FW_CHECK(in_mm || depth_type == FERNWOOD_DEPTH_M, Usage,
           place << ": depth_type is " << depth_type << "; use FERNWOOD_DEPTH_MM or FERNWOOD_DEPTH_M");
  if (in_mm)
    out.depth_mm = static_cast<const std::uint16_t*>(frame.depth);
  else
    out.depth_m = static_cast<const float*>(frame.depth);
  const std::size_t number_bytes = in_mm ? sizeof(std::uint16_t) : sizeof(float);
  out.depth_pitch_bytes =
      checked_stride(place + ": the depth", out.depth_rows(), frame.depth_stride, number_bytes * out.depth_cols());
}

/// The camera of the frame, if fx is set.
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
  FW_CHECK(
      image::is_direction(up), Usage,
      place << ": up is (" << up.x << ", " << up.y << ", " << up.z << "), which is not a direction; use one, or 0");
  return up;
}

/// The registration of the depth camera's image to this frame's pixels.
std::shared_ptr<const image::DepthAligner> aligner_of(const fernwood_frame& frame, const std::string& place) {
  const fernwood_depth_camera& depth = *frame.depth_camera;
  FW_CHECK(depth.struct_size == sizeof(fernwood_depth_camera), Usage,
           place << ": struct_size of the depth camera is " << depth.struct_size << ", not "
                 << sizeof(fernwood_depth_camera)
                 << "; begin with FERNWOOD_DEPTH_CAMERA, and build against the header of this library");
  FW_CHECK(frame.depth != nullptr && frame.fx != 0, Usage,
           place << " has a depth camera, but no " << (frame.depth == nullptr ? "depth" : "fx, fy, cx and cy of colour")
                 << "; pass both, or no depth camera");
  FW_CHECK(std::max(depth.rows, depth.cols) <= image::kMaxFrameSide &&
               std::max(frame.rows, frame.cols) <= image::kMaxFrameSide,
           Usage, place << ": a side has more than " << image::kMaxFrameSide << " pixels; use smaller images");
  image::CameraPair cameras;
  cameras.color = {static_cast<int>(frame.cols), static_cast<int>(frame.rows), frame.fx, frame.fy, frame.cx, frame.cy};
  cameras.depth = {static_cast<int>(depth.cols), static_cast<int>(depth.rows), depth.fx, depth.fy, depth.cx, depth.cy};
  std::ranges::copy(depth.distortion, cameras.depth_distortion.begin());
  std::ranges::copy(depth.color_distortion, cameras.color_distortion.begin());
  std::ranges::copy(depth.rotation, cameras.rotation.begin());
  std::ranges::copy(depth.translation, cameras.translation_m.begin());
  const std::string problem = image::problem_of(cameras);
  FW_CHECK(problem.empty(), Usage, place << ": " << problem);
  return image::aligner_for(cameras, depth.cols, depth.rows, frame.cols, frame.rows);
}

void borrow_maps(const fernwood_frame& frame, const std::string& place, image::FrameImages& out) {
  FW_CHECK(frame.num_maps >= 1 && frame.num_maps <= image::kMaxMaps && frame.map_rows >= 1 && frame.map_cols >= 1 &&
               frame.map_rows <= frame.rows && frame.map_cols <= frame.cols,
           Usage,
           place << " has " << frame.num_maps << " maps of " << frame.map_cols << " x " << frame.map_rows
                 << " cells; use 1 to " << image::kMaxMaps << " of them, as fine as the frame or coarser");
  out.maps = frame.maps;
  out.num_maps = frame.num_maps;
  out.map_rows = frame.map_rows;
  out.map_cols = frame.map_cols;
}

}  // namespace

int depth_type_of(const fernwood_frame& frame) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(frame.depth_type));
  std::memcpy(&number, &frame.depth_type, sizeof(number));
  return number;
}

image::RigidMotion pose_of(const fernwood_frame& frame, const std::string& place) {
  image::RigidMotion pose;
  const float* numbers = frame.pose;
  for (image::Vector3& row : pose.rotation) row = {numbers[0], numbers[1], numbers[2]}, numbers += 4;
  pose.translation = {frame.pose[3], frame.pose[7], frame.pose[11]};
  const std::string problem = image::problem_of(pose);
  FW_CHECK(problem.empty(), Usage, place << ": pose " << problem);
  return pose;
}

void check_size(const fernwood_frame& frame, const std::string& place) {
  FW_CHECK(frame.struct_size == sizeof(fernwood_frame), Usage,
           place << ": struct_size is " << frame.struct_size << ", not " << sizeof(fernwood_frame)
                 << "; begin with FERNWOOD_FRAME, and build against the header of this library");
  FW_CHECK(frame.rows > 0 && frame.cols > 0 && frame.cols <= kMaxPixels / frame.rows, Usage,
           place << " is " << frame.cols << " x " << frame.rows << " pixels; use 1 to " << kMaxPixels << " of them");
}

void check_frame(const fernwood_frame& frame, const std::string& place) {
  check_size(frame, place);
  FW_CHECK(frame.color != nullptr || frame.depth != nullptr, Usage,
           place << " has neither colour nor depth; use one of them");
}

image::FrameImages borrow(const fernwood_frame& frame, const std::string& place) {
  static_assert(sizeof(image::Rgb) == 3);
  check_frame(frame, place);
  image::FrameImages out;
  out.rows = frame.rows;
  out.cols = frame.cols;
  if (frame.color != nullptr) {
    out.color = reinterpret_cast<const image::Rgb*>(frame.color);
    out.color_pitch_bytes = checked_stride(place + ": the colour", frame.rows, frame.color_stride, 3 * frame.cols);
  }
  if (frame.depth_camera != nullptr) out.aligner = aligner_of(frame, place);
  if (frame.depth != nullptr) borrow_depth(frame, place, out);
  out.camera = camera_of(frame, place);
  out.up = up_of(frame, place);
  if (frame.pose != nullptr) out.pose = pose_of(frame, place);
  if (frame.maps != nullptr) borrow_maps(frame, place, out);
  return out;
}

}  // namespace fernwood::c_api
