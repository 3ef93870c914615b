// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_carrier.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "dataset/test_files.h"
#include "fernwood/teach/project.h"
#include "image/seen_box.h"
#include "sentences.h"

namespace fernwood::teach {
namespace {

using image::BoxRoom;
using image::kVoid;
using image::motion_of;
using image::RigidMotion;

/// Frames of a room with a box, and a project with classes 0 and 1 for them.
struct Recording {
  explicit Recording(const std::filesystem::path& folder, bool has_poses, std::size_t num_frames = 5)
      : project(folder) {
    RigidMotion pose = image::looking_down();
    for (std::size_t i = 0; i < num_frames; ++i, pose = then(motion_of({0, 0.03f, 0}, {0.04f, 0, 0.02f}), pose)) {
      rooms.push_back(image::see_box_room(pose));
      project.add_frame("seen" + std::to_string(i), rooms.back().frame);
      if (has_poses) project.set_pose(i, {"room", pose});
    }
    take_classes(project, {{"room", {1, 1, 1}}, {"box", {2, 2, 2}}});
  }
  /// Share of correct labels among the carried ones, and their number.
  std::pair<double, std::size_t> right(std::size_t frame) const {
    const image::LabelImage carried = project.carried_reader(frame)();
    std::size_t known = 0, right = 0;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      known += carried.data()[i] != kVoid;
      right += carried.data()[i] == rooms[frame].labels.data()[i];
    }
    return {static_cast<double>(right) / static_cast<double>(known), known};
  }

  Project project;
  std::vector<BoxRoom> rooms;
};

Stroke square(std::uint16_t class_id, std::int32_t col, std::int32_t row, std::int32_t size) {
  const auto at = [](std::int32_t pixel) { return pixel * kStepsPerPixel; };
  return {
      .tool = Tool::kPolygon,
      .class_id = class_id,
      .points = {
          {at(col), at(row)}, {at(col + size), at(row)}, {at(col + size), at(row + size)}, {at(col), at(row + size)}}};
}

class LabelCarrierOf : public testing::TestWithParam<bool> {};

TEST_P(LabelCarrierOf, DrawnOnceAllFramesThatSeeThePlaceAreLabelled) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", GetParam());
  draw_truth(seen.project, 1, seen.rooms[1].labels, {0, 1});
  LabelCarrier carrier(seen.project);
  carrier.finish();
  EXPECT_EQ(seen.project.frame(3).num_carried, 0u) << "nobody asked for it";
  seen.project.carry(std::nullopt, true);
  carrier.finish();
  for (const std::size_t frame : {0u, 2u, 3u, 4u}) {
    const auto [right, known] = seen.right(frame);
    EXPECT_GT(right, 0.97) << frame;
    EXPECT_GT(known, seen.rooms[0].labels.size() * 7 / 10) << frame;
    EXPECT_EQ(seen.project.frame(frame).carried_from, std::vector<std::size_t>{1});
  }
  EXPECT_EQ(seen.project.frame(1).num_carried, 0u) << "the only source is itself";
  EXPECT_EQ(carrier.take_changed(), (std::set<std::size_t>{0, 2, 3, 4}));
}

TEST_P(LabelCarrierOf, WhatIsCarriedFollowsItsStroke) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", GetParam());
  LabelCarrier carrier(seen.project);
  seen.project.carry(std::nullopt, true);
  seen.project.add_stroke(2, square(0, 60, 50, 30));
  carrier.finish();
  const std::size_t many = seen.project.frame(0).num_carried;
  EXPECT_GT(many, 300u);
  seen.project.add_stroke(2, square(kErase, 60, 50, 15));
  carrier.finish();
  EXPECT_LT(seen.project.frame(0).num_carried, many * 9 / 10);
  seen.project.undo(2);
  carrier.finish();
  EXPECT_EQ(seen.project.frame(0).num_carried, many);
  seen.project.undo(2);
  carrier.finish();
  EXPECT_EQ(seen.project.frame(0).num_carried, 0u);
  seen.project.redo(2);
  carrier.finish();
  EXPECT_EQ(seen.project.frame(0).num_carried, many);
  seen.project.carry(std::nullopt, false);
  carrier.finish();
  EXPECT_EQ(seen.project.frame(0).num_carried, 0u);
}

INSTANTIATE_TEST_SUITE_P(PosesAndRegistration, LabelCarrierOf, testing::Bool(),
                         [](const auto& of) { return of.param ? "poses" : "registration"; });

TEST(LabelCarrier, WhatWasDrawnOrErasedInAFrameCounts) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", true);
  LabelCarrier carrier(seen.project);
  seen.project.carry(0, true);  // from no other frame
  draw_truth(seen.project, 0, seen.rooms[0].labels, {0, 0});
  seen.project.add_stroke(3, square(1, 40, 40, 10));
  seen.project.add_stroke(3, square(kErase, 80, 40, 10));
  carrier.finish();
  const image::LabelImage taught = seen.project.taught_labels(3);
  EXPECT_EQ(taught(45, 45), 1);
  EXPECT_EQ(taught(45, 85), kVoid);
  EXPECT_EQ(taught(60, 70), 0);
  EXPECT_EQ(seen.project.labels(3)(60, 70), kVoid);
  EXPECT_EQ(seen.project.carried_reader(1)()(45, 45), 0) << "frame 3 carries nothing";
  seen.project.undo(3);  // removes the eraser's stroke
  carrier.finish();
  EXPECT_EQ(seen.project.taught_labels(3)(45, 85), 0);
}

TEST(LabelCarrier, StepByStepIsAsFromNothing) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", true);
  LabelCarrier carrier(seen.project);
  seen.project.carry(std::nullopt, true);
  const std::vector<std::function<void()>> steps = {[&] { seen.project.add_stroke(0, square(0, 30, 30, 40)); },
                                                    [&] { seen.project.add_stroke(4, square(1, 50, 30, 40)); },
                                                    [&] { seen.project.add_stroke(2, square(1, 20, 60, 30)); },
                                                    [&] { seen.project.undo(4); },
                                                    [&] { seen.project.merge_class(1, 0); },
                                                    [&] { seen.project.restore_class(1); },
                                                    [&] { seen.project.delete_class(0); },
                                                    [&] { seen.project.carry(2, false); },
                                                    [&] {
                                                      seen.project.set_pose(1, {"another room", image::looking_down()});
                                                    }};
  for (const auto& step : steps) {
    step();
    if (const auto begun = carrier.next_step()) begun();  // aborted
    carrier.finish();
    std::vector<image::LabelImage> found;
    for (std::size_t frame = 0; frame < 5; ++frame) found.push_back(seen.project.carried_reader(frame)());
    LabelCarrier(seen.project).finish();
    for (std::size_t frame = 0; frame < 5; ++frame)
      EXPECT_EQ(seen.project.carried_reader(frame)(), found[frame]) << frame;
  }
  EXPECT_EQ(seen.project.frame(1).num_carried, 0u);
}

TEST(LabelCarrier, RoomsAndFramesThatDoNotFitHandNothingOn) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", false);
  BoxRoom wall = seen.rooms[0];
  std::ranges::fill(wall.frame.depth_mm, 3000);
  seen.project.add_frame("wall", wall.frame);
  draw_truth(seen.project, 0, seen.rooms[0].labels, {0, 1});
  seen.project.carry(std::nullopt, true);
  LabelCarrier carrier(seen.project);
  carrier.finish();
  EXPECT_GT(seen.project.frame(4).num_carried, 0u);
  EXPECT_EQ(seen.project.frame(5).num_carried, 0u);
  EXPECT_EQ(carrier.place(4)->room, carrier.place(0)->room);
  EXPECT_NE(carrier.place(5)->room, carrier.place(0)->room);
}

TEST(LabelCarrier, AFrameThatCannotBeReadIsToldAndTheOthersAreDone) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", true);
  draw_truth(seen.project, 0, seen.rooms[0].labels, {0, 1});
  seen.project.carry(std::nullopt, true);
  std::filesystem::remove(folder / "p" / "seen2_depth.png");
  LabelCarrier carrier(seen.project);
  carrier.finish();
  const std::vector<std::string> problems = carrier.take_problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("seen2"), std::string::npos) << problems[0];
  EXPECT_GT(seen.project.frame(3).num_carried, 0u);
}

TEST(LabelCarrier, AProjectIsSmallAndKnowsWhatWasCarriedAfterARestart) {
  const dataset::TestFolder folder;
  std::uintmax_t before = 0;
  image::LabelImage carried;
  {
    Recording seen(folder / "p", true);
    seen.project.add_stroke(2, square(1, 60, 50, 30));
    before = std::filesystem::file_size(folder / "p" / "strokes.journal");
    seen.project.carry(std::nullopt, true);
    EXPECT_LT(std::filesystem::file_size(folder / "p" / "strokes.journal"), before + 60);
    seen.project.write_truth();
    EXPECT_FALSE(std::filesystem::exists(folder / "p" / "seen0_ground_truth.png")) << "before it is carried";
    LabelCarrier(seen.project).finish();
    carried = seen.project.carried_reader(0)();
  }
  bring_truth_up_to_date(folder / "p");
  Project again(folder / "p");
  EXPECT_TRUE(again.is_carrying(4));
  EXPECT_EQ(again.frame(2).pose->room, "room");
  LabelCarrier(again).finish();
  EXPECT_EQ(again.carried_reader(0)(), carried);
  EXPECT_GT(again.frame(0).num_carried, 300u);
  const dataset::Dataset data = dataset::Dataset::open(folder / "p");
  image::ClassMap classes;
  classes.classes = {{"room", {1, 1, 1}}, {"box", {2, 2, 2}}};
  EXPECT_EQ(data.read_labels(0, classes), again.taught_labels(0));
}

TEST_P(LabelCarrierOf, FinishingTellsHowManyStepsAreLeft) {
  const dataset::TestFolder folder;
  Recording seen(folder / "p", GetParam());
  draw_truth(seen.project, 1, seen.rooms[1].labels, {0, 1});
  seen.project.carry(std::nullopt, true);
  std::size_t num_steps = 0, last_total = 0;
  LabelCarrier(seen.project).finish([&](std::size_t done, std::size_t total) {
    EXPECT_EQ(done, num_steps++);
    EXPECT_GT(total, done);
    last_total = total;
  });
  EXPECT_GT(num_steps, seen.project.num_frames());
  EXPECT_EQ(last_total, num_steps);
}

TEST(LabelCarrier, WithoutDepthNothingIsCarriedAndThatIsSaid) {
  const dataset::TestFolder folder;
  Project project(folder / "p");
  image::Frame frame;
  frame.color = Array2<image::Rgb>(4, 4);
  project.add_frame("flat", frame);
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.carry(std::nullopt, true); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.carry(7, false); });
  RigidMotion mirror;
  mirror.rotation[0].x = -1;
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.set_pose(0, {"room", mirror}); });
  testdata::expect_refused(ErrorKind::kUsage, [&] { project.set_pose(0, {"a\nroom", {}}); });
}

}  // namespace
}  // namespace fernwood::teach
