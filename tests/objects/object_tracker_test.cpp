// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/objects/object_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/seen_things.h"

namespace fernwood::objects {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SeenThing kRedCup = {kCup, {-0.3f, 0.6f, 2}, {0.2f, 0.2f, 0.2f}};
constexpr SeenThing kBlueCase = {kCase, {0.5f, 0.5f, 2.2f}, {0.5f, 0.4f, 0.3f}};
constexpr SeenThing kPillar = {kWall, {-0.2f, 0.2f, 1}, {0.4f, 1, 0.1f}};

SeenThing moved_by(SeenThing thing, float x, float z = 0) {
  thing.center.x += x;
  thing.center.z += z;
  return thing;
}

class Tracking : public testing::Test {
 protected:
  std::vector<std::uint32_t> see(const std::vector<SeenThing>& things, const image::RigidMotion& pose = {}) {
    const SeenFrame seen = see_things(things, pose);
    const FrameObjects found = finder_.find(seen.images(), seen.labels, {}, pool_);
    return tracker_.update(found, seen.images(), 0.1 * static_cast<double>(tracker_.num_frames()));
  }
  void see_often(int times, const std::vector<SeenThing>& things, const image::RigidMotion& pose = {}) {
    for (int i = 0; i < times; ++i) see(things, pose);
  }
  const TrackedObject& only() {
    EXPECT_THAT(tracker_.objects(), SizeIs(1));
    return tracker_.objects().front();
  }
  std::vector<ObjectState> states() const {
    std::vector<ObjectState> states;
    for (const TrackedObject& object : tracker_.objects()) states.push_back(object.state);
    return states;
  }

  ThreadPool pool_{1};
  ObjectFinder finder_{thing_classes()};
  ObjectTracker tracker_;
};

TEST_F(Tracking, ThingsKeepTheirIdsWhileTheCameraMoves) {
  for (int i = 0; i < 12; ++i) {
    const float step = static_cast<float>(i);
    const auto ids = see({kRedCup, kBlueCase}, camera_at(0.05f * step, 0, 0.03f * step, -0.03f * step));
    EXPECT_THAT(ids, testing::UnorderedElementsAre(1u, 2u)) << i;
  }
  EXPECT_THAT(states(), ElementsAre(ObjectState::kConfirmed, ObjectState::kConfirmed));
  for (const TrackedObject& object : tracker_.objects()) {
    EXPECT_EQ(object.sightings, 12u);
    EXPECT_EQ(object.first, (Moment{0, 0}));
    EXPECT_EQ(object.last.frame, 11u);
    EXPECT_GT(object.confidence, 0.95f);
    const SeenThing& thing = object.label == kCup ? kRedCup : kBlueCase;
    EXPECT_NEAR(object.box.center.x, thing.center.x, 0.05f);
    EXPECT_NEAR(object.box.center.y, thing.center.y, 0.05f);
    EXPECT_NEAR(largest_side(object.box), largest_side({{}, {}, thing.size}), 0.06f);
  }
}

TEST_F(Tracking, AThirdSightingConfirms) {
  see_often(2, {kRedCup});
  EXPECT_EQ(only().state, ObjectState::kTentative);
  const float before = only().confidence;
  see({kRedCup});
  EXPECT_EQ(only().state, ObjectState::kConfirmed);
  EXPECT_GT(only().confidence, before);
}

TEST_F(Tracking, AnOccludedThingStays) {
  see_often(4, {kRedCup});
  const float before = only().confidence;
  see_often(10, {kRedCup, kPillar});
  EXPECT_EQ(only().state, ObjectState::kConfirmed);
  EXPECT_EQ(only().confidence, before);
  EXPECT_THAT(see({kRedCup}), ElementsAre(1u));
}

TEST_F(Tracking, AThingOutsideOfTheFrameStays) {
  see_often(4, {kRedCup});
  const float before = only().confidence;
  see_often(10, {}, camera_at(0, 0, 0, 1.5f));
  EXPECT_EQ(only().confidence, before);
  EXPECT_EQ(only().state, ObjectState::kConfirmed);
}

TEST_F(Tracking, ARemovedThingIsGone) {
  see_often(4, {kRedCup, kBlueCase});
  see({kBlueCase});
  EXPECT_THAT(states(), ElementsAre(ObjectState::kConfirmed, ObjectState::kConfirmed));
  see_often(3, {kBlueCase});
  for (const TrackedObject& object : tracker_.objects())
    EXPECT_EQ(object.state, object.label == kCup ? ObjectState::kGone : ObjectState::kConfirmed);
}

TEST_F(Tracking, AThingThatComesBackHasItsId) {
  see_often(4, {kRedCup});
  see_often(4, {});
  EXPECT_EQ(only().state, ObjectState::kGone);
  EXPECT_THAT(see({kRedCup}), ElementsAre(1u));
  EXPECT_EQ(only().state, ObjectState::kConfirmed);
}

TEST_F(Tracking, AThingFoundElsewhereAfterItWasGoneHasMoved) {
  see_often(4, {kRedCup});
  see_often(4, {});
  see_often(3, {moved_by(kRedCup, 0.8f)});
  EXPECT_EQ(only().state, ObjectState::kMoved);
  EXPECT_EQ(only().id, 1u);
  EXPECT_NEAR(only().moved_m(), 0.8f, 0.03f);
  EXPECT_THAT(see({moved_by(kRedCup, 0.8f)}), ElementsAre(1u));
}

TEST_F(Tracking, AThingThatWasMovedUnseenHasMovedOnceItsPlaceIsSeenThrough) {
  see_often(4, {kRedCup});
  see_often(4, {moved_by(kRedCup, 0.8f), kPillar});  // the old place is occluded
  EXPECT_THAT(tracker_.objects(), SizeIs(2));
  see_often(4, {moved_by(kRedCup, 0.8f)});
  EXPECT_EQ(only().id, 1u);
  EXPECT_EQ(only().state, ObjectState::kMoved);
}

TEST_F(Tracking, AThingIsFollowedWhileItMoves) {
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(see({moved_by(kRedCup, 0.03f * static_cast<float>(i))}), ElementsAre(1u)) << i;
  EXPECT_EQ(only().state, ObjectState::kMoved);
  EXPECT_NEAR(only().box.center.x, kRedCup.center.x + 0.57f, 0.05f);
}

TEST_F(Tracking, AThingThatMovesByMoreThanItsSizeBetweenFramesIsFollowed) {
  see_often(4, {kRedCup});
  EXPECT_THAT(see({moved_by(kRedCup, 0.3f)}), ElementsAre(1u));
}

TEST_F(Tracking, AThingOfAnotherClassElsewhereIsAnother) {
  see_often(4, {kRedCup});
  see_often(4, {});
  SeenThing other = moved_by(kRedCup, 0.8f);
  other.label = kCase;
  EXPECT_THAT(see({other}), ElementsAre(2u));
}

TEST_F(Tracking, TheClassIsThatOfMostSightings) {
  see_often(3, {kRedCup});
  SeenThing wrong = kRedCup;
  wrong.label = kCase;
  EXPECT_THAT(see({wrong}), ElementsAre(1u));
  EXPECT_EQ(only().label, kCup);
  EXPECT_DOUBLE_EQ(only().class_probability(), 0.75);
}

TEST_F(Tracking, WhatWasSeenOnceIsForgotten) {
  see({kRedCup});
  see_often(40, {}, camera_at(0, 0, 0, 1.5f));
  EXPECT_THAT(tracker_.objects(), IsEmpty());
}

TEST_F(Tracking, AContinuedListIsThatOfOneGo) {
  see_often(4, {kRedCup, kBlueCase});
  const ObjectTracker continued({tracker_.objects().begin(), tracker_.objects().end()}, tracker_.next_id(),
                                tracker_.num_frames());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(continued.objects()[i].label, tracker_.objects()[i].label);
    EXPECT_EQ(continued.objects()[i].place, tracker_.objects()[i].place);
    EXPECT_EQ(continued.objects()[i].box.center, tracker_.objects()[i].box.center);
  }
}

}  // namespace
}  // namespace fernwood::objects
