// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A semantic map: voxels of a room with the class probabilities, colours and normals that all frames of a recording
// gave them. All sums are whole numbers, so that the same frames give the same bytes on any number of threads.

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
#include "fernwood/image/rigid_motion.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::map {

struct MapOptions {
  double voxel_m = 0.02;     ///< Side of a voxel, metres, [0.01, 0.05].
  float max_range_m = 5.0f;  ///< Depth beyond which pixels are not fused, metres.
  /// Side of the cells by which frames are rendered, rounded to whole voxels, metres, [0.01, 0.1]: larger ones give
  /// steadier labels, smaller ones more detail.
  double render_cell_m = 0.06;
  int min_weight = 3;  ///< Least weight of a voxel that points and meshes show.
  /// Of the map's voxels. A map that has reached it takes no more blocks; those it has are updated further.
  std::size_t memory_budget_bytes = std::size_t{1} << 30;

  static OptionTable<MapOptions> table();
  void check() const;  ///< @throws OptionError naming the option out of its range.
};

/// A frame with its class probabilities and the pose of its camera.
struct MapFrame {
  const image::Frame& frame;                     ///< With depth; with colour or without.
  image::RigidMotion pose;                       ///< Of places as the camera sees them to places in the room.
  std::span<const Array2<float>> probabilities;  ///< [class][rows][cols]
};

/// What became of a frame's pixels.
struct FusedFrame {
  std::size_t num_pixels = 0;   ///< That were fused.
  std::size_t num_voxels = 0;   ///< That they fell into.
  std::size_t num_refused = 0;  ///< Pixels in blocks that the memory budget has no room for.
};

/// Seconds that a frame took.
struct FusionTimes {
  double predict = 0, integrate = 0;
};

/// A voxel as files and viewers have it.
struct MapPoint {
  image::Vector3 place;   ///< Mean of the points that fell into it, metres.
  image::Vector3 normal;  ///< Of length 1, towards the cameras; 0 where unknown.
  image::Rgb color;
  std::uint16_t label = image::kVoid;
  float probability = 0;  ///< Of that class.
};

/// The surface between voxels.
struct MapMesh {
  std::vector<MapPoint> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< Counter-clockwise as cameras saw them.
};

/// Blocks of 8 x 8 x 8 voxels where points fell, found by hashing. To be used from one thread at a time.
class VoxelMap {
 public:
  /// @param label_weights  [class] Factors of the probabilities by which labels are chosen (forest::LabelWeights);
  /// empty: all 1. @throws OptionError; Error(kUsage) without a class.
  VoxelMap(const MapOptions& options, const image::ClassMap& classes, std::span<const float> label_weights = {});
  ~VoxelMap();
  VoxelMap(VoxelMap&&) noexcept;
  VoxelMap& operator=(VoxelMap&&) noexcept;

  /// Fuses a frame: each voxel that its points fall into gets one observation, their mean, whose weight falls with the
  /// square of depth. Points at edges of depth and beyond options().max_range_m are left out.
  /// @throws Error(kData) for a frame without depth, images of several sizes or a pose that is not a rigid motion.
  FusedFrame integrate(const MapFrame& frame, ThreadPool& pool);
  /// The same of a frame whose classes are known: the probability of a pixel's class is 1, that of all others 0. Where
  /// labels are kVoid all are 0, so that a place which one frame labels has that class however many others see it.
  /// @param labels  [rows][cols] @throws Error as integrate(), Error(kData) for a class that the map has not.
  FusedFrame integrate_labels(const image::Frame& frame, const image::RigidMotion& pose,
                              const image::LabelImage& labels, ThreadPool& pool);
  /// Labels a frame and fuses it. Where the predictor's GPU is device(), probabilities stay there. @throws Error as
  /// integrate() and Predictor::predict() do.
  FusedFrame label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                 predict::Predictor& predictor, ThreadPool& pool, FusionTimes* times = nullptr);

  /// Where frames are fused from now on, the CPU at first; blocks move there. The bytes are the same on every device.
  /// @throws Error(kDevice), Error(kResource) where blocks do not fit the GPU's memory.
  void use(Device device);
  Device device() const;

  const MapOptions& options() const;
  /// Changes how the map is continued and shown. @throws OptionError; Error(kUsage) for voxels of another size.
  void set_options(const MapOptions& options);
  const image::ClassMap& classes() const;
  std::size_t num_frames() const;
  /// Where up was in the frames (image::Frame::up), added up over them: a direction of any length, 0 where it is
  /// unknown.
  image::Vector3 up() const;
  /// Whether poses were estimated: the coordinates are then those of the first frame's camera.
  bool has_estimated_poses() const;
  void set_estimated_poses();
  std::size_t num_blocks() const;
  /// Voxels of at least so much weight.
  std::size_t num_voxels(int min_weight = 1) const;
  /// Of the blocks and what finds them.
  std::size_t memory_bytes() const;

  /// Voxels of at least options().min_weight, in an order that depends on their places only.
  std::vector<MapPoint> points() const;
  /// [point][class] Probabilities of points(), in the same order.
  Array2<float> point_probabilities() const;
  /// The surface: of the signed distance to the planes of the voxels around each voxel (Hoppe et al., SIGGRAPH 1992),
  /// by surface nets (Gibson, MICCAI 1998).
  MapMesh mesh() const;

  struct Content;
  /// With all that its blocks hold on the host.
  const Content& content() const;

 private:
  friend VoxelMap read_map(std::span<const std::uint8_t> bytes, const std::string& name,
                           std::size_t memory_budget_bytes);
  std::unique_ptr<Content> content_;
};

/// Labels of frames as a map has them. To be used from any thread.
class MapRenderer {
 public:
  /// Adds up the voxels in cells of options().render_cell_m; later frames of the map do not change it.
  explicit MapRenderer(const VoxelMap& map);
  ~MapRenderer();
  MapRenderer(const MapRenderer&) = delete;
  MapRenderer& operator=(const MapRenderer&) = delete;

  /// For each pixel with depth, the class of the largest probability over the eight cells around its point, weighted by
  /// how near they lie. @param unmapped  Labels of pixels without depth and of those where the map is empty.
  image::LabelImage render(const image::Frame& frame, const image::RigidMotion& pose, const image::LabelImage& unmapped,
                           ThreadPool& pool) const;

  struct Cells;

 private:
  std::unique_ptr<Cells> cells_;
};

/// Binary little-endian PLY: x y z, nx ny nz, red green blue, class, probability. @param probabilities  Empty, or
/// [point][class], written as p_NAME. @throws Error as write_file_atomically().
void write_ply(const std::filesystem::path& path, const std::vector<MapPoint>& points, const image::ClassMap& classes,
               const Array2<float>& probabilities = {});
/// The same with the triangles between them.
void write_ply(const std::filesystem::path& path, const MapMesh& mesh, const image::ClassMap& classes);

/// Writes a map, to be continued. @throws Error as write_file_atomically().
void save_map(const VoxelMap& map, const std::filesystem::path& path);
/// @throws Error(kModel) for a damaged, newer or other file, Error(kResource) for one that does not fit the budget,
/// Error(kRuntime) when it cannot be read.
VoxelMap load_map(const std::filesystem::path& path,
                  std::size_t memory_budget_bytes = MapOptions().memory_budget_bytes);
/// The same of bytes. @param name  For messages.
VoxelMap read_map(std::span<const std::uint8_t> bytes, const std::string& name,
                  std::size_t memory_budget_bytes = MapOptions().memory_budget_bytes);

}  // namespace fernwood::map
