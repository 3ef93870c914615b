// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A room with plain walls, seen by a camera inside, and a predictor that recognises each wall by its colour.

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/recordings/frame_source.h"

namespace fernwood::map {

inline const image::ClassMap& wall_classes() {
  static const image::ClassMap classes = {
      {{"side", {200, 0, 0}}, {"floor and ceiling", {0, 200, 0}}, {"end", {0, 0, 200}}}, {image::Rgb{}}, {}};
  return classes;
}

/// Classes of these names.
inline image::ClassMap named(const std::vector<std::string>& names) {
  image::ClassMap classes;
  for (const std::string& name : names) classes.classes.push_back({name, {1, 2, 3}});
  return classes;
}

inline constexpr int kRoomCols = 320, kRoomRows = 240;
inline constexpr image::Camera kRoomCamera = {kRoomCols, kRoomRows, 266, 266, 159.5f, 119.5f};

/// Pose of a camera at (x, y, z), turned about y by an angle with the given sine and cosine.
inline image::RigidMotion room_pose(float x, float y, float z, float sine = 0, float cosine = 1) {
  return {{{cosine, 0, sine}, {0, 1, 0}, {-sine, 0, cosine}}, {x, y, z}};
}

/// Walls at x = -0.91 and 0.81, y = -0.61 and 0.51, z = -2.01 and 2.21 m; each has the colour of its class.
inline image::Frame room_frame(const image::RigidMotion& pose) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(kRoomRows, kRoomCols);
  frame.depth_mm = Array2<std::uint16_t>(kRoomRows, kRoomCols);
  frame.camera = kRoomCamera;
  for (std::size_t row = 0; row < kRoomRows; ++row)
    for (std::size_t col = 0; col < kRoomCols; ++col) {
      const image::Vector3 ray = {(static_cast<float>(col) - kRoomCamera.cx) / kRoomCamera.fx,
                                  (static_cast<float>(row) - kRoomCamera.cy) / kRoomCamera.fy, 1};
      const float way[3] = {image::dot(pose.rotation[0], ray), image::dot(pose.rotation[1], ray),
                            image::dot(pose.rotation[2], ray)};
      const float from[3] = {pose.translation.x, pose.translation.y, pose.translation.z};
      constexpr float kLow[3] = {-0.91f, -0.61f, -2.01f}, kHigh[3] = {0.81f, 0.51f, 2.21f};
      float depth = std::numeric_limits<float>::max();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (way[axis] == 0) continue;
        const float there = ((way[axis] > 0 ? kHigh[axis] : kLow[axis]) - from[axis]) / way[axis];
        if (there >= depth) continue;
        depth = there;
        frame.color(row, col) = wall_classes().classes[axis].color;
      }
      frame.depth_mm(row, col) = image::to_depth_mm(depth);
    }
  return frame;
}

/// [class][rows][cols] Probabilities by a frame's colours: `certainty` for the wall's class, equal shares for the rest.
inline std::vector<Array2<float>> wall_probabilities(const image::Frame& frame, float certainty = 0.8f) {
  std::vector<Array2<float>> planes(3, Array2<float>(frame.rows(), frame.cols(), (1 - certainty) / 2));
  for (std::size_t i = 0; i < frame.color.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      if (frame.color.data()[i] == wall_classes().classes[c].color) planes[c].data()[i] = certainty;
  return planes;
}

/// Recognises walls by their colours.
class WallPredictor : public predict::Predictor {
 public:
  predict::Prediction predict(const image::FrameImages& images, const predict::PredictRequest& request) override {
    const image::Frame frame = image::copy_of(images);
    predict::Prediction prediction{
        image::LabelImage(frame.rows(), frame.cols(), image::kVoid), wall_probabilities(frame), {}};
    for (std::size_t i = 0; i < frame.color.size(); ++i)
      for (std::uint16_t c = 0; c < 3; ++c)
        if (prediction.probabilities[c].data()[i] > 0.5f) prediction.labels.data()[i] = c;
    ThreadPool pool(1);
    if (request.objects)
      prediction.objects = request.objects->find(images, prediction.labels, prediction.probabilities, pool);
    return prediction;
  }
};

/// Frames added by the test.
class RoomSource : public recordings::FrameSource {
 public:
  explicit RoomSource(bool poses) : poses_(poses) {}

  /// @param told  Pose reported with the frame, if any; it may differ from the true pose.
  void add(const image::RigidMotion& pose, const std::optional<image::RigidMotion>& told) {
    frames_.push_back(
        {std::make_shared<const image::Frame>(room_frame(pose)), 0.0, "frame" + std::to_string(frames_.size()), told});
  }
  void add(const image::RigidMotion& pose) { add(pose, poses_ ? std::optional(pose) : std::nullopt); }
  void add(recordings::CapturedFrame frame) { frames_.push_back(std::move(frame)); }

  std::optional<recordings::CapturedFrame> next() override {
    if (next_ == frames_.size()) return std::nullopt;
    return frames_[next_++];
  }
  bool has_color() const override { return true; }
  bool has_depth() const override { return depth; }
  bool has_poses() const override { return poses_; }
  bool is_live() const override { return false; }
  std::string name() const override { return "room"; }

  bool depth = true;

 private:
  bool poses_;
  std::vector<recordings::CapturedFrame> frames_;
  std::size_t next_ = 0;
};

/// Pose of a camera that moves 12 mm to the right and turns by about half a degree per frame.
inline image::RigidMotion pose_of_frame(int index) {
  const float sine = 0.009f * static_cast<float>(index);
  return room_pose(0.012f * static_cast<float>(index), 0, 0, sine, std::sqrt(1 - sine * sine));
}

/// Bytes of the map's file, which also hold its contents.
inline std::vector<std::uint8_t> bytes_of(const VoxelMap& map) {
  const dataset::TestFolder folder;
  save_map(map, folder / "map");
  return read_file(folder / "map");
}

}  // namespace fernwood::map
