// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>

#include "fernwood/core/error.h"
#include "map/voxel_content.h"

namespace fernwood::map {

/// Cubes of voxels, stored in blocks like voxels: when depth noise moves a point to another voxel, the classes of the
/// cubes around it hardly change.
struct MapRenderer::Cells {
  GridPose view_from(const image::RigidMotion& pose) const { return grid_pose(pose, cells_per_m); }

  std::vector<std::uint32_t> factors;  // [class]
  std::int32_t voxels = 1;             // side of a cell, in voxels
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

/// The class of the eight cells around a point, or kVoid. @param sums  [class] Scratch memory.
std::uint16_t label_at(const image::Vector3& grid, CellFinder& cells, const std::vector<std::uint32_t>& factors,
                       std::vector<std::uint64_t>& sums) {
  VoxelPoint first;  // the first of the eight cells whose centres surround the point
  if (!find_voxel({grid.x - 0.5f, grid.y - 0.5f, grid.z - 0.5f}, &first)) return image::kVoid;
  std::fill(sums.begin(), sums.end(), 0u);
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t* const cell = cells.find(first.x + (i >> 2), first.y + (i >> 1 & 1), first.z + (i & 1));
    if (cell == nullptr) continue;
    const std::uint64_t share = corner_share(first, i);
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += share * cell[c];
  }
  return best_class(sums.data(), factors);
}

}  // namespace

MapRenderer::MapRenderer(const VoxelMap& map) : cells_(std::make_unique<Cells>()) {
  const VoxelMap::Content& content = map.content();
  const std::size_t num_classes = content.classes.size();
  cells_->factors = content.label_factors;
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
    CellFinder cells(*cells_);
    std::vector<std::uint64_t> sums(cells_->factors.size());
    for (std::size_t col = 0; col < cols; ++col) {
      const std::int32_t depth = frame.depth_mm(row, col);
      if (depth == 0) continue;
      const std::uint16_t label = label_at(grid(rays.x[col], rays.y[row], depth), cells, cells_->factors, sums);
      if (label != image::kVoid) labels(row, col) = label;
    }
  });
  return labels;
}

}  // namespace fernwood::map
