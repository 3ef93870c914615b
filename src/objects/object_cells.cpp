// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "objects/object_cells.h"

#include <algorithm>
#include <cmath>

#include "objects/boxes.h"

namespace fernwood::objects {

std::optional<ObjectCell> cell_at(const image::Vector3& place) {
  constexpr float kMost = 32767;
  const float x = std::floor(place.x / kObjectCellM), y = std::floor(place.y / kObjectCellM),
              z = std::floor(place.z / kObjectCellM);
  if (!(std::abs(x) <= kMost && std::abs(y) <= kMost && std::abs(z) <= kMost)) return std::nullopt;
  return ObjectCell{static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), static_cast<std::int16_t>(z), 1};
}

image::Vector3 middle_of(const ObjectCell& cell) {
  const auto middle = [](std::int16_t low) { return kObjectCellM * (static_cast<float>(low) + 0.5f); };
  return {middle(cell.x), middle(cell.y), middle(cell.z)};
}

void sort_cells(std::vector<ObjectCell>& cells) {
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end(),
                          [](const ObjectCell& a, const ObjectCell& b) { return std::is_eq(a <=> b); }),
              cells.end());
}

void add_cells(std::vector<ObjectCell>& cells, const std::vector<ObjectCell>& seen) {
  std::vector<ObjectCell> all;
  all.reserve(cells.size() + seen.size());
  auto old = cells.begin();
  for (const ObjectCell& cell : seen) {
    while (old != cells.end() && *old < cell) all.push_back(*old++);
    all.push_back(cell);
    if (old == cells.end() || cell < *old) continue;
    all.back().weight = std::min<std::uint16_t>(kMaxCellWeight, old->weight + 1);
    ++old;
  }
  all.insert(all.end(), old, cells.end());
  cells = std::move(all);
}

void measure_cells(TrackedObject& object) {
  static const Directions kAll;
  std::uint16_t heaviest = 0;
  for (const ObjectCell& cell : object.cells) heaviest = std::max(heaviest, cell.weight);
  const bool has_up = dot(object.up, object.up) > 0;
  const LevelFrame level = level_frame({}, has_up ? image::normalised(object.up) : image::kImageUp);
  PixelSums sums;
  ObjectSums measured(0);
  const image::Vector3 origin = middle_of(object.cells.front());
  double x = 0, y = 0, z = 0, count = 0;
  for (const ObjectCell& cell : object.cells) {
    if (2 * cell.weight < heaviest) continue;
    const image::Vector3 at = middle_of(cell), middle = {at.x - origin.x, at.y - origin.y, at.z - origin.z};
    x += static_cast<double>(middle.x);
    y += static_cast<double>(middle.y);
    z += static_cast<double>(middle.z);
    ++count;
    const auto mm = [&](const image::Vector3& axis) { return 1000 * dot(axis, middle); };
    const LevelPoint point = {mm(level.across), mm(level.forward), mm(level.up)};
    const std::int32_t up = round_to_int(point.up);
    sums.lowest.up = std::min(sums.lowest.up, up);
    sums.highest.up = std::max(sums.highest.up, up);
    for (std::size_t k = 0; k < kDirections; ++k) {
      const float along = along_direction(point, kAll.across[k], kAll.forward[k]);
      measured.lowest[k] = std::min(measured.lowest[k], along);
      measured.highest[k] = std::max(measured.highest[k], along);
    }
  }
  const auto from_origin = [&](const image::Vector3& v) {
    return image::Vector3{origin.x + v.x, origin.y + v.y, origin.z + v.z};
  };
  object.place =
      from_origin({static_cast<float>(x / count), static_cast<float>(y / count), static_cast<float>(z / count)});
  object.box = box_of(sums, measured, kAll, level);
  object.box.center = from_origin(object.box.center);
}

}  // namespace fernwood::objects
