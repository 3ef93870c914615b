// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/map/voxel_map.h"

namespace fernwood::teach {

/// What of a room is labelled, as far as frames saw it.
struct MappedLabels {
  std::vector<map::MapPoint> points;    ///< kVoid where no frame has a label.
  std::vector<std::size_t> num_points;  ///< [class]
  std::size_t num_labelled = 0;         ///< Of the points.
  double refused_share = 0;             ///< Of the pixels: the memory budget had no room for their places.
  double voxel_m = 0;
  image::Vector3 up;  ///< As VoxelMap::up().
};

/// A voxel map of what is labelled in a room: a voxel has the class that most of its labelled pixels have, whatever
/// frames see it that are not labelled there. Add frames without labels first: voxels forget what was seen some hundred
/// frames ago. To be used from one thread at a time.
class LabelMap {
 public:
  /// Voxels so large that a stroke of the brush covers some, and shown also where one frame saw them, since a project
  /// may have few. 100 square metres take some 25 MB with 10 classes.
  static map::MapOptions default_options();

  /// @param classes  May be none yet.
  explicit LabelMap(const std::vector<image::ClassInfo>& classes, const map::MapOptions& options = default_options());

  /// @param labels  [rows][cols] indices of classes, kVoid where there is none; empty: nowhere.
  /// @throws Error as map::VoxelMap::integrate_labels().
  void add(const image::Frame& frame, const image::RigidMotion& pose, const image::LabelImage& labels,
           ThreadPool& pool);
  MappedLabels mapped() const;
  const image::ClassMap& classes() const { return classes_; }

 private:
  image::ClassMap classes_;
  map::VoxelMap map_;
  bool has_color_ = false;
  std::size_t num_pixels_ = 0, num_refused_ = 0;
};

}  // namespace fernwood::teach
