// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/map_objects.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "map/voxel_content.h"

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
