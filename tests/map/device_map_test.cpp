// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Maps have the same bytes on whatever device frames are fused.

#include <gtest/gtest.h>

#include "devices.h"
#include "forest/noise_stages.h"
#include "map/mapped_room.h"

namespace fernwood::map {
namespace {

constexpr MapOptions kEveryVoxel = {.min_weight = 1};

/// Fuses frames of a camera that looks around the room, with frames of noise in between, one of them without colour.
void look_around(VoxelMap& map, std::vector<FusedFrame>* fused = nullptr, int num_frames = 24) {
  ThreadPool pool(3);
  for (int i = 0; i < num_frames; ++i) {
    const float angle = 0.02f * static_cast<float>(i % 7);
    const image::RigidMotion pose =
        room_pose(0.01f * static_cast<float>(i % 5), 0, -0.3f, angle, std::sqrt(1 - angle * angle));
    image::Frame frame = room_frame(pose);
    if (i % 6 == 1) {
      frame = forest::noise_frame(50, 70, static_cast<std::uint32_t>(i));
      frame.camera = kRoomCamera;
    }
    const std::vector<Array2<float>> probabilities = wall_probabilities(frame);
    if (i == 7) frame.color = {};
    const FusedFrame of_frame = map.integrate({frame, pose, probabilities}, pool);
    if (fused != nullptr) fused->push_back(of_frame);
  }
}

class DeviceMap : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceMap, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(DeviceMap, FramesGiveTheSameBytesAsOnTheCpu) {
  const MapOptions options = {.voxel_m = 0.015, .min_weight = 1};
  VoxelMap here(options, wall_classes()), there(options, wall_classes());
  there.use(GetParam());
  EXPECT_EQ(there.device(), GetParam());
  std::vector<FusedFrame> fused_here, fused_there;
  // A voxel's weight can hold 64 frames; more frames halve it.
  look_around(here, &fused_here, 90);
  look_around(there, &fused_there, 90);
  for (std::size_t i = 0; i < fused_here.size(); ++i) {
    EXPECT_EQ(fused_there[i].num_pixels, fused_here[i].num_pixels) << i;
    EXPECT_EQ(fused_there[i].num_voxels, fused_here[i].num_voxels) << i;
    EXPECT_EQ(fused_there[i].num_refused, 0u) << i;
  }
  EXPECT_GT(here.num_blocks(), 1024u);
  EXPECT_EQ(there.num_blocks(), here.num_blocks());
  EXPECT_EQ(there.num_voxels(), here.num_voxels());
  EXPECT_EQ(bytes_of(there), bytes_of(here));
}

TEST_P(DeviceMap, LabelsGiveTheSameBytesAsOnTheCpu) {
  VoxelMap here(kEveryVoxel, wall_classes()), there(kEveryVoxel, wall_classes());
  there.use(GetParam());
  ThreadPool pool(2);
  for (int i = 0; i < 4; ++i) {
    const image::RigidMotion pose = pose_of_frame(i);
    const image::Frame frame = room_frame(pose);
    image::LabelImage labels(frame.rows(), frame.cols(), image::kVoid);
    for (std::size_t pixel = 0; pixel < labels.size(); pixel += 2)
      labels.data()[pixel] = static_cast<std::uint16_t>(pixel / 100 % 3);
    for (VoxelMap* map : {&here, &there}) map->integrate_labels(frame, pose, labels, pool);
  }
  EXPECT_EQ(bytes_of(there), bytes_of(here));
}

TEST_P(DeviceMap, AFullMapTakesTheBlocksOfThePixelsThatComeFirst) {
  const MapOptions options = {.min_weight = 1, .memory_budget_bytes = std::size_t{1} << 21};
  VoxelMap here(options, wall_classes()), there(options, wall_classes());
  there.use(GetParam());
  std::vector<FusedFrame> fused_here, fused_there;
  look_around(here, &fused_here);
  look_around(there, &fused_there);
  std::size_t num_refused = 0;
  for (std::size_t i = 0; i < fused_here.size(); ++i) {
    EXPECT_EQ(fused_there[i].num_pixels, fused_here[i].num_pixels) << i;
    EXPECT_EQ(fused_there[i].num_refused, fused_here[i].num_refused) << i;
    num_refused += fused_here[i].num_refused;
  }
  EXPECT_GT(num_refused, 10000u);
  EXPECT_EQ(bytes_of(there), bytes_of(here));
}

TEST_P(DeviceMap, AMapMovesFromDeviceToDeviceBetweenFrames) {
  VoxelMap here(kEveryVoxel, wall_classes()), moving(kEveryVoxel, wall_classes());
  for (const int num_frames : {8, 24, 3, 5}) look_around(here, nullptr, num_frames);
  look_around(moving, nullptr, 8);
  moving.use(GetParam());
  look_around(moving, nullptr, 24);
  EXPECT_GT(moving.points().size(), 1000u);  // on the device, between frames
  look_around(moving, nullptr, 3);
  moving.use(Device{});
  look_around(moving, nullptr, 5);
  EXPECT_EQ(bytes_of(moving), bytes_of(here));
}

TEST_P(DeviceMap, ProbabilitiesThatStayThereAreThoseThatWereCopied) {
  const forest::Forest forest = forest::noise_staged_forest(3, {1, 2}, {"lab", "depth"}, 5);
  const auto predictor = predict::make_predictor(forest, {.device = to_string(GetParam()), .threads = 2});
  VoxelMap copied(kEveryVoxel, forest.classes), staying(kEveryVoxel, forest.classes);
  staying.use(GetParam());
  ThreadPool pool(2);
  for (int i = 0; i < 4; ++i) {
    const image::RigidMotion pose = room_pose(0.02f * static_cast<float>(i), 0, 0);
    const image::Frame frame = room_frame(pose);
    FusionTimes times;
    staying.label_and_integrate(frame, pose, *predictor, pool, &times);
    EXPECT_GT(times.predict, 0);
    EXPECT_GT(times.integrate, 0);
    copied.integrate({frame, pose, predictor->predict(frame, {.probabilities = true, .per_tree = false}).probabilities},
                     pool);
  }
  EXPECT_EQ(bytes_of(staying), bytes_of(copied));
}

}  // namespace
}  // namespace fernwood::map
