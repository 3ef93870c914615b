// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_transfer.h"

#include <gtest/gtest.h>

#include "dataset/test_files.h"
#include "fernwood/teach/project.h"
#include "image/seen_box.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

using image::BoxRoom;
using image::looking_down;
using image::motion_of;
using image::see_box_room;

TEST(LabelTransfer, LabelsComeToTheSamePlacesAndNowhereElse) {
  const image::RigidMotion pose = looking_down(), move = motion_of({0, 0.1f, 0}, {0.3f, 0, 0.1f});
  const BoxRoom from = see_box_room(pose), to = see_box_room(then(move, pose));
  const image::LabelImage transferred =
      transfer_from_neighbour(from.labels, depth_view(from.frame), depth_view(to.frame), move);
  std::size_t known = 0, wrong = 0;
  for (std::size_t i = 0; i < transferred.size(); ++i) {
    if (transferred.data()[i] == image::kVoid) continue;
    ++known;
    wrong += transferred.data()[i] != to.labels.data()[i];
  }
  EXPECT_GT(known, transferred.size() * 7 / 10);
  EXPECT_LT(wrong, known / 100) << "at edges alone";
}

TEST(LabelTransfer, WhatTheFirstFrameDidNotSeeStaysUnknown) {
  const image::RigidMotion pose = looking_down(), beside = motion_of({0, 0, 0}, {0.8f, 0, 0});
  const BoxRoom from = see_box_room(pose), to = see_box_room(then(beside, pose));
  const image::LabelImage transferred =
      transfer_from_neighbour(from.labels, depth_view(from.frame), depth_view(to.frame), beside);
  // The wall that the box hid from the first camera: its places are on rays of both cameras, but the first one saw the
  // box.
  std::size_t hidden = 0, taken = 0;
  const image::DepthView view = depth_view(to.frame), first = depth_view(from.frame);
  for (std::size_t row = 0; row < 120; ++row)
    for (std::size_t col = 0; col < 160; ++col) {
      const auto seen = first.pixel(beside(view.place(row, col)));
      if (!seen || to.labels(row, col) == 1 || from.labels((*seen)[0], (*seen)[1]) == 0) continue;
      ++hidden;
      taken += transferred(row, col) == 1;
    }
  EXPECT_GT(hidden, 100u);
  EXPECT_LT(taken, hidden / 20);
  EXPECT_EQ(transfer_from_neighbour(from.labels, first, first, {}), from.labels);
}

TEST(LabelTransfer, GoesFromFrameToFrameOfARecording) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  const image::RigidMotion move = motion_of({0, 0.03f, 0}, {0.04f, 0, 0.02f});
  image::RigidMotion pose = looking_down();
  std::vector<BoxRoom> rooms;
  for (int i = 0; i < 4; ++i, pose = then(move, pose)) {
    rooms.push_back(see_box_room(pose));
    project.add_frame("seen" + std::to_string(i), rooms.back().frame);
  }
  BoxRoom other = rooms[0];
  for (std::uint16_t& depth : other.frame.depth_mm) depth = 3000;
  project.add_frame("wall", other.frame);
  take_classes(project, {{"room", {1, 1, 1}}, {"box", {2, 2, 2}}});
  EXPECT_EQ(nearest_taught(project, 3), std::nullopt);
  draw_truth(project, 0, rooms[0].labels, {0, 1});
  EXPECT_EQ(nearest_taught(project, 3), 0u);
  const TransferredLabels transferred = transfer_labels(way_between(project, 3, 0), project.labels(0));
  EXPECT_GT(transferred.share, 0.8);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < transferred.labels.size(); ++i)
    wrong += transferred.labels.data()[i] != image::kVoid && transferred.labels.data()[i] != rooms[3].labels.data()[i];
  EXPECT_LT(wrong, transferred.labels.size() / 50);
  testdata::expect_refused(ErrorKind::kUsage, [&] { transfer_labels(way_between(project, 4, 0), project.labels(0)); });
}

TEST(LabelTransfer, ByPosesLabelsComeFromWhateverFrameSawThePlace) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  // Too far apart for registration; only one of the two is near the view of the other frame.
  const std::vector<image::RigidMotion> poses = {looking_down(),
                                                 then(motion_of({0, 0.5f, 0}, {-1.2f, 0, 0.4f}), looking_down()),
                                                 then(motion_of({0, 3.1f, 0}, {}), looking_down())};
  std::vector<BoxRoom> rooms;
  std::vector<PosedFrame> from;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    rooms.push_back(see_box_room(poses[i]));
    project.add_frame("seen" + std::to_string(i), rooms[i].frame);
  }
  for (const std::size_t i : {2u, 1u})
    from.push_back({project.frame_reader(i), poses[i], [labels = rooms[i].labels] { return labels; }});
  const FrameOnTheWay to = {"seen0", project.frame_reader(0)};
  const TransferredLabels transferred = transfer_by_poses(from, to, poses[0]);
  EXPECT_EQ(transferred.from, 1u);
  std::size_t known = 0, wrong = 0;
  for (std::size_t i = 0; i < transferred.labels.size(); ++i) {
    if (transferred.labels.data()[i] == image::kVoid) continue;
    ++known;
    wrong += transferred.labels.data()[i] != rooms[0].labels.data()[i];
  }
  EXPECT_GT(known, transferred.labels.size() / 10);
  EXPECT_LT(wrong, known / 30);
  EXPECT_GT(transferred.share, 0.1);
  from.pop_back();
  testdata::expect_refused(ErrorKind::kUsage, [&] { transfer_by_poses(from, to, poses[0]); });
}

}  // namespace
}  // namespace fernwood::teach
