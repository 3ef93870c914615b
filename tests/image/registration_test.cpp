// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "image/registration.h"

#include <gtest/gtest.h>

#include "image/seen_box.h"

namespace fernwood::image {
namespace {

float apart(const Vector3& a, const Vector3& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

TEST(Registration, FindsTheMotionOfACamera) {
  const RigidMotion first = looking_down();
  const BoxRoom from = see_box_room(first, 320, 240);
  const std::array<RigidMotion, 3> moves = {motion_of({0, 0.05f, 0}, {0, 0, 0}),
                                            motion_of({0, 0, 0.03f}, {0.06f, 0, 0.05f}),
                                            motion_of({0.03f, -0.06f, 0.02f}, {-0.05f, 0.02f, 0.04f})};
  for (const RigidMotion& move : moves) {
    // Points in the second camera's frame are those in the first one's, moved.
    const BoxRoom to = see_box_room(then(move, first), 320, 240);
    const auto found = register_frames(depth_view(to.frame), depth_view(from.frame));
    ASSERT_TRUE(found);
    for (const Vector3 place : {Vector3{0, 0, 2}, Vector3{1, 0.5f, 3}, Vector3{-1, -0.5f, 1.5f}})
      EXPECT_LT(apart((*found)(place), move(place)), 0.01f);
  }
}

TEST(Registration, AnyNumberOfThreadsFindsTheSame) {
  const BoxRoom from = see_box_room(looking_down(), 320, 240);
  const BoxRoom to =
      see_box_room(then(motion_of({0.02f, -0.03f, 0.01f}, {-0.03f, 0.02f, 0.04f}), looking_down()), 320, 240);
  const auto alone = register_frames(depth_view(to.frame), depth_view(from.frame));
  ASSERT_TRUE(alone);
  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    const FrameSurfaces of_to = surfaces_of(depth_view(to.frame), &pool),
                        of_from = surfaces_of(depth_view(from.frame), &pool);
    EXPECT_EQ(register_surfaces(of_to, of_from, {}, &pool), alone);
  }
}

TEST(Registration, AMotionAndItsWayBackAreNone) {
  const RigidMotion a = motion_of({0.3f, -0.2f, 0.9f}, {1, 2, 3});
  const Vector3 place = {0.3f, -0.7f, 2.5f};
  EXPECT_LT(apart(then(a, inverse(a))(place), place), 1e-5f);
  EXPECT_LT(apart(then(inverse(a), a)(place), place), 1e-5f);
}

TEST(Registration, SaysWhenFramesDoNotFit) {
  const BoxRoom room = see_box_room(looking_down());
  const BoxRoom behind = see_box_room(then(motion_of({-0.25f, 0, 0}, {}), motion_of({0, 2.5f, 0}, {0, -0.3f, 3})));
  EXPECT_FALSE(register_frames(depth_view(behind.frame), depth_view(room.frame)));
  Frame wall = room.frame;
  for (std::uint16_t& depth : wall.depth_mm) depth = 2000;
  EXPECT_FALSE(register_frames(depth_view(wall), depth_view(wall))) << "one wall leaves three motions open";
  for (std::uint16_t& depth : wall.depth_mm) depth = 0;
  EXPECT_FALSE(register_frames(depth_view(wall), depth_view(wall)));
}

TEST(Registration, MotionsFollowEachOther) {
  const RigidMotion a = motion_of({0.3f, -0.2f, 0.9f}, {1, 2, 3}), b = motion_of({-0.5f, 0.4f, 0}, {0.5f, 0, -1});
  const Vector3 place = {0.3f, -0.7f, 2.5f};
  EXPECT_LT(apart(then(a, b)(place), b(a(place))), 1e-5f);
}

TEST(Registration, APixelIsWhereItsPlaceIsSeen) {
  const BoxRoom room = see_box_room({});
  const DepthView view = depth_view(room.frame);
  for (std::size_t row = 0; row < 120; row += 17)
    for (std::size_t col = 0; col < 160; col += 13)
      EXPECT_EQ(view.pixel(view.place(row, col)), (std::array<std::size_t, 2>{row, col}));
  EXPECT_FALSE(view.pixel({0, 0, -1}));
  EXPECT_FALSE(view.pixel({5, 0, 1}));
}

}  // namespace
}  // namespace fernwood::image
