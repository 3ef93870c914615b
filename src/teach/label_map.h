// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fernwood/core/parallel.h"
#include "fernwood/map/voxel_map.h"
#include "fernwood/web/web_server.h"
#include "teach/truth.h"

namespace fernwood::teach {

/// The labelled part of a room, as far as frames show it.
struct MappedLabels {
  std::vector<map::MapPoint> points;    ///< kVoid where no frame has a label.
  std::vector<std::size_t> num_points;  ///< [class]
  std::size_t num_labelled = 0;         ///< Number of labelled points.
  double refused_share = 0;             ///< Share of pixels dropped because of the memory budget.
  double voxel_m = 0;
  image::Vector3 up;  ///< As VoxelMap::up().
};

/// A voxel map of the labels in a room: a voxel has the class of most of its labelled pixels, however many other frames
/// see it without a label there. Add frames without labels first: voxels forget observations of some hundred frames
/// ago. Not thread-safe.
class LabelMap {
 public:
  /// Voxels that are large enough for several to be covered by a brush stroke, and shown even if only one frame saw
  /// them, since a project may have few frames. 100 square metres take about 25 MB with 10 classes.
  static map::MapOptions default_options();

  /// @param classes  May be empty.
  explicit LabelMap(const std::vector<image::ClassInfo>& classes, const map::MapOptions& options = default_options());

  /// @param labels  [rows][cols] class indices, kVoid where unlabelled; empty: no labels.
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

/// Maps of the labels of rooms, made when pages want them: a frame at a time, on another thread.
class MapView {
 public:
  MapView(const Project& project, const Truth& truth, web::WebServer& server)
      : project_(project), truth_(truth), server_(server) {}

  /// Builds a map of the room of a frame, and tells the page when it is ready. Only the newest request of a page
  /// counts.
  /// @return  The room. @throws Error(kUsage), with the remedy, if it cannot be mapped.
  std::string request(int client, std::size_t frame);
  void forget(int client);
  /// @param address  "/map/3": the points of a map.
  web::WebAnswer get(const std::string& address) const;

 private:
  struct Build;
  /// Starts the next step, if any: each is at most the work of a frame, on another thread.
  void go_on();
  void add(std::size_t frame);
  void finish();

  const Project& project_;
  const Truth& truth_;
  web::WebServer& server_;
  std::deque<std::pair<int, std::string>> wishes_;  // a client, and the room that it requested
  std::shared_ptr<Build> build_;                    // null: none is being built
  std::map<std::uint64_t, web::WebAnswer> maps_;    // [number] points of the newest maps
  std::uint64_t num_maps_ = 0;
};

}  // namespace fernwood::teach
