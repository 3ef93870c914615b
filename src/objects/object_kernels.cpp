// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Compiled once for each instruction set, into namespace FW_ISA. Includes only FW_HD formulas and plain data: any other
// function that this file emitted might be shared with other files.

#include "objects/object_kernels.h"

namespace fernwood::objects::FW_ISA {

namespace {

void link(const std::uint16_t* labels, const std::uint16_t* depth_mm, const std::uint16_t* other_labels,
          const std::uint16_t* other_depth_mm, std::size_t count, std::uint8_t* __restrict links) {
  for (std::size_t i = 0; i < count; ++i)
    links[i] = links_of(labels[i], other_labels[i], depth_mm[i], other_depth_mm[i]);
}

void measure_row(const RowOfDepth& row, const float* __restrict areas, std::size_t cols, const RowMeasures& to) {
  const LevelFrame level = row.level;
  const float v = row.ray, *__restrict rays = row.rays;
  const std::uint16_t* __restrict depths = row.depth_mm;
  std::int32_t* __restrict distance = to.distance;
  std::int32_t* __restrict across = to.across;
  std::int32_t* __restrict forward = to.forward;
  std::int32_t* __restrict up = to.up;
  std::int32_t* __restrict area = to.area;
  for (std::size_t x = 0; x < cols; ++x) {
    const float depth = depths[x];
    const LevelPoint point = level_point(level, rays[x], v, depth);
    distance[x] = round_to_int(distance_mm(rays[x], v, depth));
    across[x] = round_to_int(point.across);
    forward[x] = round_to_int(point.forward);
    up[x] = round_to_int(point.up);
    area[x] = pixel_area(areas[x], depth);
  }
}

// May be read from any address of a whole number.
typedef std::int32_t Lanes __attribute__((vector_size(kLanes * sizeof(std::int32_t)), aligned(4), may_alias));

// By reference, since vectors are wider than the registers of some instruction sets.
FW_HD void add_to(Lanes& sum, const Lanes& value) { sum += value; }
FW_HD void lower_to(Lanes& lowest, const Lanes& value) { lowest = value < lowest ? value : lowest; }
FW_HD void raise_to(Lanes& highest, const Lanes& value) { highest = value > highest ? value : highest; }

template <typename Combine>
FW_HD std::int32_t over_lanes(Lanes& value, const Combine& combine) {
  combine(value, __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  combine(value, __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  combine(value, __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  combine(value, __builtin_shufflevector(value, value, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return value[0];
}

RunSums sum_run(const RowMeasures& row, std::size_t first, std::size_t end) {
  const Lanes lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::int32_t* const places[] = {row.across, row.forward, row.up};
  Lanes known = {}, area = {}, nearest = known + kFar;
  Lanes totals[3] = {}, lowest[3] = {nearest, nearest, nearest}, highest[3] = {-nearest, -nearest, -nearest};
  for (std::size_t x = first; x < end; x += kLanes) {
    const Lanes distance = *reinterpret_cast<const Lanes*>(row.distance + x);
    const Lanes is_known = (lane < static_cast<std::int32_t>(end - x)) & (distance > 0);  // -1: yes
    known -= is_known;
    area += is_known & *reinterpret_cast<const Lanes*>(row.area + x);
    lower_to(nearest, is_known ? distance : nearest);
    for (int axis = 0; axis < 3; ++axis) {
      const Lanes value = *reinterpret_cast<const Lanes*>(places[axis] + x);
      totals[axis] += is_known & value;
      lower_to(lowest[axis], is_known ? value : lowest[axis]);
      raise_to(highest[axis], is_known ? value : highest[axis]);
    }
  }
  RunSums sums = {over_lanes(known, add_to),
                  over_lanes(totals[0], add_to),
                  over_lanes(totals[1], add_to),
                  over_lanes(totals[2], add_to),
                  over_lanes(area, add_to),
                  over_lanes(nearest, lower_to),
                  {},
                  {}};
  for (int axis = 0; axis < 3; ++axis) {
    sums.lowest[axis] = over_lanes(lowest[axis], lower_to);
    sums.highest[axis] = over_lanes(highest[axis], raise_to);
  }
  return sums;
}

std::int32_t total_sureness(const float* probabilities, std::size_t count) {
  std::int32_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += sureness(probabilities[i]);
  return total;
}

void widen(const RowOfDepth& row, std::size_t first, std::size_t end, const float* __restrict across,
           const float* __restrict forward, float* __restrict lowest, float* __restrict highest) {
  for (std::size_t x = first; x < end; x += kPixelsApart) {
    const float depth = row.depth_mm[x];
    if (!(depth > 0)) continue;
    const LevelPoint point = level_point(row.level, row.rays[x], row.ray, depth);
    for (std::size_t k = 0; k < kDirections; ++k) {
      const float along = along_direction(point, across[k], forward[k]);
      lowest[k] = along < lowest[k] ? along : lowest[k];
      highest[k] = along > highest[k] ? along : highest[k];
    }
  }
}

}  // namespace

extern const ObjectKernels object_kernels_table;
const ObjectKernels object_kernels_table = {link, measure_row, sum_run, total_sureness, widen};

}  // namespace fernwood::objects::FW_ISA
