// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A semantic map: voxels of a room with class probabilities, colours and normals fused from all frames of a recording.
// All sums are integers, so that the same frames give the same bytes on any number of threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/image/camera.h"
#include "fernwood/image/frame.h"
#include "fernwood/image/labels.h"
#include "fernwood/objects/object_tracker.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::map {

struct MapOptions {
  double voxel_m = 0.02;     ///< Side of a voxel, metres, [0.01, 0.05].
  float max_range_m = 5.0f;  ///< Depth beyond which pixels are not fused, metres.
  /// Side of the cells with which frames are rendered, rounded to whole voxels, metres, [0.01, 0.1]: larger ones give
  /// steadier labels, smaller ones more detail.
  double render_cell_m = 0.06;
  int min_weight = 3;  ///< Minimum weight of voxels in points and meshes.
  /// Memory budget of the voxels. A map that has reached it allocates no more blocks, but updates existing ones.
  std::size_t memory_budget_bytes = std::size_t{1} << 30;
  /// That of PredictOptions, for the classes of points, meshes and rendered pixels; not in the table, nor in map files.
  float min_confidence = 0;

  static OptionTable<MapOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// A frame with its class probabilities and the pose of its camera.
struct MapFrame {
  const image::Frame& frame;                     ///< Must have depth; colour is optional.
  image::RigidMotion pose;                       ///< From camera coordinates to room coordinates.
  std::span<const Array2<float>> probabilities;  ///< [class][rows][cols]
};

/// Result of fusing a frame.
struct FusedFrame {
  std::size_t num_pixels = 0;   ///< Pixels that were fused.
  std::size_t num_voxels = 0;   ///< Voxels that contain their points.
  std::size_t num_refused = 0;  ///< Pixels in blocks that would exceed the memory budget.
};

/// Times of a frame, in seconds.
struct FusionTimes {
  double predict = 0, integrate = 0;
};

/// A voxel for files and viewers.
struct MapPoint {
  image::Vector3 place;   ///< Mean of the points in the voxel, metres.
  image::Vector3 normal;  ///< Of length 1, towards the cameras; 0 where unknown.
  image::Rgb color;
  std::uint16_t label = image::kVoid;
  float probability = 0;     ///< Of that class.
  std::uint32_t object = 0;  ///< objects::TrackedObject::id of the object that it is of; 0: none.
};

/// The surface between voxels.
struct MapMesh {
  std::vector<MapPoint> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< Counter-clockwise as seen from the cameras.
};

/// [class] Area of the surface, square metres.
std::vector<double> class_areas_m2(const MapMesh& mesh, std::size_t num_classes);

/// Blocks of 8 x 8 x 8 voxels in a hash table, allocated where points fall. May be used from only one thread at a time.
class VoxelMap {
 public:
  /// @param label_weights  [class] Factors of the probabilities in the choice of labels (forest::LabelWeights); empty:
  ///                       all 1.
  /// @throws OptionError for options; Error(kUsage) without classes, or for a wrong number of weights.
  VoxelMap(const MapOptions& options, const image::ClassMap& classes, std::span<const float> label_weights = {});
  ~VoxelMap();
  VoxelMap(VoxelMap&&) noexcept;
  VoxelMap& operator=(VoxelMap&&) noexcept;

  /// Fuses a frame: each voxel that contains points of the frame receives one observation, their mean, whose weight
  /// decreases with the square of depth. Points at depth edges and beyond options().max_range_m are excluded.
  /// @throws Error(kData) for a frame without depth, images of different sizes or a pose that is not a rigid motion.
  FusedFrame integrate(const MapFrame& frame, ThreadPool& pool);
  /// Fuses a frame with known labels: the probability of a pixel's class is 1, that of all others 0. For kVoid all are
  /// 0, so that a place labelled in one frame has that class, regardless of the number of other frames that see it.
  /// @param labels  [rows][cols] @throws Error as integrate(), Error(kData) for a label that is not a class of the map.
  FusedFrame integrate_labels(const image::Frame& frame, const image::RigidMotion& pose,
                              const image::LabelImage& labels, ThreadPool& pool);
  /// Labels a frame and fuses it. If the predictor is on the map's GPU, probabilities are not copied to the host.
  /// @throws Error as integrate() and Predictor::predict() do.
  FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                 predict::Predictor& predictor, ThreadPool& pool, FusionTimes* times = nullptr);

  /// Moves the map to a device, on which later frames are fused; initially the CPU. The bytes of the map are the same
  /// on every device. @throws Error(kDevice), or Error(kResource) when the blocks do not fit the GPU's memory.
  void use(Device device);
  Device device() const;

  const MapOptions& options() const;
  /// Changes the options for later frames and for output. @throws OptionError, also for a different voxel size.
  void set_options(const MapOptions& options);
  const image::ClassMap& classes() const;
  std::size_t num_frames() const;
  /// Up direction in room coordinates, the sum of those of the frames (image::Frame::up): of any length, 0 if unknown.
  image::Vector3 up() const;
  /// Whether poses were estimated: the coordinates are then those of the first frame's camera.
  bool has_estimated_poses() const;
  void set_estimated_poses();
  /// The objects in the map, which are saved with it; empty unless they were tracked while it was made.
  const objects::ObjectTracker& objects() const;
  objects::ObjectTracker& objects();
  std::size_t num_blocks() const;
  /// Number of voxels with at least this weight.
  std::size_t num_voxels(int min_weight = 1) const;
  /// Memory of the blocks and their hash table.
  std::size_t memory_bytes() const;

  /// Voxels with a weight of at least options().min_weight, in an order that depends only on their places.
  std::vector<MapPoint> points() const;
  /// [point][class] Probabilities of points(), in the same order.
  Array2<float> point_probabilities() const;
  /// The surface, extracted by surface nets (Gibson, MICCAI 1998) from the signed distance of each voxel to the planes
  /// of the surrounding voxels (Hoppe et al., SIGGRAPH 1992).
  MapMesh mesh() const;

  struct Content;
  /// The content, with all blocks fetched to the host.
  const Content& content() const;

 private:
  friend VoxelMap read_map(std::span<const std::uint8_t> bytes, const std::string& name,
                           std::size_t memory_budget_bytes);
  std::unique_ptr<Content> content_;
};

/// Renders labels of frames from a map. May be used from any thread.
class MapRenderer {
 public:
  /// Sums the voxels in cells of options().render_cell_m; frames fused later do not affect the renderer.
  explicit MapRenderer(const VoxelMap& map);
  ~MapRenderer();
  MapRenderer(const MapRenderer&) = delete;
  MapRenderer& operator=(const MapRenderer&) = delete;

  /// For each pixel with depth, the class of the largest probability over the eight cells around its point, weighted by
  /// proximity. @param unmapped  Labels for pixels without depth and those where the map is empty.
  image::LabelImage render(const image::Frame& frame, const image::RigidMotion& pose, const image::LabelImage& unmapped,
                           ThreadPool& pool) const;

  struct Cells;

 private:
  std::unique_ptr<Cells> cells_;
};

/// Binary little-endian PLY: x y z, nx ny nz, red green blue, class, probability, and object if any point is of one.
/// @param probabilities  Empty, or [point][class], written as p_NAME. @throws Error as write_file_atomically().
void write_ply(const std::filesystem::path& path, const std::vector<MapPoint>& points, const image::ClassMap& classes,
               const Array2<float>& probabilities = {});
/// The same for a mesh, with its triangles.
void write_ply(const std::filesystem::path& path, const MapMesh& mesh, const image::ClassMap& classes);

/// Writes a map, which can be loaded and continued. @throws Error as write_file_atomically().
void save_map(const VoxelMap& map, const std::filesystem::path& path);
/// @throws Error(kModel) for a file that is damaged, newer or not a map, Error(kResource) for a map beyond the budget,
/// Error(kRuntime) when the file cannot be read.
VoxelMap load_map(const std::filesystem::path& path,
                  std::size_t memory_budget_bytes = MapOptions().memory_budget_bytes);
/// The same from memory. @param name  Name in messages.
VoxelMap read_map(std::span<const std::uint8_t> bytes, const std::string& name,
                  std::size_t memory_budget_bytes = MapOptions().memory_budget_bytes);

}  // namespace fernwood::map
