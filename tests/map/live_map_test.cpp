// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_recording.h"

#include <gtest/gtest.h>

#include <future>
#include <utility>

#include "fernwood/core/error.h"
#include "map/mapped_room.h"

namespace fernwood::map {
namespace {

constexpr LiveMapOptions kEvery{.every_frame = true};

VoxelMap empty() { return {{.min_weight = 1}, wall_classes()}; }

/// A labelled frame of a camera at `pose`; with `tells_pose`, the source reports the pose.
predict::LiveFrame labelled(const image::RigidMotion& pose, bool tells_pose = true,
                            objects::ObjectFinder* finder = nullptr) {
  predict::LiveFrame frame;
  frame.captured.frame = std::make_shared<const image::Frame>(room_frame(pose));
  if (tells_pose) frame.captured.pose = pose;
  frame.prediction = WallPredictor().predict(image::FrameImages(*frame.captured.frame), {.objects = finder});
  return frame;
}

/// The map that map_recording() makes from frames of a moving camera.
VoxelMap mapped(int num_frames, bool poses) {
  RoomSource source(poses);
  for (int i = 0; i < num_frames; ++i) source.add(pose_of_frame(i));
  VoxelMap map = empty();
  WallPredictor predictor;
  ThreadPool pool(2);
  map_recording(source, predictor, map, pool);
  return map;
}

TEST(LiveMap, IsThatOfARecordingWhereEveryFrameIsFused) {
  for (const bool poses : {true, false}) {
    LiveMap live(empty(), poses, kEvery);
    for (int i = 0; i < 4; ++i) live.show(labelled(pose_of_frame(i), poses), {});
    const RecordingReport report = live.finish();
    EXPECT_EQ(report.num_fused, 4u);
    EXPECT_EQ(report.estimated_poses, !poses);
    EXPECT_EQ(bytes_of(live.map()), bytes_of(mapped(4, poses)));
  }
}

TEST(LiveMap, TracksObjects) {
  objects::ObjectFinder finder(wall_classes(), {.things = {"end"}});
  LiveMap live(empty(), true, {.every_frame = true, .tracks_objects = true});
  for (int i = 0; i < 4; ++i) live.show(labelled(pose_of_frame(i), true, &finder), {});
  EXPECT_GT(live.finish().objects.median_s(), 0);
  ASSERT_EQ(live.map().objects().objects().size(), 1u);
  EXPECT_EQ(live.map().objects().objects().front().sightings, 4u);
}

TEST(LiveMap, NobodyWaitsForItElse) {
  std::promise<void> looks, go_on;
  LiveMap live(empty(), true, {}, [&, is_first = true](const VoxelMap&, const RecordingReport&) mutable {
    if (!std::exchange(is_first, false)) return;
    looks.set_value();
    go_on.get_future().wait();
  });
  EXPECT_TRUE(live.wants_probabilities());
  live.show(labelled(pose_of_frame(0)), {});
  looks.get_future().wait();
  EXPECT_FALSE(live.wants_probabilities()) << "it is at work";
  for (int i = 1; i < 20; ++i) live.show(labelled(pose_of_frame(i)), {});
  go_on.set_value();
  EXPECT_EQ(live.finish().num_fused, 1u) << "others came meanwhile";
}

TEST(LiveMap, IsLookedAtAsItGrows) {
  std::vector<std::size_t> seen;
  LiveMap live(empty(), true, {.every_frame = true, .publish_every_s = 0},
               [&](const VoxelMap& map, const RecordingReport& so_far) {
                 seen.push_back(so_far.num_fused);
                 EXPECT_EQ(map.num_frames(), so_far.num_fused);
                 EXPECT_FALSE(map.points().empty());
               });
  live.show(labelled(pose_of_frame(0)), {});
  live.finish();
  EXPECT_EQ(seen, std::vector<std::size_t>{1});
}

TEST(LiveMap, LeavesOutWhatHasNoPlace) {
  LiveMap live(empty(), true, kEvery);
  predict::LiveFrame without_depth = labelled(pose_of_frame(0)), without_probabilities = without_depth;
  image::Frame flat = *without_depth.captured.frame;
  flat.depth_mm = {};
  without_depth.captured.frame = std::make_shared<const image::Frame>(flat);
  without_probabilities.prediction.probabilities.clear();
  live.show(without_depth, {});
  live.show(without_probabilities, {});
  live.show(labelled(pose_of_frame(1), false), {});
  live.show(labelled(pose_of_frame(2)), {});
  const RecordingReport report = live.finish();
  EXPECT_EQ(report.num_frames, 2u);
  EXPECT_EQ(report.num_without_pose, 1u);
  EXPECT_EQ(report.num_fused, 1u);
}

TEST(LiveMap, TellsWhatEndedIt) {
  LiveMap live(empty(), true, kEvery);
  predict::LiveFrame frame = labelled(pose_of_frame(0));
  frame.prediction.probabilities.pop_back();  // as from another model
  const auto offer_on = [&] {
    for (int i = 0; i < 100; ++i) live.show(frame, {});
  };
  EXPECT_THROW(offer_on(), Error);
  EXPECT_THROW(live.finish(), Error);
}

}  // namespace
}  // namespace fernwood::map
