// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_carrier.h"

#include <gtest/gtest.h>

#include "image/seen_box.h"

namespace fernwood::teach {
namespace {

using image::BoxRoom;
using image::looking_down;
using image::motion_of;
using image::RigidMotion;
using image::see_box_room;

LabelledView view_of(const BoxRoom& room, const RigidMotion& pose) {
  return {pose, *room.frame.camera, room.frame.depth_mm, room.labels};
}

std::vector<RigidMotion> poses_around() {
  return {looking_down(), then(motion_of({0, 0.1f, 0}, {0.3f, 0, 0.1f}), looking_down()),
          then(motion_of({0, -0.1f, 0}, {-0.2f, 0.05f, 0}), looking_down())};
}

TEST(CarryLabels, LabelsAreThoseOfTheSameSurface) {
  const auto poses = poses_around();
  const BoxRoom here = see_box_room(poses[0]);
  const LabelledView there = view_of(see_box_room(poses[1]), poses[1]);
  const LabelledView* from[] = {&there};
  const HandedLabels handed = carry_labels(from, depth_view(here.frame), poses[0]);
  std::size_t known = 0, wrong = 0;
  for (std::size_t i = 0; i < handed.numbers.size(); ++i) {
    if (handed.numbers.data()[i] == image::kVoid) continue;
    ++known;
    wrong += handed.numbers.data()[i] != here.labels.data()[i];
  }
  EXPECT_GT(known, handed.numbers.size() * 7 / 10);
  EXPECT_LT(wrong, known / 100) << "at edges alone";
  EXPECT_EQ(handed.num_pixels[0], known);
}

TEST(CarryLabels, AFewPixelsReachAFrameThatIsNearerWithoutGaps) {
  const auto poses = poses_around();
  BoxRoom far = see_box_room(poses[0]);
  for (std::size_t i = 0; i < far.labels.size(); ++i)  // a patch on the box
    if (far.labels.data()[i] != 1 || i % far.labels.cols() < 70 || i % far.labels.cols() > 90)
      far.labels.data()[i] = image::kVoid;
  const LabelledView there = view_of(far, poses[0]);
  const RigidMotion nearer = then(motion_of({}, {0, 0, 0.7f}), poses[0]);  // half the distance to the box
  const BoxRoom here = see_box_room(nearer);
  const LabelledView* from[] = {&there};
  const HandedLabels handed = carry_labels(from, depth_view(here.frame), nearer);
  EXPECT_GT(handed.num_pixels[0], there.labelled.size() * 3 / 2);
  std::size_t gaps = 0;
  for (std::size_t row = 1; row + 1 < handed.numbers.rows(); ++row)
    for (std::size_t col = 1; col + 1 < handed.numbers.cols(); ++col)
      gaps += handed.numbers(row, col) == image::kVoid && handed.numbers(row, col - 1) == 1 &&
              handed.numbers(row, col + 1) == 1;
  EXPECT_LT(gaps, handed.num_pixels[0] / 50);
}

TEST(CarryLabels, TheClassOfMostFramesCountsAndOfAsManyThatOfTheNearest) {
  const auto poses = poses_around();
  std::vector<LabelledView> views;
  for (const std::size_t i : {1u, 2u, 1u}) views.push_back(view_of(see_box_room(poses[i]), poses[i]));
  const std::vector<std::uint16_t> said = {7, 8, 8};
  for (std::size_t v = 0; v < views.size(); ++v) std::ranges::fill(views[v].numbers, said[v]);
  const BoxRoom here = see_box_room(poses[0]);
  const LabelledView* all[] = {&views[0], &views[1], &views[2]};
  const HandedLabels of_all = carry_labels(all, depth_view(here.frame), poses[0]);
  const LabelledView* two[] = {&views[0], &views[1]};
  const HandedLabels of_two = carry_labels(two, depth_view(here.frame), poses[0]);
  std::size_t seen_by_two = 0, sevens = 0;
  for (std::size_t row = 0; row < here.labels.rows(); ++row)
    for (std::size_t col = 0; col < here.labels.cols(); ++col) {
      const auto at = [&](std::size_t v) {
        const auto seen = views[v].depth().visible_pixel(
            then(poses[0], image::inverse(views[v].pose))(depth_view(here.frame).place(row, col)));
        return seen ? views[v].depth_mm((*seen)[0], (*seen)[1]) : 0;
      };
      const int first = at(0), second = at(1);
      if (first == 0 || second == 0) continue;
      ++seen_by_two;
      sevens += first <= second;
      EXPECT_EQ(of_all.numbers(row, col), 8);
      EXPECT_EQ(of_two.numbers(row, col), first <= second ? 7 : 8);
    }
  EXPECT_GT(seen_by_two, here.labels.size() / 2);
  EXPECT_GT(sevens, 100u);
  EXPECT_LT(sevens, seen_by_two - 100);
}

TEST(CarryLabels, AFrameWhosePoseDoesNotFitGivesNothing) {
  const auto poses = poses_around();
  const BoxRoom here = see_box_room(poses[0]);
  // Moved half a metre forwards: the places that it shows would be in mid-air.
  const LabelledView jumped = view_of(see_box_room(poses[1]), then(motion_of({}, {0, 0, -0.5f}), poses[1]));
  const LabelledView good = view_of(see_box_room(poses[1]), poses[1]);
  const LabelledView* from[] = {&jumped, &good};
  const HandedLabels handed = carry_labels(from, depth_view(here.frame), poses[0]);
  EXPECT_EQ(handed.num_pixels[0], 0u);
  EXPECT_GT(handed.num_pixels[1], here.labels.size() / 2);
}

TEST(CarryLabels, FramesThatMayNotSeeALabelAreKnownWithoutReadingThem) {
  const auto poses = poses_around();
  const LabelledView view = view_of(see_box_room(poses[0]), poses[0]);
  EXPECT_TRUE(may_see(view, poses[1], view.camera));
  EXPECT_FALSE(may_see(view, then(motion_of({0, 3.14159f, 0}, {}), poses[0]), view.camera)) << "its back to it";
  EXPECT_FALSE(may_see(view, then(motion_of({}, {100, 0, 0}), poses[0]), view.camera));
}

}  // namespace
}  // namespace fernwood::teach
