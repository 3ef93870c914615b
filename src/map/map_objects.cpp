// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/map_objects.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "map/voxel_content.h"
#include "objects/object_cells.h"

namespace fernwood::map {

namespace {

using objects::TrackedObject;

/// Objects at the same place have centres within this share of the larger one's size: of some, only a part was seen.
constexpr float kSamePlace = 0.5f;
/// The place of an object is in a map that has a voxel within this distance of its box, in metres: what it stands on.
constexpr float kBeside = 0.1f;

void check_has_objects(const VoxelMap& map) {
  FW_CHECK(map.objects().num_frames() > 0, Usage,
           "the map has no list of objects; make it again by fernwood map --objects");
}

bool is_there(const TrackedObject& object) { return object.is_known() && object.state != objects::ObjectState::kGone; }

std::vector<TrackedObject> objects_there(const VoxelMap& map) {
  std::vector<TrackedObject> there;
  std::ranges::copy_if(map.objects().objects(), std::back_inserter(there), is_there);
  return there;
}

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

bool is_beside(const image::Vector3& place, const objects::Box& box) {
  const image::Vector3 way = {place.x - box.center.x, place.y - box.center.y, place.z - box.center.z};
  const float half[3] = {box.size.x / 2, box.size.y / 2, box.size.z / 2};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::abs(dot(way, box.axes[axis])) > half[axis] + kBeside) return false;
  return true;
}

/// [object] Whether a map contains its place.
std::vector<bool> places_seen(const VoxelMap& map, const std::vector<TrackedObject>& objects) {
  std::vector<bool> seen(objects.size(), false);
  const auto side = static_cast<float>(map.options().voxel_m);
  for_each_voxel(map.content(), 1, [&](const std::uint16_t*, const std::array<std::int32_t, 3>& at) {
    const auto middle = [&](std::size_t axis) { return side * (static_cast<float>(at[axis]) + 0.5f); };
    const image::Vector3 place = {middle(0), middle(1), middle(2)};
    for (std::size_t i = 0; i < objects.size(); ++i)
      if (!seen[i] && is_beside(place, objects[i].box)) seen[i] = true;
  });
  return seen;
}

struct Pair {
  float distance;
  std::size_t before, after;
  auto key() const { return std::tie(distance, before, after); }
};

/// Pairs objects that are not paired yet, nearest first. @param may_pair  Of two objects and their distance.
template <typename MayPair, typename Take>
void pair_objects(const std::vector<TrackedObject>& before, const std::vector<TrackedObject>& after,
                  std::vector<bool>& used_before, std::vector<bool>& used_after, const MayPair& may_pair,
                  const Take& take) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t k = 0; k < after.size(); ++k) {
      const float distance = objects::distance_m(before[i].box.center, after[k].box.center);
      if (before[i].label == after[k].label && may_pair(before[i], after[k], distance))
        pairs.push_back({distance, i, k});
    }
  std::ranges::sort(pairs, {}, &Pair::key);
  for (const Pair& pair : pairs) {
    if (used_before[pair.before] || used_after[pair.after]) continue;
    used_before[pair.before] = used_after[pair.after] = true;
    take(pair);
  }
}

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

ObjectChanges object_changes(const VoxelMap& before, const VoxelMap& after) {
  check_has_objects(before);
  check_has_objects(after);
  FW_CHECK(before.classes().names() == after.classes().names(), Usage,
           "the two maps have different classes; compare maps made with models of the same classes");
  FW_CHECK(!before.has_estimated_poses() && !after.has_estimated_poses(), Usage,
           "a map of estimated poses has the coordinates of its first frame, which no other map has; compare maps of "
           "recordings with poses");
  const std::vector<TrackedObject> old = objects_there(before), now = objects_there(after);
  std::vector<bool> used_old(old.size(), false), used_now(now.size(), false);
  ObjectChanges changes;
  pair_objects(
      old, now, used_old, used_now,
      [](const TrackedObject& a, const TrackedObject& b, float distance) {
        return distance <= kSamePlace * std::max(largest_side(a.box), largest_side(b.box));
      },
      [&](const Pair&) { ++changes.num_same; });
  pair_objects(
      old, now, used_old, used_now,
      [](const TrackedObject& a, const TrackedObject& b, float) { return have_similar_sizes(a.box, b.box); },
      [&](const Pair& pair) {
        changes.list.push_back(
            {ObjectChange::Kind::kMoved, old[pair.before], now[pair.after], static_cast<double>(pair.distance)});
      });
  const std::vector<bool> old_seen = places_seen(after, old), now_seen = places_seen(before, now);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (used_old[i]) continue;
    if (old_seen[i])
      changes.list.push_back({ObjectChange::Kind::kGone, old[i], {}});
    else
      ++changes.num_unseen;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (used_now[i]) continue;
    if (now_seen[i])
      changes.list.push_back({ObjectChange::Kind::kAppeared, {}, now[i]});
    else
      ++changes.num_unseen;
  }
  return changes;
}

}  // namespace fernwood::map
