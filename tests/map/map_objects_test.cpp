// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/map_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>

#include "fernwood/core/error.h"
#include "objects/seen_things.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

using objects::kCase, objects::kCup, objects::kWall, objects::SeenThing;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SeenThing kRedCup = {kCup, {-0.3f, 0.6f, 2}, {0.2f, 0.2f, 0.2f}};
constexpr SeenThing kBlueCase = {kCase, {0.5f, 0.5f, 2.2f}, {0.5f, 0.4f, 0.3f}};

SeenThing moved_by(SeenThing thing, float x) {
  thing.center.x += x;
  return thing;
}

/// A map of a room with things, seen by a camera at rest.
VoxelMap room_with(const std::vector<SeenThing>& things, const image::RigidMotion& pose = {}) {
  VoxelMap map({.min_weight = 1}, objects::thing_classes());
  objects::ObjectFinder finder(map.classes());
  ThreadPool pool(2);
  const objects::SeenFrame seen = see_things(things, pose);
  for (int i = 0; i < 4; ++i) {
    map.integrate_labels(seen.frame, pose, seen.labels, pool);
    map.objects().update(finder.find(seen.images(), seen.labels, {}, pool), seen.images(), i);
  }
  return map;
}

TEST(MapObjects, AreFoundByClassAndPlace) {
  const VoxelMap map = room_with({kRedCup, kBlueCase});
  EXPECT_THAT(find_objects(map), SizeIs(2));
  const auto cups = find_objects(map, {.of_class = "cup"});
  ASSERT_THAT(cups, SizeIs(1));
  EXPECT_EQ(cups[0].label, kCup);
  EXPECT_EQ(find_objects(map, {.near = kBlueCase.center})[0].label, kCase);
  EXPECT_EQ(find_objects(map, {.near = kRedCup.center})[0].label, kCup);
}

TEST(MapObjects, TheirPointsAndVerticesHaveTheirIds) {
  const VoxelMap map = room_with({kRedCup, kBlueCase});
  const std::uint32_t cup = find_objects(map, {.of_class = "cup"}).at(0).id;
  const auto expect_ids = [&](const std::vector<MapPoint>& points) {
    std::size_t of_cup = 0, without_id = 0;
    for (const MapPoint& point : points) {
      of_cup += point.label == kCup;
      without_id += point.label == kCup && point.object != cup;
      if (objects::distance_m(point.place, kRedCup.center) > 0.25f) {
        EXPECT_NE(point.object, cup);
      }
    }
    EXPECT_GT(of_cup, 50u);
    EXPECT_LT(20 * without_id, of_cup) << "at depth edges";
  };
  expect_ids(map.points());
  expect_ids(map.mesh().vertices);
}

TEST(MapObjects, AreRefusedWhereThereIsNoListOrClass) {
  testdata::expect_refused(ErrorKind::kUsage, [] { find_objects(VoxelMap({}, objects::thing_classes())); });
  const VoxelMap map = room_with({kRedCup});
  testdata::expect_refused(ErrorKind::kUsage, [&] { find_objects(map, {.of_class = "mug"}); });
}

TEST(MapObjects, NothingHasChangedInAnEqualMap) {
  const ObjectChanges changes = object_changes(room_with({kRedCup, kBlueCase}), room_with({kRedCup, kBlueCase}));
  EXPECT_THAT(changes.list, IsEmpty());
  EXPECT_EQ(changes.num_same, 2u);
  EXPECT_EQ(changes.num_unseen, 0u);
}

TEST(MapObjects, WhatWasRemovedIsGone) {
  const ObjectChanges changes = object_changes(room_with({kRedCup, kBlueCase}), room_with({kBlueCase}));
  ASSERT_THAT(changes.list, SizeIs(1));
  EXPECT_EQ(changes.list[0].kind, ObjectChange::Kind::kGone);
  EXPECT_EQ(changes.list[0].before->label, kCup);
  EXPECT_FALSE(changes.list[0].after);
}

TEST(MapObjects, WhatWasAddedHasAppeared) {
  const ObjectChanges changes = object_changes(room_with({kBlueCase}), room_with({kRedCup, kBlueCase}));
  ASSERT_THAT(changes.list, SizeIs(1));
  EXPECT_EQ(changes.list[0].kind, ObjectChange::Kind::kAppeared);
  EXPECT_EQ(changes.list[0].after->label, kCup);
}

TEST(MapObjects, WhatIsElsewhereHasMoved) {
  const ObjectChanges changes =
      object_changes(room_with({kRedCup, kBlueCase}), room_with({moved_by(kRedCup, -0.4f), kBlueCase}));
  ASSERT_THAT(changes.list, SizeIs(1));
  EXPECT_EQ(changes.list[0].kind, ObjectChange::Kind::kMoved);
  EXPECT_NEAR(changes.list[0].moved_m, 0.4, 0.03);
}

TEST(MapObjects, WhatOneMapDoesNotContainIsNoChange) {
  const ObjectChanges changes =
      object_changes(room_with({kRedCup, kBlueCase}), room_with({}, objects::camera_at(3, 0, 0, 1.2f)));
  EXPECT_THAT(changes.list, IsEmpty());
  EXPECT_EQ(changes.num_unseen, 2u);
}

TEST(MapObjects, MapsOfEstimatedPosesAreNotCompared) {
  VoxelMap map = room_with({kRedCup});
  map.set_estimated_poses();
  testdata::expect_refused(ErrorKind::kUsage, [&] { object_changes(map, room_with({kRedCup})); });
}

}  // namespace
}  // namespace fernwood::map
