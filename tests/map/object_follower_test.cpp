// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/object_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "map/mapped_room.h"

namespace fernwood::map {
namespace {

using testing::ElementsAre;

class Following : public testing::Test {
 protected:
  predict::LiveFrame labelled(int index) {
    predict::LiveFrame frame;
    frame.captured.frame = std::make_shared<const image::Frame>(room_frame(pose_of_frame(index)));
    frame.prediction = WallPredictor().predict(image::FrameImages(*frame.captured.frame), {.objects = &finder_});
    return frame;
  }
  FollowedObjects follow(const predict::LiveFrame& frame) { return follower_.follow(frame); }

  objects::ObjectFinder finder_{wall_classes(), {.things = {"end"}}};
  ObjectFollower follower_{false};
};

TEST_F(Following, UsesThePosesOfTheSource) {
  ObjectFollower follower(true);
  for (int i = 0; i < 3; ++i) {
    predict::LiveFrame frame = labelled(i);
    frame.captured.pose = pose_of_frame(i);
    const FollowedObjects followed = follower.follow(frame);
    EXPECT_EQ(followed.pose, pose_of_frame(i));
    EXPECT_THAT(followed.ids, ElementsAre(1u));
  }
  EXPECT_THAT(follower.follow(labelled(3)).ids, ElementsAre(objects::ObjectTracker::kNoId)) << "without a pose";
}

TEST_F(Following, EstimatesPosesElse) {
  for (int i = 0; i < 4; ++i) EXPECT_THAT(follow(labelled(i)).ids, ElementsAre(1u)) << i;
  EXPECT_EQ(follower_.tracker().objects().front().sightings, 4u);
}

TEST_F(Following, ChainsTheMotionOfSteadyLabels) {
  for (int i = 0; i < 4; ++i) {
    predict::LiveFrame frame = labelled(i);
    frame.steady.emplace();
    if (i > 0) frame.steady->motion = image::then(pose_of_frame(i), image::inverse(pose_of_frame(i - 1)));
    const FollowedObjects followed = follow(frame);
    EXPECT_THAT(followed.ids, ElementsAre(1u));
    ASSERT_TRUE(followed.pose);
    EXPECT_NEAR(followed.pose->translation.x, pose_of_frame(i).translation.x, 1e-3f);
  }
}

TEST_F(Following, BeginsAnewWhereMotionIsLost) {
  predict::LiveFrame frame = labelled(0);
  frame.steady.emplace();
  EXPECT_THAT(follow(frame).ids, ElementsAre(1u));
  EXPECT_THAT(follow(frame).ids, ElementsAre(2u));
}

}  // namespace
}  // namespace fernwood::map
