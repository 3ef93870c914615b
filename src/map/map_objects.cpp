// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/map_objects.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "map/voxel_content.h"
#include "objects/object_cells.h"

namespace fernwood::map {

namespace {

using objects::TrackedObject;

void check_has_objects(const VoxelMap& map) {
  FW_CHECK(map.objects().num_frames() > 0, Usage,
           "the map has no list of objects; make it again by fernwood map --objects");
}

bool is_there(const TrackedObject& object) { return object.is_known() && object.state != objects::ObjectState::kGone; }

/// The objects that are there, by the cells of their surfaces.
class ObjectSurfaces {
 public:
  explicit ObjectSurfaces(const objects::ObjectTracker& tracker) {
    for (const TrackedObject& object : tracker.objects()) {
      if (!is_there(object)) continue;
      labels_.insert(object.label);
      for (const objects::ObjectCell& cell : object.cells) {
        Surface& surface = surfaces_[key_of(cell.x, cell.y, cell.z)];
        if (cell.weight > surface.weight) surface = {cell.weight, object.label, object.id};
      }
    }
  }

  /// The object whose surface passes through the cell of a point, or, for a point of the object's class, through a
  /// neighbouring one: a voxel may be larger than a cell, and its mean point beside it.
  std::uint32_t id_at(const image::Vector3& place, std::uint16_t label) const {
    const std::optional<objects::ObjectCell> cell = surfaces_.empty() ? std::nullopt : objects::cell_at(place);
    if (!cell) return 0;
    if (const Surface* const here = find(cell->x, cell->y, cell->z)) return here->id;
    if (!labels_.contains(label)) return 0;
    Surface best;
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const Surface* const near = find(cell->x + x, cell->y + y, cell->z + z);
          if (near && near->label == label && near->weight > best.weight) best = *near;
        }
    return best.id;
  }

 private:
  struct Surface {
    std::uint16_t weight = 0, label = 0;
    std::uint32_t id = 0;
  };

  static std::uint64_t key_of(int x, int y, int z) {
    constexpr int kMiddle = 1 << 20;
    const auto part = [](int value) { return static_cast<std::uint64_t>(value + kMiddle); };
    return part(x) << 42 | part(y) << 21 | part(z);
  }
  const Surface* find(int x, int y, int z) const {
    const auto found = surfaces_.find(key_of(x, y, z));
    return found == surfaces_.end() ? nullptr : &found->second;
  }

  std::unordered_map<std::uint64_t, Surface> surfaces_;  // of the object with the largest weight in a cell
  std::set<std::uint16_t> labels_;                       // of all objects
};

}  // namespace

void set_objects(const objects::ObjectTracker& tracker, std::vector<MapPoint>& points) {
  const ObjectSurfaces surfaces(tracker);
  for (MapPoint& point : points) point.object = surfaces.id_at(point.place, point.label);
}

std::vector<TrackedObject> find_objects(const VoxelMap& map, const ObjectQuery& query) {
  check_has_objects(map);
  const std::vector<std::string> names = map.classes().names();
  FW_CHECK(query.of_class.empty() || std::ranges::count(names, query.of_class) > 0, Usage,
           "the map has no class " << in_quotes(query.of_class) << "; its classes are " << join(names));
  std::vector<TrackedObject> found;
  for (const TrackedObject& object : map.objects().objects())
    if (object.is_known() && (query.of_class.empty() || names[object.label] == query.of_class)) found.push_back(object);
  if (query.near)
    std::ranges::stable_sort(
        found, {}, [&](const TrackedObject& object) { return objects::distance_m(object.box.center, *query.near); });
  return found;
}

}  // namespace fernwood::map
