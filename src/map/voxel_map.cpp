// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/option_table.h"
#include "fernwood/map/voxel_recording.h"
#include "forest/leaf.h"
#include "image/geometry.h"
#include "image/registration.h"
#include "map/voxel_content.h"

namespace fernwood::map {

namespace {

std::vector<std::uint32_t> whole_factors(std::span<const float> weights, std::size_t num_classes) {
  std::vector<std::uint32_t> factors(num_classes, kLargestFactor);
  if (weights.empty()) return factors;
  const float largest = *std::max_element(weights.begin(), weights.end());
  for (std::size_t c = 0; c < num_classes; ++c)
    factors[c] = std::max(1u, static_cast<std::uint32_t>(weights[c] / largest * static_cast<float>(kLargestFactor)));
  return factors;
}

using O = MapOptions;

constexpr std::array kMapRows = {
    option<&O::voxel_m>("voxel-size", "Side of a voxel, in metres").takes("METRES").in(from_to(0.01, 0.05)),
    option<&O::max_range_m>("max-range", "Depth beyond which pixels are left out of the map, in metres")
        .takes("METRES")
        .in(from_to(0.2, 32)),
    option<&O::render_cell_m>("render-cell",
                              "Side of the cells with which frames are rendered, in metres: larger ones give steadier "
                              "labels, smaller ones more detail")
        .takes("METRES")
        .in(from_to(0.01, 0.1)),
    option<&O::min_weight>("min-weight",
                           "Minimum weight of a voxel that points and meshes show; a frame weighs 4 up to 2 m, 1 from "
                           "3.3 m on")
        .in(from_to(1, 128)),
    size_option<std::size_t{1} << 20, &O::memory_budget_bytes>(
        "memory-budget", "Memory of the map; when it is full, new places are skipped and counted")
        .default_means("1 GiB"),
};

constexpr std::array kRecordingRows = {
    option<&RecordingOptions::every>("every", "Map one frame in N").takes("N").in(at_least(1)),
    option<&RecordingOptions::max_frames>("frames", "Number of frames to map; 0: until the source ends"),
};

}  // namespace

void BlockTable::put(std::uint32_t block) {
  const std::size_t mask = cells_.size() - 1;
  std::size_t at = hash_key(keys_[block]) & mask;
  while (cells_[at] != kNoBlock) at = (at + 1) & mask;
  cells_[at] = block;
}

std::uint32_t BlockTable::insert(std::uint64_t key) {
  const auto block = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  if (2 * keys_.size() <= cells_.size()) {
    put(block);
  } else {
    cells_.assign(std::max<std::size_t>(1024, 2 * cells_.size()), kNoBlock);
    for (std::uint32_t i = 0; i <= block; ++i) put(i);
  }
  return block;
}

bool VoxelMap::Content::fits(std::uint64_t num_blocks) const {
  // The table takes up to 40 bytes per block: key and pointer in vectors that double their capacity, and four cells.
  constexpr std::size_t kFoundBy = 40;
  return num_blocks <= options.memory_budget_bytes / (block_bytes() + kFoundBy);
}

std::uint32_t VoxelMap::Content::add_block(std::uint64_t key, Memory memory) {
  if (!fits(blocks.size() + 1)) return kNoBlock;
  blocks.push_back(memory == Memory::kHere ? std::make_unique<std::uint16_t[]>(block_values()) : nullptr);
  return table.insert(key);
}

std::vector<std::uint32_t> VoxelMap::Content::sorted_blocks() const {
  std::vector<std::uint32_t> sorted(blocks.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  const std::vector<std::uint64_t>& keys = table.keys();
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return sorted;
}

GridPose grid_pose(const image::RigidMotion& pose, float voxels_per_m) {
  const float per_mm = 0.001f * voxels_per_m;
  const auto& r = pose.rotation;
  const image::Vector3& t = pose.translation;
  return {{r[0].x * per_mm, r[1].x * per_mm, r[2].x * per_mm},
          {r[0].y * per_mm, r[1].y * per_mm, r[2].y * per_mm},
          {r[0].z * per_mm, r[1].z * per_mm, r[2].z * per_mm},
          {t.x * voxels_per_m, t.y * voxels_per_m, t.z * voxels_per_m}};
}

PixelRays::PixelRays(const image::Frame& frame) : x(frame.cols()), y(frame.rows()) {
  const image::Camera camera = image::depth_view(frame).camera;
  for (std::size_t col = 0; col < x.size(); ++col) x[col] = image::ray(static_cast<float>(col), camera.cx, camera.fx);
  for (std::size_t row = 0; row < y.size(); ++row) y[row] = image::ray(static_cast<float>(row), camera.cy, camera.fy);
}

FramePoints frame_points(const Array2<std::uint16_t>& depth_mm, const PixelRays& rays, const image::RigidMotion& pose,
                         const MapOptions& options) {
  return {.depth_mm = depth_mm.data(),
          .ray_x = rays.x.data(),
          .ray_y = rays.y.data(),
          .rows = static_cast<std::int32_t>(depth_mm.rows()),
          .cols = static_cast<std::int32_t>(depth_mm.cols()),
          .pose = grid_pose(pose, static_cast<float>(1 / options.voxel_m)),
          .max_depth_mm = static_cast<std::int32_t>(options.max_range_m * 1000)};
}

VoxelMap::VoxelMap(const MapOptions& options, const image::ClassMap& classes, std::span<const float> label_weights)
    : content_(std::make_unique<Content>()) {
  options.check();
  FW_CHECK(classes.size() > 0, Usage, "a map needs at least one class; pass the classes of a model");
  FW_CHECK(label_weights.empty() || label_weights.size() == classes.size(), Usage,
           "a map of " << classes.size() << " classes got " << label_weights.size()
                       << " label weights; pass one for each class, or none");
  content_->options = options;
  content_->classes = classes;
  content_->label_factors = whole_factors(label_weights, classes.size());
}

VoxelMap::~VoxelMap() = default;
VoxelMap::VoxelMap(VoxelMap&&) noexcept = default;
VoxelMap& VoxelMap::operator=(VoxelMap&&) noexcept = default;

const MapOptions& VoxelMap::options() const { return content_->options; }

void VoxelMap::set_options(const MapOptions& options) {
  options.check();
  const double voxel_m = content_->options.voxel_m;
  require_option(
      options.voxel_m == voxel_m, "voxel-size", options.voxel_m,
      "the map that is continued has voxels of " + to_text(voxel_m) + " m, leave it out, or begin a new map");
  content_->options = options;
}

const VoxelMap::Content& VoxelMap::content() const {
  if (content_->gpu) content_->gpu->fetch();
  return *content_;
}

Device VoxelMap::device() const { return content_->device; }

void VoxelMap::use(Device device) {
  if (device == content_->device) return;
  content();
  content_->gpu.reset();
  content_->device = {};
  if (device.is_cpu()) return;
  content_->gpu = make_gpu_map(*content_, device.gpu);
  content_->device = device;
}

const image::ClassMap& VoxelMap::classes() const { return content_->classes; }
std::size_t VoxelMap::num_frames() const { return content_->num_frames; }

void VoxelMap::Content::count(const image::Frame& frame, const image::RigidMotion& pose) {
  ++num_frames;
  has_color |= !frame.color.empty();
  const double length = std::sqrt(static_cast<double>(dot(frame.up, frame.up)));
  if (!(length > 0) || !std::isfinite(length)) return;
  for (std::size_t axis = 0; axis < 3; ++axis)
    up[axis] += std::llround(kUpUnit / length * static_cast<double>(dot(pose.rotation[axis], frame.up)));
}

image::Vector3 VoxelMap::up() const {
  const auto along = [&](std::size_t axis) { return static_cast<float>(content_->up[axis]); };
  return {along(0), along(1), along(2)};
}

bool VoxelMap::has_estimated_poses() const { return content_->has_estimated_poses; }
void VoxelMap::set_estimated_poses() { content_->has_estimated_poses = true; }

const objects::ObjectTracker& VoxelMap::objects() const { return content_->objects; }
objects::ObjectTracker& VoxelMap::objects() { return content_->objects; }

std::size_t VoxelMap::num_blocks() const { return content_->blocks.size(); }

std::size_t VoxelMap::num_voxels(int min_weight) const {
  const Content& map = content();
  std::size_t count = 0;
  for (std::uint32_t block = 0; block < map.blocks.size(); ++block)
    for (std::int32_t i = 0; i < kBlockVoxels; ++i)
      count += map.voxel(block, i)[kWeight] >= std::max(1, min_weight) ? 1 : 0;
  return count;
}

std::size_t VoxelMap::memory_bytes() const {
  return content_->blocks.size() * content_->block_bytes() + content_->table.memory_bytes() +
         content_->blocks.capacity() * sizeof(content_->blocks[0]);
}

image::Vector3 voxel_normal(const std::uint16_t* voxel) {
  const auto coordinate = [&](int axis) {
    return static_cast<float>(static_cast<std::int16_t>(voxel[kNormal + axis]));
  };
  const image::Vector3 sum = {coordinate(0), coordinate(1), coordinate(2)};
  const float square = image::dot(sum, sum);
  const float scale = square > 0 ? 1.0f / std::sqrt(square) : 0.0f;
  return {sum.x * scale, sum.y * scale, sum.z * scale};
}

image::Vector3 voxel_place(const std::uint16_t* voxel, const std::array<std::int32_t, 3>& at) {
  const auto coordinate = [&](int axis) {
    const float offset = static_cast<float>(voxel[kOffset + axis]) / static_cast<float>(voxel[kWeight] * kOffsetUnit);
    return static_cast<float>(at[static_cast<std::size_t>(axis)]) + offset;
  };
  return {coordinate(0), coordinate(1), coordinate(2)};
}

float class_probability(const std::uint16_t* voxel, std::size_t label) {
  return static_cast<float>(voxel[kFirstClass + label]) / static_cast<float>(voxel[kWeight] * kUnit);
}

void set_class(const VoxelMap::Content& map, const std::uint16_t* voxel, MapPoint* point) {
  const std::uint16_t* const sums = voxel + kFirstClass;
  const std::uint16_t best = best_class(sums, map.label_factors);
  const float probability = best == image::kVoid ? 0.0f : class_probability(voxel, best);
  point->label = forest::confident_label(best, probability, map.options.min_confidence);
  point->probability = point->label == image::kVoid ? 0.0f : probability;
  if (map.has_color) {
    const auto mean = [&](int i) {
      const std::int32_t weight = voxel[kWeight];
      return static_cast<std::uint8_t>((voxel[kColor + i] + weight / 2) / weight);
    };
    point->color = {mean(0), mean(1), mean(2)};
  } else if (point->label != image::kVoid) {
    point->color = map.classes.classes[point->label].color;
  }
}

std::vector<MapPoint> VoxelMap::points() const {
  std::vector<MapPoint> points;
  points.reserve(num_voxels(options().min_weight));
  const auto side = static_cast<float>(options().voxel_m);
  for_each_voxel(content(), options().min_weight,
                 [&](const std::uint16_t* voxel, const std::array<std::int32_t, 3>& at) {
                   MapPoint& point = points.emplace_back();
                   const image::Vector3 grid = voxel_place(voxel, at);
                   point.place = {grid.x * side, grid.y * side, grid.z * side};
                   point.normal = voxel_normal(voxel);
                   set_class(content(), voxel, &point);
                 });
  set_objects(objects(), points);
  return points;
}

Array2<float> VoxelMap::point_probabilities() const {
  Array2<float> probabilities(num_voxels(options().min_weight), classes().size());
  std::size_t point = 0;
  for_each_voxel(content(), options().min_weight, [&](const std::uint16_t* voxel, const std::array<std::int32_t, 3>&) {
    for (std::size_t c = 0; c < probabilities.cols(); ++c) probabilities(point, c) = class_probability(voxel, c);
    ++point;
  });
  return probabilities;
}

#if !FERNWOOD_HAS_CUDA

std::unique_ptr<GpuMap> make_gpu_map(VoxelMap::Content&, int) { throw Error(ErrorKind::kDevice, gpu_status().problem); }

#endif

OptionTable<MapOptions> MapOptions::table() { return kMapRows; }
OptionTable<RecordingOptions> RecordingOptions::table() { return kRecordingRows; }
void RecordingOptions::check() const { check_options(table(), *this); }
void MapOptions::check() const { check_options(table(), *this); }

}  // namespace fernwood::map
