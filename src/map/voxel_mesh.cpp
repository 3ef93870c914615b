// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "fernwood/core/error.h"
#include "forest/leaf.h"
#include "map/voxel_content.h"

// The surface of a map. Each voxel is a plane, through the mean of its points and with their normal. The signed
// distance at the centre of a voxel is the mean of the distances to the planes of the voxels around it (Hoppe et al.,
// SIGGRAPH 1992); a cell between eight centres has a vertex if the sign changes, and the four vertices around an edge
// whose ends have different signs form a face (surface nets; Gibson, MICCAI 1998). Output is in the order of positions,
// so that the same map gives the same bytes.

namespace fernwood::map {

namespace {

using GridIndex = std::array<std::int32_t, 3>;

constexpr std::int32_t kReach = 2;             // distance in voxels up to which planes contribute
constexpr float kMinSum = 1.0f;                // sum of weights below which a distance is unknown
constexpr float kFarthest = 1.5f;              // distance in voxels beyond which a change of sign is not a surface
constexpr std::uint16_t kMaxPlaneWeight = 16;  // maximum weight of a plane
constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();

std::int32_t local_index(const GridIndex& at) { return voxel_in_block(at[0], at[1], at[2]); }

GridIndex moved(GridIndex at, std::size_t axis, std::int32_t by) {
  at[axis] += by;
  return at;
}

/// Values in blocks that are created on the first write.
template <typename Value>
class Field {
 public:
  explicit Field(const Value& empty) : empty_(empty) {}

  Value& at(const GridIndex& place) {
    const std::uint64_t key = block_key(place[0], place[1], place[2]);
    std::uint32_t block = table_.find(key);
    if (block == kNoBlock) {
      block = table_.insert(key);
      blocks_.emplace_back(kBlockVoxels, empty_);
    }
    return blocks_[block][static_cast<std::size_t>(local_index(place))];
  }
  const Value& get(const GridIndex& place) const {
    const std::uint32_t block = table_.find(block_key(place[0], place[1], place[2]));
    return block == kNoBlock ? empty_ : blocks_[block][static_cast<std::size_t>(local_index(place))];
  }
  /// Visits all positions of all blocks, in the order of keys.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    std::vector<std::uint64_t> keys = table_.keys();
    std::sort(keys.begin(), keys.end());
    for (const std::uint64_t key : keys)
      for (std::int32_t i = 0; i < kBlockVoxels; ++i)
        visit(GridIndex{block_origin(key, 0) + voxel_coordinate(i, 0), block_origin(key, 1) + voxel_coordinate(i, 1),
                        block_origin(key, 2) + voxel_coordinate(i, 2)});
  }

 private:
  Value empty_;
  BlockTable table_;
  std::vector<std::vector<Value>> blocks_;
};

struct DistanceSum {
  float distance = 0, weight = 0;

  bool is_known() const { return weight >= kMinSum && value() > -kFarthest && value() < kFarthest; }
  float value() const { return distance / weight; }
};

class Surface {
 public:
  explicit Surface(const VoxelMap::Content& map) : map_(map), distances_(DistanceSum{}), vertices_(kNoVertex) {}

  MapMesh extract() {
    for_each_voxel(map_, map_.options.min_weight,
                   [&](const std::uint16_t* voxel, const GridIndex& at) { add_plane(voxel, at); });
    distances_.for_each([&](const GridIndex& cell) { add_vertex(cell); });
    distances_.for_each([&](const GridIndex& at) {
      for (std::size_t axis = 0; axis < 3; ++axis) add_face(at, axis);
    });
    return std::move(mesh_);
  }

 private:
  static image::Vector3 middle(const GridIndex& at) {
    return {static_cast<float>(at[0]) + 0.5f, static_cast<float>(at[1]) + 0.5f, static_cast<float>(at[2]) + 0.5f};
  }

  void add_plane(const std::uint16_t* voxel, const GridIndex& at) {
    const image::Vector3 normal = voxel_normal(voxel), place = voxel_place(voxel, at);
    if (normal == image::Vector3{}) return;
    const auto weight = static_cast<float>(std::min(voxel[kWeight], kMaxPlaneWeight));
    for (std::int32_t dx = -kReach; dx <= kReach; ++dx)
      for (std::int32_t dy = -kReach; dy <= kReach; ++dy)
        for (std::int32_t dz = -kReach; dz <= kReach; ++dz) {
          const GridIndex there = {at[0] + dx, at[1] + dy, at[2] + dz};
          const image::Vector3 way = difference(middle(there), place);
          const float near = 1.0f - image::dot(way, way) / static_cast<float>(kReach * kReach);
          if (near <= 0) continue;
          DistanceSum& sum = distances_.at(there);
          sum.weight += weight * near * near;
          sum.distance += weight * near * near * image::dot(way, normal);
        }
  }

  /// Adds the mean of the sign changes along a cell's edges; `cell` is its first corner.
  void add_vertex(const GridIndex& cell) {
    std::array<float, 8> values;
    for (std::size_t i = 0; i < 8; ++i) {
      const DistanceSum& sum = distances_.get(corner(cell, i));
      if (!sum.is_known()) return;
      values[i] = sum.value();
    }
    image::Vector3 total;
    int count = 0;
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t bit = std::size_t{4} >> axis, j = i | bit;
        if (i == j || (values[i] < 0) == (values[j] < 0)) continue;
        image::Vector3 crossing = middle(corner(cell, i));
        (axis == 0 ? crossing.x : axis == 1 ? crossing.y : crossing.z) += values[i] / (values[i] - values[j]);
        total = {total.x + crossing.x, total.y + crossing.y, total.z + crossing.z};
        ++count;
      }
    if (count == 0) return;
    const float share = 1.0f / static_cast<float>(count);
    const image::Vector3 place = {total.x * share, total.y * share, total.z * share};
    const std::uint16_t* const voxel = nearest_voxel(place);
    if (voxel == nullptr) return;
    vertices_.at(cell) = static_cast<std::uint32_t>(mesh_.vertices.size());
    MapPoint& vertex = mesh_.vertices.emplace_back();
    const auto side = static_cast<float>(map_.options.voxel_m);
    vertex.place = {place.x * side, place.y * side, place.z * side};
    vertex.normal = voxel_normal(voxel);
    set_class(map_, voxel, &vertex);
  }

  static GridIndex corner(const GridIndex& cell, std::size_t i) {
    return {cell[0] + static_cast<std::int32_t>(i >> 2), cell[1] + static_cast<std::int32_t>(i >> 1 & 1),
            cell[2] + static_cast<std::int32_t>(i & 1)};
  }

  /// The voxel of sufficient weight around a position whose mean point is nearest; null if none is near.
  const std::uint16_t* nearest_voxel(const image::Vector3& place) const {
    VoxelPoint at;
    if (!find_voxel(place, &at)) return nullptr;
    const std::uint16_t* nearest = nullptr;
    float least = std::numeric_limits<float>::max();
    for (std::int32_t dx = -kReach; dx <= kReach; ++dx)
      for (std::int32_t dy = -kReach; dy <= kReach; ++dy)
        for (std::int32_t dz = -kReach; dz <= kReach; ++dz) {
          const GridIndex there = {at.x + dx, at.y + dy, at.z + dz};
          const std::uint16_t* const voxel = map_.find(there[0], there[1], there[2]);
          if (voxel == nullptr || voxel[kWeight] < map_.options.min_weight) continue;
          const image::Vector3 way = difference(voxel_place(voxel, there), place);
          const float square = image::dot(way, way);
          if (square >= least) continue;
          least = square;
          nearest = voxel;
        }
    return nearest;
  }

  /// Adds a face between the four cells around the edge from a sample along an axis.
  void add_face(const GridIndex& at, std::size_t axis) {
    const DistanceSum &from = distances_.get(at), &to = distances_.get(moved(at, axis, 1));
    if (!from.is_known() || !to.is_known()) return;
    const bool inside = from.value() < 0;
    if (inside == (to.value() < 0)) return;
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    const std::array<GridIndex, 4> cells = {moved(moved(at, u, -1), v, -1), moved(at, v, -1), at, moved(at, u, -1)};
    std::array<std::uint32_t, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      corners[i] = vertices_.get(cells[i]);
      if (corners[i] == kNoVertex) return;
    }
    // Seen against the axis, the cells are in counter-clockwise order: this is from outside if the start of the edge is
    // inside.
    if (!inside) std::swap(corners[1], corners[3]);
    mesh_.triangles.push_back({corners[0], corners[1], corners[2]});
    mesh_.triangles.push_back({corners[0], corners[2], corners[3]});
  }

  const VoxelMap::Content& map_;
  Field<DistanceSum> distances_;   // [voxel] at its centre
  Field<std::uint32_t> vertices_;  // [cell] indexed by its first corner
  MapMesh mesh_;
};

}  // namespace

std::vector<double> class_areas_m2(const MapMesh& mesh, std::size_t num_classes) {
  std::vector<double> areas(num_classes);
  for (const std::array<std::uint32_t, 3>& corners : mesh.triangles) {
    const auto side = [&](std::size_t i) {
      const image::Vector3 &from = mesh.vertices[corners[0]].place, &to = mesh.vertices[corners[i]].place;
      return image::Vector3{to.x - from.x, to.y - from.y, to.z - from.z};
    };
    const image::Vector3 a = side(1), b = side(2);
    const double area = 0.5 * std::hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
    for (const std::uint32_t corner : corners)
      if (const std::uint16_t label = mesh.vertices[corner].label; label < num_classes) areas[label] += area / 3;
  }
  return areas;
}

MapMesh VoxelMap::mesh() const {
  MapMesh mesh = Surface(content()).extract();
  set_objects(objects(), mesh.vertices);
  return mesh;
}

/// Cubes of voxels, stored in blocks like voxels: when depth noise moves a point to another voxel, the classes of the
/// cubes around it hardly change.
struct MapRenderer::Cells {
  GridPose view_from(const image::RigidMotion& pose) const { return grid_pose(pose, cells_per_m); }

  std::vector<std::uint32_t> factors;  // [class]
  float min_confidence = 0;
  std::int32_t voxels = 1;  // side of a cell, in voxels
  float cells_per_m = 0;
  BlockTable table;
  std::vector<std::vector<std::uint32_t>> blocks;  // [block][cell][class] sums over the voxels
};

namespace {

/// Index of the cell of a voxel, along one axis. @param voxels  Side of a cell, in voxels.
std::int32_t cell_of(std::int32_t voxel, std::int32_t voxels) {
  return (voxel < 0 ? voxel - (voxels - 1) : voxel) / voxels;
}

/// Finds cells, with a cache of blocks: successive lookups are mostly in the same blocks.
class CellFinder {
 public:
  explicit CellFinder(const MapRenderer::Cells& cells) : cells_(cells) {}

  /// Null if the block does not exist.
  const std::uint32_t* find(std::int32_t x, std::int32_t y, std::int32_t z) {
    const std::uint64_t key = block_key(x, y, z);
    Known& known = known_[slot_of(key)];
    if (!known.is_set || known.key != key) known = {key, cells_.table.find(key), true};
    if (known.block == kNoBlock) return nullptr;
    const auto index = static_cast<std::size_t>(voxel_in_block(x, y, z));
    return cells_.blocks[known.block].data() + index * cells_.factors.size();
  }

 private:
  struct Known {
    std::uint64_t key = 0;
    std::uint32_t block = kNoBlock;
    bool is_set = false;
  };
  /// Adjacent blocks differ in the lowest bits of their coordinates.
  static std::size_t slot_of(std::uint64_t key) { return (key & 1) | (key >> 20 & 2) | (key >> 40 & 4); }

  const MapRenderer::Cells& cells_;
  std::array<Known, 8> known_;
};

/// The class of the eight cells around a point; empty where the map is. @param sums  [class] Scratch memory.
std::optional<std::uint16_t> label_at(const image::Vector3& grid, CellFinder& finder, const MapRenderer::Cells& cells,
                                      std::vector<std::uint64_t>& sums) {
  VoxelPoint first;  // the first of the eight cells whose centres surround the point
  if (!find_voxel({grid.x - 0.5f, grid.y - 0.5f, grid.z - 0.5f}, &first)) return std::nullopt;
  std::fill(sums.begin(), sums.end(), 0u);
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t* const cell = finder.find(first.x + (i >> 2), first.y + (i >> 1 & 1), first.z + (i & 1));
    if (cell == nullptr) continue;
    const std::uint64_t share = corner_share(first, i);
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += share * cell[c];
  }
  const std::uint16_t best = best_class(sums.data(), cells.factors);
  if (best == image::kVoid) return std::nullopt;
  const std::uint64_t all = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  return forest::confident_label(best, static_cast<float>(sums[best]) / static_cast<float>(all), cells.min_confidence);
}

}  // namespace

MapRenderer::MapRenderer(const VoxelMap& map) : cells_(std::make_unique<Cells>()) {
  const VoxelMap::Content& content = map.content();
  const std::size_t num_classes = content.classes.size();
  cells_->factors = content.label_factors;
  cells_->min_confidence = content.options.min_confidence;
  const double voxels = content.options.render_cell_m / content.options.voxel_m;
  cells_->voxels = std::max(1, static_cast<std::int32_t>(voxels + 0.5));
  cells_->cells_per_m = content.voxels_per_m() / static_cast<float>(cells_->voxels);
  for_each_voxel(content, 1, [&](const std::uint16_t* voxel, const std::array<std::int32_t, 3>& at) {
    const auto cell_along = [&](std::size_t axis) { return cell_of(at[axis], cells_->voxels); };
    const std::int32_t x = cell_along(0), y = cell_along(1), z = cell_along(2);
    const std::uint64_t key = block_key(x, y, z);
    std::uint32_t block = cells_->table.find(key);
    if (block == kNoBlock) {
      block = cells_->table.insert(key);
      cells_->blocks.emplace_back(kBlockVoxels * num_classes);
    }
    std::uint32_t* const cell =
        cells_->blocks[block].data() + static_cast<std::size_t>(voxel_in_block(x, y, z)) * num_classes;
    for (std::size_t c = 0; c < num_classes; ++c) cell[c] += voxel[kFirstClass + c];
  });
}

MapRenderer::~MapRenderer() = default;

image::LabelImage MapRenderer::render(const image::Frame& frame, const image::RigidMotion& pose,
                                      const image::LabelImage& unmapped, ThreadPool& pool) const {
  const std::size_t rows = frame.rows(), cols = frame.cols();
  FW_CHECK(unmapped.rows() == rows && unmapped.cols() == cols, Data,
           "labels of " << unmapped.cols() << " x " << unmapped.rows() << " pixels do not fit a frame of " << cols
                        << " x " << rows);
  image::LabelImage labels = unmapped;
  if (frame.depth_mm.empty()) return labels;
  const PixelRays rays(frame);
  const GridPose grid = cells_->view_from(pose);
  pool.for_each(rows, [&](std::size_t row, int) {
    CellFinder finder(*cells_);
    std::vector<std::uint64_t> sums(cells_->factors.size());
    for (std::size_t col = 0; col < cols; ++col) {
      const std::int32_t depth = frame.depth_mm(row, col);
      if (depth == 0) continue;
      const auto label = label_at(grid(rays.x[col], rays.y[row], depth), finder, *cells_, sums);
      if (label) labels(row, col) = *label;
    }
  });
  return labels;
}

}  // namespace fernwood::map
