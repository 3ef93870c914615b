// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <optional>

#include "fernwood/core/file.h"
#include "fernwood/map/voxel_map.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

namespace {

constexpr std::size_t kMapRows = 12, kMapCols = 16;
constexpr std::size_t kMapBudget = std::size_t{64} << 20;

/// A slanted wall at a distance of about 1 m.
const image::Frame& slanted_wall() {
  static const image::Frame frame = [] {
    image::Frame made;
    made.color = Array2<image::Rgb>(kMapRows, kMapCols, {40, 80, 120});
    made.depth_mm = Array2<std::uint16_t>(kMapRows, kMapCols);
    for (std::size_t i = 0; i < made.depth_mm.size(); ++i)
      made.depth_mm.data()[i] = static_cast<std::uint16_t>(1000 + 2 * (i % kMapCols));
    made.camera = image::Camera{kMapCols, kMapRows, 100, 100, 7.5f, 5.5f};
    return made;
  }();
  return frame;
}

void integrate_wall(map::VoxelMap& map, ThreadPool& pool) {
  const std::vector<Array2<float>> planes(map.classes().size(), Array2<float>(kMapRows, kMapCols, 0.5f));
  map.integrate({slanted_wall(), {}, planes}, pool);
}

Bytes saved_map(const map::VoxelMap& map) {
  const std::filesystem::path path = scratch_folder() / "room.map";
  map::save_map(map, path);
  return read_file(path);
}

image::ClassMap classes_of_map(std::size_t count) {
  image::ClassMap classes;
  for (std::size_t c = 0; c < count; ++c) {
    const auto level = static_cast<std::uint8_t>(c);
    classes.classes.push_back({"class " + std::to_string(c), {level, 0, 0}});
  }
  return classes;
}

/// Makes all queries of a map.
void show_map(const map::VoxelMap& map, ThreadPool& pool) {
  const std::vector<map::MapPoint> points = map.points();
  law(points.size() == map.num_voxels(map.options().min_weight), "points are not the voxels");
  law(map.point_probabilities().rows() == points.size(), "there are other probabilities than points");
  const auto is_class = [&](std::uint16_t label) { return label == image::kVoid || label < map.classes().size(); };
  for (const map::MapPoint& point : points) {
    law(is_class(point.label), "the label of a point is not a class");
    law(point.probability >= 0 && point.probability <= 1, "a probability is not from 0 to 1");
    law(std::isfinite(point.place.x + point.place.y + point.place.z), "a point is nowhere");
  }
  const map::MapMesh mesh = map.mesh();
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t vertex : triangle) law(vertex < mesh.vertices.size(), "a triangle has no such vertex");
  const image::LabelImage labels =
      map::MapRenderer(map).render(slanted_wall(), {}, image::LabelImage(kMapRows, kMapCols, image::kVoid), pool);
  for (const std::uint16_t label : labels) law(is_class(label), "a label is not a class");
}

}  // namespace

int fuzz_voxel_map(const std::uint8_t* data, std::size_t size) {
  static ThreadPool pool(1);
  std::optional<map::VoxelMap> read;
  if (!reads([&] { read = map::read_map({data, size}, "map", kMapBudget); })) return 0;
  const Bytes written = saved_map(*read);  // a map that can be read can be written
  law(saved_map(map::read_map(written, "written", kMapBudget)) == written, "a map comes back as another");
  show_map(*read, pool);
  integrate_wall(*read, pool);  // and extended
  show_map(*read, pool);
  return 0;
}

std::vector<Bytes> voxel_map_seeds() {
  ThreadPool pool(1);
  std::vector<Bytes> seeds;
  for (const std::size_t num_classes : {std::size_t{1}, std::size_t{3}, std::size_t{300}}) {
    map::VoxelMap map({.voxel_m = 0.05}, classes_of_map(num_classes));
    if (num_classes == 3) seeds.push_back(saved_map(map));  // an empty map
    integrate_wall(map, pool);
    seeds.push_back(saved_map(map));
  }
  return seeds;
}

}  // namespace fernwood::fuzz
