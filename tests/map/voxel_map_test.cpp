// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "map/mapped_room.h"
#include "map/voxel_content.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

FusedFrame fuse(VoxelMap& map, const image::Frame& frame, const image::RigidMotion& pose, int threads = 2,
                float certainty = 0.8f) {
  ThreadPool pool(threads);
  return map.integrate({frame, pose, wall_probabilities(frame, certainty)}, pool);
}

/// A wall of one class that faces the camera.
image::Frame wall(std::uint16_t depth_mm, std::size_t label = 2) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(kRoomRows, kRoomCols, wall_classes().classes[label].color);
  frame.depth_mm = Array2<std::uint16_t>(kRoomRows, kRoomCols, depth_mm);
  frame.camera = kRoomCamera;
  return frame;
}

TEST(VoxelFormulas, AVoxelLiesBetweenItsWholeNumbersBelowZeroToo) {
  VoxelPoint point;
  ASSERT_TRUE(find_voxel({1.5f, -0.25f, -8.0f}, &point));
  EXPECT_EQ(point.x, 1);
  EXPECT_EQ(point.y, -1);
  EXPECT_EQ(point.z, -8);
  EXPECT_EQ(point.offset_x, 64);  // half of 127, rounded up
  EXPECT_EQ(point.offset_y, 95);  // three quarters of 127
  EXPECT_EQ(point.offset_z, 0);
  EXPECT_FALSE(find_voxel({not_a_number(), 0, 0}, &point));
  EXPECT_FALSE(find_voxel({0, 0, 5e6f}, &point));
}

TEST(VoxelFormulas, ABlockAndAPlaceInItNameAVoxel) {
  for (const std::int32_t x : {-4194303, -9, -8, -1, 0, 7, 8, 4194303})
    for (const std::int32_t z : {-17, 3}) {
      const std::uint64_t key = block_key(x, 5, z);
      const std::int32_t index = voxel_in_block(x, 5, z);
      EXPECT_EQ(block_origin(key, 0) + voxel_coordinate(index, 0), x);
      EXPECT_EQ(block_origin(key, 1) + voxel_coordinate(index, 1), 5);
      EXPECT_EQ(block_origin(key, 2) + voxel_coordinate(index, 2), z);
    }
  EXPECT_LT(block_key(-1, 0, 0), block_key(0, -1, 0));
}

TEST(VoxelFormulas, WhatIsFarWeighsLess) {
  EXPECT_EQ(observation_weight(500), 4);
  EXPECT_EQ(observation_weight(2000), 4);
  EXPECT_EQ(observation_weight(2500), 3);  // 2.56 rounded
  EXPECT_EQ(observation_weight(3000), 2);  // 1.8 rounded
  EXPECT_EQ(observation_weight(10000), 1);
}

TEST(VoxelFormulas, SharesOfTheEightVoxelsAroundAPointAreAWhole) {
  const VoxelPoint point = {0, 0, 0, 20, 127, 64};
  std::uint32_t sum = 0;
  for (int corner = 0; corner < 8; ++corner) sum += corner_share(point, corner);
  EXPECT_EQ(sum, 127u * 127 * 127);
  EXPECT_EQ(corner_share(point, 0b111), 20u * 127 * 64);
  EXPECT_EQ(corner_share(point, 0b000), 0u);
}

TEST(VoxelMap, OneFrameGivesAVoxelTheMeanOfItsPoints) {
  VoxelMap map({.voxel_m = 0.05, .min_weight = 1}, wall_classes());
  image::Frame frame = wall(1010);
  const FusedFrame fused = fuse(map, frame, {});
  EXPECT_EQ(fused.num_pixels, static_cast<std::size_t>(kRoomRows * kRoomCols));
  EXPECT_EQ(fused.num_voxels, map.num_voxels());
  // 0.606 m to either side, 0.454 m up and down: 13 and 10 voxels in each direction, the outermost only in part.
  EXPECT_EQ(fused.num_voxels, 26u * 20);
  for (const MapPoint& point : map.points()) {
    EXPECT_EQ(point.label, 2);
    EXPECT_NEAR(point.probability, 0.8f, 0.5f / 255);
    EXPECT_EQ(point.color, (image::Rgb{0, 0, 200}));
    EXPECT_NEAR(point.place.z, 1.01f, 0.05f / 127);
    if (point.normal != image::Vector3{}) {
      EXPECT_NEAR(point.normal.z, -1, 1e-3f);
    }
  }
}

TEST(VoxelMap, APoseMovesAndTurnsPoints) {
  VoxelMap map({.min_weight = 1}, wall_classes());
  fuse(map, wall(1010), room_pose(5, -3, 2, 1, 0));  // facing along x
  for (const MapPoint& point : map.points()) {
    EXPECT_NEAR(point.place.x, 5 + 1.01f, 1e-3f);
    EXPECT_NEAR(point.place.y, -3, 0.5f);
    EXPECT_NEAR(point.place.z, 2, 0.7f);
  }
}

TEST(VoxelMap, AllFramesOfARoomGiveItsWalls) {
  VoxelMap map({.min_weight = 1}, wall_classes());
  for (int i = 0; i < 8; ++i) {
    const image::RigidMotion pose = pose_of_frame(i);
    fuse(map, room_frame(pose), pose);
  }
  std::size_t num_on_walls = 0;
  for (const MapPoint& p : map.points()) {
    const float x = std::min(std::abs(p.place.x + 0.91f), std::abs(p.place.x - 0.81f));
    const float y = std::min(std::abs(p.place.y + 0.61f), std::abs(p.place.y - 0.51f));
    const float way = std::min({x, y, std::abs(p.place.z - 2.21f)});
    EXPECT_LT(way, 0.01f);  // voxels in corners average two walls
    num_on_walls += way < 0.001f ? 1 : 0;
  }
  EXPECT_GT(20 * num_on_walls, 19 * map.points().size());
}

TEST(VoxelMap, PlacesBelowTheLeastConfidenceAreVoid) {
  VoxelMap map({.min_weight = 1}, wall_classes());
  const image::Frame frame = wall(1010);
  fuse(map, frame, {}, 2, 0.6f);
  const auto label_of_all = [&](float min_confidence) {
    MapOptions options = map.options();
    options.min_confidence = min_confidence;
    map.set_options(options);
    ThreadPool pool(2);
    const image::LabelImage unmapped(kRoomRows, kRoomCols, 0);
    const std::uint16_t rendered = MapRenderer(map).render(frame, {}, unmapped, pool)(kRoomRows / 2, kRoomCols / 2);
    for (const MapPoint& point : map.points()) EXPECT_EQ(point.label, rendered);
    return rendered;
  };
  EXPECT_EQ(label_of_all(0.5f), 2);
  EXPECT_EQ(label_of_all(0.7f), image::kVoid);
}

TEST(VoxelMap, NeitherThreadsNorTheOrderOfFramesChangeAByte) {
  std::vector<std::uint8_t> first;
  for (const int threads : {1, 2, 5}) {
    VoxelMap map({}, wall_classes());
    for (int i = 0; i < 6; ++i) {
      const image::RigidMotion pose = pose_of_frame(threads == 2 ? 5 - i : i);
      fuse(map, room_frame(pose), pose, threads, 0.7f);
    }
    if (threads == 1) first = bytes_of(map);
    EXPECT_EQ(bytes_of(map), first) << threads;
  }
}

TEST(VoxelMap, LabelsCountAsProbabilitiesOfOneAndVoidAsNone) {
  VoxelMap by_labels({}, wall_classes()), by_probabilities({}, wall_classes());
  ThreadPool pool(2);
  for (int i = 0; i < 3; ++i) {
    const image::RigidMotion pose = pose_of_frame(i);
    const image::Frame frame = room_frame(pose);
    std::vector<Array2<float>> planes = wall_probabilities(frame, 1);
    image::LabelImage labels(frame.rows(), frame.cols(), image::kVoid);
    for (std::size_t pixel = 0; pixel < labels.size(); ++pixel)
      for (std::uint16_t c = 0; c < 3; ++c) {
        if (pixel % 320 < 100) planes[c].data()[pixel] = 0;
        if (planes[c].data()[pixel] == 1) labels.data()[pixel] = c;
      }
    by_labels.integrate_labels(frame, pose, labels, pool);
    by_probabilities.integrate({frame, pose, planes}, pool);
  }
  EXPECT_EQ(bytes_of(by_labels), bytes_of(by_probabilities));
}

TEST(VoxelMap, APlaceThatOneFrameLabelsHasThatClassHoweverManyDoNot) {
  VoxelMap map({.voxel_m = 0.05, .min_weight = 1}, wall_classes());
  ThreadPool pool(1);
  const image::LabelImage none(kRoomRows, kRoomCols, image::kVoid);
  for (int i = 0; i < 70; ++i) map.integrate_labels(wall(1010), {}, none, pool);
  for (const MapPoint& point : map.points()) EXPECT_EQ(point.label, image::kVoid);
  map.integrate_labels(wall(1010), {}, image::LabelImage(kRoomRows, kRoomCols, 1), pool);
  for (int i = 0; i < 10; ++i) map.integrate_labels(wall(1010), {}, none, pool);
  for (const MapPoint& point : map.points()) EXPECT_EQ(point.label, 1);
}

TEST(VoxelMap, LabelsThatDoNotFitAreRefused) {
  VoxelMap map({}, wall_classes());
  ThreadPool pool(1);
  testdata::expect_refused(ErrorKind::kData,
                           [&] { map.integrate_labels(wall(1000), {}, image::LabelImage(3, 4), pool); });
  testdata::expect_refused(ErrorKind::kData, [&] {
    map.integrate_labels(wall(1000), {}, image::LabelImage(kRoomRows, kRoomCols, 7), pool);
  });
}

TEST(VoxelMap, SumsAreHalvedBeforeTheyOverflow) {
  VoxelMap map({.voxel_m = 0.05, .min_weight = 1}, wall_classes());
  for (int i = 0; i < 200; ++i) fuse(map, wall(1000), {}, 1, 1.0f);
  for (const MapPoint& point : map.points()) {
    EXPECT_EQ(point.label, 2);
    EXPECT_GT(point.probability, 0.98f);
    EXPECT_LE(point.probability, 1.0f);
    EXPECT_EQ(point.color, (image::Rgb{0, 0, 200}));
  }
  // Old frames lose weight: the remains of 200 frames are outvoted by 64 new ones, the capacity of a voxel.
  for (int i = 0; i < 64; ++i) fuse(map, wall(1000, 0), {}, 1, 1.0f);
  for (const MapPoint& point : map.points()) EXPECT_EQ(point.label, 0);
}

TEST(VoxelMap, LeavesOutEdgesWhatIsFarAndWhatIsUnknown) {
  VoxelMap map({.max_range_m = 2, .min_weight = 1}, wall_classes());
  image::Frame frame = wall(1000);
  for (std::size_t row = 0; row < kRoomRows; ++row) {
    for (std::size_t col = 160; col < kRoomCols; ++col) frame.depth_mm(row, col) = 2001;
    frame.depth_mm(row, 10) = 0;
  }
  // 160 columns left of the edge, minus the unknown one and the two next to the edge.
  EXPECT_EQ(fuse(map, frame, {}).num_pixels, static_cast<std::size_t>(kRoomRows * (160 - 1 - 2)));
  for (const MapPoint& point : map.points()) EXPECT_NEAR(point.place.z, 1, 1e-3f);
}

TEST(VoxelMap, AFullMapTakesNoNewPlacesAndUpdatesThoseItHas) {
  const MapOptions options = {.min_weight = 1, .memory_budget_bytes = std::size_t{1} << 20};
  VoxelMap map(options, wall_classes());
  FusedFrame fused;
  for (int i = 0; i < 20; ++i) fused = fuse(map, wall(1000), room_pose(static_cast<float>(i), 0, 0));
  EXPECT_GT(fused.num_refused, 0u);
  EXPECT_LE(map.memory_bytes(), options.memory_budget_bytes);
  const std::size_t num_blocks = map.num_blocks();
  EXPECT_EQ(fuse(map, wall(1000, 0), {}).num_refused, 0u);
  EXPECT_EQ(map.num_blocks(), num_blocks);
}

TEST(VoxelMap, RendersWhatMostFramesSaw) {
  VoxelMap map({}, wall_classes());
  ThreadPool pool(2);
  const image::RigidMotion pose = pose_of_frame(3);
  for (int i = 0; i < 6; ++i) fuse(map, room_frame(pose_of_frame(i)), pose_of_frame(i));
  image::Frame frame = room_frame(pose);
  const image::LabelImage truth = WallPredictor().predict(frame, {}).labels;
  frame.depth_mm(4, 5) = 0;
  const MapRenderer renderer(map);
  image::LabelImage labels = renderer.render(frame, pose, image::LabelImage(kRoomRows, kRoomCols, 1), pool);
  EXPECT_EQ(labels(4, 5), 1);  // no depth, so no place in the map
  std::size_t num_wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) num_wrong += labels.data()[i] != truth.data()[i];
  EXPECT_LT(num_wrong, labels.size() / 10);  // differences at the borders of walls
  // Where the map is empty, the labels of the frame remain.
  labels = renderer.render(frame, room_pose(50, 0, 0), image::LabelImage(kRoomRows, kRoomCols, 1), pool);
  EXPECT_EQ(std::set<std::uint16_t>(labels.begin(), labels.end()), (std::set<std::uint16_t>{1}));
}

TEST(VoxelMap, LabelWeightsChooseTheClassAndNotItsProbability) {
  const std::vector<float> weights = {10, 1, 1};
  VoxelMap map({.min_weight = 1}, wall_classes(), weights);
  fuse(map, wall(1000), {}, 1, 0.8f);
  for (const MapPoint& point : map.points()) {
    EXPECT_EQ(point.label, 0);  // 10 * 0.1 exceeds 0.8
    EXPECT_NEAR(point.probability, 0.1f, 1.0f / 255);
  }
}

TEST(VoxelMap, WithoutColourPointsHaveThatOfTheirClass) {
  VoxelMap map({.min_weight = 1}, wall_classes());
  image::Frame frame = wall(1000);
  const std::vector<Array2<float>> probabilities = wall_probabilities(frame);
  frame.color = {};
  ThreadPool pool(1);
  map.integrate({frame, {}, probabilities}, pool);
  for (const MapPoint& point : map.points()) EXPECT_EQ(point.color, wall_classes().classes[2].color);
}

TEST(VoxelMap, RefusesWhatIsNoFrameAndNoPose) {
  VoxelMap map({}, wall_classes());
  ThreadPool pool(1);
  const image::Frame frame = wall(1000);
  const std::vector<Array2<float>> probabilities = wall_probabilities(frame);
  const auto expect_refused = [&](const MapFrame& given) {
    testdata::expect_refused(ErrorKind::kData, [&] { map.integrate(given, pool); });
  };
  image::Frame other = frame;
  other.depth_mm = {};
  expect_refused({other, {}, probabilities});
  other.depth_mm = Array2<std::uint16_t>(4, 4, 1000);
  expect_refused({other, {}, probabilities});
  expect_refused({frame, {}, std::span(probabilities).first(2)});
  for (image::RigidMotion pose : {room_pose(not_a_number(), 0, 0), room_pose(0, 0, 0, 0, 2)})
    expect_refused({frame, pose, probabilities});
  EXPECT_EQ(map.num_frames(), 0u);
  EXPECT_THROW(VoxelMap({.voxel_m = 0.2}, wall_classes()), Error);
  EXPECT_THROW(VoxelMap({}, {}), Error);
}

}  // namespace
}  // namespace fernwood::map
