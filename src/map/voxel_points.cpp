// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "map/voxel_content.h"

namespace fernwood::map {

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
  point->label = best_class(sums, map.label_factors);
  point->probability = point->label == image::kVoid ? 0.0f : class_probability(voxel, point->label);
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

}  // namespace fernwood::map
