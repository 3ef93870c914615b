// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/voxel_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "map/mapped_room.h"
#include "map/voxel_content.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MapRecording : public testing::Test {
 protected:
  RecordingReport run(recordings::FrameSource& source, const RecordingOptions& options = {}) {
    return map_recording(source, predictor_, map_, pool_, options);
  }
  std::vector<std::string> warnings(const RecordingReport& report) const {
    std::vector<std::string> texts;
    for (const OptionSentence& warning : recording_warnings(report, map_, "room"))
      texts.push_back(warning.on_command_line());
    return texts;
  }
  void expect_refused(recordings::FrameSource& source) {
    testdata::expect_refused(ErrorKind::kData, [&] { run(source); });
  }

  WallPredictor predictor_;
  ThreadPool pool_{2};
  VoxelMap map_{{.min_weight = 1}, wall_classes()};
};

TEST_F(MapRecording, FusesEveryFrameWithItsPose) {
  RoomSource source(true);
  for (int i = 0; i < 5; ++i) source.add(pose_of_frame(i));
  const RecordingReport report = run(source);
  EXPECT_EQ(report.num_frames, 5u);
  EXPECT_EQ(report.num_fused, 5u);
  EXPECT_FALSE(report.estimated_poses);
  EXPECT_GT(report.agreement.median_share, 0.95);
  EXPECT_EQ(map_.num_frames(), 5u);
  EXPECT_THAT(warnings(report), IsEmpty());
}

TEST_F(MapRecording, TracksObjects) {
  RoomSource source(true);
  for (int i = 0; i < 5; ++i) source.add(pose_of_frame(i));
  objects::ObjectFinder finder(wall_classes(), {.things = {"end"}});
  const RecordingReport report = map_recording(source, predictor_, map_, pool_, {}, {}, &finder);
  EXPECT_EQ(report.num_fused, 5u);
  EXPECT_GT(report.objects.median_s(), 0);
  ASSERT_EQ(map_.objects().objects().size(), 1u);
  const objects::TrackedObject& wall = map_.objects().objects().front();
  EXPECT_EQ(wall.label, 2);
  EXPECT_EQ(wall.sightings, 5u);
  EXPECT_NEAR(wall.place.z, 2.21f, 0.03f);

  VoxelMap plain({.min_weight = 1}, wall_classes());
  RoomSource again(true);
  for (int i = 0; i < 5; ++i) again.add(pose_of_frame(i));
  map_recording(again, predictor_, plain, pool_);
  EXPECT_EQ(map_.num_voxels(), plain.num_voxels());
  EXPECT_EQ(plain.objects().num_frames(), 0u);
}

TEST_F(MapRecording, AMapMadeWithoutObjectsIsNotContinuedWithThem) {
  RoomSource source(true);
  source.add(pose_of_frame(0));
  EXPECT_NO_THROW(check_source(source, {}, &map_, true)) << "an empty map";
  run(source);
  EXPECT_NO_THROW(check_source(source, {}, &map_, false));
  testdata::expect_refused(ErrorKind::kUsage, [&] { check_source(source, {}, &map_, true); });
}

TEST_F(MapRecording, TakesOneFrameInSoMany) {
  RoomSource source(true);
  for (int i = 0; i < 7; ++i) source.add(pose_of_frame(i));
  const RecordingReport report = run(source, {.every = 3, .max_frames = 2});
  ASSERT_EQ(report.poses.size(), 2u);
  EXPECT_EQ(report.poses[1], pose_of_frame(3));
}

TEST_F(MapRecording, AFrameThatWasNotLocatedIsLeftOut) {
  RoomSource source(true);
  source.add(pose_of_frame(0));
  source.add(pose_of_frame(1), std::nullopt);
  source.add(pose_of_frame(2), room_pose(0, 0, 0, 3, 1));  // not a rotation
  source.add(pose_of_frame(3));
  const RecordingReport report = run(source);
  EXPECT_EQ(report.num_fused, 2u);
  EXPECT_EQ(report.num_without_pose, 2u);
  EXPECT_FALSE(report.poses[1]);
  EXPECT_THAT(warnings(report), ElementsAre("room: 2 of 4 frames left out of the map: 2 frames without a pose"));
}

TEST_F(MapRecording, APoseThatJumpsLeavesOutItsFrame) {
  RoomSource source(true);
  for (int i = 0; i < 6; ++i) source.add(pose_of_frame(i), i == 3 ? room_pose(0.3f, 0.2f, 0.5f) : pose_of_frame(i));
  const RecordingReport report = run(source);
  EXPECT_EQ(report.num_jumps, 2u);  // to the wrong pose and back
  EXPECT_FALSE(report.poses[3]);
  EXPECT_EQ(report.num_fused, 4u);
  testdata::expect_sentence(join(warnings(report), "\n"));
}

TEST_F(MapRecording, MotionIsEstimatedWherePosesAreMissing) {
  RoomSource source(false);
  for (int i = 0; i < 6; ++i) source.add(pose_of_frame(i));
  const RecordingReport report = run(source);
  EXPECT_TRUE(report.estimated_poses);
  ASSERT_EQ(report.num_fused, 6u);
  EXPECT_NEAR(report.poses[5]->translation.x, pose_of_frame(5).translation.x, 0.01f);
  EXPECT_NEAR(report.poses[5]->rotation[0].z, pose_of_frame(5).rotation[0].z, 0.01f);
  testdata::expect_sentence(join(warnings(report), "\n"));
}

TEST_F(MapRecording, AFrameThatCannotBeRegisteredIsLeftOutAndTheNextIsTried) {
  RoomSource source(false);
  source.add(pose_of_frame(0));
  recordings::CapturedFrame blind{std::make_shared<const image::Frame>([] {
                                    image::Frame frame = room_frame({});
                                    frame.depth_mm = Array2<std::uint16_t>(kRoomRows, kRoomCols);
                                    return frame;
                                  }()),
                                  0.0,
                                  "blind",
                                  {}};
  source.add(blind);
  source.add(pose_of_frame(1));
  const RecordingReport report = run(source);
  EXPECT_EQ(report.num_unregistered, 1u);
  EXPECT_EQ(report.num_fused, 2u);
}

TEST_F(MapRecording, PosesInAnotherUnitAreToldWithTheNumber) {
  RoomSource source(true);
  for (int i = 0; i < 41; ++i) {
    image::RigidMotion told = pose_of_frame(i);
    told.translation.x *= 2;
    source.add(pose_of_frame(i), told);
  }
  const RecordingReport report = run(source);
  ASSERT_TRUE(report.agreement.scale);
  EXPECT_NEAR(*report.agreement.scale, 2, 0.2);
  EXPECT_THAT(warnings(report), testing::Contains(HasSubstr("times as far by its poses as by depth")));
}

TEST_F(MapRecording, AFullMapSaysHowMuchIsLeftOut) {
  map_ = VoxelMap({.min_weight = 1, .memory_budget_bytes = std::size_t{1} << 20}, wall_classes());
  RoomSource source(true);
  source.add(pose_of_frame(0));
  const RecordingReport report = run(source);
  EXPECT_GT(report.num_refused_pixels, 0u);
  EXPECT_THAT(warnings(report), ElementsAre(HasSubstr("% of the points lie in places that the map has no memory for; "
                                                      "use more than --memory-budget 1.0 MiB")));
}

TEST_F(MapRecording, RefusesWhatGivesNoMap) {
  RoomSource none(true), blind(true), unlocated(true);
  expect_refused(none);
  blind.depth = false;
  expect_refused(blind);
  unlocated.add(pose_of_frame(0), std::nullopt);
  expect_refused(unlocated);
}

TEST(EmptyMap, ChoosesLabelsAsFramesHaveThem) {
  forest::Forest forest;
  forest.classes = wall_classes();
  forest.label_weights = {.plain = {1, 0.5f, 0.25f}, .smoothed = {0.25f, 0.5f, 1}};
  predict::PredictOptions predict;
  EXPECT_THAT(empty_map(forest, predict).content().label_factors, ElementsAre(65536, 32768, 16384));
  EXPECT_THAT(empty_map(forest, labelling_for_map(predict)).content().label_factors, ElementsAre(16384, 32768, 65536));
  predict.smoothing.extent_px = 0;
  EXPECT_EQ(labelling_for_map(predict).smoothing.extent_px, 0) << "what is asked for";
  predict.smoothing.extent_px = 40;
  const VoxelMap map = empty_map(forest, predict, {.voxel_m = 0.03});
  EXPECT_THAT(map.content().label_factors, ElementsAre(16384, 32768, 65536));
  EXPECT_EQ(map.options().voxel_m, 0.03);
  EXPECT_EQ(map.num_frames(), 0u);
}

TEST_F(MapRecording, RendersFramesFromTheMapAndOthersAlone) {
  RoomSource source(true), again(true);
  for (RoomSource* each : {&source, &again})
    for (int i = 0; i < 4; ++i) each->add(pose_of_frame(i), i == 1 ? std::nullopt : std::optional(pose_of_frame(i)));
  const RecordingReport report = run(source);
  std::vector<std::string> names;
  render_recording(again, predictor_, map_, pool_, {}, report.poses,
                   [&](const recordings::CapturedFrame& frame, const image::LabelImage& labels) {
                     const image::LabelImage alone = predictor_.predict(*frame.frame, {}).labels;
                     names.push_back(frame.name);
                     std::size_t num_others = 0;
                     for (std::size_t i = 0; i < labels.size(); ++i) num_others += labels.data()[i] != alone.data()[i];
                     if (frame.pose) {
                       EXPECT_GT(num_others, 0u);  // at borders of walls
                       EXPECT_LT(num_others, labels.size() / 10);
                     } else {
                       EXPECT_EQ(num_others, 0u);
                     }
                   });
  EXPECT_THAT(names, ElementsAre("frame0", "frame1", "frame2", "frame3"));
}

}  // namespace
}  // namespace fernwood::map
